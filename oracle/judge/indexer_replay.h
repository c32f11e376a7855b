#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fixtures/capture/model_capture.h"
#include "reference/model/index_key_cache.h"
#include "reference/model/indexer_config.h"
#include "reference/model/qsa_indexer.h"

namespace plumbline {

/// The norms and frequencies of one sparse layer's indexer; frequencies by RoPE's formula where the capture
/// does not hold `model.rotary_emb.inv_freq`. Throws InputError.
IndexerWeights read_indexer_weights(const ModelCapture& capture, const IndexerConfig& config,
                                    std::int64_t layer, const RoundingProfile& profile);

/// Which tokens of a call are live, and where they stand; one entry per batch row.
struct CallTokens {
  std::vector<std::vector<std::uint8_t>> live;        ///< [batch][tokens of this call]
  std::vector<std::vector<Coordinates>> coordinates;  ///< [batch][tokens of this call]
};
/// From attention_mask and position_ids. Without the former every token is live, without the latter a token's
/// coordinates are its physical place, padding counted.
CallTokens read_call_tokens(const ModelCapture& capture, const ModelCapture::Forward& forward);

/// One batch row of one layer over successive calls.
class IndexerReplay {
 public:
  explicit IndexerReplay(const QsaIndexer& indexer) : indexer_(&indexer), cache_(indexer) {}

  /// The queries of a call that have a complete block, in order.
  struct Rows {
    std::vector<std::int64_t> tokens;   ///< their index in the call
    std::vector<std::int32_t> visible;  ///< complete blocks each may select among
    BoundedTensor queries;              ///< [rows, heads, dim]
    BoundedTensor keys;                 ///< [blocks, dim]
    std::int64_t dead_tokens = 0;
  };
  /// Takes in a call's projection [tokens, (heads + 1)·dim], after the first `position` tokens of earlier
  /// calls (fewer than were taken in: the rest is rolled back).
  Rows call(const TensorView& projected, std::int64_t position, std::span<const std::uint8_t> live,
            std::span<const Coordinates> coordinates);

 private:
  void roll_back(std::int64_t position);

  const QsaIndexer* indexer_;
  IndexKeyCache cache_;
  struct Past {
    bool live = false;
    Coordinates coordinates;
    Tensor raw;  ///< [1, dim]
  };
  std::vector<Past> past_;
};

}  // namespace plumbline
