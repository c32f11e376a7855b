// The README's selection, spoilt in the way that PLUMBLINE_MISBEHAVE names.

#include <chrono>
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
    std::strncpy(context->message, "out of ideas", context->message_bytes - 1);
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
  return &plugin;
}
