#pragma once

#include "oracle/selftest/row_fault.h"

namespace plumbline::selftest {

/// What a persistent radix top-k takes from a row when a group of blocks works its rows off one after the
/// other with three histograms of 256 bins (ROUTES.md §3.7, H4). `row.row` is the row's turn within its
/// group. Rows of more than `long_row` scores go through four rounds, a byte each: round r of turn i counts
/// in histogram (4·i + r) mod 3 and clears the one of the round after it, which is the first of turn i + 1. A
/// shorter row touches none, so that a long row two or three turns after the last long one begins on what
/// that one's third or fourth round has counted: its threshold comes out too high and fewer than k blocks
/// pass it. `long_row` is 32,768 in the kernel. The workspace is cleared at turn 0, as the launch does.
Blocks persistent_rows(const ScoreRow& row, Workspace& workspace, std::int64_t long_row);

}  // namespace plumbline::selftest
