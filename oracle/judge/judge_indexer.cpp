#include "oracle/judge/judge_indexer.h"

#include "fixtures/error.h"
#include "fixtures/small_float.h"
#include "oracle/judge/indexer_error_model.h"
#include "oracle/judge/indexer_replay.h"
#include "oracle/judge/judge_selection.h"
#include "oracle/judge/slice.h"
#include "oracle/judge/witness.h"
#include "reference/model/index_projection.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

namespace plumbline {
namespace {

/// The recorded calls of one forward, consumed in their order: layers, then batch rows, then queries.
struct RecordedCalls {
  Tensor scores, lengths, blocks;
  std::int64_t next = 0;

  std::int64_t count() const { return lengths.shape.empty() ? 0 : lengths.extent(0); }
};

class IndexerJudge {
 public:
  IndexerJudge(const ModelCapture& capture, const IndexerOptions& options)
      : capture_(capture),
        options_(options),
        profile_(options.profile != nullptr ? *options.profile : profile_of(capture.info())),
        config_(parse_indexer_config(capture.config_json(), capture.info().path)),
        witnesses_(options.max_witnesses) {
    report_.case_name = capture.info().case_name;
    report_.profile = profile_.name;
    report_.sparse_layers = static_cast<std::int64_t>(config_.sparse_layers.size());
    layers_.reserve(config_.sparse_layers.size());
    for (const std::int64_t layer : config_.sparse_layers) {
      layers_.push_back(
          {layer,
           QsaIndexer(config_, read_indexer_weights(capture, config_, layer, profile_), profile_),
           {}});
    }
  }

  IndexerReport judge() {
    for (const ModelCapture::Forward& forward : capture_.forwards()) judge_forward(forward);
    report_.forwards = static_cast<std::int64_t>(capture_.forwards().size());
    report_.witnesses = witnesses_.list();
    report_.witnesses_left_out = witnessed_ - static_cast<std::int64_t>(report_.witnesses.size());
    decide_status();
    return report_;
  }

 private:
  struct Layer {
    std::int64_t number = 0;
    QsaIndexer indexer;
    std::vector<IndexerReplay> batch;
  };

  [[noreturn]] void refuse(const ModelCapture::Forward& forward, const std::string& dataset,
                           const std::string& expected, const std::string& found) const {
    throw InputError(capture_.info().path, fmt::format("/forward/{}/{}", forward.name, dataset), expected,
                     found);
  }

  Tensor read_shaped(const ModelCapture::Forward& forward, const std::string& dataset,
                     const Shape& shape) const {
    Tensor tensor = capture_.read(forward, dataset);
    if (tensor.dtype != config_.storage || tensor.shape != shape) {
      refuse(forward, dataset, fmt::format("{} {}", name_of(config_.storage), to_string(shape)),
             fmt::format("{} {}", name_of(tensor.dtype), to_string(tensor.shape)));
    }
    return tensor;
  }

  void judge_forward(const ModelCapture::Forward& forward) {
    RecordedCalls calls;
    if (capture_.has(forward, "selection/lengths")) {
      calls.scores = capture_.read(forward, "selection/scores");
      calls.lengths = capture_.read(forward, "selection/lengths");
      calls.blocks = capture_.read(forward, "selection/blocks");
    }
    const CallTokens tokens = read_call_tokens(capture_, forward);
    for (Layer& layer : layers_) judge_layer(forward, tokens, layer, calls);
    if (calls.next != calls.count()) {
      refuse(forward, "selection/lengths", fmt::format("{} calls", calls.next),
             fmt::format("{}", calls.count()));
    }
  }

  void judge_layer(const ModelCapture::Forward& forward, const CallTokens& tokens, Layer& layer,
                   RecordedCalls& calls) {
    const SelectGeometry& geometry = config_.geometry;
    const std::int64_t heads = geometry.index_heads, dim = geometry.index_head_dim;
    const std::string module = fmt::format("taps/model.layers.{}.self_attn.indexer.", layer.number);
    const Tensor projected = read_shaped(forward, module + "index_qk_proj/out",
                                         {forward.batch, forward.tokens, (heads + 1) * dim});
    while (static_cast<std::int64_t>(layer.batch.size()) < forward.batch)
      layer.batch.emplace_back(layer.indexer);
    if (static_cast<std::int64_t>(layer.batch.size()) != forward.batch) {
      refuse(forward, "input_ids", fmt::format("{} batch rows, as before", layer.batch.size()),
             fmt::format("{}", forward.batch));
    }
    compare_normed_queries(forward, module + "q_layernorm/out", tokens, layer, projected);
    compare_raw_keys(forward, tokens, layer, projected);
    for (std::int64_t b = 0; b < forward.batch; ++b) {
      const auto row = static_cast<std::size_t>(b);
      const IndexerReplay::Rows rows = layer.batch[row].call(slice(projected, b), forward.position,
                                                             tokens.live[row], tokens.coordinates[row]);
      report_.dead_tokens += rows.dead_tokens;
      judge_rows(forward, layer, b, rows, calls);
    }
  }

  void judge_rows(const ModelCapture::Forward& forward, const Layer& layer, std::int64_t batch,
                  const IndexerReplay::Rows& rows, RecordedCalls& calls) {
    const auto count = static_cast<std::int64_t>(rows.tokens.size());
    if (count == 0) return;
    if (calls.next + count > calls.count()) {
      refuse(forward, "selection/lengths", fmt::format("at least {} calls", calls.next + count),
             fmt::format("{}", calls.count()));
    }
    const std::int64_t first = calls.next;
    calls.next += count;
    for (std::int64_t i = 0; i < count; ++i) {
      if (calls.lengths.as<std::int32_t>()[static_cast<std::size_t>(first + i)] !=
          rows.visible[static_cast<std::size_t>(i)]) {
        ++report_.lengths_wrong;
      }
    }

    const std::int64_t blocks = rows.keys.tensor.extent(0);
    const std::vector<float> scores = recorded_scores(calls, first, count, blocks);
    report_.scores.merge(compare_scores(rows.queries, rows.keys, rows.visible, scores, blocks, profile_),
                         report_.rows);

    Tensor visible(DType::int32, {count});
    std::ranges::copy(rows.visible, visible.as<std::int32_t>().begin());
    SelectInputs inputs;
    inputs.geometry = config_.geometry;
    inputs.rows = count;
    inputs.blocks = blocks;
    inputs.index_query = rows.queries.tensor.view();
    inputs.index_key = rows.keys.tensor.view();
    inputs.visible_blocks = visible.view();
    SelectionClaim claim;
    claim.inputs = &inputs;
    claim.claimed = [&](std::int64_t from, std::int64_t rows_asked, std::span<std::int32_t> out) {
      copy_claimed(calls, first + from, rows_asked, out);
    };
    claim.scores = [&](std::int64_t from, std::int64_t rows_asked, std::span<float> out) {
      std::copy_n(scores.begin() + from * blocks, rows_asked * blocks, out.begin());
    };
    const auto errors = float32_any_order_and_inputs(rows.queries, rows.keys);
    JudgeOptions judge_options;
    judge_options.error_model = errors.get();
    judge_options.max_witnesses = options_.max_witnesses;
    judge_options.threads = options_.threads;
    take_in(judge_selection(claim, judge_options),
            fmt::format("forward {}, layer {}, batch row {}", forward.name, layer.number, batch));
    report_.error_model = errors->name();
    report_.rows += count;
  }

  /// Recorded scores as [count, blocks], NaN where nothing is recorded.
  static std::vector<float> recorded_scores(const RecordedCalls& calls, std::int64_t first,
                                            std::int64_t count, std::int64_t blocks) {
    const std::int64_t width = calls.scores.extent(1);
    std::vector<float> scores(static_cast<std::size_t>(count * blocks),
                              std::numeric_limits<float>::quiet_NaN());
    for (std::int64_t i = 0; i < count; ++i) {
      std::copy_n(calls.scores.as<float>().begin() + (first + i) * width, std::min(width, blocks),
                  scores.begin() + i * blocks);
    }
    return scores;
  }

  /// Recorded blocks, widened to block_topk with -1.
  void copy_claimed(const RecordedCalls& calls, std::int64_t first, std::int64_t count,
                    std::span<std::int32_t> out) const {
    const std::int64_t k = config_.geometry.block_topk, width = calls.blocks.extent(1);
    std::ranges::fill(out, -1);
    for (std::int64_t i = 0; i < count; ++i) {
      std::copy_n(calls.blocks.as<std::int32_t>().begin() + (first + i) * width, std::min(width, k),
                  out.begin() + i * k);
    }
  }

  void take_in(const SelectionReport& selection, const std::string& where) {
    const auto add = [](VerdictCounts& total, const std::optional<VerdictCounts>& part) {
      for (std::size_t v = 0; part && v < total.rows.size(); ++v) total.rows[v] += part->rows[v];
    };
    add(report_.selector, selection.selector);
    add(report_.end_to_end, selection.end_to_end);
    report_.rows_without_exact_score += selection.rows_without_exact_score;
    report_.census.rows += selection.census.rows;
    report_.census.rows_selecting += selection.census.rows_selecting;
    report_.census.has_exact = true;
    report_.census.rows_tied_at_cutoff += selection.census.rows_tied_at_cutoff;
    report_.census.rows_zero_plateau += selection.census.rows_zero_plateau;
    report_.census.largest_tie_class =
        std::max(report_.census.largest_tie_class, selection.census.largest_tie_class);
    witnessed_ += selection.witnesses_left_out + static_cast<std::int64_t>(selection.witnesses.size());
    for (Witness witness : selection.witnesses) {
      witness.what = fmt::format("{}, call {}: {}", where, witness.row, witness.what);
      witness.row += report_.rows;
      if (witnesses_.wants(witness.verdict, witness.row)) witnesses_.add(std::move(witness));
    }
  }

  void compare_normed_queries(const ModelCapture::Forward& forward, const std::string& dataset,
                              const CallTokens& tokens, const Layer& layer, const Tensor& projected) {
    if (!capture_.has(forward, dataset)) return;
    const std::int64_t heads = config_.geometry.index_heads, dim = config_.geometry.index_head_dim;
    const Tensor tap = read_shaped(forward, dataset, {forward.batch, forward.tokens, heads, dim});
    for (std::int64_t b = 0; b < forward.batch; ++b) {
      const BoundedTensor ours = layer.indexer.normed_queries(query_part(slice(projected, b), heads, dim));
      const std::int64_t offset = b * forward.tokens * heads * dim;
      for (std::int64_t e = 0; e < forward.tokens * heads * dim; ++e) {
        if (tokens.live[static_cast<std::size_t>(b)][static_cast<std::size_t>(e / (heads * dim))] == 0)
          continue;
        const Bounded expected = ours.at(e);
        const double found = decode_element(
            tap.dtype, tap.bytes.data() + static_cast<std::size_t>(offset + e) * size_of(tap.dtype));
        const double distance = std::abs(found - expected.value);
        ++report_.normed_compared;
        if (!(distance <= expected.error)) ++report_.normed_beyond;
        if (distance > 0 && expected.error > 0) {
          report_.normed_largest_share = std::max(report_.normed_largest_share, distance / expected.error);
        }
      }
    }
  }

  /// The cache must hold the raw keys of the projection, bit for bit.
  void compare_raw_keys(const ModelCapture::Forward& forward, const CallTokens& tokens, const Layer& layer,
                        const Tensor& projected) {
    const std::string dataset = fmt::format("state/layers.{}/indexer_keys", layer.number);
    if (!capture_.has(forward, dataset)) return;
    const std::int64_t heads = config_.geometry.index_heads, dim = config_.geometry.index_head_dim;
    const Tensor state =
        read_shaped(forward, dataset, {forward.batch, forward.position + forward.tokens, dim});
    const std::size_t element = size_of(config_.storage);
    for (std::int64_t b = 0; b < forward.batch; ++b) {
      const TensorView raw = raw_key_part(slice(projected, b), heads, dim);
      for (std::int64_t t = 0; t < forward.tokens; ++t) {
        if (tokens.live[static_cast<std::size_t>(b)][static_cast<std::size_t>(t)] == 0) continue;
        for (std::int64_t d = 0; d < dim; ++d) {
          ++report_.raw_keys_compared;
          if (std::memcmp(raw.at(t, d), state.view().at(b, forward.position + t, d), element) != 0) {
            ++report_.raw_keys_different;
          }
        }
      }
    }
  }

  void decide_status() {
    const auto fail = [&](const std::string& reason) {
      report_.status = Status::fail;
      report_.reason = reason;
    };
    const auto broken = [&](Verdict verdict) {
      return report_.end_to_end[verdict] + report_.selector[verdict];
    };
    if (report_.raw_keys_different > 0) {
      fail(fmt::format("{} cached raw key elements differ from the projection", report_.raw_keys_different));
    } else if (report_.normed_beyond > 0) {
      fail(fmt::format("{} normed query elements lie beyond their bound", report_.normed_beyond));
    } else if (report_.lengths_wrong > 0) {
      fail(fmt::format("{} calls ranked another number of blocks than are visible", report_.lengths_wrong));
    } else if (report_.scores.beyond > 0) {
      fail(fmt::format(
          "{} of {} scores lie beyond their bound, the worst (row {}, block {}) {:.3g} times as far",
          report_.scores.beyond, report_.scores.compared, report_.scores.worst_row,
          report_.scores.worst_block, report_.scores.largest_share));
    } else if (broken(Verdict::structural) > 0 || broken(Verdict::value_error) > 0) {
      fail(fmt::format("{} structural and {} value_error verdicts", broken(Verdict::structural),
                       broken(Verdict::value_error)));
    } else if (report_.census.rows_selecting == 0) {
      report_.status = Status::vacuous;
      report_.reason =
          report_.rows == 0 ? "no query has a complete block" : "no row has more than k visible blocks";
    }
  }

  const ModelCapture& capture_;
  const IndexerOptions& options_;
  const RoundingProfile& profile_;
  IndexerConfig config_;
  std::vector<Layer> layers_;
  IndexerReport report_;
  WitnessList witnesses_;
  std::int64_t witnessed_ = 0;
};

}  // namespace

const RoundingProfile& profile_of(const CaptureInfo& info) {
  for (const char* gpu : {"cuda,", "NVIDIA"}) {  // by kind, or by name as capture_transformers.py writes it
    if (info.producer.find(gpu) != std::string::npos) return hf_cuda_profile();
  }
  if (info.producer.find("cpu,") != std::string::npos) return hf_cpu_profile();
  throw InputError(info.path, "producer", "a producer on cuda or cpu, or a rounding profile by name",
                   "\"" + info.producer + "\"");
}

IndexerReport judge_indexer(const ModelCapture& capture, const IndexerOptions& options) {
  return IndexerJudge(capture, options).judge();
}

}  // namespace plumbline
