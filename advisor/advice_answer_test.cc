#include "advisor/advice_answer.h"

#include <cmath>
#include <string>
#include <vector>

#include "advisor/advice_testing.h"
#include "advisor/advice_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tables/writers/answer_writer.h"

namespace tfprof::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class AdviceAnswerTest : public AdviceTest {
 protected:
  tables::Answer Asked(const std::vector<std::string>& checkers = {}) {
    return AdviceAnswer(Run(checkers), AdviceOrder::kWorstFirst);
  }
};

std::string As(const tables::Answer& answer, std::string_view format,
               const tables::TextLook& look = {}) {
  util::StringSink sink;
  tables::WriteOptions options;
  options.look = look;
  EXPECT_TRUE(tables::WriteAnswer(answer, format, options, sink).ok())
      << format;
  return sink.text();
}

TEST_F(AdviceAnswerTest, Json) {
  EXPECT_EQ(As(Asked({"old", "odd", "blind"}), "json"),
            R"({"schema":"tfprof.advise","version":2,
"facts":{"critical":0,"warning":2,"info":1},
"tables":{
"findings":{"columns":[{"name":"severity","unit":"text"},{"name":"rule","unit":"text"},{"name":"checker","unit":"text"},{"name":"subject","unit":"text"},{"name":"metric","unit":"text"},{"name":"unit","unit":"text"},{"name":"value","unit":"number"},{"name":"threshold","unit":"number"},{"name":"saving_micros","unit":"micros"},{"name":"evidence","unit":"text"},{"name":"advice","unit":"text"},{"name":"text","unit":"text"}],
"rows":[
{"severity":"warning","rule":"idle","checker":"OldChecker","subject":"cpu","metric":"share of time","unit":"share","value":0.25,"threshold":0.5,"saving_micros":null,"evidence":"op -order_by micros","advice":"","text":"cpu idle"},
{"severity":"warning","rule":"odd","checker":"NewChecker","subject":"a\"b\n\u0001\ufffd","metric":null,"unit":null,"value":null,"threshold":null,"saving_micros":null,"evidence":"","advice":"","text":"first\nsecond"},
{"severity":"info","rule":"busy","checker":"OldChecker","subject":"gpu","metric":"share of time","unit":null,"value":1,"threshold":null,"saving_micros":null,"evidence":"","advice":"","text":"gpu busy"}
],
"returned":3,"total":3,"truncated":false},
"checkers":{"columns":[{"name":"checker","unit":"text"},{"name":"findings","unit":"count"},{"name":"lacked","unit":"text"},{"name":"looked_for","unit":"text"},{"name":"not_judged","unit":"text"}],
"rows":[
{"checker":"OldChecker","findings":2,"lacked":null,"looked_for":"What was always looked at.","not_judged":null},
{"checker":"NewChecker","findings":1,"lacked":null,"looked_for":"What is looked at now.","not_judged":null},
{"checker":"BlindChecker","findings":0,"lacked":"nothing to see for BlindChecker","looked_for":"What cannot be seen.","not_judged":"nothing to see for BlindChecker"}
],
"returned":3,"total":3,"truncated":false}
}}
)");
}

TEST_F(AdviceAnswerTest, Table) {
  EXPECT_EQ(
      As(Asked(), "table"),
      "critical  1\n"
      "warning   3\n"
      "info      1\n"
      "\n"
      "Findings:\n"
      "severity  rule  subject            value  threshold   saves  text\n"
      "critical  slow  step 7           1.00sec     1.00ms  1.20ms  A sentence "
      "that does not fit on one line of a narrow terminal, by far.\n"
      "warning   slow  -                 2.50ms     1.00ms  1.50ms  slow\n"
      "warning   idle  cpu                25.0%      50.0%       -  cpu idle\n"
      "warning   odd   a\"b\\x0a\\x01\\xff        -          -       -  "
      "first; second\n"
      "info      busy  gpu                    1          -       -  gpu busy\n"
      "\n"
      "Checkers:\n"
      "checker       findings  lacked                           not judged "
      "because\n"
      "OldChecker           2  -                                -\n"
      "NewChecker           3  -                                -\n"
      "BlindChecker         0  nothing to see for BlindChecker  nothing to see "
      "for BlindChecker\n");
}

TEST_F(AdviceAnswerTest, NumbersWithoutDigitsAreNull) {
  Advice advice = Run({"slow"});
  Finding& finding = advice.sections[0].findings[0];
  finding.value = INFINITY;
  finding.threshold = 1e300;
  EXPECT_THAT(As(AdviceAnswer(advice, AdviceOrder::kWorstFirst), "json"),
              HasSubstr(R"("unit":"micros","value":null,"threshold":1e+300,)"
                        R"("saving_micros":1500,)"));
  // The checker returns a finding that it does not declare.
  finding.rule = "undeclared";
  EXPECT_THAT(As(AdviceAnswer(advice, AdviceOrder::kWorstFirst), "json"),
              HasSubstr(R"("metric":null,"unit":null,"value":null,)"));
}

TEST_F(AdviceAnswerTest, AWrongFindingOfTheReferenceIsNotCounted) {
  Advice advice = Run({"old"});
  advice.sections[0].findings[0].reference_text_only = true;
  const tables::Answer answer = AdviceAnswer(advice, AdviceOrder::kByChecker);
  EXPECT_THAT(As(answer, "json"), HasSubstr(R"("findings":1)"));
  EXPECT_THAT(As(answer, "text"), HasSubstr("gpu busy"));
}

TEST_F(AdviceAnswerTest, TheReferencesTextIsTheDefault) {
  const Advice advice = Run({"old", "odd"});
  const tables::Answer answer = AdviceAnswer(advice, AdviceOrder::kByChecker);
  EXPECT_EQ(tables::DefaultFormat(answer, /*agent=*/false, /*reference=*/true),
            "text");
  EXPECT_EQ(As(answer, "text"), AdviceReport(advice));
  EXPECT_FALSE(tables::IsSafe(answer, "text"));
  // A screen has its own format, and an agent gets Markdown.
  const tables::TextLook look = {.width = 30, .color = true};
  EXPECT_EQ(tables::DefaultFormat(answer, /*agent=*/false, /*reference=*/false),
            "screen");
  EXPECT_EQ(As(answer, "screen", look), AdviceScreen(advice, look));
  EXPECT_TRUE(tables::IsSafe(answer, "screen"));
  EXPECT_EQ(tables::DefaultFormat(answer, /*agent=*/true, /*reference=*/false),
            "agent");
}

TEST_F(AdviceAnswerTest, TheWorstFirstIsProseForTerminalsAndFiles) {
  const Advice advice = Run();
  const tables::Answer answer = AdviceAnswer(advice, AdviceOrder::kWorstFirst);
  EXPECT_EQ(tables::DefaultFormat(answer, /*agent=*/false, /*reference=*/true),
            "text");
  EXPECT_EQ(tables::DefaultFormat(answer, /*agent=*/false, /*reference=*/false),
            "text");
  EXPECT_EQ(As(answer, "text", {.width = 40}),
            AdviceText(advice, {.width = 40}));
  EXPECT_TRUE(tables::IsSafe(answer, "text"));
}

TEST_F(AdviceAnswerTest, NotesAreWhatCheckersLacked) {
  EXPECT_THAT(Asked().notes, ElementsAre("nothing to see for BlindChecker"));
  EXPECT_THAT(Asked({"old"}).notes, IsEmpty());
}

TEST_F(AdviceAnswerTest, FurtherFindings) {
  EXPECT_EQ(DescribeFurther(Run({"new", "blind"})),
            "3 more findings of 1 checker: advise all");
  // Findings for information do not count.
  EXPECT_EQ(DescribeFurther(Run({"busy"})), "");
  EXPECT_EQ(DescribeFurther(Advice()), "");
}

}  // namespace
}  // namespace tfprof::advisor
