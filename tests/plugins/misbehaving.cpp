// The README's selection, spoilt in the way that PLUMBLINE_MISBEHAVE names.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <plumbline/plugin.h>

namespace {

std::string misbehaviour() {
  const char* word = std::getenv("PLUMBLINE_MISBEHAVE");
  return word == nullptr ? "" : word;
}

float score_at(const plumbline_selector& call, std::int64_t row, std::int64_t block) {
  return static_cast<const float*>(
      call.scores.data)[row * call.scores.strides[0] + block * call.scores.strides[1]];
}

/// Ranks by value, which is right as long as there is no NaN; `later_wins` breaks ties the wrong way.
void select_row(const plumbline_selector& call, std::int64_t row, bool later_wins) {
  const std::int32_t k = call.geometry.block_topk;
  const std::int64_t visible = static_cast<const std::int32_t*>(call.visible_blocks.data)[row];
  const std::int64_t n = visible < call.scores.shape[1] ? visible : call.scores.shape[1];
  std::int32_t* out = static_cast<std::int32_t*>(call.blocks.data) + row * k;
  std::int32_t taken = 0;
  for (std::int64_t block = 0; block < n; ++block) {
    std::int64_t ahead = 0;
    for (std::int64_t other = 0; other < n; ++other) {
      const float a = score_at(call, row, other), b = score_at(call, row, block);
      ahead += a > b || (a == b && (later_wins ? other > block : other < block));
    }
    if (ahead < k) out[taken++] = static_cast<std::int32_t>(block);
  }
  if (misbehaviour() == "leaves_padding_unwritten") return;
  while (taken < k) out[taken++] = -1;
}

void hang() {
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

void spoil(const plumbline_selector& call) {
  const std::string what = misbehaviour();
  auto* blocks = static_cast<std::int32_t*>(call.blocks.data);
  const std::int64_t rows = call.scores.shape[0], k = call.geometry.block_topk;
  if (what == "crashes") *static_cast<volatile int*>(nullptr) = 1;
  if (what == "exits") std::_Exit(7);
  if (what == "hangs") hang();
  if (what == "throws") throw std::runtime_error("thrown");
  if (what == "writes_behind") blocks[rows * k] = 0;
  if (what == "writes_before") blocks[-1] = 0;
  if (what == "writes_input") static_cast<std::int32_t*>(call.visible_blocks.data)[0] += 1;
  if (what == "reads_behind") {
    const auto* visible = static_cast<const volatile std::int32_t*>(call.visible_blocks.data);
    (void)visible[rows + 3];  // the last row's vector of four, and the next one
  }
}

plumbline_status select(plumbline_context* context, const plumbline_selector* call) {
  const std::string what = misbehaviour();
  if (what == "serves_nothing") {
    std::strncpy(context->message, "needs 7 heads", context->message_bytes - 1);
    return PLUMBLINE_UNSUPPORTED;
  }
  if (context->query != 0) return PLUMBLINE_OK;
  if (what == "fails") {
    std::strncpy(context->message, "out of\x1b[2J ideas\n", context->message_bytes - 1);
    return PLUMBLINE_FAILED;
  }
  static int calls = 0;
  ++calls;
  for (std::int64_t row = 0; row < call->scores.shape[0]; ++row)
    select_row(
        *call, row,
        what == "ties_by_turns" ? calls % 2 == 0 : what == "ties_by_batch" && call->scores.shape[0] == 1);
  spoil(*call);
  return PLUMBLINE_OK;
}

/// Eight float32 accumulators, added one after another.
double in_lanes(const float* query, const float* key, std::int64_t dim) {
  float lanes[8] = {};
  for (std::int64_t d = 0; d < dim; ++d) lanes[d % 8] += query[d] * key[d];
  float sum = lanes[0];
  for (int lane = 1; lane < 8; ++lane) sum += lanes[lane];
  return static_cast<double>(sum);
}

/// Right, but that "forgets_a_head" leaves the last head out and "rounds_scores" keeps 11 bits.
plumbline_status score(plumbline_context* context, const plumbline_scorer* call) {
  if (call->query.dtype != PLUMBLINE_FLOAT32) return PLUMBLINE_UNSUPPORTED;
  if (context->query != 0) return PLUMBLINE_OK;
  const std::string what = misbehaviour();
  const std::int64_t heads = call->query.shape[1] - (what == "forgets_a_head" ? 1 : 0),
                     dim = call->query.shape[2];
  for (std::int64_t row = 0; row < call->query.shape[0]; ++row)
    for (std::int64_t block = 0; block < call->key.shape[0]; ++block) {
      double sum = 0;
      for (std::int64_t head = 0; head < heads; ++head) {
        const float* query = static_cast<const float*>(call->query.data) + row * call->query.strides[0] +
                             head * call->query.strides[1];
        const float* key = static_cast<const float*>(call->key.data) + block * call->key.strides[0];
        double dot = 0;
        for (std::int64_t d = 0; d < dim; ++d) dot += static_cast<double>(query[d]) * key[d];
        if (what == "adds_in_lanes") dot = in_lanes(query, key, dim);
        sum += dot < 0 ? 0 : dot;
      }
      auto score = static_cast<float>(sum / __builtin_sqrt(static_cast<double>(dim)));
      if (what == "rounds_scores") {
        std::uint32_t bits = 0;
        std::memcpy(&bits, &score, sizeof bits);
        bits &= 0xFFFFE000U;
        std::memcpy(&score, &bits, sizeof bits);
      }
      static_cast<float*>(call->scores.data)[row * call->key.shape[0] + block] = score;
    }
  return PLUMBLINE_OK;
}

float bfloat16_at(const plumbline_tensor& tensor, std::int64_t at) {
  const std::uint32_t bits = std::uint32_t{static_cast<const std::uint16_t*>(tensor.data)[at]} << 16;
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

std::uint16_t bfloat16_of(double value) {
  const auto single = static_cast<float>(value);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &single, sizeof bits);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

/// Offset of the token's first number in the caches, for key/value head 0; -1 for one that lies nowhere.
std::int64_t place_of(const plumbline_attention& call, std::int64_t request, std::int64_t token) {
  const plumbline_tensor &cache = call.key_cache, &table = call.page_table;
  if (request < 0 || request >= table.shape[0] || token < 0 || token / cache.shape[1] >= table.shape[1])
    return -1;
  const std::int64_t page =
      static_cast<const std::int32_t*>(table.data)[request * table.strides[0] + token / cache.shape[1]];
  if (page < 0 || page >= cache.shape[0]) return -1;
  return page * cache.strides[0] + token % cache.shape[1] * cache.strides[1];
}

/// Right, in double, but that "attends_a_token_less" forgets the last of a row's.
plumbline_status attend(plumbline_context* context, const plumbline_attention* call) {
  if (call->query.dtype != PLUMBLINE_BFLOAT16 || call->key_cache.dtype != PLUMBLINE_BFLOAT16)
    return PLUMBLINE_UNSUPPORTED;
  if (context->query != 0) return PLUMBLINE_OK;
  const std::int64_t rows = call->query.shape[0], heads = call->query.shape[1], dim = call->query.shape[2];
  for (std::int64_t row = 0; row < rows; ++row) {
    std::vector<std::int64_t> places;
    const std::int32_t request = static_cast<const std::int32_t*>(call->token_to_request.data)[row];
    for (std::int64_t i = 0; i < call->tokens.shape[1]; ++i) {
      const std::int64_t place =
          place_of(*call, request,
                   static_cast<const std::int32_t*>(call->tokens.data)[row * call->tokens.strides[0] + i]);
      if (place >= 0) places.push_back(place);
    }
    if (misbehaviour() == "attends_a_token_less" && places.size() > 1) places.pop_back();
    for (std::int64_t head = 0; head < heads; ++head) {
      const std::int64_t of_head = head / (heads / call->key_cache.shape[2]) * call->key_cache.strides[2];
      std::vector<double> weights, sums(static_cast<std::size_t>(dim));
      double largest = -std::numeric_limits<double>::infinity(), normaliser = 0;
      for (const std::int64_t place : places) {
        double dot = 0;
        for (std::int64_t d = 0; d < dim; ++d)
          dot += static_cast<double>(bfloat16_at(call->query, (row * heads + head) * dim + d)) *
                 bfloat16_at(call->key_cache, place + of_head + d);
        weights.push_back(dot * call->scale);
        largest = std::max(largest, weights.back());
      }
      for (std::size_t i = 0; i < places.size(); ++i) {
        const double weight = std::exp(weights[i] - largest);
        normaliser += weight;
        for (std::int64_t d = 0; d < dim; ++d)
          sums[static_cast<std::size_t>(d)] +=
              weight * bfloat16_at(call->value_cache, places[i] + of_head + d);
      }
      for (std::int64_t d = 0; d < dim; ++d)
        static_cast<std::uint16_t*>(call->out.data)[(row * heads + head) * dim + d] =
            places.empty() ? std::uint16_t{0} : bfloat16_of(sums[static_cast<std::size_t>(d)] / normaliser);
    }
  }
  return PLUMBLINE_OK;
}

plumbline_plugin plugin = {
    sizeof plugin, PLUMBLINE_PLUGIN_VERSION, PLUMBLINE_HOST, "misbehaving", nullptr, select, nullptr, nullptr,
    nullptr};

}  // namespace

const plumbline_plugin* plumbline_plugin_entry(void) {
  const std::string what = misbehaviour();
  if (what == "is_not_here") return nullptr;
  if (what == "is_of_another_version") plugin.version = 99;
  if (what == "wants_a_device") plugin.memory = PLUMBLINE_CUDA;
  if (what == "crashes_while_loading") std::abort();
  if (what == "scores" || what == "adds_in_lanes" || what == "forgets_a_head" || what == "rounds_scores")
    plugin.score = score;
  if (what == "attends" || what == "attends_a_token_less") plugin.attend = attend;
  return &plugin;
}
