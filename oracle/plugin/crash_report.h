#pragma once

#include <cstddef>
#include <string>

namespace plumbline {

/// From here on a fatal signal of this process (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) is told through the
/// descriptor as a message of kind `crash`, and ends the process. For a process of its own, that of a plugin.
void report_crashes_to(int descriptor);

/// Names the page at `page`, which cannot be touched, by the buffer that ends there. Forgets them all with
/// forget_guard_pages().
void note_guard_page(const std::byte* page, const std::string& buffer);
void forget_guard_pages();

}  // namespace plumbline
