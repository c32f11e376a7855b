#include "oracle/evidence/packet.h"

#include "fixtures/error.h"
#include "oracle/evidence/evidence_folder.h"
#include "tests/oracle/evidence/sample_evidence.h"

#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace plumbline {
namespace {

std::string text_at(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(PLUMBLINE_SOURCE_DIR + path, std::ios::binary).rdbuf();
  return text.str();
}

/// The seed's change, with the committed runs of a CPU and an H200 as evidence.
PacketRequest seed_request() {
  PacketRequest request;
  for (const char* run : {"cpu", "h200"})
    request.runs.push_back({run, read_evidence(PLUMBLINE_SOURCE_DIR "/ci/evidence/" + std::string(run))});
  request.before = dispatch::take_snapshot(dispatch::gate_set("exact70"));
  request.after = dispatch::take_snapshot(dispatch::gate_set("family7x"));
  return request;
}

TEST(Packet, OfTheSeedsChangeIsTheOneKept) {
  const std::string packet = packet_markdown(seed_request());
  EXPECT_EQ(packet, text_at("/fixtures/golden/packet_exact70_family7x.md"))
      << "if the change is meant: ci/update-packet";
}

TEST(Packet, CallsStaticWhatNobodyRan) {
  const std::string packet = packet_markdown(seed_request());
  EXPECT_NE(packet.find("static: 7.2 (21 cases), 7.5 (21 cases); "), std::string::npos) << packet;
  EXPECT_NE(packet.find(": 9.0 ("), std::string::npos) << packet;
  for (const char* claim : {"executed: 7.", "measured: 7."})
    EXPECT_EQ(packet.find(claim), std::string::npos) << packet;
}

TEST(Packet, CallsExecutedWhatRanOnThatCapability) {
  PacketRequest request = seed_request();
  request.runs = {{"t4", gpu_evidence("7.5")}};
  const std::string packet = packet_markdown(request);
  EXPECT_NE(packet.find("static: 7.2 (149 cases); measured: 7.5 (1 of 1 checks, 2 launches tagged)"),
            std::string::npos)
      << packet;
}

TEST(Packet, IsCutByWholeRowsAndSaysHowMany) {
  PacketRequest request = seed_request();
  const std::string whole = packet_markdown(request);
  request.limit = whole.size() - 1;
  const std::string cut = packet_markdown(request);
  EXPECT_LE(cut.size(), request.limit);
  EXPECT_NE(cut.find("\n1 more rows are left out here.\n"), std::string::npos) << cut;
  std::istringstream lines(cut);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("more rows") != std::string::npos) continue;
    EXPECT_NE(whole.find(line + "\n"), std::string::npos) << line;
  }
}

TEST(Packet, RefusesALimitThatNothingFitsInto) {
  PacketRequest request = seed_request();
  request.limit = 100;
  EXPECT_THROW(packet_markdown(request), InputError);
}

TEST(Packet, SaysSoWhereNoRouteMoves) {
  PacketRequest request = seed_request();
  request.after = request.before;
  EXPECT_NE(packet_markdown(request).find("no case of the matrix takes another route"), std::string::npos);
}

}  // namespace
}  // namespace plumbline
