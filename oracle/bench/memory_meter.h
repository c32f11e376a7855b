#pragma once

#include <cstdint>

namespace plumbline {

/// How far this process's resident memory rises above what it was at construction (Linux: /proc/self).
class MemoryMeter {
 public:
  MemoryMeter();
  /// Bytes; 0 where the system does not tell.
  std::int64_t peak_growth() const;

 private:
  std::int64_t resident_ = 0;
};

}  // namespace plumbline
