#pragma once

namespace plumbline {

/// The program `plumbline`. Exit codes: 0 verified (or done), 1 not verified, 2 bad usage or bad input (one
/// line on standard error), 3 nothing was executed.
int run_program(int argc, const char* const* argv);

}  // namespace plumbline
