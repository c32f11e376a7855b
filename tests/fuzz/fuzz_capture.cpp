// A capture of any kind, read wholly.

#include "fixtures/capture/attention_capture.h"
#include "fixtures/capture/model_capture.h"
#include "fixtures/capture/paged_capture.h"
#include "fixtures/capture/select_capture.h"
#include "tests/fuzz/fuzz.h"

#include <csignal>
#include <fstream>

#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#include <unistd.h>

using namespace plumbline;

/// HDF5 1.10 leaks an object header that it fails to decode.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }

namespace {

/// Where the input lies, in memory: HDF5 reads files alone.
const std::string& file_of(const std::uint8_t* data, std::size_t size) {
  static const std::string path = "/dev/shm/plumbline-fuzz-" + std::to_string(::getpid()) + ".h5";
  static const int removed_at_exit = std::atexit([] { std::remove(path.c_str()); });
  (void)removed_at_exit;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  fuzz::require(file.flush().good(), "no room for the file");
  return path;
}

/// The reader has strings read by a process of its own, which damage may kill: that is no finding, and not to
/// be reported as one by the handlers that the process inherits.
void die_in_silence() {
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGXCPU}) ::signal(signal, SIG_DFL);
  __sanitizer_set_death_callback([] { ::_exit(1); });
}

const int kAtFork = ::pthread_atfork(nullptr, nullptr, die_in_silence);

void read_model(const std::string& path) {
  const ModelCapture capture(path);
  for (const std::string& name : capture.weight_names())
    fuzz::refuses<InputError>([&] { capture.weight(name); });
  for (const ModelCapture::Forward& forward : capture.forwards())
    for (const char* prefix : {"taps", "state", "selection"})
      for (const std::string& name : capture.list(forward, prefix))
        fuzz::refuses<InputError>([&] { capture.read(forward, name); });
}

void read_streams(const std::vector<RowStream>& streams) {
  for (const RowStream& stream : streams) fuzz::refuses<InputError>([&] { stream.read_all(); });
}

void read_select(const std::string& path) {
  const SelectCapture capture = read_select_capture(path);
  for (const SelectCase& one : capture.cases) {
    fuzz::require(one.inputs(capture.geometry).rows == one.rows, "a case of other rows");
    read_streams(one.scores);
    read_streams(one.selections);
  }
}

void read_paged(const std::string& path) {
  const PagedSelectCapture capture = read_paged_capture(path);
  for (const PagedSelectCase& one : capture.cases)
    for (const auto* stream : {&one.selected_tokens, &one.block_scores, &one.selected_blocks})
      if (*stream) read_streams({**stream});
}

void read_wholly(const std::string& path) {
  switch (read_capture_info(path).kind) {
    case CaptureKind::model:
      return read_model(path);
    case CaptureKind::select:
      return read_select(path);
    case CaptureKind::select_paged:
      return read_paged(path);
    case CaptureKind::attention_paged:
      read_attention_capture(path);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::require(kAtFork == 0, "no handler of forks");
  const std::string& path = file_of(data, size);
  fuzz::refuses<InputError>([&] { read_wholly(path); });
  return 0;
}
