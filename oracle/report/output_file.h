#pragma once

#include <string>
#include <string_view>

namespace plumbline {

/// A report file that is whole or not there: opening proves that the place can be written without touching an
/// older report, write() goes to a temporary name beside it and renames. What is no regular file (/dev/null,
/// a pipe) is written directly. An interrupted run leaves nothing behind.
class OutputFile {
 public:
  /// Throws InputError when `path` cannot be written.
  explicit OutputFile(std::string path);
  /// Throws InputError when the text cannot be stored; an older file is then still whole.
  void write(std::string_view text) const;

 private:
  std::string path_;
  bool direct_ = false;
};

}  // namespace plumbline
