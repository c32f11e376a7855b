#include "oracle/bench/memory_meter.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace plumbline {
namespace {

/// A line such as "VmHWM:     1234 kB" of /proc/self/status, in bytes.
std::int64_t status_bytes(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind(field + ":", 0) != 0) continue;
    std::int64_t kilobytes = 0;
    std::istringstream(line.substr(field.size() + 1)) >> kilobytes;
    return kilobytes * 1024;
  }
  return 0;
}

}  // namespace

MemoryMeter::MemoryMeter() {
  std::ofstream("/proc/self/clear_refs")
      << "5";  // resets the peak (proc(5)); otherwise an earlier peak may remain
  resident_ = status_bytes("VmRSS");
}

std::int64_t MemoryMeter::peak_growth() const {
  return std::max<std::int64_t>(0, status_bytes("VmHWM") - resident_);
}

}  // namespace plumbline
