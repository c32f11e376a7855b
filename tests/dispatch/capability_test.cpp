#include "gpu/dispatch/capability.h"

#include <stdexcept>

#include <gtest/gtest.h>

namespace plumbline::dispatch {
namespace {

TEST(Capability, ExactMeansThatVersionAlone) {
  EXPECT_TRUE((Capability{7, 0}.is_exactly(70)));
  EXPECT_FALSE((Capability{7, 2}.is_exactly(70)));
  EXPECT_FALSE((Capability{7, 5}.is_exactly(70)));
}

TEST(Capability, FamilyMeansTheSameMajorVersion) {
  EXPECT_TRUE((Capability{7, 0}.in_family(70)));
  EXPECT_TRUE((Capability{7, 2}.in_family(70)));
  EXPECT_TRUE((Capability{7, 5}.in_family(70)));
  EXPECT_FALSE((Capability{6, 1}.in_family(70)));
  EXPECT_FALSE((Capability{8, 0}.in_family(70)));
}

TEST(Capability, TwelveIsAFamilyOfItsOwn) {
  EXPECT_TRUE((Capability{12, 1}.in_family(120)));
  EXPECT_FALSE((Capability{10, 0}.in_family(120)));
}

TEST(Capability, AtLeastComparesNumbers) {
  EXPECT_FALSE((Capability{8, 9}.at_least(90)));
  EXPECT_TRUE((Capability{9, 0}.at_least(90)));
  EXPECT_TRUE((Capability{10, 0}.at_least(90)));
}

TEST(Capability, TextRoundTrips) {
  for (const char* text : {"7.0", "7.5", "9.0", "10.0", "12.1"}) {
    EXPECT_EQ(to_string(parse_capability(text)), text);
  }
}

TEST(Capability, RefusesWhatIsNoCapability) {
  for (const char* text :
       {"", "7", "75", "7.", ".5", "7.55", "7.x", "-7.5", "0.5", "7.5 ", "100.0", "seven"}) {
    EXPECT_THROW(parse_capability(text), std::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace plumbline::dispatch
