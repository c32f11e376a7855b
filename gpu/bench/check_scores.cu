#include "gpu/bench/check_topk.h"
#include "gpu/bench/paged_scene.cuh"
#include "gpu/bench/prove_rows.cuh"
#include "gpu/runtime/capability.h"
#include "gpu/select/select_fused.h"
#include "gpu/select/select_paged_tokens.h"
#include "gpu/select/visible_blocks.h"

#include <cstring>
#include <set>
#include <string>

namespace plumbline::gpu::bench {
namespace {

struct Answer {
  DeviceBuffer<std::int32_t> tokens, blocks, visible;
  DeviceBuffer<float> scores;
  Answer(std::int64_t rows, std::int32_t columns, std::int32_t k)
      : tokens(rows * (4 * k + 3)), blocks(rows * k), visible(rows), scores(rows * columns) {}
};

std::vector<std::int32_t> download(const DeviceBuffer<std::int32_t>& buffer) {
  std::vector<std::int32_t> host(static_cast<std::size_t>(buffer.size()));
  PLUMBLINE_CHECK(cudaMemcpy(host.data(), buffer.data(), buffer.bytes(), cudaMemcpyDeviceToHost));
  return host;
}

unsigned long long differences(const void* a, const void* b, std::int64_t words) {
  DeviceBuffer<unsigned long long> count(1);
  PLUMBLINE_CHECK(cudaMemset(count.data(), 0, 8));
  count_differences<<<512, 256>>>(static_cast<const std::uint32_t*>(a), static_cast<const std::uint32_t*>(b),
                                  words, count.data());
  PLUMBLINE_CHECK_LAUNCH(count_differences);
  unsigned long long host = 0;
  PLUMBLINE_CHECK(cudaMemcpy(&host, count.data(), 8, cudaMemcpyDeviceToHost));
  return host;
}

/// Rows whose tokens are not the expansion of their blocks, written as the rules read.
std::int64_t wrong_expansions(const PagedScene& scene, const Answer& answer, std::int32_t k) {
  const std::vector<std::int32_t> tokens = download(answer.tokens), blocks = download(answer.blocks);
  const std::size_t width = static_cast<std::size_t>(4 * k + 3);
  std::int64_t wrong = 0;
  for (std::size_t row = 0; row < scene.positions.size(); ++row) {
    std::vector<std::int32_t> expected;
    const std::int32_t request = scene.requests_of_rows[row];
    const std::int64_t position = scene.positions[row];
    if (request >= 0 && request < static_cast<std::int32_t>(scene.lengths.size()) && position >= 0) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(k); ++i) {
        const std::int32_t block = blocks[row * static_cast<std::size_t>(k) + i];
        for (std::int32_t j = 0; block >= 0 && j < 4; ++j) expected.push_back(4 * block + j);
      }
      for (std::int64_t t = (position + 1) / 4 * 4; t <= position; ++t)
        expected.push_back(static_cast<std::int32_t>(t));
    }
    expected.resize(width, -1);
    wrong += !std::equal(expected.begin(), expected.end(),
                         tokens.begin() + static_cast<std::ptrdiff_t>(row * width));
  }
  return wrong;
}

__global__ void count_visible_differences(const float* a, const float* b, const std::int32_t* visible,
                                          std::int32_t columns, unsigned long long* counts) {
  const std::int64_t row = blockIdx.y;
  for (std::int32_t c = blockIdx.x * blockDim.x + threadIdx.x; c < visible[row];
       c += gridDim.x * blockDim.x) {
    atomicAdd(&counts[0], 1ull);
    if (__float_as_uint(a[row * columns + c]) != __float_as_uint(b[row * columns + c]))
      atomicAdd(&counts[1], 1ull);
  }
}

/// Share of visible scores with the same bits.
double identical_scores(const Answer& a, const Answer& b, std::int64_t rows, std::int32_t columns) {
  DeviceBuffer<unsigned long long> counts(2);
  PLUMBLINE_CHECK(cudaMemset(counts.data(), 0, counts.bytes()));
  count_visible_differences<<<dim3(64, static_cast<unsigned>(rows)), 256>>>(
      a.scores.data(), b.scores.data(), a.visible.data(), columns, counts.data());
  PLUMBLINE_CHECK_LAUNCH(count_visible_differences);
  unsigned long long host[2];
  PLUMBLINE_CHECK(cudaMemcpy(host, counts.data(), sizeof host, cudaMemcpyDeviceToHost));
  return host[0] == 0 ? 0 : 1.0 - static_cast<double>(host[1]) / static_cast<double>(host[0]);
}

double identical_rows(const Answer& a, const Answer& b, std::int64_t rows, std::int32_t k) {
  const std::vector<std::int32_t> x = download(a.blocks), y = download(b.blocks);
  std::int64_t same = 0;
  for (std::int64_t row = 0; row < rows; ++row)
    same += std::equal(x.begin() + row * k, x.begin() + (row + 1) * k, y.begin() + row * k);
  return static_cast<double>(same) / static_cast<double>(rows);
}

void check_answer(Report& report, const std::string& name, const PagedScene& scene, SelectOptions options,
                  Answer& answer, PagedTokenSelector& selector, int repeats, const Stream& stream) {
  const std::int32_t columns = scene.widest(), k = options.block_topk;
  const std::int64_t rows = scene.inputs.rows;
  PLUMBLINE_CHECK(cudaMemset(answer.scores.data(), 0xFE, answer.scores.bytes()));
  PLUMBLINE_CHECK(cudaMemset(answer.blocks.data(), 0x7B, answer.blocks.bytes()));
  PLUMBLINE_CHECK(cudaMemset(answer.tokens.data(), 0x7B, answer.tokens.bytes()));
  PLUMBLINE_CHECK(cudaDeviceSynchronize());
  options.poison_products = true;
  selector.select(scene.inputs, options, columns, answer.tokens.data(), answer.blocks.data(),
                  answer.scores.data(), stream.get());
  count_visible_blocks(scene.inputs, columns, answer.visible.data(), stream.get());
  stream.synchronize();

  DeviceBuffer<ScoreJudgement> judgement(1);
  PLUMBLINE_CHECK(cudaMemset(judgement.data(), 0, judgement.bytes()));
  const std::int64_t step = std::max<std::int64_t>(1, rows / 64);
  judge_scores<<<dim3(64, static_cast<unsigned>((rows + step - 1) / step)), 256>>>(
      scene.inputs, answer.visible.data(), answer.scores.data(), columns, columns,
      options.score != ScoreRoute::kPaged, step, judgement.data());
  PLUMBLINE_CHECK_LAUNCH(judge_scores);
  ScoreJudgement scored{};
  PLUMBLINE_CHECK(cudaMemcpy(&scored, judgement.data(), sizeof scored, cudaMemcpyDeviceToHost));

  const JudgeCounts selected = prove_rows(answer.scores.data(), columns, answer.visible.data(), rows, columns,
                                          k, answer.blocks.data());

  unsigned long long changed = 0;
  options.poison_products = false;
  for (int i = 1; i < repeats; ++i) {
    Answer again(rows, columns, k);
    PLUMBLINE_CHECK(cudaMemset(again.tokens.data(), 0x80 + i, again.tokens.bytes()));
    PLUMBLINE_CHECK(cudaMemset(again.scores.data(), 0xFE, again.scores.bytes()));
    PLUMBLINE_CHECK(cudaDeviceSynchronize());
    selector.select(scene.inputs, options, columns, again.tokens.data(), again.blocks.data(),
                    again.scores.data(), stream.get());
    stream.synchronize();
    changed += differences(again.tokens.data(), answer.tokens.data(), again.tokens.size()) +
               differences(again.scores.data(), answer.scores.data(), again.scores.size());
  }
  const std::int64_t expansions = wrong_expansions(scene, answer, k);
  const unsigned long long survivors = selector.poison_survivors(stream.get());
  float worst;
  std::memcpy(&worst, &scored.worst_ratio_bits, 4);
  const bool passed = scored.compared > 0 && scored.beyond_bound == 0 && scored.wrong_infinity == 0 &&
                      selected.bad_rows == 0 && changed == 0 && expansions == 0 && survivors == 0;
  report.check(name, passed,
               "\"scores_compared\": " + std::to_string(scored.compared) +
                   ", \"beyond_bound\": " + std::to_string(scored.beyond_bound) +
                   ", \"worst_error_over_bound\": " + std::to_string(worst) + ", \"wrong_infinity\": " +
                   std::to_string(scored.wrong_infinity) + ", \"rows\": " + std::to_string(selected.rows) +
                   ", \"selecting_rows\": " + std::to_string(selected.selecting_rows) + ", \"bad_rows\": " +
                   std::to_string(selected.bad_rows) + ", \"changed_words\": " + std::to_string(changed) +
                   ", \"wrong_expansions\": " + std::to_string(expansions) +
                   ", \"poison_survivors\": " + std::to_string(survivors));
}

/// Kept from scene to scene: their buffers are the larger part of a small scene's time.
struct Selectors {
  PagedTokenSelector materialised;
  FusedSelector fused, two_kernel;
};

/// select.fused and select.two_kernel must give the exact selection of the same scores, the latter those
/// scores too, word for word, every time.
void check_fused(Report& report, const std::string& name, const PagedScene& scene, const Answer& exact,
                 std::int32_t k, int repeats, Selectors& selectors, const Stream& stream) {
  const std::int32_t columns = scene.widest();
  DeviceBuffer<std::int32_t> blocks(scene.inputs.rows * k);
  DeviceBuffer<float> scores(exact.scores.size());
  unsigned long long wrong[3] = {};
  for (int i = 0; i < repeats; ++i) {
    PLUMBLINE_CHECK(cudaMemset(blocks.data(), 0x80 + i, blocks.bytes()));
    PLUMBLINE_CHECK(cudaDeviceSynchronize());
    selectors.fused.select(scene.inputs, columns, exact.visible.data(), k, blocks.data(), stream.get());
    stream.synchronize();
    wrong[0] += differences(blocks.data(), exact.blocks.data(), blocks.size());
    PLUMBLINE_CHECK(cudaMemset(blocks.data(), 0x80 + i, blocks.bytes()));
    PLUMBLINE_CHECK(cudaMemset(scores.data(), 0xFE, scores.bytes()));
    PLUMBLINE_CHECK(cudaDeviceSynchronize());
    selectors.two_kernel.select(scene.inputs, columns, exact.visible.data(), k, blocks.data(), scores.data(),
                                columns, stream.get());
    stream.synchronize();
    wrong[1] += differences(blocks.data(), exact.blocks.data(), blocks.size());
    wrong[2] += differences(scores.data(), exact.scores.data(), scores.size());
  }
  report.check(name, wrong[0] + wrong[1] + wrong[2] == 0,
               "\"rows\": " + std::to_string(scene.inputs.rows) + ", \"wrong_words_fused\": " +
                   std::to_string(wrong[0]) + ", \"wrong_words_two_kernel\": " + std::to_string(wrong[1]) +
                   ", \"wrong_scores_two_kernel\": " + std::to_string(wrong[2]) + ", \"handed_over_rows\": " +
                   std::to_string(selectors.fused.handed_over_rows(stream.get())));
}

/// One request of hazardous values: the Hopper scores' exact selection is proven, the fused one must equal
/// it.
void check_hazard(Report& report, const std::string& name, const PagedScene& scene, int repeats,
                  Selectors& selectors, const Stream& stream) {
  const std::int32_t columns = scene.widest(), k = 512;
  SelectOptions select;
  select.score = ScoreRoute::kHopper;
  Answer exact(scene.inputs.rows, columns, k);
  PLUMBLINE_CHECK(cudaDeviceSynchronize());
  selectors.materialised.select(scene.inputs, select, columns, exact.tokens.data(), exact.blocks.data(),
                                exact.scores.data(), stream.get());
  count_visible_blocks(scene.inputs, columns, exact.visible.data(), stream.get());
  stream.synchronize();
  const JudgeCounts counts = prove_rows(exact.scores.data(), columns, exact.visible.data(), scene.inputs.rows,
                                        columns, k, exact.blocks.data());
  report.check("select hopper, " + name, counts.bad_rows == 0 && counts.rows > 0,
               "\"rows\": " + std::to_string(counts.rows) +
                   ", \"selecting_rows\": " + std::to_string(counts.selecting_rows) +
                   ", \"bad_rows\": " + std::to_string(counts.bad_rows));
  check_fused(report, "select fused and two_kernel, " + name, scene, exact, k, repeats, selectors, stream);
}

void check_hazards(Report& report, const CheckOptions& options, Selectors& selectors, const Stream& stream) {
  for (int values = 0; values < static_cast<int>(Values::kCount); ++values) {
    for (const bool bfloat16 : {false, true}) {
      const std::string kind =
          std::string(values_name(static_cast<Values>(values))) + (bfloat16 ? ", bf16" : ", fp16");
      // A comb needs pages of whole tiles.
      const std::int32_t page = static_cast<Values>(values) == Values::kComb ? 64 : 204;
      // A whole prefill, so that visible counts start at 0; a chunk at the end of a long context; few rows.
      if (!options.reduced) {
        check_hazard(report, kind + ", prefill of 9,001",
                     PagedScene({{9001, 9001}}, page, bfloat16, true, 3, options.seed + values,
                                static_cast<Values>(values)),
                     5, selectors, stream);
        check_hazard(report, kind + ", 1,616 rows x 50,000",
                     PagedScene({{200003, 1616}}, page == 64 ? 64 : 16, bfloat16, false, 0,
                                options.seed + values, static_cast<Values>(values)),
                     5, selectors, stream);
      }
      check_hazard(report, kind + ", 5 rows x 50,001",
                   PagedScene({{200005, 5}}, page, bfloat16, true, 0, options.seed + values,
                              static_cast<Values>(values)),
                   2, selectors, stream);
    }
  }
}

/// Random geometries, sizes and seeds, until `rows` rows are judged.
void check_random_selections(Report& report, const CheckOptions& options, Selectors& selectors,
                             const Stream& stream) {
  std::int64_t rows = 0;
  for (std::uint64_t at = 0; rows < options.fused_rows; ++at) {
    const std::uint64_t h = hash64(options.seed + 77, at);
    const bool wide = at % 5 == 0;  // a tenth of the rows
    const std::int32_t blocks = static_cast<std::int32_t>(wide ? 46000 + h % 20000 : 600 + h % 12000);
    const std::int32_t count = wide ? 1616 : 4096;
    const std::int32_t length = 4 * blocks + static_cast<std::int32_t>(h >> 60 & 3);
    const PagedScene scene({{length, std::min(count, length)}},
                           static_cast<std::int32_t>(1 + (h >> 32) % 300), at % 3 == 1, at % 4 == 1, 0, h,
                           at % 7 == 6 ? Values::kQuantised : Values::kNormal);
    check_hazard(report, "random " + std::to_string(at) + ", " + std::to_string(blocks) + " blocks", scene, 1,
                 selectors, stream);
    rows += scene.inputs.rows;
  }
  report.fact("select.hopper, select.fused and select.two_kernel random rows", static_cast<double>(rows));
}

}  // namespace

void check_scores(Report& report, const CheckOptions& options) {
  const Stream stream;
  struct Case {
    std::string name;
    std::vector<SceneRequest> requests;
    std::int32_t page_size;
    bool bfloat16, unmapped;
    std::int32_t padded;
  };
  std::vector<Case> cases = {
      {"7,250 blocks, pages of 204, fp16", {{29000, 1616}}, 204, false, false, 0},
      {"7,251 blocks, pages of 16, bf16, unmapped pages", {{29005, 1616}}, 16, true, true, 0},
      {"46,000 blocks, pages of 204, fp16", {{184000, 1616}}, 204, false, false, 0},
      {"four requests, padded rows, fp16",
       {{6000, 5}, {32768, 1024}, {9001, 5}, {1500, 3}},
       64,
       false,
       true,
       7},
      {"four requests, padded rows, bf16", {{6002, 1}, {8192, 70}, {40003, 2}, {19, 19}}, 4, true, true, 5},
      {"decode, 1 row, fp16", {{262145, 1}}, 196, false, false, 0}};
  if (options.reduced)
    cases = {{"reduced, one request", {{4100, 70}}, 16, false, true, 0},
             {"reduced, requests", {{3000, 5}, {5000, 33}, {9, 9}}, 204, true, true, 3}};
  Selectors selectors;
  for (const Case& c : cases) {
    const PagedScene scene(c.requests, c.page_size, c.bfloat16, c.unmapped, c.padded, options.seed);
    PLUMBLINE_CHECK(cudaDeviceSynchronize());
    PagedTokenSelector selector;
    SelectOptions select;
    Answer paged(scene.inputs.rows, scene.widest(), select.block_topk);
    check_answer(report, "select paged, " + c.name, scene, select, paged, selector, options.reduced ? 2 : 5,
                 stream);
    if (c.requests.size() > 1) continue;
    select.score = ScoreRoute::kCublas;
    Answer cublas(scene.inputs.rows, scene.widest(), select.block_topk);
    check_answer(report, "select cublas, " + c.name, scene, select, cublas, selector, options.reduced ? 2 : 5,
                 stream);
    report.fact("rows with the same blocks, cublas and paged: " + c.name,
                identical_rows(paged, cublas, scene.inputs.rows, select.block_topk));
    report.fact("scores with the same bits, cublas and paged: " + c.name,
                identical_scores(paged, cublas, scene.inputs.rows, scene.widest()));
    if (current_device_limits().capability != 90) continue;
    select.score = ScoreRoute::kHopper;
    Answer hopper(scene.inputs.rows, scene.widest(), select.block_topk);
    check_answer(report, "select hopper, " + c.name, scene, select, hopper, selector, options.reduced ? 2 : 5,
                 stream);
    report.fact("scores with the same bits, hopper and paged: " + c.name,
                identical_scores(paged, hopper, scene.inputs.rows, scene.widest()));
    check_fused(report, "select fused and two_kernel, " + c.name, scene, hopper, select.block_topk,
                options.reduced ? 2 : 5, selectors, stream);
  }
  if (current_device_limits().capability == 90) {
    check_hazards(report, options, selectors, stream);
    if (!options.reduced) check_random_selections(report, options, selectors, stream);
  }
  if (options.times) time_scores(report);
}

}  // namespace plumbline::gpu::bench
