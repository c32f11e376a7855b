#include "oracle/plugin/crash_report.h"

#include "oracle/plugin/plugin_wire.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstring>

#include <unistd.h>

namespace plumbline {
namespace {

// A handler may use neither the heap nor the library's formatting.
struct GuardPage {
  std::uintptr_t first = 0;
  std::array<char, 32> buffer{};
};
std::array<GuardPage, 32> guard_pages;
std::size_t guard_page_count = 0;
int report_descriptor = -1;
constexpr std::uintptr_t kLeastPage = 4096;

struct Line {
  std::array<char, 192> text{};
  std::size_t size = 0;

  void add(const char* more) {
    for (; *more != '\0' && size < text.size(); ++more) text[size++] = *more;
  }
  void add(std::uintptr_t number) {
    std::array<char, 24> digits{};
    std::size_t at = digits.size() - 1;
    do {
      digits[--at] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number != 0);
    add(&digits[at]);
  }
};

const char* name_of_signal(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "SIGSEGV";
    case SIGBUS:
      return "SIGBUS";
    case SIGFPE:
      return "SIGFPE";
    case SIGILL:
      return "SIGILL";
    default:
      return "SIGABRT";
  }
}

void send(const Line& line) {
  const std::uint64_t size = 1 + line.size;
  std::array<char, 256> message{};
  std::memcpy(message.data(), &size, sizeof size);
  message[sizeof size] = static_cast<char>(WireKind::crash);
  std::memcpy(&message[sizeof size + 1], line.text.data(), line.size);
  [[maybe_unused]] const auto written = ::write(report_descriptor, message.data(), sizeof size + size);
}

void on_signal(int signal, siginfo_t* info, void*) {
  Line line;
  line.add(name_of_signal(signal));
  if (signal == SIGSEGV || signal == SIGBUS) {
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    const auto end = guard_pages.begin() + static_cast<std::ptrdiff_t>(guard_page_count);
    const auto page = std::find_if(guard_pages.begin(), end, [&](const GuardPage& one) {
      return address >= one.first && address - one.first < kLeastPage;
    });
    if (page != end) {
      line.add(", touching the guard page behind '");
      line.add(page->buffer.data());
      line.add("', at byte ");
      line.add(address - page->first);
    } else if (address < kLeastPage) {
      line.add(", through a null pointer");
    } else {
      line.add(", touching memory that is nobody's");
    }
  }
  send(line);
  ::_exit(1);
}

}  // namespace

void report_crashes_to(int descriptor) {
  report_descriptor = descriptor;
  static std::array<char, 65536> stack;
  stack_t alternative{};
  alternative.ss_sp = stack.data();
  alternative.ss_size = stack.size();
  ::sigaltstack(&alternative, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigaction(signal, &action, nullptr);
}

void note_guard_page(const std::byte* page, const std::string& buffer) {
  if (guard_page_count == guard_pages.size()) return;
  GuardPage& noted = guard_pages[guard_page_count++];
  noted.first = reinterpret_cast<std::uintptr_t>(page);
  noted.buffer.fill('\0');
  std::copy_n(buffer.begin(), std::min(buffer.size(), noted.buffer.size() - 1), noted.buffer.begin());
}

void forget_guard_pages() { guard_page_count = 0; }

}  // namespace plumbline
