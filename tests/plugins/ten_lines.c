#include <plumbline/plugin.h>
#include <string.h>

/* A kernel of the caller's own: counts, for each block, those that rank before it. */
static int64_t key(float score) {
  int32_t bits;
  if (score == 0) score = 0; /* -0 ranks with +0 */
  memcpy(&bits, &score, sizeof bits);
  return bits < 0 ? (int64_t)INT32_MIN - bits - 1 : bits;
}

static void my_topk(const float* scores, int64_t stride, const int32_t* visible, int64_t rows, int64_t blocks,
                    int32_t k, int32_t* out) {
  for (int64_t row = 0; row < rows; ++row, scores += stride, out += k) {
    const int64_t n = visible[row] < blocks ? visible[row] : blocks;
    int32_t taken = 0;
    for (int64_t block = 0; block < n; ++block) {
      int64_t ahead = 0;
      for (int64_t other = 0; other < n; ++other)
        ahead += key(scores[other]) > key(scores[block]) ||
                 (key(scores[other]) == key(scores[block]) && other < block);
      if (ahead < k) out[taken++] = (int32_t)block;
    }
    while (taken < k) out[taken++] = -1;
  }
}

static plumbline_status select(plumbline_context* context, const plumbline_selector* call) {
  if (call->scores.strides[1] != 1) return PLUMBLINE_UNSUPPORTED;
  if (context->query) return PLUMBLINE_OK;
  my_topk(call->scores.data, call->scores.strides[0], call->visible_blocks.data, call->scores.shape[0],
          call->scores.shape[1], call->geometry.block_topk, call->blocks.data);
  return PLUMBLINE_OK;
}

static const plumbline_plugin plugin = {.size = sizeof plugin,
                                        .version = PLUMBLINE_PLUGIN_VERSION,
                                        .memory = PLUMBLINE_HOST,
                                        .name = "mine",
                                        .contract = "canonical",
                                        .select = select};
const plumbline_plugin* plumbline_plugin_entry(void) { return &plugin; }
