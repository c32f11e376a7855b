#include "oracle/selftest/faulty_cache.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace plumbline::selftest {
namespace {

using PerLayer = std::function<void(LayerState& state, const LayerState& other)>;

void layer_by_layer(ModelCache& cache, const ModelCache& other, const PerLayer& change) {
  for (std::size_t layer = 0; layer < cache.layers.size(); ++layer)
    change(cache.layers[layer], other.layers[layer]);
}

std::function<void(ModelCache&, const ModelCache&)> each_layer(PerLayer change) {
  return [change = std::move(change)](ModelCache& cache, const ModelCache& other) {
    layer_by_layer(cache, other, change);
  };
}

void take_recurrent_state(LayerState& state, const LayerState& other) {
  if (!state.delta_net) return;
  state.delta_net->heads = other.delta_net->heads;
  state.delta_net->grid = other.delta_net->grid;
}

void take_convolution(LayerState& state, const LayerState& other) {
  if (state.delta_net) state.delta_net->convolution = other.delta_net->convolution;
}

void take_delta_net(LayerState& state, const LayerState& other) {
  if (state.delta_net) state.delta_net = other.delta_net;
}

void take_ngram_context(LayerState& state, const LayerState& other) {
  if (state.ple) state.ple->context = other.ple->context;
}

void take_ple_convolution(LayerState& state, const LayerState& other) {
  if (state.ple) state.ple->convolution = other.ple->convolution;
}

void take_ple(LayerState& state, const LayerState& other) {
  if (state.ple) state.ple = other.ple;
}

void edit_index(LayerState& state, const std::function<void(IndexKeyCache::State&)>& edit) {
  if (!state.attention || !state.attention->index) return;
  IndexKeyCache::State index = state.attention->index->state();
  edit(index);
  state.attention->index->restore(std::move(index));
}

void lose_block_keys(LayerState& state, const LayerState&) {
  edit_index(state, [](IndexKeyCache::State& index) { std::ranges::fill(index.keys, Bounded{}); });
}

void lose_open_block(LayerState& state, const LayerState&) {
  edit_index(state, [](IndexKeyCache::State& index) {
    // Of the last token, which the next call's block is pooled with unless it ends one.
    const std::size_t bytes = index.raw.bytes.size() / static_cast<std::size_t>(index.raw.extent(0));
    std::fill_n(index.raw.bytes.end() - static_cast<std::ptrdiff_t>(bytes), bytes, std::byte{0});
  });
}

/// A ring of one block: a draft lies where the last accepted token's key was.
void keep_draft_in_ring(LayerState& state, const LayerState& rejected) {
  if (!rejected.attention || !rejected.attention->index) return;
  const Tensor& drafted = rejected.attention->index->state().raw;
  edit_index(state, [&drafted](IndexKeyCache::State& index) {
    const std::size_t bytes = drafted.bytes.size() / static_cast<std::size_t>(drafted.extent(0));
    std::copy_n(drafted.bytes.end() - static_cast<std::ptrdiff_t>(bytes), bytes,
                index.raw.bytes.end() - static_cast<std::ptrdiff_t>(bytes));
  });
}

/// The first draft's value lies in the last accepted token's slot.
void keep_draft_value(LayerState& state, const LayerState& rejected) {
  if (!state.attention) return;
  Rows<double>& values = state.attention->values;
  std::ranges::copy(rejected.attention->values.row(values.rows), values.row(values.rows - 1).begin());
}

}  // namespace

std::vector<CacheFault> cache_faults() {
  const auto forked = [](const PerLayer& change) {
    return [change](ModelCache&, ModelCache& child, const ModelCache& fresh) {
      layer_by_layer(child, fresh, change);
    };
  };
  return {
      {.id = "convolution_restarts_with_a_call",
       .hazard = "CASES E7",
       .about = "the delta net's convolution begins anew in every call",
       .check = "chunks",
       .after_call = each_layer(take_convolution)},
      {.id = "state_restarts_with_a_call",
       .hazard = "CASES E7",
       .about = "a chunk's recurrent state is not handed to the next",
       .check = "chunks",
       .after_call = each_layer(take_recurrent_state)},
      {.id = "ngrams_restart_with_a_call",
       .hazard = "CASES A2",
       .about = "the n-gram context is not carried to the next call",
       .check = "chunks",
       .after_call = each_layer(take_ngram_context)},
      {.id = "ple_convolution_restarts_with_a_call",
       .hazard = "CASES A5",
       .about = "the PLE's convolution begins anew in every call",
       .check = "chunks",
       .after_call = each_layer(take_ple_convolution)},
      {.id = "open_block_forgotten",
       .hazard = "CASES C2",
       .about = "the last raw index key of a block that a call leaves open is lost",
       .check = "chunks",
       .after_call = each_layer(lose_open_block)},
      {.id = "positions_restart_with_a_call",
       .hazard = "CASES C11",
       .about = "positions count from the call's first token",
       .check = "chunks",
       .position = [](std::int64_t position, std::int64_t first) { return position - first; }},
      {.id = "drafts_stay_in_the_state",
       .hazard = "CASES E7",
       .about = "a rejected draft stays in the recurrent state",
       .check = "roll_back",
       .after_roll_back = each_layer(take_recurrent_state)},
      {.id = "drafts_stay_in_the_convolution",
       .hazard = "CASES E7",
       .about = "a rejected draft stays in the delta net's convolution",
       .check = "roll_back",
       .after_roll_back = each_layer(take_convolution)},
      {.id = "drafts_stay_in_the_ngrams",
       .hazard = "CASES A2",
       .about = "a rejected draft stays in the n-gram context",
       .check = "roll_back",
       .after_roll_back = each_layer(take_ngram_context)},
      {.id = "drafts_stay_in_the_ple_convolution",
       .hazard = "CASES A5",
       .about = "a rejected draft stays in the PLE's convolution",
       .check = "roll_back",
       .after_roll_back = each_layer(take_ple_convolution)},
      {.id = "drafts_stay_in_the_ring",
       .hazard = "CASES C4",
       .about = "a rejected draft's raw key is pooled into the open block",
       .check = "roll_back",
       .after_roll_back = each_layer(keep_draft_in_ring)},
      {.id = "draft_value_in_an_accepted_slot",
       .hazard = "CASES F2",
       .about = "a rejected draft's value lies in the last accepted token's slot",
       .check = "roll_back",
       .after_roll_back = each_layer(keep_draft_value)},
      {.id = "fork_without_ngrams",
       .hazard = "CASES A4",
       .about = "a copied sequence has no n-gram context",
       .check = "fork",
       .after_fork = forked(take_ngram_context)},
      {.id = "fork_without_state",
       .hazard = "CASES C14",
       .about = "a copied sequence begins with an empty delta net",
       .check = "fork",
       .after_fork = forked(take_delta_net)},
      {.id = "fork_without_block_keys",
       .hazard = "CASES C10",
       .about = "a copied sequence's compressed index keys are 0",
       .check = "fork",
       .after_fork = forked(lose_block_keys)},
      {.id = "fork_writes_into_its_parent",
       .hazard = "CASES C7",
       .about = "parent and copy share one recurrent state",
       .check = "fork",
       .after_child = each_layer(take_recurrent_state)},
      {.id = "slot_keeps_its_state",
       .hazard = "CASES E4",
       .about = "a request begins with the recurrent state of the one before",
       .check = "reuse",
       .after_reset = each_layer(take_recurrent_state)},
      {.id = "slot_keeps_its_convolution",
       .hazard = "CASES C12",
       .about = "a request begins with the convolution of the one before",
       .check = "reuse",
       .after_reset = each_layer(take_convolution)},
      {.id = "slot_keeps_its_ngrams",
       .hazard = "CASES A4",
       .about = "a request begins with the n-gram context of the one before",
       .check = "reuse",
       .after_reset = each_layer(take_ngram_context)},
      {.id = "restored_without_ple",
       .hazard = "CASES A5",
       .about = "a restored cache has no PLE state",
       .check = "restore",
       .after_restore = each_layer(take_ple)},
      {.id = "restored_without_block_keys",
       .hazard = "CASES C10",
       .about = "a restored cache's compressed index keys are 0",
       .check = "restore",
       .after_restore = each_layer(lose_block_keys)},
  };
}

}  // namespace plumbline::selftest
