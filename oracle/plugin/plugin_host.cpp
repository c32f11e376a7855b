#include "oracle/plugin/plugin_host.h"

#include "oracle/plugin/crash_report.h"
#include "oracle/plugin/guarded_buffers.h"
#include "oracle/plugin/host_memory.h"
#include "oracle/plugin/invoke.h"
#include "oracle/plugin/wire_channel.h"

#include <array>
#include <csignal>
#include <cstring>
#include <stdexcept>

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace plumbline {
namespace {

constexpr std::size_t kMostWorkspace = std::size_t{1} << 36;

/// The struct of the shared object, as far as both sides know it. Throws std::runtime_error.
plumbline_plugin load(const std::string& library) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(::dlerror());
  using Entry = const plumbline_plugin* (*)();
  const auto entry = reinterpret_cast<Entry>(::dlsym(handle, "plumbline_plugin_entry"));
  if (entry == nullptr) throw std::runtime_error("it exports no plumbline_plugin_entry");
  const plumbline_plugin* offered = entry();
  if (offered == nullptr) throw std::runtime_error("it says that it cannot work here");
  constexpr std::size_t kHeader = offsetof(plumbline_plugin, name);
  if (offered->size < kHeader || offered->version != PLUMBLINE_PLUGIN_VERSION)
    throw std::runtime_error(
        fmt::format("it was built for version {} of plumbline/plugin.h; this is version {}", offered->version,
                    PLUMBLINE_PLUGIN_VERSION));
  plumbline_plugin plugin{};
  std::memcpy(&plugin, offered, std::min(offered->size, sizeof plugin));
  if (plugin.memory != PLUMBLINE_HOST && plugin.memory != PLUMBLINE_CUDA)
    throw std::runtime_error(fmt::format("it wants memory of kind {}, which is none", plugin.memory));
  return plugin;
}

PluginFacts facts_of(const plumbline_plugin& plugin) {
  PluginFacts facts;
  if (plugin.name != nullptr) facts.name = plugin.name;
  if (plugin.contract != nullptr) facts.contract = plugin.contract;
  facts.on_device = plugin.memory == PLUMBLINE_CUDA;
  for (int i = 0; i < kPluginOperations; ++i)
    if (const auto operation = static_cast<PluginOperation>(i); offers(plugin, operation))
      facts.offers.push_back(operation);
  return facts;
}

class Host {
 public:
  Host(const plumbline_plugin& plugin, ForeignMemory& memory) : plugin_(plugin), memory_(memory) {}

  PluginAnswer answer(const PluginCall& call) {
    message_.fill('\0');
    plumbline_context context{};
    context.size = sizeof context;
    context.query = 1;
    context.message = message_.data();
    context.message_bytes = message_.size();
    if (const plumbline_status status = call_plugin(context, call, {}, {}); status != PLUMBLINE_OK)
      return said(status == PLUMBLINE_UNSUPPORTED ? PluginAnswer::Kind::unsupported
                                                  : PluginAnswer::Kind::failed);
    if (context.workspace_bytes > kMostWorkspace)
      return failed(fmt::format("it asks for {} bytes of workspace", context.workspace_bytes));

    forget_guard_pages();
    memory_.release();
    GuardedBuffers buffers(memory_, call.arrangement);
    std::vector<std::byte*> inputs, outputs;
    for (const PluginInput& input : call.inputs) inputs.push_back(buffers.input(input));
    for (const PluginOutput& output : call.outputs)
      outputs.push_back(buffers.output(
          output.name, static_cast<std::size_t>(element_count(output.shape)) * size_of(output.dtype),
          call.rubbish));
    context.query = 0;
    context.stream = memory_.stream();
    const std::size_t workspace = context.workspace_bytes;
    context.workspace = workspace == 0 ? nullptr : buffers.output("workspace", workspace, call.rubbish);
    const plumbline_status status = call_plugin(context, call, inputs, outputs);
    if (status == PLUMBLINE_UNSUPPORTED)
      return failed("it said that it serves the call, and UNSUPPORTED when it was to do so");
    if (status != PLUMBLINE_OK) return said(PluginAnswer::Kind::failed);
    memory_.synchronize();

    PluginAnswer answer;
    answer.stray = buffers.stray();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      Tensor tensor(call.outputs[i].dtype, call.outputs[i].shape);
      tensor.bytes = buffers.contents(outputs[i]);
      answer.outputs.push_back(std::move(tensor));
    }
    return answer;
  }

 private:
  plumbline_status call_plugin(plumbline_context& context, const PluginCall& call,
                               std::span<std::byte* const> inputs, std::span<std::byte* const> outputs) {
    try {
      return invoke(plugin_, context, call, inputs, outputs);
    } catch (...) {
      throw std::runtime_error("it threw an exception through the C interface");
    }
  }
  static PluginAnswer failed(std::string message) {
    return {PluginAnswer::Kind::failed, std::move(message), {}, {}};
  }
  PluginAnswer said(PluginAnswer::Kind kind) const {
    return {kind, std::string(message_.data(), ::strnlen(message_.data(), message_.size())), {}, {}};
  }

  const plumbline_plugin& plugin_;
  ForeignMemory& memory_;
  std::array<char, 512> message_{};
};

void send_text(WireChannel& channel, WireKind kind, const std::string& text) {
  channel.send(kind, std::as_bytes(std::span(text)), std::nullopt);
}

void become_a_plugins_process() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  report_crashes_to(kPluginDescriptor);
}

}  // namespace

void serve_plugin(const std::string& library, const MakeDeviceMemory& device_memory) {
  become_a_plugins_process();
  WireChannel channel(kPluginDescriptor);
  plumbline_plugin plugin{};
  std::unique_ptr<ForeignMemory> memory;
  try {
    plugin = load(library);
  } catch (const std::exception& error) {
    return send_text(channel, WireKind::refusal, error.what());
  }
  try {
    memory = plugin.memory == PLUMBLINE_CUDA ? device_memory() : std::make_unique<HostMemory>();
  } catch (const std::exception& error) {
    return send_text(channel, WireKind::lack, error.what());
  }
  channel.send(WireKind::facts, to_wire(facts_of(plugin)), std::nullopt);
  Host host(plugin, *memory);
  WireMessage message;
  while (channel.receive(message, std::nullopt) == WireChannel::State::open) {
    PluginAnswer answer;
    try {
      answer = host.answer(call_from_wire(message.body));
    } catch (const std::exception& error) {
      answer = {PluginAnswer::Kind::failed, error.what(), {}, {}};
    }
    channel.send(WireKind::answer, to_wire(answer), std::nullopt);
  }
}

}  // namespace plumbline
