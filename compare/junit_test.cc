#include "compare/junit.h"

#include <string>

#include "compare/compare_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::compare {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(JunitTest, NamesAreValidXml) {
  Two two(MakeProfile({{"a", "<A&\x1b\">", 100}}),
          MakeProfile({{"a", "<A&\x1b\">", 200}}));
  const std::string xml = CheckJunit(ReportOf({"op:.*.micros > +5%"}, two));
  EXPECT_THAT(xml, HasSubstr("name=\"&lt;A&amp;\\x1b&quot;&gt;\""));
  EXPECT_THAT(xml, HasSubstr("tests=\"1\" failures=\"1\""));
  EXPECT_THAT(xml, HasSubstr("100us -&gt; 200us, +100us (+100.0%)"));
  EXPECT_THAT(xml, Not(HasSubstr("\x1b")));
}

TEST(JunitTest, ASkippedRuleIsACase) {
  CheckReport report;
  report.rules.push_back({.rule = ParsedRule("op:A.micros > +5%"),
                          .verdict = Verdict::kSkipped,
                          .reason = "needs 3 steps"});
  EXPECT_EQ(CheckJunit(report),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites name=\"tfprof check\" tests=\"1\" failures=\"0\">\n"
            "  <testsuite name=\"op:A.micros &gt; +5%\" tests=\"1\" "
            "failures=\"0\">\n"
            "    <testcase classname=\"op:A.micros &gt; +5%\" "
            "name=\"op:A.micros &gt; +5%\">\n"
            "      <skipped message=\"needs 3 steps\"/>\n"
            "    </testcase>\n"
            "  </testsuite>\n"
            "</testsuites>\n");
}

TEST(JunitTest, ASuiteIsARuleAndACaseARow) {
  Two two(MakeProfile({{"a", "A", 100}, {"b", "B", 50}}),
          MakeProfile({{"a", "A", 120}, {"b", "B", 50}}));
  EXPECT_EQ(
      CheckJunit(ReportOf({"op:.*.micros > +5%", "total.micros > 1s"}, two)),
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"tfprof check\" tests=\"3\" failures=\"1\">\n"
      "  <testsuite name=\"op:.*.micros &gt; +5%\" tests=\"2\" "
      "failures=\"1\">\n"
      "    <testcase classname=\"op:.*.micros &gt; +5%\" name=\"A\">\n"
      "      <failure type=\"regression\" message=\"A: 100us -&gt; 120us, "
      "+20us (+20.0%), no noise estimate\">100us -&gt; 120us, +20us "
      "(+20.0%), no noise estimate breaks op:.*.micros &gt; +5%</failure>\n"
      "    </testcase>\n"
      "    <testcase classname=\"op:.*.micros &gt; +5%\" name=\"B\">\n"
      "      <system-out>50us -&gt; 50us, +0us (+0.0%), no noise "
      "estimate</system-out>\n"
      "    </testcase>\n"
      "  </testsuite>\n"
      "  <testsuite name=\"total.micros &gt; 1s\" tests=\"1\" "
      "failures=\"0\">\n"
      "    <testcase classname=\"total.micros &gt; 1s\" name=\"total\">\n"
      "      <system-out>150us -&gt; 170us, +20us (+13.3%), no noise "
      "estimate</system-out>\n"
      "    </testcase>\n"
      "  </testsuite>\n"
      "</testsuites>\n");
}

TEST(JunitTest, ARowWithinNoisePasses) {
  Two two(MakeProfile({{"a", "A", 100}}), MakeProfile({{"a", "A", 108}}));
  const std::string xml = CheckJunit(ReportOf({"op:A.micros > +5%"}, two, 0.1));
  EXPECT_THAT(xml, HasSubstr("tests=\"1\" failures=\"0\""));
  EXPECT_THAT(xml, HasSubstr("<system-out>within noise: 100us"));
}

TEST(JunitTest, WithoutRulesThereAreNoSuites) {
  EXPECT_EQ(CheckJunit(CheckReport()),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuites name=\"tfprof check\" tests=\"0\" failures=\"0\">\n"
            "</testsuites>\n");
}

}  // namespace
}  // namespace tfprof::compare
