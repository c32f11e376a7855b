#pragma once

#include <string>

namespace plumbline {

/// The root attributes of a capture, then one line per dataset: path, type, shape, bytes in memory and in the
/// file. Throws InputError for what is no capture.
std::string describe_capture(const std::string& path);

}  // namespace plumbline
