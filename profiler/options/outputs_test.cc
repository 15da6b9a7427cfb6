#include "profiler/options/outputs.h"

#include <set>
#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::options {
namespace {

using ::testing::HasSubstr;

using Type = OutputSpec::Type;

OutputSpec Parsed(std::string_view word, OutputSpec output = {}) {
  const absl::Status status = ParseOutput(word, output);
  EXPECT_TRUE(status.ok()) << word << status;
  return output;
}

std::string Error(std::string_view word) {
  OutputSpec output;
  return std::string(ParseOutput(word, output).message());
}

TEST(OutputTableTest, ARowForEachType) {
  std::set<std::string_view> names;
  for (const OutputInfo& info : OutputTable()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(&FindOutput(info.type), &info);
    EXPECT_NE(info.help, "");
    EXPECT_EQ(NeedsOutfile(info.name),
              info.outfile == OutputInfo::Outfile::kRequired);
  }
}

TEST(ParseOutputTest, KeysStayAsInTheReference) {
  const OutputSpec file = Parsed("file:outfile=/tmp/a=b");
  EXPECT_EQ(file.outfile(), "/tmp/a=b");
  const OutputSpec timeline = Parsed("timeline", file);
  EXPECT_EQ(timeline.type, Type::kTimeline);
  EXPECT_EQ(timeline.outfile(), "/tmp/a=b");
  // A word that needs no file means stdout.
  for (const std::string type : {"json", "table"}) {
    EXPECT_EQ(Parsed(type, file).outfile(), "");
    EXPECT_EQ(Parsed(type + ":outfile=y", file).file(), "y");
  }
  EXPECT_EQ(Parsed("stdout", file).file(), "");
  EXPECT_EQ(Parsed("none", file).file(), "");
}

TEST(ParseOutputTest, PprofModes) {
  EXPECT_FALSE(Parsed("pprof:outfile=x").full_pprof());
  EXPECT_FALSE(Parsed("pprof:outfile=x,mode=reference").full_pprof());
  EXPECT_TRUE(Parsed("pprof:mode=full,outfile=x").full_pprof());
  EXPECT_THAT(Error("pprof:mode=all,outfile=x"),
              HasSubstr("Unknown pprof mode: all"));
  EXPECT_THAT(Error("timeline:mode=full,outfile=x"),
              HasSubstr("Unrecognized options mode"));
  EXPECT_TRUE(Parsed("pprof:mode=FULL,outfile=x").full_pprof());
}

TEST(OutputsTest, AScriptHasAName) {
  const OutputSpec spec = Parsed("script:name=trace_analysis,outfile=x.csv");
  EXPECT_EQ(spec.script(), "trace_analysis");
  EXPECT_EQ(spec.file(), "x.csv");
  EXPECT_EQ(Parsed("json").script(), "");
  EXPECT_THAT(Error("script"), HasSubstr("-output script:name=trace_analysis"));
  EXPECT_THAT(Error("script:name=x"),
              HasSubstr("Unknown script: x, Valid names: trace_analysis,"
                        "operations_latency_analysis,perfcounters_analysis,"
                        "perfcounters_interception_analysis"));
  EXPECT_THAT(Error("json:name=trace_analysis"),
              HasSubstr("Unrecognized options name"));
}

TEST(OutputsTest, TheNameOfAScriptIsOfNoOtherType) {
  OutputSpec spec = Parsed("script:name=trace_analysis");
  ASSERT_TRUE(ParseOutput("stdout", spec).ok());
  EXPECT_EQ(FormatOutput(spec), "stdout:");
}

TEST(ParseOutputTest, FormatsBack) { EXPECT_EQ(FormatOutput({}), "stdout:"); }

TEST(CheckOutputTest, AnErrorListsTheOutputsOfTheCommand) {
  EXPECT_TRUE(CheckOutput(Parsed("json"), kAnswerOutput, "pwd").ok());
  EXPECT_TRUE(CheckOutput(Parsed("junit"), kVerdictOutput, "check").ok());
  EXPECT_EQ(
      std::string(
          CheckOutput(Parsed("timeline:outfile=x"), kAnswerOutput, "pwd")
              .message()),
      "pwd has no timeline; -output is stdout, file, none, json, ndjson, csv, "
      "markdown, table or text");
  EXPECT_THAT(std::string(CheckOutput(Parsed("pprof:outfile=x"),
                                      kAnswerOutput | kVerdictOutput, "check")
                              .message()),
              HasSubstr("table, text or junit"));
}

TEST(OutputsTest, APageIsAFile) {
  OutputSpec output;
  EXPECT_FALSE(ParseOutput("html", output).ok());
  EXPECT_TRUE(NeedsOutfile("html"));
  ASSERT_TRUE(ParseOutput("html:outfile=a.html", output).ok());
  EXPECT_EQ(output.file(), "a.html");
  EXPECT_TRUE(CheckOutput(output, kPageOutput, "timeline").ok());
  EXPECT_FALSE(CheckOutput(output, kAnswerOutput, "op").ok());
}

}  // namespace
}  // namespace tfprof::options
