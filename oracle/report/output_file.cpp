#include "oracle/report/output_file.h"

#include "fixtures/error.h"
#include "fixtures/temporary_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include <unistd.h>

namespace plumbline {
namespace {

namespace fs = std::filesystem;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void fail(const std::string& path, int error) {
  throw InputError(path, "", "a writable file", std::strerror(error));
}

std::string temporary_name(const std::string& path) { return path + ".tmp" + std::to_string(::getpid()); }

void write_all(const std::string& name, std::string_view text, const std::string& path) {
  std::unique_ptr<std::FILE, Close> file(std::fopen(name.c_str(), "wb"));
  if (!file) fail(path, errno);
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() || std::fflush(file.get()) != 0) {
    const int error = errno;
    file.reset();
    fail(path, error);
  }
}

}  // namespace

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
  std::error_code ignored;
  const fs::path resolved =
      fs::weakly_canonical(path_, ignored);  // through a link, which a rename would replace
  if (!ignored) path_ = resolved.string();
  const fs::file_status status = fs::status(path_, ignored);
  if (fs::is_directory(status)) fail(path_, EISDIR);
  direct_ = fs::exists(status) && !fs::is_regular_file(status);
  if (direct_) {
    if (::access(path_.c_str(), W_OK) != 0) fail(path_, errno);
    return;
  }
  const TemporaryFile probe(temporary_name(path_));
  write_all(probe.name(), "", path_);
}

void OutputFile::write(std::string_view text) const {
  if (direct_) return write_all(path_, text, path_);
  TemporaryFile temporary(temporary_name(path_));
  write_all(temporary.name(), text, path_);
  if (std::rename(temporary.name().c_str(), path_.c_str()) != 0) fail(path_, errno);
  temporary.keep();
}

}  // namespace plumbline
