#include "oracle/report/junit.h"

#include "tests/oracle/report/sample_report.h"
#include "tests/oracle/report/well_formed_xml.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

namespace plumbline {
namespace {

TEST(Junit, OfARunIsThisXml) {
  EXPECT_EQ(junit_from_json(verify_json(sample_run())),
            R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="plumbline verify" tests="5" failures="1" errors="1" skipped="2" time="1.250">
  <testcase classname="plumbline.verify.golden" name="golden/good" time="0.250">
    <properties><property name="source" value="fixtures/golden/good.h5"/><property name="repro" value="plumbline verify --filter '^golden/good$'"/></properties>
  </testcase>
  <testcase classname="plumbline.verify.golden" name="golden/bad" time="0.250">
    <properties><property name="source" value="fixtures/golden/bad.h5"/><property name="repro" value="plumbline verify --filter '^golden/bad$'"/></properties>
    <failure message="FAIL: 1 of 96 rows breaks within_error">row 17: end_to_end value_error: block 9 &lt;outranks&gt; block 3 &amp; was left out; claimed 3 0x1p+0; missed 9 0x1.8p+0
(2 more left out)
plumbline verify --filter '^golden/bad$'</failure>
  </testcase>
  <testcase classname="plumbline.verify.golden" name="golden/short" time="0.250">
    <properties><property name="source" value="fixtures/golden/short.h5"/><property name="repro" value="plumbline verify --filter '^golden/short$'"/></properties>
    <skipped message="VACUOUS: no row has more blocks than it may select"/>
  </testcase>
  <testcase classname="plumbline.verify.golden" name="golden/broken" time="0.250">
    <properties><property name="source" value="fixtures/golden/broken.h5"/><property name="repro" value="plumbline verify --filter '^golden/broken$'"/></properties>
    <error message="ERROR: SHA-256 differs from the manifest">plumbline verify --filter '^golden/broken$'</error>
  </testcase>
  <testcase classname="plumbline.verify.device" name="cuda" time="0.250">
    <properties><property name="source" value=""/><property name="repro" value="plumbline verify --filter '^cuda$'"/></properties>
    <skipped message="NOT_EXECUTED: needs a CUDA device"/>
  </testcase>
</testsuite>
)");
}

TEST(Junit, AnUndeclaredVacuousCheckIsAnErrorAndNotSkipped) {
  RunReport run;
  run.checks.emplace_back().status = Status::vacuous;
  const std::string xml = junit_from_json(verify_json(run));
  EXPECT_NE(xml.find("errors=\"1\" skipped=\"0\""), std::string::npos) << xml;
}

TEST(Junit, ReplacesWhatXmlCannotHold) {
  EXPECT_EQ(xml_escaped("a\x01\xef\xbf\xbe\xef\xbf\xbf\xff<&\"\xc3\xa9"), "a????&lt;&amp;&quot;\xc3\xa9");
}

RC_GTEST_PROP(Junit, StaysWellFormedForAnyText, (const std::string& name, const std::string& reason)) {
  RunReport run = sample_run();
  for (CheckResult& check : run.checks) {
    check.name = name;
    check.reason = reason;
  }
  const std::string fault = fault_in_xml(junit_from_json(verify_json(run)));
  if (!fault.empty()) RC_FAIL(fault);
}

}  // namespace
}  // namespace plumbline
