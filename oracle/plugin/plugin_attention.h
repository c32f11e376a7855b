#pragma once

#include "fixtures/attention_subject.h"
#include "oracle/plugin/plugin_process.h"
#include "oracle/report/run_report.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plumbline {

/// A foreign attention as a subject. Throws UnsupportedCase where the plugin says so, and for an output gate
/// and scales of the cache, which the interface does not know; and PluginFault.
class PluginAttention final : public AttentionSubject {
 public:
  explicit PluginAttention(std::shared_ptr<PluginProcess> process) : process_(std::move(process)) {}
  std::string name() const override;
  AttentionOutputs attend(const AttentionInputs& inputs) override;
  /// How the buffers of the next calls lie, and what outputs hold on entry.
  void arrange(Arrangement arrangement, std::uint8_t rubbish) {
    arrangement_ = arrangement;
    rubbish_ = rubbish;
  }
  PluginProcess& process() { return *process_; }

 private:
  std::shared_ptr<PluginProcess> process_;
  Arrangement arrangement_ = Arrangement::canaries;
  std::uint8_t rubbish_ = 0xA5;
};

struct PluginAttentionOptions {
  std::optional<std::string> capability;  ///< of the plugin's device
  std::uint64_t seed = 0;
  std::function<bool(const std::string& check)> wanted;
  std::function<std::string(const std::string& check)> repro;  ///< the repro line of a check
};

/// "attend/FAMILY" for every family of attention cases that the interface can express: output within the
/// bound of an online softmax in any tiles and splits (rounding profile vllm), the same bits with other
/// rubbish and at guard pages, and each row alone within its bound.
std::vector<CheckResult> try_plugin_attention(const std::shared_ptr<PluginProcess>& process,
                                              const PluginAttentionOptions& options);

}  // namespace plumbline
