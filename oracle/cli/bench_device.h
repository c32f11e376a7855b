#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace plumbline {

/// N of "cuda:N". Throws InputError.
int cuda_device_number(const std::string& text);
/// Says why a device cannot be measured; returns exit code 3.
int bench_unsupported(const std::string& command, const std::string& why);

/// `bench select --device cuda:N`: the selection benchmark of ROUTES.md §5.4 on a CUDA device.
struct DeviceBench {
  std::string device;  ///< "cuda:0"; empty: not asked for
  std::int64_t rows = 1616, page_size = 204, capacity = 65536;
  std::vector<std::int64_t> contexts = {29000, 184000, 262144};
  std::string positions = "int64", markdown;

  /// Adds --device and what goes with it.
  void add_to(CLI::App& command);
  /// Runs it and tells the figures. Returns 0; 1 where an answer was wrong; 3, with a line that says
  /// UNSUPPORTED and why, where this build or machine has no such device. Throws InputError.
  int run(const std::string& json, int repetitions) const;
};

}  // namespace plumbline
