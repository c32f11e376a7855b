#pragma once

#include <string>

namespace plumbline {

/// Where and with what a run took place; part of every report.
struct Machine {
  std::string cpu;          ///< model name, "unknown CPU" where the system does not say
  int threads = 1;          ///< that parallel work uses
  std::string isa;          ///< widest instruction set the selection's filter may use: sse2, avx2, avx512
  std::string compiler;     ///< "g++ 12.2.0"
  std::string build;        ///< version, and the commit where it was known: "0.1.0+1a2b3c4d5e6f"
  std::string os = {};      ///< distribution and kernel
  std::string flags = {};   ///< build type and compiler options
  std::string device = {};  ///< the accelerator that subjects ran on, with its versions; empty for none
};

Machine this_machine();

/// Version of the NVIDIA driver, "580.159.04"; empty where none is loaded.
std::string device_driver();

/// Of this build, as in Machine::build.
std::string build_name();

}  // namespace plumbline
