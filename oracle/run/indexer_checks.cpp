#include "oracle/run/indexer_checks.h"

#include "fixtures/capture/capture_info.h"
#include "fixtures/cases/random.h"
#include "fixtures/error.h"
#include "fixtures/small_float.h"
#include "oracle/run/device_replay.h"
#include "oracle/run/golden_checks.h"
#include "oracle/run/indexer_golden.h"
#include "oracle/run/indexer_trial.h"
#include "oracle/run/repro.h"
#include "oracle/run/route_trial.h"
#include "oracle/run/witnessed_indexer.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <utility>

#include <fmt/format.h>

namespace plumbline {
namespace {

/// A made-up indexer and its sequences.
struct IndexerCase {
  std::string name;
  DType storage = DType::bfloat16;
  std::int32_t heads = 4, dim = 128, ratio = 4;
  std::int64_t rotary_dim = 64, page_size = 5;
  bool images = false;    ///< coordinates that spread over three axes, up to 2^18
  bool unmapped = false;  ///< every third page
};

std::vector<IndexerCase> indexer_cases() {
  return {{.name = "bf16"},
          {.name = "f16", .storage = DType::float16, .unmapped = true},
          {.name = "f32", .storage = DType::float32},
          {.name = "bf16-images", .page_size = 1, .images = true},
          {.name = "f16-images", .storage = DType::float16, .images = true},
          {.name = "bf16-3x48-ratio-2", .heads = 3, .dim = 48, .ratio = 2, .rotary_dim = 16, .page_size = 3},
          {.name = "f32-1x200-ratio-8",
           .storage = DType::float32,
           .heads = 1,
           .dim = 200,
           .ratio = 8,
           .rotary_dim = 52},
          {.name = "f16-2x30-ratio-3",
           .storage = DType::float16,
           .heads = 2,
           .dim = 30,
           .ratio = 3,
           .rotary_dim = 10}};
}

std::string text_of(const IndexerCase& one, std::uint64_t seed) {
  return fmt::format("indexer:dtype={},heads={},dim={},ratio={},rotary={},page={},seed={}",
                     name_of(one.storage), one.heads, one.dim, one.ratio, one.rotary_dim, one.page_size,
                     seed);
}

IndexerConfig config_of(const IndexerCase& one) {
  IndexerConfig config;
  config.geometry = {one.heads, one.dim, one.ratio, 512};
  config.storage = one.storage;
  config.rotary_dim = one.rotary_dim;
  const std::int64_t pairs = one.rotary_dim / 2, third = pairs / 3;
  config.sections = {pairs - 2 * third, third, third};
  return config;
}

IndexerWeights weights_of(const IndexerCase& one, Random random) {
  IndexerWeights weights;
  const auto norm = [&](std::uint64_t stream) {
    std::vector<double> values;
    Random numbers = random.split(stream);
    for (std::int32_t d = 0; d < one.dim; ++d)
      values.push_back(round_to(one.storage, 0.25 * numbers.normal()));
    return values;
  };
  weights.query_norm = norm(1);
  weights.key_norm = norm(2);
  weights.key_norm[0] = -1;  // a gain of 0
  const IndexerConfig config = config_of(one);
  weights.frequencies = default_frequencies<Bounded>(config.rope_theta, config.rotary_dim, config.sections,
                                                     EngineArithmetic(hf_cuda_profile(), one.storage));
  for (Bounded& frequency : weights.frequencies.per_pair) frequency.error = 0;  // handed over as they are
  return weights;
}

std::vector<TrialRequest> requests_of(const IndexerCase& one, const std::vector<std::int64_t>& lengths,
                                      Random random) {
  std::vector<TrialRequest> requests;
  const std::int64_t width = std::int64_t{one.heads + 1} * one.dim;
  for (std::size_t r = 0; r < lengths.size(); ++r) {
    Random numbers = random.split(r);
    TrialRequest request{Tensor(one.storage, {lengths[r], width}), {}};
    const std::size_t element = size_of(one.storage);
    for (std::int64_t i = 0; i < lengths[r] * width; ++i) {
      // Now and then a vector's scale is another.
      const double scale = i / one.dim % 7 == 3 ? 0x1p-6 : 1;
      encode_element(one.storage, scale * numbers.normal(),
                     request.projected.bytes.data() + static_cast<std::size_t>(i) * element);
    }
    for (std::int64_t t = 0; t < lengths[r]; ++t) {
      const auto far = [&] { return static_cast<std::int64_t>(numbers.below(1 << 18)); };
      request.coordinates.push_back(one.images ? Coordinates{far(), far(), far()} : Coordinates::text(t));
    }
    requests.push_back(std::move(request));
  }
  return requests;
}

/// Every request's next tokens, as many as `next` says for it, until all are in.
std::vector<TrialStep> steps_of(const std::vector<TrialRequest>& requests,
                                const std::function<std::int64_t(std::size_t request)>& next) {
  std::vector<TrialStep> steps;
  std::vector<std::int64_t> done(requests.size(), 0);
  while (true) {
    TrialStep step;
    for (std::size_t r = 0; r < requests.size(); ++r) {
      const std::int64_t count = std::min(requests[r].tokens() - done[r], next(r));
      if (count > 0) step.push_back({static_cast<std::int64_t>(r), done[r], count, 0});
      done[r] += std::max<std::int64_t>(count, 0);
    }
    if (!step.empty()) steps.push_back(step);
    bool all = true;
    for (std::size_t r = 0; r < requests.size(); ++r) all = all && done[r] == requests[r].tokens();
    if (all) return steps;
  }
}

void conclude_trial(const TrialTally& tally, const std::string& also, CheckResult& check) {
  check.reason = tally.words() + also;
  if (!tally.right()) check.status = Status::fail;
  if (tally.right() && tally.elements == 0) check.status = Status::vacuous;
}

/// What of two outcomes differs, or nothing.
std::string difference(const TrialOutcome& a, const TrialOutcome& b) {
  if (a.keys.bytes != b.keys.bytes) return "the compressed keys";
  if (a.ring.bytes != b.ring.bytes) return "the ring";
  for (std::size_t r = 0; r < a.queries.size(); ++r)
    if (a.queries[r].bytes != b.queries[r].bytes) return fmt::format("the queries of request {}", r);
  return {};
}

void fail(CheckResult& check, const std::string& reason) {
  check.status = Status::fail;
  check.reason = reason;
}

void check_splits(IndexerSubject& subject, const IndexerCase& one, std::uint64_t seed, CheckResult& check) {
  const Random random(seed);
  const TrialIndexer indexer(config_of(one), weights_of(one, random.split(1)), hf_cuda_profile());
  const std::vector<TrialRequest> requests =
      requests_of(one, {61, 4 * one.ratio + 1, 1, 0, 37, one.ratio}, random.split(2));
  const TrialPages pages = lay_out(requests, one.ratio, one.page_size, one.unmapped);
  const std::int64_t ring = 2 * one.ratio;
  const auto run = [&](const std::function<std::int64_t(std::size_t)>& next, std::int64_t padded) {
    return drive(subject, indexer, requests, pages, ring, steps_of(requests, next), padded);
  };
  const TrialOutcome whole = run([](std::size_t) { return 1000; }, 0);
  const TrialTally tally = compare(indexer, requests, pages, ring, whole);
  conclude_trial(tally, "", check);
  if (check.status != Status::pass) return;
  int cuts = 0;
  const auto same = [&](const std::string& cut, const TrialOutcome& outcome) {
    ++cuts;
    const std::string what = difference(whole, outcome);
    if (!what.empty() && check.status == Status::pass)
      fail(check, fmt::format("{} differ between one step and {}", what, cut));
  };
  for (std::int64_t count = 1; count <= 2 * one.ratio + 1; ++count)
    same(fmt::format("steps of {}", count), run([&](std::size_t) { return count; }, count % 5));
  for (std::uint64_t cut = 0; cut < 6; ++cut) {
    Random sizes = random.split(3).split(cut);
    same(fmt::format("random cut {}", cut),
         run([&](std::size_t) { return static_cast<std::int64_t>(sizes.below(9)); },
             static_cast<std::int64_t>(cut)));
  }
  if (check.status == Status::pass)
    conclude_trial(tally, fmt::format("; {} other cuts leave the same bytes", cuts), check);
}

/// Every place of a group and every number of accepted drafts is a request of its own.
void check_rollback(IndexerSubject& subject, const IndexerCase& one, std::uint64_t seed, CheckResult& check) {
  const Random random(seed);
  const TrialIndexer indexer(config_of(one), weights_of(one, random.split(1)), hf_cuda_profile());
  TrialTally tally;
  std::int64_t cases = 0;
  for (std::int64_t drafts = 1; drafts <= 8; ++drafts) {
    const std::int64_t ring = (one.ratio + drafts + one.ratio - 1) / one.ratio * one.ratio;
    struct Start {
      std::int64_t prefix, accepted;
    };
    std::vector<Start> starts;
    std::vector<std::int64_t> lengths;
    for (std::int64_t place = 0; place < one.ratio; ++place) {
      for (std::int64_t accepted = 0; accepted <= drafts; ++accepted) {
        starts.push_back({one.ratio + place, accepted});
        // Long enough that every slot a draft touched is written again.
        lengths.push_back(one.ratio + place + drafts + ring + 1);
      }
    }
    const std::vector<TrialRequest> requests =
        requests_of(one, lengths, random.split(4).split(static_cast<std::uint64_t>(drafts)));
    const TrialPages pages = lay_out(requests, one.ratio, one.page_size, one.unmapped);
    std::vector<TrialStep> steps(2);
    std::vector<std::int64_t> done;
    for (std::size_t r = 0; r < requests.size(); ++r) {
      const auto id = static_cast<std::int64_t>(r);
      const auto [prefix, accepted] = starts[r];
      steps[0].push_back({id, 0, prefix, 0});
      steps[1].push_back({id, prefix, accepted, drafts - accepted});
      done.push_back(prefix + accepted);
    }
    for (std::int64_t count = 1;; count = count % 3 + 1) {
      TrialStep step;
      for (std::size_t r = 0; r < requests.size(); ++r) {
        const std::int64_t more = std::min(count, requests[r].tokens() - done[r]);
        if (more > 0) step.push_back({static_cast<std::int64_t>(r), done[r], more, 0});
        done[r] += more;
      }
      if (step.empty()) break;
      steps.push_back(step);
    }
    const TrialOutcome disturbed = drive(subject, indexer, requests, pages, ring, steps, 2);
    tally.merge(compare(indexer, requests, pages, ring, disturbed));
    cases += static_cast<std::int64_t>(requests.size());
    const TrialOutcome undisturbed = drive(subject, indexer, requests, pages, ring,
                                           steps_of(requests, [](std::size_t) { return 1000; }), 0);
    if (const std::string what = difference(disturbed, undisturbed); !what.empty())
      return fail(check, fmt::format("{} differ where {} drafts were rolled back", what, drafts));
  }
  conclude_trial(tally, fmt::format("; {} roll-backs leave no trace", cases), check);
}

using RunIndexer = std::function<void(IndexerSubject&, CheckResult&)>;

void run_watched(const std::shared_ptr<IndexerSubject>& subject,
                 const std::shared_ptr<dispatch::CallTracer>& tracer, const RunIndexer& run,
                 CheckResult& check) {
  if (tracer == nullptr) return run(*subject, check);
  WitnessedIndexer witnessed(subject, tracer);
  run(witnessed, check);
  conclude_route(witnessed.evidence(), check);
}

}  // namespace

std::vector<PlannedCheck> indexer_checks(const DeviceSubjects& device, const std::string& fixtures,
                                         std::uint64_t seed_shift) {
  std::vector<PlannedCheck> checks;
  const auto plan = [&](const std::string& name, const std::string& source,
                        const std::vector<std::string>& options, const RunIndexer& run) {
    PlannedCheck check;
    check.name = "cuda/indexer/" + name;
    check.kind = CheckKind::device;
    check.source = source;
    check.subject = "cuda:indexer";
    std::vector<std::string> words = {"plumbline", "verify", "--filter", exact_filter(check.name)};
    words.insert(words.end(), options.begin(), options.end());
    check.repro = repro_line(words, source, {"index kernels", device.device});
    check.run = [make = device.indexer, tracer = device.tracer, run](CheckResult& result) {
      run_watched(make(), tracer, run, result);
    };
    checks.push_back(std::move(check));
  };
  std::vector<std::string> folder, seed;
  if (fixtures != default_fixtures()) folder = {"--fixtures", fixtures};
  if (seed_shift != 0) seed = {"--seed", std::to_string(seed_shift)};
  const std::vector<std::string> captures = indexer_captures(fixtures);
  for (const std::string& path : captures) {
    plan("golden/" + std::filesystem::path(path).stem().string(), path, folder,
         [path](IndexerSubject& one, CheckResult& check) { check_indexer_golden(one, path, check); });
  }
  const auto shared = std::make_shared<const DeviceSubjects>(device);
  for (const std::string& path : captures) {
    plan("taps/" + std::filesystem::path(path).stem().string(), path, folder, {});
    checks.back().run = [shared, path](CheckResult& check) {
      DeviceReplay made = replay_on_device(path, *shared, {});
      check.replay = std::move(made.replay);
      check.status = check.replay->status;
      check.reason = check.replay->reason;
      if (made.routes) conclude_route(*made.routes, check);
    };
  }
  for (const IndexerCase& one : indexer_cases()) {
    const std::uint64_t number = 1 + seed_shift;
    const auto with = [&](auto work) {
      return
          [one, number, work](IndexerSubject& trial, CheckResult& check) { work(trial, one, number, check); };
    };
    plan("splits/" + one.name, text_of(one, number), seed, with(check_splits));
    plan("rollback/" + one.name, text_of(one, number), seed, with(check_rollback));
  }
  return checks;
}

}  // namespace plumbline
