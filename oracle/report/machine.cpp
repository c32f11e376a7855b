#include "oracle/report/machine.h"

#include "plumbline_build_info.h"
#include "reference/select/certified_select.h"

#include <fstream>
#include <regex>

#include <fmt/format.h>
#include <omp.h>
#include <sys/utsname.h>

namespace plumbline {
namespace {

std::string cpu_name() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line)) {
    const auto colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown CPU";
}

std::string widest_filter() {
  using Filter = CertifyOptions::Filter;
  if (filter_available(Filter::avx512)) return "avx512";
  if (filter_available(Filter::avx2)) return "avx2";
  if (filter_available(Filter::sse2)) return "sse2";
  return "none";
}

std::string os_name() {
  std::ifstream release("/etc/os-release");
  std::string line, name = "unknown";
  while (std::getline(release, line))
    if (line.starts_with("PRETTY_NAME=")) name = line.substr(12);
  std::erase(name, '"');
  utsname kernel{};
  if (::uname(&kernel) != 0) return name;
  return fmt::format("{}, {} {} {}", name, kernel.sysname, kernel.release, kernel.machine);
}

std::string compiler_name() {
#ifdef __clang__
  return fmt::format("clang++ {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

}  // namespace

Machine this_machine() {
  return {cpu_name(), omp_get_max_threads(), widest_filter(), compiler_name(), build_name(),
          os_name(),  PLUMBLINE_FLAGS};
}

std::string device_driver() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::smatch found;
  return std::regex_search(line, found, std::regex(R"(\s(\d+\.\d+(\.\d+)?)\s)")) ? found[1].str() : "";
}

std::string build_name() { return PLUMBLINE_BUILD; }

}  // namespace plumbline
