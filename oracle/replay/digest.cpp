#include "oracle/replay/digest.h"

#include "oracle/replay/recorded_forward.h"
#include "oracle/replay/replay_model.h"

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>

namespace plumbline {
namespace {

void feed(std::uint64_t bits, Sha256& hash) {
  std::array<std::byte, 8> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(bits >> (8 * i) & 0xff);
  hash.update(bytes);
}

void feed(std::int64_t number, Sha256& hash) { feed(static_cast<std::uint64_t>(number), hash); }

void feed(const Rows<double>& rows, Sha256& hash) {
  feed(rows.rows, hash);
  feed(rows.width, hash);
  for (const double number : rows.numbers) feed(std::bit_cast<std::uint64_t>(number), hash);
}

void feed(const std::vector<Coordinates>& places, Sha256& hash) {
  for (const Coordinates& at : places) {
    for (const std::int64_t axis : {at.temporal, at.height, at.width}) feed(axis, hash);
  }
}

void feed(const QsaState<double>& state, Sha256& hash) {
  feed(state.keys, hash);
  feed(state.values, hash);
  feed(state.coordinates, hash);
  if (!state.index) return;
  feed(state.index->tokens(), hash);
  hash.update(state.index->state().raw.bytes);
  feed(state.index->state().firsts, hash);
  hash.update(state.index->keys().tensor.bytes);
}

void feed(const DeltaRuleChunk<double>& chunk, Sha256& hash) {
  for (const double number : chunk.decay) feed(std::bit_cast<std::uint64_t>(number), hash);
  for (const Rows<double>* part :
       {&chunk.before, &chunk.keys, &chunk.values, &chunk.decayed_keys, &chunk.inverse, &chunk.writes})
    feed(*part, hash);
}

void feed(const GatedDeltaNetState<double>& state, Sha256& hash) {
  feed(state.convolution, hash);
  feed(state.earlier, hash);
  for (const Rows<double>& head : state.heads) feed(head, hash);
  for (const std::vector<DeltaRuleChunk<double>>& chunks : state.grid) {
    for (const DeltaRuleChunk<double>& chunk : chunks) feed(chunk, hash);
  }
}

}  // namespace

void hash_state(const ModelCache& cache, Sha256& hash) {
  feed(cache.tokens, hash);
  for (const std::int64_t id : cache.ids) feed(id, hash);
  feed(cache.coordinates, hash);
  for (const LayerState& layer : cache.layers) {
    if (layer.ple) {
      for (const std::int64_t id : layer.ple->context) feed(id, hash);
      feed(layer.ple->convolution, hash);
    }
    if (layer.delta_net) feed(*layer.delta_net, hash);
    if (layer.attention) feed(*layer.attention, hash);
  }
}

std::string outputs_digest(const std::vector<std::string>& captures, const RoundingProfile& profile) {
  Sha256 hash;
  for (const std::string& path : captures) {
    const ModelCapture capture(path);
    ReplayModel loaded = load_replay_model(capture);
    const Qwen4Exp model(std::move(loaded.config), std::move(loaded.weights), profile);
    ForwardOptions options;
    options.delta_rule = delta_rule_of(profile);
    options.expert_sum = expert_sum_of(capture.info());
    std::vector<ModelCache> caches;
    for (const ModelCapture::Forward& call : capture.forwards()) {
      const RecordedForward forward(capture, call);
      for (const LiveTokens& live : forward.sequences()) {
        while (static_cast<std::int64_t>(caches.size()) <= live.batch) caches.push_back(model.new_cache());
        feed(model.forward(forward.tokens(live), forward.coordinates(live),
                           caches[static_cast<std::size_t>(live.batch)], options),
             hash);
      }
    }
    for (const ModelCache& cache : caches) hash_state(cache, hash);
  }
  return hash.finish();
}

std::vector<std::string> model_captures_in(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<std::string> paths;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".h5" && read_capture_info(at->path()).kind == CaptureKind::model)
      paths.push_back(at->path().string());
  }
  if (error) throw InputError(folder, "", "a folder of captures", error.message());
  if (paths.empty()) throw InputError(folder, "", "model captures (*.h5)", "none");
  std::ranges::sort(paths);
  return paths;
}

}  // namespace plumbline
