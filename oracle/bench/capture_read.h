#pragma once

#include <cstdint>
#include <string>

namespace plumbline {

struct CaptureReadTimes {
  std::int64_t bytes = 0;    ///< read by either side in one run
  double plain_seconds = 0;  ///< H5Dread of every dataset, nothing checked; median
  double ours_seconds = 0;   ///< read_select_capture and every stream; median
  double ratio = 0;          ///< plain_seconds / ours_seconds: the share of the plain speed that is reached
};

/// Writes a contiguous kind B capture of about `bytes` into `directory`, reads it with a warm cache five
/// times by each side in turn, and removes it. Both sides read the recorded outputs in the same batches of
/// rows. Throws InputError when the directory cannot be written.
CaptureReadTimes measure_capture_read(const std::string& directory,
                                      std::int64_t bytes = std::int64_t{2} << 30);

}  // namespace plumbline
