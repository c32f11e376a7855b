#pragma once

#include "oracle/plugin/plugin_process.h"

#include <cstdint>
#include <memory>

namespace plumbline {

/// A foreign kernel as a subject. On query and key it scores and selects on its own scores, on given scores
/// it selects. Throws UnsupportedCase where the plugin says so or lacks an operation, and PluginFault.
class PluginSubject final : public SelectSubject {
 public:
  explicit PluginSubject(std::shared_ptr<PluginProcess> process) : process_(std::move(process)) {}
  std::string name() const override;  ///< "plugin:libmine.so"
  SelectOutputs select(const SelectInputs& inputs) override;
  PagedSelectOutputs select_paged(const PagedSelectInputs& inputs) override;
  /// Its scores [rows, blocks] of query and key, NaN beyond what a row sees.
  Tensor score(const SelectInputs& inputs);
  Tensor select_on(const TensorView& scores, const SelectInputs& inputs);

  /// How the buffers of the next calls lie, and what outputs hold on entry.
  void arrange(Arrangement arrangement, std::uint8_t rubbish) {
    arrangement_ = arrangement;
    rubbish_ = rubbish;
  }
  PluginProcess& process() { return *process_; }

 private:
  std::vector<Tensor> ask(PluginCall call);
  std::shared_ptr<PluginProcess> process_;
  Arrangement arrangement_ = Arrangement::canaries;
  std::uint8_t rubbish_ = 0xA5;
};

}  // namespace plumbline
