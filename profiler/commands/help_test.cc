// What help says, and that its examples run.

#include "profiler/commands/help.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/load.h"
#include "profiler/commands/commands.h"
#include "profiler/shell/recording_ui.h"
#include "profiler/shell/session.h"
#include "profiler/shell/program.h"
#include "util/stop.h"

namespace tfprof {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kProfile[] = "tests/golden/profiles/conv_resnet/profile.pb";

std::string Help(std::string_view topic) {
  const auto text = HelpFor(topic);
  return text.ok() ? *text : std::string(text.status().message());
}

TEST(HelpTest, EveryCommandHasAnswersAndExamples) {
  for (const CommandInfo& command : CommandTable()) {
    const CommandHelp* help = FindCommandHelp(command.name);
    ASSERT_NE(help, nullptr)
        << command.name << " is missing in kCommandHelp of profiler/help.cc";
    EXPECT_THAT(help->answers, Not(IsEmpty())) << command.name;
    for (const std::string_view example : help->examples) {
      EXPECT_THAT(example, StartsWith(command.name));
      EXPECT_THAT(Help(command.name), HasSubstr(std::string(example)));
    }
  }
}

// On the bundled profile, in a folder where they may write.
TEST(HelpTest, ExamplesRun) {
  LoadRequest request;
  request.profile_path = std::filesystem::absolute(kProfile).string();
  const auto before = std::filesystem::current_path();
  const auto scratch =
      std::filesystem::path(testing::TempDir()) / "help_examples";
  std::filesystem::create_directories(scratch);
  std::filesystem::current_path(scratch);
  for (const CommandInfo& command : CommandTable()) {
    // Of the command line alone, with two profiles: tests/shell has it.
    if (command.id == CommandId::kCheck) continue;
    for (const std::string_view example :
         FindCommandHelp(command.name)->examples) {
      auto loaded = Load(request);
      ASSERT_TRUE(loaded.ok()) << loaded.status();
      RecordingUi ui;
      Session session(*std::move(loaded), {}, ui);
      EXPECT_TRUE(session.RunLine(example).ok()) << example << ui.errors();
      if (!command.one_shot) continue;
      EXPECT_FALSE(ui.output().empty() && ui.errors().empty()) << example;
    }
  }
  std::filesystem::current_path(before);
}

TEST(HelpTest, OptionsOfACommandHaveTheirDefaults) {
  const std::string help = Help("op");
  EXPECT_THAT(help, StartsWith("op [-option value…]\n"));
  EXPECT_THAT(help, HasSubstr("  -max_depth 10 "));
  EXPECT_THAT(help, HasSubstr("  -order_by name "));
  EXPECT_THAT(help, Not(HasSubstr("-checkers")));
  EXPECT_THAT(Help("code"), Not(HasSubstr("account_displayed_op_only")));
  EXPECT_THAT(Help("advise"), HasSubstr("-checkers"));
  EXPECT_THAT(Help("reload"), Not(HasSubstr("Options")));
}

TEST(HelpTest, FieldsAndOptions) {
  const std::string help = Help("-select");
  EXPECT_EQ(help, Help("select"));
  EXPECT_THAT(help, HasSubstr("  peak_bytes          The most memory"));
  EXPECT_THAT(help, HasSubstr("  Used by: scope, graph, code, op, set\n"));
  EXPECT_THAT(Help("cpu_micros"),
              StartsWith("-order_by cpu_micros, -select cpu_micros\n"));
  EXPECT_THAT(Help("timeline"), StartsWith("-output timeline\n"));
}

TEST(HelpTest, EveryFieldIsExplained) {
  for (const char* name : {"select", "order_by"}) {
    const Option* option = FindOption(name);
    for (const std::string& choice : OptionChoices(*option)) {
      EXPECT_NE(ChoiceHelp(*option, choice), "") << name << " " << choice;
    }
  }
}

TEST(HelpTest, SlipsAreSeen) {
  EXPECT_EQ(Help("scpoe"), "no help on 'scpoe'; did you mean scope?");
  EXPECT_EQ(Help("-ordre_by"),
            "no help on '-ordre_by'; did you mean order_by?");
}

TEST(HelpTest, AnOptionWithItsDashIsATopic) {
  const auto command = ParseCommand({"help", "-select"}, {});
  ASSERT_TRUE(command.ok()) << command.status();
  EXPECT_EQ(command->arguments, std::vector<std::string>{"-select"});
}

TEST(HelpTest, PagesForShellsNameEverything) {
  for (const char* page :
       {"completion.bash", "completion.zsh", "completion.fish", "tfprof.1"}) {
    const std::string text = Help(page);
    for (const Option& option : OptionTable()) {
      EXPECT_THAT(text, HasSubstr(std::string(option.name))) << page;
    }
    for (const CommandInfo& command : CommandTable()) {
      if (!command.one_shot) continue;
      EXPECT_THAT(text, HasSubstr(std::string(command.name))) << page;
    }
  }
}

// ---- Stopping

// A Ui whose reader presses Ctrl-C at the first bytes.
class ImpatientUi : public RecordingUi {
 public:
  using RecordingUi::RecordingUi;
  Sink& out() override {
    RequestStop();
    return RecordingUi::out();
  }
};

TEST(StopTest, ACommandIsCancelledAndTheNextOneRuns) {
  LoadRequest request;
  request.profile_path = kProfile;
  auto loaded = Load(request);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ImpatientUi ui;
  Session session(*std::move(loaded), {}, ui);
  EXPECT_EQ(session.RunLine("scope").code(), absl::StatusCode::kCancelled);
  EXPECT_THAT(ui.errors(), HasSubstr("Stopped.\n"));
  EXPECT_TRUE(session.RunLine("set -max_depth 3").ok());
  EXPECT_FALSE(StopRequested());
}

TEST(StopTest, AFileIsNotLeftHalf) {
  const std::string path = testing::TempDir() + "/half";
  const absl::Status status = WriteFile(path, [](Sink& sink) {
    sink.Write("some");
    RequestStop();
    sink.Write("more");
    return absl::OkStatus();
  });
  ClearStop();
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(StopTest, InterruptsAreRequestsForATime) {
  {
    const InterruptStops interrupts;
    raise(SIGINT);
    EXPECT_TRUE(StopRequested());
  }
  EXPECT_FALSE(StopRequested());
}

}  // namespace
}  // namespace tfprof
