#include "profiler/mcp/tools.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "util/json/json_reader.h"

namespace tfprof::mcp {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

ToolCall Parsed(std::string_view name, std::string_view arguments) {
  absl::StatusOr<ToolCall> call = ParseToolCall(name, arguments);
  EXPECT_TRUE(call.ok()) << call.status();
  return call.ok() ? *std::move(call) : ToolCall();
}

std::string ErrorOf(std::string_view name, std::string_view arguments) {
  return std::string(ParseToolCall(name, arguments).status().message());
}

TEST(ToolsTest, CommandsThatShowAProfileAreTools) {
  std::vector<std::string_view> tools;
  for (const commands::CommandInfo* command : commands::CommandTable()) {
    if (IsTool(*command)) tools.push_back(command->name);
  }
  for (const char* name : {"op", "scope", "advise", "steps", "show", "list"}) {
    EXPECT_THAT(tools, Contains(name));
  }
  for (const char* name : {"save", "convert", "check", "load", "set", "help",
                           "mcp", "tui", "exit"}) {
    EXPECT_THAT(tools, Not(Contains(name)));
  }
}

TEST(ToolsTest, TheListIsJsonWithASchemaForEachTool) {
  const std::string json = ToolsJson(/*one_profile=*/false);
  util::JsonReader reader(json);
  size_t tools = 0;
  for (bool in = reader.EnterArray(); in && reader.NextElement();) {
    EXPECT_THAT(std::string(reader.Skip()), HasSubstr("\"inputSchema\":{"));
    ++tools;
  }
  EXPECT_FALSE(reader.damaged()) << reader.Describe();
  EXPECT_GT(tools, 10u);
  EXPECT_THAT(json, HasSubstr("\"max_depth\":{\"type\":\"integer\""));
  // There is no option that says where the answer goes.
  EXPECT_THAT(json, Not(HasSubstr("\"output\":{")));
  EXPECT_THAT(json, Not(HasSubstr("\"source_path\":{")));
}

TEST(ToolsTest, OptionsOfEachKind) {
  const ToolCall call = Parsed(
      "op",
      R"({"profile":"a/b.pb","max_depth":3,"step":"all","order_by":"micros",)"
      R"("select":["micros","params"],"account_displayed_op_only":true,)"
      R"("show_name_regexes":["a{1,2}","b.*"]})");
  EXPECT_EQ(call.profile, "a/b.pb");
  EXPECT_EQ(call.command.info->name, "op");
  const views::ViewOptions view = call.command.options.Rows();
  EXPECT_EQ(view.max_depth, 3);
  EXPECT_EQ(view.step, accounting::kAllSteps);
  EXPECT_EQ(view.order_stat, accounting::kMicros);
  EXPECT_TRUE(view.select.Has(views::Field(accounting::kParameters)));
  EXPECT_TRUE(view.account_displayed_only);
  EXPECT_THAT(view.show_names, ElementsAre("a{1,2}", "b.*"));
  EXPECT_TRUE(call.command.options.agent);
}

TEST(ToolsTest, ArgumentsAreNeverOptionsOrInputs) {
  EXPECT_THAT(
      Parsed("show", R"({"arguments":["--threads=9"]})").command.arguments,
      ElementsAre("--threads=9"));
  EXPECT_EQ(ErrorOf("skew", R"({"arguments":["/etc/passwd"]})"),
            "skew has no property \"arguments\"");
  EXPECT_THAT(ErrorOf("show", R"({"arguments":["a","/etc/passwd"]})"),
              HasSubstr("show takes"));
}

TEST(ToolsTest, ErrorsSayWhatIsWrong) {
  EXPECT_EQ(ErrorOf("save", "{}"), "there is no tool \"save\"");
  EXPECT_EQ(ErrorOf("op", R"({"ordr_by":"micros"})"),
            "op has no property \"ordr_by\"; did you mean order_by?");
  // Words of other programs mean the same as in a line.
  EXPECT_TRUE(Parsed("op", R"({"sort":"gpu","n":5})").command.options.order);
  EXPECT_EQ(ErrorOf("op", R"({"output":"file:outfile=x"})"),
            "op has no property \"output\"");
  EXPECT_THAT(ErrorOf("op", R"({"order_by":"mircos"})"), HasSubstr("mircos"));
  EXPECT_EQ(ErrorOf("op", R"({"max_depth":[1,2]})"),
            "-max_depth takes one value, found 2");
  EXPECT_THAT(ErrorOf("op", R"({"select":{"a":1}})"),
              HasSubstr("\"select\" is a string, a number"));
  EXPECT_EQ(ErrorOf("op", "[]"), "arguments are not an object");
  EXPECT_THAT(ErrorOf("op", R"({"step":1)"), HasSubstr("byte"));
}

}  // namespace
}  // namespace tfprof::mcp
