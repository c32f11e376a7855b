#include "oracle/cli/open_plugin.h"

#include "oracle/cli/commands.h"
#include "oracle/cli/cuda_subjects.h"
#include "oracle/plugin/plugin_host.h"

#include <stdexcept>

#ifdef PLUMBLINE_WITH_CUDA
#include "gpu/subject/cuda_memory.h"
#endif

namespace plumbline {
namespace {

std::unique_ptr<ForeignMemory> device_memory() {
#ifdef PLUMBLINE_WITH_CUDA
  return gpu::cuda_memory();
#else
  throw std::runtime_error("the plugin works on CUDA memory, and this build has none");
#endif
}

}  // namespace

std::shared_ptr<PluginProcess> open_plugin(const std::string& library, std::chrono::milliseconds patience) {
  auto process = std::make_shared<PluginProcess>(library, "/proc/self/exe", patience);
  process->facts();
  return process;
}

std::optional<std::string> capability_of(PluginProcess& plugin) {
  if (!plugin.facts().on_device) return std::nullopt;
  return cuda_subjects(Watched::no).capability;
}

void add_serve_plugin_command(CLI::App& app) {
  auto library = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("serve-plugin", "Serve a plugin to the program that started this one");
  command->group("");
  command->add_option("library", *library)->required();
  command->callback([library] { serve_plugin(*library, device_memory); });
}

}  // namespace plumbline
