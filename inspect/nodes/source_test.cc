#include "inspect/nodes/source.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "util/files/source_files.h"

namespace tfprof::inspect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(SourceRequestTest, ALineIsANumberAfterTheLastColon) {
  EXPECT_EQ(ParseSourceRequest("a.py:12").file, "a.py");
  EXPECT_EQ(ParseSourceRequest("a.py:12").line, 12);
  EXPECT_EQ(ParseSourceRequest("a.py").line, 0);
  EXPECT_EQ(ParseSourceRequest("c:a.py:7").file, "c:a.py");
}

TEST(SourceRequestTest, OtherColonsBelongToTheFile) {
  for (const char* text : {"c:x", "a.py:0", "a.py:-1", "a.py:1x", "a.py:", ":5",
                           "a.py:10000001", "a.py:99999999999999999999"}) {
    EXPECT_EQ(ParseSourceRequest(text).file, text);
    EXPECT_EQ(ParseSourceRequest(text).line, 0) << text;
  }
}

TEST(SourceTextTest, NoneIsNoText) {
  profile::ProfileBuilder builder;
  profile::GraphTables& graph = builder.mutable_graph();
  profile::Frame frame;
  frame.line = graph.strings.Intern("x = 1");
  profile::Frame none;
  none.line = graph.strings.Intern("none");
  const profile::Profile profile = std::move(builder).Build();
  EXPECT_EQ(SourceText(profile, frame), "x = 1");
  EXPECT_EQ(SourceText(profile, none), "");
  EXPECT_EQ(SourceText(profile, profile::Frame()), "");
}

TEST(SourceTest, WithoutTheFileTheCallStacksHaveTheText) {
  const profile::Profile profile = CodeModel("/nowhere/there/train.py");
  views::Views views(profile);
  const util::SourceFiles files({"."});
  const auto table =
      SourceTable(views, ParseSourceRequest("train.py"), {}, files);
  ASSERT_TRUE(table.ok()) << Message(table.status());
  EXPECT_THAT(Column(*table, "line"), ElementsAre("2", "4"));
  EXPECT_THAT(Column(*table, "self_micros"), ElementsAre("5", "110"));
  // A line that calls itself counts once.
  EXPECT_THAT(Column(*table, "total_micros"), ElementsAre("115", "110"));
  EXPECT_THAT(Column(*table, "source"), ElementsAre("b = f()", "c"));
  EXPECT_EQ(Fact(*table, "note"),
            "/nowhere/there/train.py is outside of the folders with source "
            "files (-source_path DIR allows another folder): the lines come "
            "from the call stacks");
}

TEST(SourceTest, TheFileHasTheLinesBetween) {
  const std::string path = testing::TempDir() + "/inspect_source.py";
  std::ofstream(path) << "def f():\n  b = f()\n\n  c\nd\n";
  const profile::Profile profile = CodeModel(path);
  views::Views views(profile);
  const util::SourceFiles files({testing::TempDir()});
  const auto table =
      SourceTable(views, ParseSourceRequest("inspect_source.py:2"), {}, files);
  ASSERT_TRUE(table.ok()) << Message(table.status());
  EXPECT_THAT(Column(*table, "source"),
              ElementsAre("def f():", "  b = f()", "", "  c", "d"));
  EXPECT_THAT(Column(*table, "total_micros"),
              ElementsAre("-", "115", "-", "110", "-"));
  EXPECT_EQ(Fact(*table, "note"), "(no such fact)");

  std::ofstream(path) << "\n\n\nc\n";
  EXPECT_EQ(Fact(*SourceTable(views, {path, 0}, {}, files), "note"),
            "the file has changed: line 2 differs from the call stacks");
  std::ofstream(path) << "";
  EXPECT_EQ(Fact(*SourceTable(views, {path, 0}, {}, files), "note"),
            "the file has changed: line 2 differs from the call stacks");
  std::filesystem::remove(path);
}

TEST(SourceTest, TheUserMayNameTheFileBelowAFolder) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "checkout";
  std::filesystem::create_directories(folder / "model");
  std::ofstream(folder / "model/train.py") << "a\nb = f()\n\nc\n";
  const profile::Profile profile = CodeModel("/nowhere/there/model/train.py");
  views::Views views(profile);
  const util::SourceFiles files({folder.string()});
  const auto table = SourceTable(views, {"model/train.py", 0}, {}, files);
  ASSERT_TRUE(table.ok()) << Message(table.status());
  EXPECT_EQ(Fact(*table, "note"), "(no such fact)");
  EXPECT_EQ(Fact(*table, "read"), (folder / "model/train.py").string());
  EXPECT_THAT(Column(*table, "source"), ElementsAre("a", "b = f()", "", "c"));
  // The missing start of the path is not guessed.
  EXPECT_THAT(Fact(*SourceTable(views, {"train.py", 0}, {}, files), "note"),
              HasSubstr("is outside of the folders"));
  std::filesystem::remove_all(folder);
}

TEST(SourceTest, TheNoteSaysWhyTheFileCannotBeRead) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "no_source";
  std::filesystem::create_directories(folder / "train.py");
  const std::string path = (folder / "train.py").string();
  const profile::Profile profile = CodeModel(path);
  views::Views views(profile);
  const util::SourceFiles files({folder.string()});
  EXPECT_EQ(Fact(*SourceTable(views, {path, 0}, {}, files), "note"),
            path +
                " is not a regular file: the lines come from the call "
                "stacks");
  std::filesystem::remove(path);
  EXPECT_EQ(Fact(*SourceTable(views, {path, 0}, {}, files), "note"),
            path +
                " is missing (-source_path DIR allows another folder): the "
                "lines come from the call stacks");
  std::filesystem::remove_all(folder);
}

TEST(SourceTest, WithoutCallStacksThereIsNoSource) {
  const profile::Profile profile = accounting::SmallModel();
  views::Views views(profile);
  const absl::Status status =
      SourceTable(views, {"train.py", 0}, {}, util::SourceFiles()).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(Message(status), HasSubstr("no node has a call stack"));
}

// Only whole parts of the path match.
TEST(SourceTest, AnUnknownFileIsAnErrorWithTheNearest) {
  const profile::Profile profile = CodeModel("/nowhere/there/train.py");
  views::Views views(profile);
  for (const char* file : {"tarin.py", "rain.py"}) {
    const absl::Status status =
        SourceTable(views, {file, 0}, {}, util::SourceFiles()).status();
    EXPECT_TRUE(absl::IsNotFound(status)) << file;
    EXPECT_EQ(Message(status),
              fmt::format("no node was made in {}; did you mean "
                          "/nowhere/there/train.py?",
                          file));
  }
}

TEST(SourceTest, AnEndOfSeveralFilesIsAnErrorThatListsThem) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  profile::GraphTables& graph = builder.mutable_graph();
  graph.has_code_traces = true;
  int line = 0;
  for (const char* file : {"/a/m.py", "/b/m.py"}) {
    const profile::NodeId n = builder.AddNode(file, "Op", profile::kNoRecord);
    profile::Frame frame;
    frame.file = graph.strings.Intern(file);
    frame.function = frame.line = graph.strings.Intern("f");
    frame.lineno = ++line;
    graph.nodes.stack[n] = graph.stacks.Push(profile::kNoStack, frame);
  }
  const profile::Profile profile = std::move(builder).Build();
  views::Views views(profile);
  const absl::Status status =
      SourceTable(views, {"m.py", 0}, {}, util::SourceFiles()).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_EQ(Message(status),
            "2 files end in m.py: /a/m.py, /b/m.py; name more of the path");
  EXPECT_TRUE(SourceTable(views, {"b/m.py", 0}, {}, util::SourceFiles()).ok());
}

TEST(SourceTest, ALineFarFromAllOthersShowsNone) {
  const profile::Profile profile = CodeModel("/nowhere/train.py");
  views::Views views(profile);
  const auto table =
      SourceTable(views, {"train.py", 100}, {}, util::SourceFiles());
  ASSERT_TRUE(table.ok()) << Message(table.status());
  EXPECT_EQ(table->num_rows, 0u);
}

TEST(SourceTest, SumsAreOfTheStepOfTheOptions) {
  const profile::Profile profile = CodeModel("/nowhere/train.py");
  views::Views views(profile);
  views::ViewOptions options;
  options.step = 0;
  const auto table =
      SourceTable(views, {"train.py", 0}, options, util::SourceFiles());
  ASSERT_TRUE(table.ok()) << Message(table.status());
  EXPECT_EQ(Fact(*table, "times"), "step 0");
  EXPECT_THAT(Rows(*table, {"line", "nodes", "total_micros"}),
              ElementsAre("2 1 115", "4 2 110"));
}

}  // namespace
}  // namespace tfprof::inspect
