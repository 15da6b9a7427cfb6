#include "profiler/shell/deliver.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/parse.h"
#include "profiler/options/words.h"
#include "profiler/shell/recording_ui_testing.h"

namespace tfprof::shell {
namespace {
namespace deliver_test {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class WindowUi : public RecordingUi {
 public:
  Screen screen() const override { return {.terminal = true, .width = 60}; }
};

// A table of one number, with a text of its own.
tables::Answer SmallAnswer() {
  tables::DataTable table;
  table.kind = "pwd";
  table.columns = {{.name = "n", .title = "n", .unit = util::Unit::kNumber}};
  table.num_rows = table.total_rows = 1;
  table.cells = [](size_t, std::vector<tables::DataCell>& cells) {
    cells.assign(1, int64_t{42});
  };
  tables::Answer answer = tables::TableAnswer(std::move(table));
  answer.forms.push_back(
      {"text", [](const tables::TextLook&, util::Sink& sink) {
         sink.Write("forty-two\n");
       }});
  answer.own_form = "text";
  return answer;
}

absl::Status DeliverAs(tables::Answer answer, std::string_view line, Ui& ui) {
  const absl::StatusOr<commands::Command> command =
      commands::ParseCommand(options::SplitWords(line), options::Options());
  EXPECT_TRUE(command.ok()) << command.status();
  SeenSentences seen;
  return Deliver(std::move(answer), *command, seen, ui);
}

std::string Delivered(std::string_view line) {
  RecordingUi ui;
  EXPECT_TRUE(DeliverAs(SmallAnswer(), line, ui).ok());
  EXPECT_EQ(ui.errors(), "");
  EXPECT_TRUE(ui.all_flushed());
  return ui.output();
}

std::string TempPath(const std::string& name) {
  const auto path = std::filesystem::path(::testing::TempDir()) / name;
  std::filesystem::remove_all(path);
  return path.string();
}

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(DeliverTest, NotesAreBrokenAtBlanksOnATerminal) {
  tables::Answer answer = SmallAnswer();
  answer.notes.push_back(
      "The average over 4 steps leaves out 4.62us of 105.01ms, which ran in "
      "no step.");
  WindowUi ui;
  EXPECT_TRUE(DeliverAs(std::move(answer), "pwd", ui).ok());
  EXPECT_EQ(ui.errors(),
            "The average over 4 steps leaves out 4.62us of 105.01ms,\n"
            "which ran in no step.\n");
}

TEST(DeliverTest, EachOutput) {
  EXPECT_EQ(Delivered("pwd"), "forty-two\n");
  EXPECT_EQ(Delivered("pwd -output text"), "forty-two\n");
  EXPECT_EQ(Delivered("pwd -output csv"), "n\r\n42\r\n");
  EXPECT_THAT(Delivered("pwd -output json"), StartsWith("{\"schema\""));
  EXPECT_THAT(Delivered("pwd -output table"), HasSubstr("42"));
  EXPECT_THAT(Delivered("pwd -agent"), HasSubstr("| 42 |"));
  EXPECT_EQ(Delivered("pwd -output none"), "");
}

TEST(DeliverTest, AWindowGetsATableAndEachIntroductionOnce) {
  WindowUi ui;
  tables::Answer answer = SmallAnswer();
  answer.own_form.clear();
  answer.introduction = "What n is.\n";
  SeenSentences seen;
  const auto command =
      commands::ParseCommand(options::SplitWords("pwd"), options::Options());
  ASSERT_TRUE(Deliver(answer, *command, seen, ui).ok());
  EXPECT_THAT(ui.output(), HasSubstr("42"));
  EXPECT_THAT(ui.output(), StartsWith("What n is.\n"));
  const size_t before = ui.output().size();
  ASSERT_TRUE(Deliver(answer, *command, seen, ui).ok());
  EXPECT_THAT(ui.output().substr(before), Not(HasSubstr("What n is.")));
}

TEST(DeliverTest, OutputToAFile) {
  const std::string path = TempPath("answer");
  for (const std::string type : {"file", "text"}) {
    EXPECT_EQ(Delivered("pwd -output " + type + ":outfile=" + path), "");
    EXPECT_EQ(Contents(path), "forty-two\n");
  }
  EXPECT_EQ(Delivered("pwd -output csv:outfile=" + path), "");
  EXPECT_EQ(Contents(path), "n\r\n42\r\n");
  RecordingUi ui;
  EXPECT_EQ(
      DeliverAs(SmallAnswer(), "pwd -output csv:outfile=/no/x", ui).code(),
      absl::StatusCode::kNotFound);
  EXPECT_THAT(ui.errors(), StartsWith("/no/x; "));
}

TEST(DeliverTest, SomeAnswersIgnoreOutput) {
  const std::string path = TempPath("ignored");
  for (const std::string& output :
       {std::string("none"), "file:outfile=" + path}) {
    RecordingUi ui;
    tables::Answer answer = SmallAnswer();
    answer.ignores_output = true;
    EXPECT_TRUE(DeliverAs(answer, "pwd -output " + output, ui).ok());
    EXPECT_EQ(ui.output(), "forty-two\n");
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(DeliverTest, NotesBeforeAndAfter) {
  RecordingUi ui;
  tables::Answer answer = SmallAnswer();
  answer.notes = {"before"};
  answer.met = [] { return std::vector<std::string>{"after"}; };
  EXPECT_TRUE(DeliverAs(answer, "pwd", ui).ok());
  EXPECT_EQ(ui.errors(), "before\nafter\n");
}

TEST(DeliverTest, ErrorsAreReportedVerdictsAreNot) {
  RecordingUi ui;
  EXPECT_FALSE(
      DeliverAs(tables::ErrorAnswer(absl::NotFoundError("x")), "pwd", ui).ok());
  EXPECT_FALSE(
      DeliverAs(tables::ErrorAnswer(absl::FailedPreconditionError("y")), "pwd",
                ui)
          .ok());
  EXPECT_EQ(ui.errors(), "x\ny\n");
  RecordingUi agent;
  EXPECT_FALSE(DeliverAs(tables::ErrorAnswer(absl::NotFoundError("x\n")),
                         "pwd -agent", agent)
                   .ok());
  EXPECT_EQ(agent.errors(),
            "{\"error\":{\"code\":\"NOT_FOUND\",\"message\":\"x\"}}\n");
  RecordingUi verdict;
  tables::Answer answer = SmallAnswer();
  answer.status = commands::NegativeVerdict("bad");
  EXPECT_TRUE(commands::IsNegativeVerdict(DeliverAs(answer, "pwd", verdict)));
  EXPECT_EQ(verdict.errors(), "");
  EXPECT_EQ(verdict.output(), "forty-two\n");
}

tables::Answer::File TextFile(const std::string& path,
                              const std::string& text) {
  return {.path = path, .write = [text](util::Sink& sink) {
            sink.Write(text);
            return absl::OkStatus();
          }};
}

TEST(DeliverTest, FilesOfAnAnswer) {
  const std::string path = TempPath("saved");
  RecordingUi ui;
  tables::Answer answer;
  answer.files.push_back(TextFile(path, "bytes"));
  answer.files[0].done = [] { return "done\n"; };
  EXPECT_TRUE(DeliverAs(answer, "pwd", ui).ok());
  EXPECT_EQ(Contents(path), "bytes");
  EXPECT_EQ(ui.output(), "done\n");
  // The first file that fails ends the delivery.
  answer.files[0].path = "/no/such/x";
  answer.files[0].failed = [](const absl::Status&) {
    return absl::FailedPreconditionError("no trace");
  };
  answer.files.push_back(TextFile(TempPath("second"), ""));
  EXPECT_FALSE(DeliverAs(answer, "pwd", ui).ok());
  EXPECT_EQ(ui.errors(), "no trace\n");
  EXPECT_FALSE(std::filesystem::exists(TempPath("second")));
}

TEST(DeliverTest, AFolderAppearsWithAllItsFiles) {
  const std::string path = TempPath("folder");
  RecordingUi ui;
  tables::Answer answer;
  answer.folder = path;
  answer.files = {TextFile("a", "1"), TextFile("b", "2")};
  EXPECT_TRUE(DeliverAs(answer, "pwd", ui).ok());
  EXPECT_EQ(Contents(path + "/a") + Contents(path + "/b"), "12");
  // A folder with files is not replaced.
  EXPECT_EQ(DeliverAs(answer, "pwd", ui).code(),
            absl::StatusCode::kAlreadyExists);
}

TEST(DeliverTest, ANameCannotMakeALineOfItsOwn) {
  const absl::Status error = absl::NotFoundError("no node a\nE: forged");
  EXPECT_EQ(ErrorText(error, /*reference=*/false), "no node a\\x0aE: forged");
  EXPECT_EQ(ErrorText(error, /*reference=*/true),
            "NOT_FOUND: no node a\\x0aE: forged");
}

}  // namespace deliver_test
}  // namespace
}  // namespace tfprof::shell
