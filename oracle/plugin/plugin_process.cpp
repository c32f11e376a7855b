#include "oracle/plugin/plugin_process.h"

#include "fixtures/capture/utf8.h"
#include "fixtures/error.h"
#include "oracle/plugin/plugin_host.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace plumbline {
namespace {

constexpr std::size_t kMostText = 1000;
/// Starting a device's runtime takes longer than any call.
constexpr std::chrono::seconds kPatienceToStart{60};

/// Words of a plugin, or of what it spoilt, for one line of a report.
std::string text_of(const WireMessage& message) {
  return printable({reinterpret_cast<const char*>(message.body.data()), message.body.size()}, kMostText);
}

std::string absolute(const std::string& library) {
  char* resolved = ::realpath(library.c_str(), nullptr);
  if (resolved == nullptr) throw InputError(library, "", "a shared object", std::strerror(errno));
  const std::string path = resolved;
  std::free(resolved);
  return path;
}

}  // namespace

PluginProcess::PluginProcess(std::string library, std::string program, std::chrono::milliseconds patience)
    : library_(std::move(library)), program_(std::move(program)), patience_(patience) {}

PluginProcess::~PluginProcess() { stop(); }

void PluginProcess::stop() {
  channel_.reset();
  if (child_ <= 0) return;
  ::kill(child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
  child_ = -1;
}

std::string PluginProcess::obituary() {
  channel_.reset();
  int status = 0;
  ::waitpid(child_, &status, 0);
  child_ = -1;
  if (WIFSIGNALED(status)) return fmt::format("killed by signal {}", WTERMSIG(status));
  return fmt::format("its process ended with code {}", WEXITSTATUS(status));
}

void PluginProcess::give_up(WireChannel::State state, const std::string& doing) {
  if (state == WireChannel::State::late) {
    stop();
    throw PluginFault(PluginFault::Kind::hang,
                      fmt::format("no answer to {} within {} ms", doing, patience_.count()));
  }
  throw PluginFault(PluginFault::Kind::crash, fmt::format("crashed in {}: {}", doing, obituary()));
}

WireMessage PluginProcess::receive(WireChannel::Clock::time_point until, const std::string& doing) {
  WireMessage message;
  try {
    if (const auto state = channel_->receive(message, until); state != WireChannel::State::open)
      give_up(state, doing);
  } catch (const WireError& error) {
    stop();
    throw PluginFault(PluginFault::Kind::failed, fmt::format("{}: {}", doing, error.what()));
  }
  if (message.kind == WireKind::crash) {
    const std::string what = text_of(message);
    stop();
    throw PluginFault(PluginFault::Kind::crash, fmt::format("crashed in {}: {}", doing, what));
  }
  return message;
}

void PluginProcess::start() {
  if (channel_) return;
  const std::string path = absolute(library_);
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw std::runtime_error(fmt::format("socketpair: {}", std::strerror(errno)));
  channel_ = std::make_unique<WireChannel>(ends[0]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], kPluginDescriptor);
  std::array<std::string, 3> words = {program_, "serve-plugin", path};
  std::array<char*, 4> argv = {words[0].data(), words[1].data(), words[2].data(), nullptr};
  const int error = ::posix_spawn(&child_, program_.c_str(), &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (error != 0) {
    child_ = -1;
    channel_.reset();
    throw std::runtime_error(fmt::format("{}: {}", program_, std::strerror(error)));
  }
  const WireMessage message = receive(WireChannel::Clock::now() + kPatienceToStart, "loading");
  if (message.kind == WireKind::lack) {
    const std::string what = text_of(message);
    stop();
    throw DeviceLacking(what);
  }
  if (message.kind == WireKind::refusal) {
    const std::string why = text_of(message);
    stop();
    throw InputError(library_, "", "a plugin that works here", why);
  }
  if (message.kind != WireKind::facts)
    throw PluginFault(PluginFault::Kind::failed, "loading: a strange answer");
  facts_ = facts_from_wire(message.body);
}

const PluginFacts& PluginProcess::facts() {
  start();
  return facts_;
}

PluginAnswer PluginProcess::ask(const PluginCall& call) {
  start();
  const std::string doing(name_of(call.operation));
  const auto until = WireChannel::Clock::now() + patience_;
  const auto body = to_wire(call);
  // A process that dies while it is being asked has told why before.
  channel_->send(WireKind::call, body, until);
  const WireMessage message = receive(until, doing);
  PluginAnswer answer;
  try {
    if (message.kind != WireKind::answer) throw WireError("a strange answer");
    answer = answer_from_wire(message.body);
  } catch (const WireError& error) {
    stop();
    throw PluginFault(PluginFault::Kind::failed, fmt::format("{}: {}", doing, error.what()));
  }
  answer.message = printable(answer.message, kMostText);
  if (answer.kind == PluginAnswer::Kind::failed) {
    // A device's errors stick to its process; the next call shall not inherit them.
    if (facts_.on_device) stop();
    throw PluginFault(PluginFault::Kind::failed, fmt::format("{} failed: {}", doing, answer.message));
  }
  if (!answer.stray.empty())
    throw PluginFault(PluginFault::Kind::stray, fmt::format("{}: {}", doing, answer.stray.front()));
  if (answer.kind == PluginAnswer::Kind::done) {
    bool fits = answer.outputs.size() == call.outputs.size();
    for (std::size_t i = 0; fits && i < call.outputs.size(); ++i)
      fits =
          answer.outputs[i].shape == call.outputs[i].shape &&
          answer.outputs[i].dtype == call.outputs[i].dtype &&
          answer.outputs[i].bytes.size() ==
              static_cast<std::size_t>(element_count(call.outputs[i].shape)) * size_of(call.outputs[i].dtype);
    if (!fits) {
      stop();
      throw PluginFault(PluginFault::Kind::failed, fmt::format("{}: the answer has other outputs", doing));
    }
  }
  return answer;
}

}  // namespace plumbline
