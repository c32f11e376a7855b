#include "oracle/judge/indexer_replay.h"

#include <cstring>

#include <fmt/format.h>

#include "fixtures/error.h"
#include "fixtures/small_float.h"
#include "reference/model/index_projection.h"
#include "reference/model/integer_view.h"

namespace plumbline {
namespace {

std::vector<double> read_norm(const ModelCapture& capture, const std::string& name, std::int64_t dim) {
  const Tensor weight = capture.weight(name);
  if (!is_floating(weight.dtype) || weight.shape != Shape{dim}) {
    throw InputError(capture.info().path, "/weights/" + name, fmt::format("[{}] of floats", dim),
                     fmt::format("{} {}", name_of(weight.dtype), to_string(weight.shape)));
  }
  std::vector<double> values;
  for (std::int64_t d = 0; d < dim; ++d) values.push_back(decode_element(weight.dtype, weight.view().at(d)));
  return values;
}

/// A copy of the given rows of `tensor`, one after the other.
Tensor gather_rows(const TensorView& tensor, std::span<const std::int64_t> rows) {
  Shape shape = tensor.shape;
  shape[0] = static_cast<std::int64_t>(rows.size());
  Tensor gathered(tensor.dtype, shape);
  const std::size_t element = size_of(tensor.dtype);
  std::byte* out = gathered.bytes.data();
  for (const std::int64_t row : rows) {
    for (std::int64_t head = 0; head < shape[1]; ++head) {
      for (std::int64_t d = 0; d < shape[2]; ++d, out += element)
        std::memcpy(out, tensor.at(row, head, d), element);
    }
  }
  return gathered;
}

}  // namespace

IndexerWeights read_indexer_weights(const ModelCapture& capture, const IndexerConfig& config,
                                    std::int64_t layer, const RoundingProfile& profile) {
  const std::string prefix = fmt::format("model.layers.{}.self_attn.indexer.", layer);
  const std::int64_t dim = config.geometry.index_head_dim;
  IndexerWeights weights{read_norm(capture, prefix + "q_layernorm.weight", dim),
                         read_norm(capture, prefix + "k_layernorm.weight", dim),
                         {}};
  const std::string frequencies = "model.rotary_emb.inv_freq";
  if (!capture.has_weight(frequencies)) {
    weights.frequencies = default_frequencies(config.rope_theta, config.rotary_dim, config.sections,
                                              EngineArithmetic(profile, config.storage));
    return weights;
  }
  const Tensor held = capture.weight(frequencies);
  if (held.dtype != DType::float32 || held.shape != Shape{config.rotary_dim / 2}) {
    throw InputError(capture.info().path, "/weights/" + frequencies,
                     fmt::format("f32 [{}]", config.rotary_dim / 2),
                     fmt::format("{} {}", name_of(held.dtype), to_string(held.shape)));
  }
  weights.frequencies = recorded_frequencies(held.as<float>(), config.sections);
  return weights;
}

CallTokens read_call_tokens(const ModelCapture& capture, const ModelCapture::Forward& forward) {
  const auto batch = static_cast<std::size_t>(forward.batch),
             tokens = static_cast<std::size_t>(forward.tokens);
  CallTokens call{std::vector(batch, std::vector<std::uint8_t>(tokens, 1)),
                  std::vector(batch, std::vector<Coordinates>(tokens))};
  for (auto& row : call.coordinates) {
    for (std::size_t t = 0; t < tokens; ++t)
      row[t] = Coordinates::text(forward.position + static_cast<std::int64_t>(t));
  }
  if (capture.has(forward, "attention_mask")) {
    const Tensor mask = capture.read(forward, "attention_mask");
    for (std::size_t b = 0; b < batch; ++b) {
      for (std::size_t t = 0; t < tokens; ++t) {
        call.live[b][t] = integer_at(mask.view(), b, static_cast<std::size_t>(forward.position) + t) != 0;
      }
    }
  }
  if (capture.has(forward, "position_ids")) {
    const Tensor positions = capture.read(forward, "position_ids");
    for (std::size_t b = 0; b < batch; ++b) {
      for (std::size_t t = 0; t < tokens; ++t) {
        const auto axis = [&](int index) { return integer_at(positions.view(), index, b, t); };
        call.coordinates[b][t] = {axis(1), axis(2), axis(3)};
      }
    }
  }
  return call;
}

void IndexerReplay::roll_back(std::int64_t position) {
  past_.resize(static_cast<std::size_t>(position));
  cache_ = IndexKeyCache(*indexer_);
  for (const Past& token : past_) {
    if (token.live) cache_.append(token.raw.view(), {&token.coordinates, 1});
  }
}

IndexerReplay::Rows IndexerReplay::call(const TensorView& projected, std::int64_t position,
                                        std::span<const std::uint8_t> live,
                                        std::span<const Coordinates> coordinates) {
  if (position > static_cast<std::int64_t>(past_.size())) {
    throw InputError(
        fmt::format("indexer replay: a call at position {} follows only {} tokens", position, past_.size()));
  }
  if (position < static_cast<std::int64_t>(past_.size())) roll_back(position);

  const SelectGeometry& geometry = indexer_->config().geometry;
  const TensorView raw = raw_key_part(projected, geometry.index_heads, geometry.index_head_dim);
  Rows rows;
  std::vector<Coordinates> at;
  for (std::int64_t token = 0; token < projected.extent(0); ++token) {
    const auto index = static_cast<std::size_t>(token);
    Past past{live[index] != 0, coordinates[index], Tensor(raw.dtype, {1, raw.extent(1)})};
    for (std::int64_t d = 0; d < raw.extent(1); ++d) {
      const std::size_t element = size_of(raw.dtype);
      std::memcpy(past.raw.bytes.data() + static_cast<std::size_t>(d) * element, raw.at(token, d), element);
    }
    if (past.live) {
      cache_.append(past.raw.view(), {&past.coordinates, 1});
      if (cache_.blocks() > 0) {
        rows.tokens.push_back(token);
        rows.visible.push_back(static_cast<std::int32_t>(cache_.blocks()));
        at.push_back(past.coordinates);
      }
    } else {
      ++rows.dead_tokens;
    }
    past_.push_back(std::move(past));
  }
  const TensorView queries = query_part(projected, geometry.index_heads, geometry.index_head_dim);
  rows.queries = indexer_->queries(gather_rows(queries, rows.tokens).view(), at);
  rows.keys = cache_.keys();
  return rows;
}

}  // namespace plumbline
