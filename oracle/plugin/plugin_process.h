#pragma once

#include "oracle/plugin/plugin_call.h"
#include "oracle/plugin/wire_channel.h"

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>

#include <sys/types.h>

namespace plumbline {

/// What a plugin did that no answer may do; what() is one line.
class PluginFault : public std::runtime_error {
 public:
  enum class Kind : std::uint8_t {
    crash,   ///< its process died
    hang,    ///< no answer in time
    failed,  ///< it says so itself, or its answer is none
    stray,   ///< it wrote where it may not
  };
  PluginFault(Kind kind, const std::string& what) : std::runtime_error(what), kind_(kind) {}
  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

/// The plugin wants a device that this machine lacks; what() says which.
class DeviceLacking : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A plugin, loaded in a process of its own that is started when it is needed, and again after it died.
class PluginProcess {
 public:
  /// `program`: the program plumbline, which has the command that serves a plugin.
  PluginProcess(std::string library, std::string program, std::chrono::milliseconds patience);
  ~PluginProcess();
  PluginProcess(const PluginProcess&) = delete;
  PluginProcess& operator=(const PluginProcess&) = delete;

  /// Throws InputError for what is no plugin or cannot work here, and DeviceLacking.
  const PluginFacts& facts();
  /// Throws PluginFault for all but `done` and `unsupported`.
  PluginAnswer ask(const PluginCall& call);
  const std::string& library() const { return library_; }

 private:
  void start();
  void stop();
  /// Why the process ended; waits for it.
  std::string obituary();
  [[noreturn]] void give_up(WireChannel::State state, const std::string& doing);
  WireMessage receive(WireChannel::Clock::time_point until, const std::string& doing);

  std::string library_, program_;
  std::chrono::milliseconds patience_;
  std::unique_ptr<WireChannel> channel_;
  pid_t child_ = -1;
  PluginFacts facts_;
};

}  // namespace plumbline
