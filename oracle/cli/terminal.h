#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace plumbline {

/// A terminal that shows colours, unless NO_COLOR is set (no-color.org).
bool wants_color(std::FILE* stream);

/// One line on standard error that is rewritten as work proceeds, and gone at the end. Nothing in a pipe.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void show(std::size_t number, std::size_t of, const std::string& what) const;

 private:
  bool shown_;
};

}  // namespace plumbline
