#include "profiler/shell/run_shell.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/small_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/shell/recording_ui_testing.h"
#include "profiler/shell/shell.h"

namespace tfprof::shell {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

Shell SmallSession(Ui& ui) {
  loaders::Loaded loaded;
  loaded.profile = accounting::SmallModel();
  return Shell(commands::Workspace(std::move(loaded), {}), ui);
}

TEST(RunShellTest, EndsWithItsInput) {
  RecordingUi ui({"set -max_depth 1", "cd DW"});
  Shell session = SmallSession(ui);
  EXPECT_TRUE(RunShell(session, ui));
  EXPECT_EQ(ui.lines_read(), 2u);
  EXPECT_EQ(ui.prompts().back(), "tfprof /DW> ");
}

TEST(RunShellTest, EndsAtExit) {
  RecordingUi ui({"exit", "op"});
  Shell session = SmallSession(ui);
  EXPECT_TRUE(RunShell(session, ui));
  EXPECT_EQ(ui.lines_read(), 1u);
  EXPECT_THAT(ui.output(), IsEmpty());
}

TEST(RunShellTest, AnOverviewComesBeforeThePrompt) {
  RecordingUi ui({"exit"}, /*interactive=*/true);
  Shell session = SmallSession(ui);
  EXPECT_TRUE(RunShell(session, ui, Greeting::kOverview));
  EXPECT_THAT(ui.output(), StartsWith("File "));
  EXPECT_EQ(ui.lines_read(), 1u);
}

TEST(RunShellTest, AnOverviewComesWhereNoLineDoes) {
  RecordingUi ui;
  Shell session = SmallSession(ui);
  EXPECT_TRUE(RunShell(session, ui, Greeting::kIfNoLines));
  EXPECT_THAT(ui.output(), StartsWith("File "));
}

TEST(RunShellTest, LinesAreAnsweredWithoutAnOverview) {
  RecordingUi ui({"cd DW"});
  Shell session = SmallSession(ui);
  EXPECT_TRUE(RunShell(session, ui, Greeting::kIfNoLines));
  EXPECT_THAT(ui.output(), IsEmpty());
}

TEST(RunShellTest, TheOverviewGoesToTheScreenWhateverOutputIsSet) {
  RecordingUi ui;
  loaders::Loaded loaded;
  loaded.profile = accounting::SmallModel();
  options::Options defaults;
  defaults.output.type = options::OutputSpec::Type::kTimeline;
  Shell session(commands::Workspace(std::move(loaded), defaults), ui);
  EXPECT_TRUE(RunShell(session, ui, Greeting::kIfNoLines));
  EXPECT_THAT(ui.output(), StartsWith("File "));
}

TEST(RunShellTest, OneFailedLineIsAFailure) {
  RecordingUi ui({"nonsense", "op"});
  Shell session = SmallSession(ui);
  EXPECT_FALSE(RunShell(session, ui));
  EXPECT_THAT(ui.output(), HasSubstr("Conv2D"));
}

// A Ui that keeps the completer which the shell sets.
class CompletingUi : public RecordingUi {
 public:
  CompletingUi() : RecordingUi({"cd DW"}, /*interactive=*/true) {}
  bool ReadLine(std::string_view prompt, std::string& line) override {
    completed_.push_back(completer_ ? completer_("gra").common : "none");
    return RecordingUi::ReadLine(prompt, line);
  }
  void SetCompleter(const Completer& completer) override {
    completer_ = completer;
  }
  const std::vector<std::string>& completed() const { return completed_; }
  bool has_completer() const { return static_cast<bool>(completer_); }

 private:
  Completer completer_;
  std::vector<std::string> completed_;
};

TEST(RunShellTest, TabCompletesWhileTheShellRuns) {
  CompletingUi ui;
  Shell session = SmallSession(ui);
  RunShell(session, ui);
  EXPECT_THAT(ui.completed(), testing::ElementsAre("graph", "graph"));
  // The session may end before the Ui.
  EXPECT_FALSE(ui.has_completer());
}

}  // namespace
}  // namespace tfprof::shell
