#include "oracle/status.h"

#include <gtest/gtest.h>

namespace plumbline {
namespace {

TEST(StatusCounts, ExitsZeroOnlyWhenSomethingPassedAndNothingFailed) {
  StatusCounts counts;
  EXPECT_EQ(counts.exit_code(), 3);
  counts.add(Status::not_executed);
  counts.add(Status::unsupported);
  EXPECT_EQ(counts.exit_code(), 3);
  counts.add(Status::pass);
  EXPECT_EQ(counts.exit_code(), 0);
}

TEST(StatusCounts, ADeclaredVacuousCheckDoesNotFailTheRunAndDoesNotPassIt) {
  StatusCounts counts;
  counts.add(Status::vacuous, true);
  EXPECT_EQ(counts.exit_code(), 3);
  counts.add(Status::pass);
  EXPECT_EQ(counts.exit_code(), 0);
  counts.add(Status::vacuous, false);
  EXPECT_EQ(counts.exit_code(), 1);
}

TEST(StatusCounts, EveryFailingStatusOutweighsAPass) {
  for (const Status status : {Status::fail, Status::route_missed, Status::error}) {
    StatusCounts counts;
    counts.add(Status::pass);
    counts.add(status);
    EXPECT_EQ(counts.exit_code(), 1) << name_of(status);
  }
}

}  // namespace
}  // namespace plumbline
