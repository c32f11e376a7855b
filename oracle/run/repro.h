#pragma once

#include <string>
#include <vector>

namespace plumbline {

/// `word` as one word of a POSIX shell's command line, quoted where it must be; newlines survive.
std::string shell_quoted(const std::string& word);

/// What ran. A selection on the CPU has one path, so no branch of a dispatch to name.
struct RanOn {
  std::string route = "none", device = "cpu";
};

/// The words, quoted, then " # " and what they stand for with route, device and build.
std::string repro_line(const std::vector<std::string>& words, const std::string& stands_for,
                       const RanOn& ran_on = {});

/// A regular expression, of printable ASCII, that matches `name`: any byte stands for each of its others.
std::string exact_filter(const std::string& name);

}  // namespace plumbline
