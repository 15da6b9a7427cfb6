// The commands about the session: set, load, reload, base, exit, quit.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/shaped_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/commands_testing.h"

namespace tfprof::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A workspace whose files are "small", "shaped" and "empty".
Workspace WorkspaceOfNames(
    std::vector<loaders::LoadRequest>* requests = nullptr) {
  Workspace workspace = SmallWorkspace();
  workspace.load = [requests](const loaders::LoadRequest& request)
      -> absl::StatusOr<loaders::Loaded> {
    if (requests != nullptr) requests->push_back(request);
    loaders::Loaded loaded;
    for (const std::string& file : request.files) {
      if (file == "small") {
        loaded.profile = accounting::SmallModel();
      } else if (file == "shaped") {
        loaded.profile = accounting::ShapedModel();
      } else if (file != "empty") {
        return absl::NotFoundError(file + "; No such file or directory");
      }
    }
    loaded.log.Add(loaders::ImportLog::kNotice, "node", "a note of the loader");
    return loaded;
  };
  return workspace;
}

TEST(SetTest, KeepsTheOptionsOfTheLine) {
  Workspace workspace = SmallWorkspace();
  EXPECT_TRUE(RunLine("set -max_depth 3", workspace).status.ok());
  EXPECT_EQ(workspace.defaults.max_depth, 3);
  // An option that a later line does not name stays.
  RunLine("set -step 0", workspace);
  EXPECT_EQ(workspace.defaults.max_depth, 3);
  EXPECT_EQ(workspace.defaults.view.step, 0);
  EXPECT_TRUE(RunLine("set -agent", workspace).status.ok());
  EXPECT_TRUE(workspace.defaults.agent);
}

TEST(SetTest, TheReferenceNoticesAMissingStepLater) {
  Workspace workspace = SmallWorkspace();
  workspace.defaults.reference = true;
  EXPECT_TRUE(RunLine("set -step 7", workspace).status.ok());
  EXPECT_EQ(workspace.defaults.view.step, 7);
}

TEST(UnsetTest, ForgetsOneOptionOrAll) {
  Workspace workspace = SmallWorkspace();
  RunLine("set -order_by bytes -max_depth 3 -limit 2 -step 0", workspace);
  EXPECT_TRUE(RunLine("unset order_by -limit", workspace).status.ok());
  EXPECT_FALSE(workspace.defaults.order.has_value());
  EXPECT_FALSE(workspace.defaults.limit.has_value());
  EXPECT_EQ(workspace.defaults.max_depth, 3);
  EXPECT_THAT(ErrorOf("unset ordr_by", workspace),
              HasSubstr("did you mean -order_by?"));
  EXPECT_TRUE(RunLine("unset", workspace).status.ok());
  EXPECT_FALSE(workspace.defaults.max_depth.has_value());
  EXPECT_EQ(workspace.defaults.view.step, options::Options().view.step);
}

TEST(SetTest, AStepThatIsNotThereIsAnError) {
  Workspace workspace = SmallWorkspace();
  const tables::Answer answer = RunLine("set -step 7", workspace);
  EXPECT_THAT(std::string(answer.status.message()),
              HasSubstr("Options -step=7 not found."));
  EXPECT_EQ(workspace.defaults.view.step, options::Options().view.step);
  EXPECT_TRUE(RunLine("set -step 0", workspace).status.ok());
  EXPECT_EQ(workspace.defaults.view.step, 0);
}

TEST(SetTest, OptionsOfAnotherCommandAreNotKept) {
  Workspace workspace = SmallWorkspace();
  RunLine("op -max_depth 3", workspace);
  EXPECT_EQ(workspace.defaults.max_depth, std::nullopt);
}

TEST(LoadTest, ReplacesTheProfile) {
  std::vector<loaders::LoadRequest> requests;
  Workspace workspace = WorkspaceOfNames(&requests);
  workspace.inputs.max_memory = 99;
  const tables::Answer answer = RunLine("load shaped empty", workspace);
  ASSERT_TRUE(answer.status.ok()) << answer.status;
  EXPECT_THAT(answer.notes, ElementsAre("a note of the loader"));
  EXPECT_EQ(workspace.profile().nodes().size(), 5u);
  EXPECT_THAT(requests.back().files, ElementsAre("shaped", "empty"));
  // The limit of the program applies to all loads.
  EXPECT_EQ(requests.back().max_memory, 99u);
}

TEST(LoadTest, AFailedLoadKeepsTheProfile) {
  Workspace workspace = WorkspaceOfNames();
  RunLine("cd DW", workspace);
  const std::shared_ptr<OpenProfile> before = workspace.opened;
  EXPECT_TRUE(absl::IsNotFound(RunLine("load none", workspace).status));
  EXPECT_EQ(workspace.opened, before);
  EXPECT_EQ(WorkingPlace(workspace), "/DW");
  EXPECT_THAT(workspace.inputs.files, IsEmpty());
}

TEST(LoadTest, TheScopeStaysIfItExists) {
  Workspace workspace = WorkspaceOfNames();
  RunLine("cd DW", workspace);
  EXPECT_TRUE(RunLine("load small", workspace).status.ok());
  EXPECT_EQ(WorkingPlace(workspace), "/DW");
  // Without it the profile is loaded, at the root, and the error says why.
  const tables::Answer answer = RunLine("load shaped", workspace);
  EXPECT_THAT(std::string(answer.status.message()), HasSubstr("no DW"));
  EXPECT_EQ(WorkingPlace(workspace), "/");
  EXPECT_EQ(workspace.profile().nodes().size(), 5u);
}

TEST(LoadTest, NotesOfViewsAreGivenAgain) {
  Workspace workspace = WorkspaceOfNames();
  EXPECT_EQ(RunLine("op -flops graph -compatible", workspace).notes.size(), 1u);
  EXPECT_EQ(RunLine("op -flops graph -compatible", workspace).notes.size(), 0u);
  RunLine("load small", workspace);
  EXPECT_EQ(RunLine("op -flops graph -compatible", workspace).notes.size(), 1u);
}

TEST(ReloadTest, OpensTheSameFilesAgain) {
  std::vector<loaders::LoadRequest> requests;
  Workspace workspace = WorkspaceOfNames(&requests);
  RunLine("load shaped", workspace);
  const std::shared_ptr<OpenProfile> before = workspace.opened;
  EXPECT_TRUE(RunLine("reload", workspace).status.ok());
  EXPECT_NE(workspace.opened, before);
  EXPECT_THAT(requests.back().files, ElementsAre("shaped"));
}

TEST(BaseTest, WithoutAnArgumentItSaysWhichProfileItIs) {
  Workspace workspace = WorkspaceOfNames();
  EXPECT_EQ(Written(RunLine("base", workspace), "text"), "There is no base.\n");
  RunLine("base small empty", workspace);
  const tables::Answer answer = RunLine("base", workspace);
  EXPECT_EQ(Written(answer, "text"), "The base is small,empty.\n");
  EXPECT_EQ(Written(answer, "csv"), "base\r\n\"small,empty\"\r\n");
}

TEST(BaseTest, NoneEndsTheComparison) {
  Workspace workspace = WorkspaceOfNames();
  const tables::Answer answer = RunLine("base small", workspace);
  EXPECT_TRUE(answer.status.ok());
  EXPECT_THAT(answer.notes, ElementsAre("a note of the loader"));
  EXPECT_NE(workspace.base, nullptr);
  EXPECT_TRUE(RunLine("base none", workspace).status.ok());
  EXPECT_EQ(workspace.base, nullptr);
}

TEST(BaseTest, AFailedLoadKeepsTheOldBase) {
  Workspace workspace = WorkspaceOfNames();
  RunLine("base small", workspace);
  const std::shared_ptr<const Base> before = workspace.base;
  const tables::Answer missing = RunLine("base missing", workspace);
  EXPECT_EQ(std::string(missing.status.message()),
            "missing; No such file or directory");
  // "none" is a file if it is one of several.
  EXPECT_FALSE(RunLine("base none small", workspace).status.ok());
  EXPECT_EQ(ErrorOf("base empty", workspace),
            "no node in empty: name a graph, run metadata or a profile");
  EXPECT_EQ(workspace.base, before);
}

TEST(ExitTest, ExitAndQuitEndTheSession) {
  for (const std::string_view line : {"exit", "quit"}) {
    Workspace workspace = SmallWorkspace();
    EXPECT_FALSE(workspace.done);
    EXPECT_TRUE(RunLine(line, workspace).status.ok());
    EXPECT_TRUE(workspace.done) << line;
  }
}

}  // namespace
}  // namespace tfprof::commands
