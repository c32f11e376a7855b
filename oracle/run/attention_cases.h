#pragma once

#include "fixtures/capture/attention_capture.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plumbline {

/// What the numbers and the selection of a made-up attention case look like.
enum class AttentionData : std::uint8_t {
  random,
  same_sign,    ///< every value positive
  wide_scores,  ///< scores that spread over hundreds: most weights vanish
  tied_maxima,  ///< the largest score several times over, far apart in the list
  empty_rows,   ///< every other row attends to nothing
  nothing,      ///< of all rows but the first: padding, tokens no page holds, no request
  one_token,
  bad_pages,  ///< a third of the pages unmapped or beyond the cache
};

struct AttentionFamily {
  std::string name;
  AttentionData data = AttentionData::random;
  DType storage = DType::bfloat16;
  std::int64_t rows = 9, heads = 12, key_value_heads = 1, dim = 128, selected = 300, page_size = 16;
  bool float8 = false;  ///< e4m3fn cache with scales 0.5 and 2
  bool gate = true;
};

/// What `verify` puts to attention subjects.
std::vector<AttentionFamily> attention_families();

/// "attention:data=random,dtype=bf16,heads=12,…,seed=1".
std::string text_of(const AttentionFamily& family, std::uint64_t seed);

/// Its inputs, of three requests; output and lse are empty. Rows hold distinct tokens in any order with −1
/// behind them, and what no page holds is NaN.
AttentionCase make_attention_case(const AttentionFamily& family, std::uint64_t seed);

}  // namespace plumbline
