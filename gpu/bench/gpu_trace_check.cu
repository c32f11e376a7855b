// Judges the witnesses of a route on the current device, and times the tags:
//   gpu_trace_check OUT.json [--no-times]
// Exit 0: every check passed.

#include "gpu/bench/check_traces.h"
#include "gpu/bench/device_facts.h"

#include <cstdio>
#include <string>

int main(int argc, char** argv) {
  using namespace plumbline::gpu::bench;
  const bool no_times = argc == 3 && std::string(argv[2]) == "--no-times";
  if (argc < 2 || argc > 3 || (argc == 3 && !no_times)) {
    std::printf("gpu_trace_check OUT.json [--no-times]\n");
    return 2;
  }
  try {
    Report report(argv[1]);
    record_device(report);
    // Before a profiler is there, which slows launches.
    if (!no_times) time_tags(report);
    check_traces(report);
    std::printf("%zu checks, %d failed\n", report.checks(), report.failed());
    return report.failed() == 0 && report.checks() > 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::printf("ERROR %s\n", error.what());
    return 1;
  }
}
