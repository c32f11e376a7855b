#include "oracle/run/indexer_golden.h"

#include "fixtures/capture/capture_info.h"
#include "fixtures/capture/model_capture.h"
#include "fixtures/error.h"
#include "fixtures/small_float.h"
#include "oracle/judge/indexer_replay.h"
#include "oracle/judge/slice.h"
#include "oracle/run/golden_checks.h"
#include "oracle/run/indexer_trial.h"
#include "oracle/run/recorded_layer.h"
#include "reference/model/linear_layer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

namespace plumbline {
namespace {

/// The projection of every call from its recorded input, against linear_layer's bound.
void check_projection(IndexerSubject& subject, const ModelCapture& capture, const std::string& module,
                      const TrialIndexer& indexer, TrialTally& tally) {
  const std::string name = module + ".index_qk_proj.weight", input = "taps/" + module + "/in";
  const Tensor weight = capture.weight(name);
  const LinearWeight reference = linear_weight(weight);
  for (const ModelCapture::Forward& forward : capture.forwards()) {
    if (!capture.has(forward, input)) continue;
    const Tensor x = capture.read(forward, input);
    const CallTokens tokens = read_call_tokens(capture, forward);
    for (std::int64_t b = 0; b < forward.batch; ++b) {
      Tensor live(x.dtype, {0, x.extent(2)});
      for (std::int64_t t = 0; t < forward.tokens; ++t)
        if (tokens.live[static_cast<std::size_t>(b)][static_cast<std::size_t>(t)] != 0)
          append_row(live, slice(x, b), t);
      if (live.extent(0) == 0) continue;
      Rows<Bounded> rows(live.extent(0), live.extent(1));
      for (std::size_t i = 0; i < rows.numbers.size(); ++i)
        rows.numbers[i] = {decode_element(live.dtype, live.bytes.data() + i * size_of(live.dtype)), 0};
      const Rows<Bounded> ours = linear_layer(rows, reference, indexer.reference().arithmetic());
      BoundedTensor expected(x.dtype, {ours.rows, ours.width});
      for (std::size_t i = 0; i < ours.numbers.size(); ++i)
        expected.set(static_cast<std::int64_t>(i), ours.numbers[i]);
      const Tensor found = subject.project(live.view(), weight.view());
      compare_elements(expected, found.bytes.data(), "projection of call " + forward.name, tally);
    }
  }
}

}  // namespace

std::vector<std::string> indexer_captures(const std::string& folder) {
  std::vector<std::string> paths;
  for (const std::string& file : captures_in(folder)) {
    const std::string path = (std::filesystem::path(folder) / file).string();
    try {
      if (read_capture_info(path).kind == CaptureKind::model) paths.push_back(path);
    } catch (const InputError&) {
    }
  }
  return paths;
}

void check_indexer_golden(IndexerSubject& subject, const std::string& path, CheckResult& check) {
  const ModelCapture capture(path);
  const IndexerConfig config = parse_indexer_config(capture.config_json(), path);
  const RoundingProfile& profile = hf_cuda_profile();
  const std::int64_t ratio = config.geometry.compress_ratio, ring = 2 * ratio;
  TrialTally tally;
  std::int64_t layers = 0;
  for (const std::int64_t number : config.sparse_layers) {
    const std::string module = fmt::format("model.layers.{}.self_attn.indexer", number),
                      dataset = "taps/" + module + ".index_qk_proj/out";
    if (!std::ranges::all_of(capture.forwards(),
                             [&](const auto& forward) { return capture.has(forward, dataset); }))
      continue;
    ++layers;
    const TrialIndexer indexer(config, read_indexer_weights(capture, config, number, profile), profile);
    check_projection(subject, capture, module, indexer, tally);
    const RecordedLayer recorded = read_recorded_layer(capture, dataset, config.storage, indexer.width());
    const TrialPages pages = lay_out(recorded.requests, ratio, 5, false);
    const TrialOutcome outcome = drive(subject, indexer, recorded.requests, pages, ring, recorded.steps, 3);
    tally.merge(compare(indexer, recorded.requests, pages, ring, outcome));
    std::vector<TrialStep> singles;
    for (const TrialStep& step : recorded.steps) {
      for (const TrialPart& part : step) {
        for (std::int64_t t = 0; t < part.count; ++t)
          singles.push_back({{part.request, part.first + t, 1, 0}});
      }
    }
    const TrialOutcome one_by_one = drive(subject, indexer, recorded.requests, pages, ring, singles, 0);
    if (one_by_one.keys.bytes != outcome.keys.bytes || one_by_one.ring.bytes != outcome.ring.bytes) {
      check.status = Status::fail;
      check.reason =
          fmt::format("layer {}: the store differs between the recorded calls and single tokens", number);
      return;
    }
  }
  check.reason = tally.words();
  if (!tally.right()) {
    check.status = Status::fail;
  } else if (layers == 0 || tally.elements == 0) {
    check.status = Status::vacuous;
    check.reason = "the capture records no index projection";
  }
}

}  // namespace plumbline
