#include "compare/check_answer.h"

#include <string>
#include <utility>
#include <vector>

#include "compare/check_text.h"
#include "compare/junit.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tables/writers/answer_writer.h"

namespace tfprof::compare {
namespace {
namespace check_answer_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

Measured Took(std::string_view name, double before, double after) {
  return {.name = name,
          .before_steps = 12,
          .after_steps = 8,
          .before = before,
          .after = after,
          .noise = 43};
}

// A rule that one of two rows breaks, and a rule about nodes in bytes.
CheckReport Report() {
  CheckRule slower = *ParseCheckRule("op:.*.micros > +5%");
  CheckRule larger = *ParseCheckRule("total.peak_bytes > 2KB");
  Measured fresh = Took("New", 0, 20);
  fresh.in_before = false;
  fresh.noise = std::nullopt;
  CheckReport report;
  report.rules = {
      {.rule = slower,
       .verdict = Verdict::kFail,
       .rows = {{Took("MatMul", 457, 549), Verdict::kFail},
                {fresh, Verdict::kWithinNoise}}},
      {.rule = larger, .rows = {{Took("total", 1000, 2000), Verdict::kPass}}}};
  report.ops = {Took("MatMul", 457, 549)};
  report.changed_ops = 7;
  report.before_steps = 12;
  report.after_steps = 8;
  report.noise_floor = 0.02;
  return report;
}

std::string As(const CheckReport& report, std::string_view format) {
  util::StringSink sink;
  EXPECT_TRUE(tables::WriteAnswer(CheckAnswer(report), format, {}, sink).ok());
  return sink.text();
}

const tables::DataTable& Part(const tables::Answer& answer,
                              std::string_view kind) {
  for (const tables::DataDocument::Part& part : answer.data.parts) {
    if (part.table.kind == kind) return part.table;
  }
  ADD_FAILURE() << "no table " << kind;
  return answer.data.parts[0].table;
}

TEST(CheckAnswerTest, JsonHasEverything) {
  const std::string json = As(Report(), "json");
  EXPECT_THAT(json, StartsWith(R"({"schema":"tfprof.check","version":2,
"facts":{"verdict":"fail","summary":"2 rules: 1 failed, 1 passed.","before_steps":12,"after_steps":8,"noise_floor":0.02},
"tables":{
"rules":{)"));
  EXPECT_THAT(json, HasSubstr(R"("rows":[
{"verdict":"fail","rule":"op:.*.micros > +5%","field":"micros","unit":"micros","against":"change","threshold":0.05,"rows":2,"failed_rows":1},
{"verdict":"pass","rule":"total.peak_bytes > 2KB","field":"peak_bytes","unit":"bytes","against":"after","threshold":2000,"rows":1,"failed_rows":0}
],)"));
  EXPECT_THAT(json, HasSubstr(R"x("rows":[
{"verdict":"fail","rule":"op:.*.micros > +5%","unit":"micros","name":"MatMul","before_name":null,"status":"both","before":457,"after":549,"delta":92,"change":0.2013129102844639,"noise":43,"before_steps":12,"after_steps":8,"text":"457us -> 549us, +92us (+20.1%), noise 43us"},
{"verdict":"within noise","rule":"op:.*.micros > +5%","unit":"micros","name":"New","before_name":null,"status":"new","before":null,"after":20,"delta":20,"change":null,"noise":null,"before_steps":12,"after_steps":8,"text":"nothing -> 20us, +20us (new)"},
{"verdict":"pass","rule":"total.peak_bytes > 2KB","unit":"bytes","name":"total",)x"));
  // One of seven changed rows is listed.
  EXPECT_THAT(json, HasSubstr("\"returned\":1,\"total\":7,\"truncated\":true"));
  EXPECT_THAT(json, HasSubstr("\"returned\":0,\"total\":0,"));
}

TEST(CheckAnswerTest, ATableHasTheUnitsOfItsRules) {
  const std::string table = As(Report(), "table");
  EXPECT_THAT(table,
              StartsWith("verdict       fail\n"
                         "summary       2 rules: 1 failed, 1 passed.\n"
                         "steps before  12\n"
                         "steps after   8\n"
                         "noise floor   2.0%\n"
                         "\n"
                         "Rules:\n"
                         "verdict  rule                    rows  failed\n"
                         "fail     op:.*.micros > +5%         2       1\n"
                         "pass     total.peak_bytes > 2KB     1       0\n"
                         "\n"
                         "Rows:\n"));
  EXPECT_THAT(
      table,
      HasSubstr("MatMul  both     457us   549us    +92us   +20.1%   43us\n"));
  EXPECT_THAT(table, HasSubstr("1.00KB  2.00KB  +1.00KB  +100.0%"));
  EXPECT_THAT(table, HasSubstr("\nOperation types that changed most:\n"));
  EXPECT_THAT(table, Not(HasSubstr("Nodes that changed most")));
}

TEST(CheckAnswerTest, MarkdownHasTheChangeInWords) {
  const std::string text = As(Report(), "markdown");
  EXPECT_THAT(text, StartsWith("tfprof.check, verdict: fail, summary: 2 rules: "
                               "1 failed, 1 passed., "));
  EXPECT_THAT(text,
              HasSubstr("| 457us -&gt; 549us, +92us (+20.1%), noise 43us |"));
}

TEST(CheckAnswerTest, OldNamesAreShownIfThereAreSome) {
  CheckReport report = Report();
  EXPECT_THAT(As(report, "table"), Not(HasSubstr(" was ")));
  report.rules[0].rows[0].measured.before_name = "Dot";
  EXPECT_THAT(As(report, "table"), HasSubstr("  was  "));
  EXPECT_THAT(As(report, "json"), HasSubstr(R"("before_name":"Dot")"));
}

TEST(CheckAnswerTest, Forms) {
  const CheckReport report = Report();
  EXPECT_EQ(As(report, "text"), CheckText(report));
  EXPECT_EQ(As(report, "junit"), CheckJunit(report));
  const tables::Answer answer = CheckAnswer(report);
  EXPECT_EQ(tables::DefaultFormat(answer, /*agent=*/false, /*reference=*/true),
            "text");
  EXPECT_EQ(tables::DefaultFormat(answer, /*agent=*/false, /*reference=*/false),
            "text");
  EXPECT_TRUE(answer.status.ok());
}

TEST(CheckAnswerTest, TheVerdictIsThatOfTheRules) {
  CheckReport report = Report();
  report.rules.erase(report.rules.begin());
  const tables::Answer answer = CheckAnswer(report);
  EXPECT_EQ(answer.data.facts[0].second, tables::DataCell("pass"));
  EXPECT_EQ(Part(answer, "rows").num_rows, 1u);
  std::vector<std::string> kinds;
  for (const tables::DataDocument::Part& part : answer.data.parts) {
    kinds.push_back(part.table.kind);
  }
  EXPECT_THAT(kinds, ElementsAre("rules", "rows", "spans", "ops", "nodes"));
}

}  // namespace check_answer_test
}  // namespace
}  // namespace tfprof::compare
