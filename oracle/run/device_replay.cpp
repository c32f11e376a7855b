#include "oracle/run/device_replay.h"

#include "fixtures/capture/capture_info.h"
#include "fixtures/error.h"
#include "fixtures/small_float.h"
#include "oracle/judge/indexer_replay.h"
#include "oracle/replay/layer_replay.h"
#include "oracle/replay/recorded_forward.h"
#include "oracle/run/indexer_trial.h"
#include "oracle/run/recorded_layer.h"
#include "oracle/run/selection_taps.h"
#include "oracle/run/watched_route.h"
#include "oracle/run/witnessed_indexer.h"
#include "reference/model/index_key_cache.h"
#include "reference/model/index_projection.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <set>

#include <fmt/format.h>

namespace plumbline {
namespace {

constexpr std::int64_t kPageSize = 5;
constexpr const char* kNoKernel = "no kernel computes it";

Rows<double> decoded(const Tensor& tensor, std::int64_t width) {
  const std::size_t element = size_of(tensor.dtype);
  Rows<double> rows(element_count(tensor.shape) / width, width);
  for (std::size_t i = 0; i < rows.numbers.size(); ++i)
    rows.numbers[i] = decode_element(tensor.dtype, tensor.bytes.data() + i * element);
  return rows;
}

Rows<Bounded> bounded(const BoundedTensor& tensor, std::int64_t width) {
  Rows<Bounded> rows(std::ssize(tensor.error) / width, width);
  for (std::size_t i = 0; i < rows.numbers.size(); ++i)
    rows.numbers[i] = tensor.at(static_cast<std::int64_t>(i));
  return rows;
}

template <typename Number>
Rows<Number> part_of(const Rows<Number>& rows, std::int64_t first, std::int64_t count) {
  Rows<Number> part(count, rows.width);
  std::copy_n(rows.numbers.begin() + first * rows.width, count * rows.width, part.numbers.begin());
  return part;
}

/// The live rows [count, width] of a dataset [batch, tokens, width] as they are stored.
Tensor live_tensor(const Tensor& dataset, const LiveTokens& live) {
  const std::int64_t tokens = dataset.extent(1), width = dataset.extent(2);
  Tensor rows(dataset.dtype, {live.count, width});
  const std::size_t bytes = static_cast<std::size_t>(width) * size_of(dataset.dtype);
  std::memcpy(rows.bytes.data(),
              dataset.bytes.data() + static_cast<std::size_t>(live.batch * tokens + live.first) * bytes,
              rows.bytes.size());
  return rows;
}

/// The same indexer without RoPE: its queries are normed alone.
IndexerConfig without_rotation(IndexerConfig config) {
  config.rotary_dim = 0;
  config.sections = {};
  return config;
}
IndexerWeights without_rotation(IndexerWeights weights) {
  weights.frequencies.per_pair.clear();
  weights.frequencies.sections = {};
  return weights;
}

/// One sparse layer after all of the capture's calls.
struct LayerRun {
  std::int64_t number = 0;
  std::string module;  ///< "model.layers.3.self_attn.indexer"
  std::unique_ptr<TrialIndexer> indexer, normer;
  RecordedLayer recorded;
  TrialPages pages;
  std::int64_t ring_rows = 0;
  TrialOutcome outcome, normed;
};

class DeviceReplayer {
 public:
  DeviceReplayer(const std::string& path, const DeviceSubjects& device, const ReplayOptions& options,
                 ReplayReport& report)
      : capture_(path),
        config_(parse_indexer_config(capture_.config_json(), path)),
        device_(device),
        options_(options),
        report_(report),
        subject_(device.indexer()) {
    if (device.tracer) {
      witness_ = std::make_shared<WitnessedIndexer>(subject_, device.tracer);
      subject_ = witness_;
    }
  }

  void run(const std::string& route) {
    choose_routes(route);
    for (const std::int64_t number : config_.sparse_layers) {
      if (!options_.layer || *options_.layer == number) start_layer(number);
    }
    for (const ModelCapture::Forward& call : capture_.forwards()) {
      const RecordedForward forward(capture_, call);
      std::int64_t first_row = 0;
      for (const std::int64_t number : config_.sparse_layers) {
        const auto found = std::ranges::find(layers_, number, &LayerRun::number);
        if (found != layers_.end()) replay_call(forward, *found, first_row);
        first_row += ranked_rows(forward);
      }
    }
    for (const ModelCapture::Forward& call : capture_.forwards()) list_unsupported(call);
  }

  RouteEvidence evidence() const {
    RouteEvidence all = witness_ ? witness_->evidence() : RouteEvidence{};
    for (const auto& [route, watched] : routes_)
      if (watched.witness) all.add(watched.witness->evidence());
    return all;
  }

 private:
  using Ours = std::function<Rows<Bounded>(const LiveTokens&)>;
  using Numbers = std::function<Rows<double>(const LiveTokens&)>;

  void choose_routes(const std::string& wanted) {
    for (const DeviceRoute& route : device_.routes) {
      const bool serves = route.contract == Contract::canonical && !route.several_requests;
      if (wanted.empty() ? serves : route.name == wanted) {
        if (!serves)
          throw InputError(fmt::format(
              "--subject cuda:{}: it does not promise the canonical selection of any call", wanted));
        routes_.emplace_back(&route, watched_route(device_, route));
      }
    }
    if (routes_.empty() && !wanted.empty())
      throw InputError(fmt::format("--subject cuda:{}: no such route", wanted));
  }

  bool wants(const std::string& name) const {
    return (!options_.layer || !layer_of_tap(name) || layer_of_tap(name) == options_.layer) &&
           (!options_.wanted || options_.wanted(name));
  }

  std::int64_t ranked_rows(const RecordedForward& forward) const {
    const TrialPages pages;
    const TrialOutcome outcome;
    return SelectionCall{forward, config_.geometry, 0, 0, pages, outcome, {}}.rows();
  }

  void unsupported(const std::string& name, const std::string& reason) {
    const bool known =
        std::ranges::any_of(report_.unsupported, [&](const UnsupportedTap& tap) { return tap.name == name; });
    if (!known && !computed_.contains(name)) report_.unsupported.push_back({name, reason});
  }

  void start_layer(std::int64_t number) {
    LayerRun layer;
    layer.number = number;
    layer.module = fmt::format("model.layers.{}.self_attn.indexer", number);
    const std::string projected = "taps/" + layer.module + ".index_qk_proj/out";
    const bool whole = std::ranges::all_of(
        capture_.forwards(), [&](const auto& forward) { return capture_.has(forward, projected); });
    if (!whole) {
      report_.without_inputs.push_back(layer.module + ": a call lacks its index projection");
      return;
    }
    const RoundingProfile& profile = hf_cuda_profile();
    const IndexerWeights weights = read_indexer_weights(capture_, config_, number, profile);
    layer.indexer = std::make_unique<TrialIndexer>(config_, weights, profile);
    layer.normer =
        std::make_unique<TrialIndexer>(without_rotation(config_), without_rotation(weights), profile);
    layer.recorded = read_recorded_layer(capture_, projected, config_.storage, layer.indexer->width());
    const std::int64_t ratio = config_.geometry.compress_ratio;
    layer.pages = lay_out(layer.recorded.requests, ratio, kPageSize, false);
    // A ring that nothing ever leaves shows every raw key.
    layer.ring_rows = ratio;
    for (const TrialRequest& request : layer.recorded.requests)
      layer.ring_rows = std::max(layer.ring_rows, request.tokens());
    try {
      layer.outcome = drive(*subject_, *layer.indexer, layer.recorded.requests, layer.pages, layer.ring_rows,
                            layer.recorded.steps, 0);
      layer.normed = drive(*subject_, *layer.normer, layer.recorded.requests, layer.pages, layer.ring_rows,
                           layer.recorded.steps, 0);
    } catch (const UnsupportedCase& no_code) {
      unsupported(layer.module, no_code.what());
      return;
    }
    layers_.push_back(std::move(layer));
  }

  /// Compares what `found` holds with `ours`, and beside it, where the capture has the tap, with `theirs`.
  void compare(const RecordedForward& forward, const std::string& dataset, const std::string& operation,
               std::int64_t rows_per_token, const Ours& ours, const Numbers& found, const Numbers& theirs) {
    const std::string name = tap_name(dataset);
    if (!wants(name)) return;
    TapComparison comparison(forward.name(), name, operation, config_.storage, rows_per_token);
    for (const LiveTokens& live : forward.sequences()) {
      if (live.count == 0) continue;
      const Rows<double> subject = found(live);
      comparison.add(ours(live), subject, live.batch, live.first);
      if (theirs && forward.has(dataset)) comparison.add_recorded(subject, theirs(live));
    }
    computed_.insert(name);
    report_.taps.push_back(comparison.report());
  }

  void replay_call(const RecordedForward& forward, const LayerRun& layer, std::int64_t first_row) {
    for (const LiveTokens& live : forward.sequences()) {
      if (live.earlier + live.count > layer.recorded.requests[static_cast<std::size_t>(live.batch)].tokens())
        throw InputError(capture_.info().path, "/forward/" + forward.name(), "calls that follow one another",
                         "a call that goes back");
    }
    replay_projection(forward, layer);
    replay_queries(forward, layer);
    replay_keys(forward, layer);
    const SelectionCall call{forward,     config_.geometry, layer.number,      first_row,
                             layer.pages, layer.outcome,    device_.capability};
    for (const auto& [route, watched] : routes_) replay_route(*route, *watched.subject, call);
  }

  void replay_projection(const RecordedForward& forward, const LayerRun& layer) {
    const std::string dataset = "taps/" + layer.module + ".index_qk_proj/out",
                      input = "taps/" + layer.module + "/in",
                      weight_name = layer.module + ".index_qk_proj.weight";
    if (!wants(tap_name(dataset))) return;
    if (!forward.has(input) || !capture_.has_weight(weight_name)) {
      report_.without_inputs.push_back(forward.name() + " " + tap_name(dataset));
      return;
    }
    const Tensor weight = capture_.weight(weight_name);
    const LinearWeight reference = linear_weight(weight);
    compare(
        forward, dataset, "indexer.projection", 1,
        [&](const LiveTokens& live) {
          return linear_layer(recorded(forward, input, live), reference,
                              layer.indexer->reference().arithmetic());
        },
        [&](const LiveTokens& live) {
          const Tensor x = live_tensor(forward.tensor(input), live);
          return decoded(subject_->project(x.view(), weight.view()), weight.extent(0));
        },
        [&](const LiveTokens& live) { return forward.live_rows(dataset, live); });
  }

  void replay_queries(const RecordedForward& forward, const LayerRun& layer) {
    const std::int64_t heads = layer.indexer->heads(), dim = layer.indexer->dim();
    const QsaIndexer& reference = layer.indexer->reference();
    const std::string normed = "taps/" + layer.module + ".q_layernorm/out";
    const std::string projection = "taps/" + layer.module + ".index_qk_proj/out";
    const auto rows_of = [&](const TrialOutcome& outcome) -> Numbers {
      return [&outcome, heads, dim](const LiveTokens& live) {
        return part_of(decoded(outcome.queries[static_cast<std::size_t>(live.batch)], dim),
                       live.earlier * heads, live.count * heads);
      };
    };
    compare(
        forward, normed, "indexer.query_norm", heads,
        [&](const LiveTokens& live) {
          const Tensor rows = live_tensor(forward.tensor(projection), live);
          return bounded(reference.normed_queries(query_part(rows.view(), heads, dim)), dim);
        },
        rows_of(layer.normed),
        [&](const LiveTokens& live) { return forward.live_rows(normed, live, heads); });
    compare(forward, layer.module + ".queries", "indexer.queries", heads,
            [&](const LiveTokens& live) {
              const Tensor rows = live_tensor(forward.tensor(projection), live);
              return bounded(
                  reference.queries(query_part(rows.view(), heads, dim), forward.coordinates(live)), dim);
            },
            rows_of(layer.outcome), {});
  }

  void replay_keys(const RecordedForward& forward, const LayerRun& layer) {
    const std::int64_t dim = layer.indexer->dim(), ratio = config_.geometry.compress_ratio;
    const std::string state = layer_state(layer.number, "indexer_keys");
    const auto raw = [&](const LiveTokens& live) {
      return raw_key_part(layer.recorded.requests[static_cast<std::size_t>(live.batch)].projected.view(),
                          layer.indexer->heads(), dim);
    };
    compare(
        forward, layer.module + ".keys", "indexer.keys", 1,
        [&](const LiveTokens& live) {
          IndexKeyCache cache(layer.indexer->reference());
          cache.append(raw(live), layer.recorded.requests[static_cast<std::size_t>(live.batch)].coordinates);
          const std::int64_t first = live.earlier / ratio;
          return part_of(bounded(cache.keys(), dim), first, (live.earlier + live.count) / ratio - first);
        },
        [&](const LiveTokens& live) { return made_keys(layer, live); }, {});
    compare(
        forward, state, "indexer.raw_keys", 1,
        [&](const LiveTokens& live) {
          const TensorView keys = raw(live);
          Rows<Bounded> rows(live.count, dim);
          for (std::int64_t t = 0; t < live.count; ++t)
            for (std::int64_t d = 0; d < dim; ++d)
              rows.row(t)[static_cast<std::size_t>(d)] = {
                  decode_element(keys.dtype, keys.at(live.earlier + t, d)), 0};
          return rows;
        },
        [&](const LiveTokens& live) {
          return part_of(decoded(layer.outcome.ring, dim), live.batch * layer.ring_rows + live.earlier,
                         live.count);
        },
        [&](const LiveTokens& live) {
          const std::int64_t all = forward.tensor(state).extent(1);
          return part_of(forward.whole(state, live.batch, all), live.padded + live.earlier, live.count);
        });
  }

  /// The keys of the blocks that a call completed.
  Rows<double> made_keys(const LayerRun& layer, const LiveTokens& live) const {
    const std::int64_t dim = layer.indexer->dim(), ratio = config_.geometry.compress_ratio;
    const Rows<double> store = decoded(layer.outcome.keys, dim);
    const std::int64_t first = live.earlier / ratio, end = (live.earlier + live.count) / ratio;
    Rows<double> keys(end - first, dim);
    for (std::int64_t block = first; block < end; ++block) {
      const std::int64_t page = layer.pages.table.as<std::int32_t>()[static_cast<std::size_t>(
          live.batch * layer.pages.table.extent(1) + block / layer.pages.page_size)];
      std::ranges::copy(store.row(page * layer.pages.page_size + block % layer.pages.page_size),
                        keys.row(block - first).begin());
    }
    return keys;
  }

  void replay_route(const DeviceRoute& route, SelectSubject& subject, const SelectionCall& call) {
    const auto wants_tap = [&](const std::string& tap) { return wants(tap); };
    const std::size_t before = report_.taps.size();
    try {
      if (route.on_given_scores)
        replay_topk(subject, route.name, call, wants_tap, report_.taps);
      else
        replay_selection(subject, route.name, call, wants_tap, report_.taps);
    } catch (const UnsupportedCase& no_code) {
      if (!route.on_given_scores) no_selection_ = no_code.what();
    } catch (const MissingDataset& missing) {
      report_.without_inputs.push_back(missing.what());
    }
    for (std::size_t i = before; i < report_.taps.size(); ++i) computed_.insert(report_.taps[i].name);
  }

  void list_unsupported(const ModelCapture::Forward& call) {
    std::vector<std::string> datasets;
    for (const char* folder : {"taps", "state", "selection"})
      std::ranges::copy(capture_.list(call, folder), std::back_inserter(datasets));
    if (capture_.has(call, "logits")) datasets.emplace_back("logits");
    for (const std::string& dataset : datasets) {
      const std::string name = tap_name(dataset);
      if (!wants(name)) continue;
      const bool selection = name == "selection/scores" || name == "selection/blocks" ||
                             name.ends_with(".self_attn.indexer/out");
      unsupported(name, selection && !no_selection_.empty() ? no_selection_ : kNoKernel);
    }
  }

  const ModelCapture capture_;
  const IndexerConfig config_;
  const DeviceSubjects& device_;
  const ReplayOptions& options_;
  ReplayReport& report_;
  std::shared_ptr<IndexerSubject> subject_;
  std::shared_ptr<WitnessedIndexer> witness_;
  std::vector<std::pair<const DeviceRoute*, WatchedRoute>> routes_;
  std::vector<LayerRun> layers_;
  std::set<std::string> computed_;
  std::string no_selection_;  ///< why no route with a scorer serves the capture
};

void decide(DeviceReplay& result) {
  ReplayReport& report = result.replay;
  if (const TapReport* first = report.first_divergence()) {
    report.status = Status::fail;
    report.reason = fmt::format(
        "forward {}: {} ({}) is the first beyond its bound: [{}, {}, {}] on the device {:.9g}, ours {:.9g} ± "
        "{:.3g}",
        first->forward, first->name, first->operation, first->worst.batch, first->worst.token,
        first->worst.column, first->worst.recorded, first->worst.ours, first->worst.bound);
  } else if (std::ranges::none_of(report.taps, [](const TapReport& tap) { return tap.elements > 0; })) {
    report.status = report.unsupported.empty() ? Status::vacuous : Status::unsupported;
    report.reason = report.unsupported.empty()
                        ? "no tap to compare"
                        : fmt::format("none of its taps is computed: {}: {}", report.unsupported[0].name,
                                      report.unsupported[0].reason);
  } else if (result.routes && !result.routes->misses.empty()) {
    report.status = Status::route_missed;
    report.reason = result.routes->misses.front();
  }
}

}  // namespace

DeviceReplay replay_on_device(const std::string& path, const DeviceSubjects& device,
                              const ReplayRequest& request, const std::string& route) {
  const CaptureInfo info = read_capture_info(path);
  if (info.kind != CaptureKind::model)
    throw InputError(path, "model_type", "qwen4_exp_text", info.model_type);
  DeviceReplay result;
  ReplayReport& report = result.replay;
  report.file = path;
  report.subject = route.empty() ? "cuda" : "cuda:" + route;
  report.profile = hf_cuda_profile().name;
  report.profile_reason = "the kernels round as it does";
  if (!device.indexer || device.routes.empty() || device.device.empty()) {
    report.status = Status::not_executed;
    report.reason = device.reason;
    return result;
  }
  DeviceReplayer replayer(path, device, request.options, report);
  replayer.run(route);
  if (device.tracer) result.routes = replayer.evidence();
  decide(result);
  return result;
}

}  // namespace plumbline
