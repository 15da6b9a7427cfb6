// The commands cd, up and pwd.

#include <string>

#include "accounting/shaped_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/commands_testing.h"

namespace tfprof::commands {
namespace {

using ::testing::HasSubstr;

std::string Pwd(Workspace& workspace) {
  return Written(RunLine("pwd", workspace), "text");
}

TEST(PlaceCommandsTest, PwdIsTheCurrentScope) {
  Workspace workspace = SmallWorkspace();
  EXPECT_EQ(Pwd(workspace), "/\n");
  EXPECT_TRUE(RunLine("cd DW/Initializer", workspace).status.ok());
  EXPECT_EQ(Pwd(workspace), "/DW/Initializer\n");
  EXPECT_EQ(Written(RunLine("pwd", workspace), "csv"),
            "place\r\n/DW/Initializer\r\n");
}

TEST(PlaceCommandsTest, PathsMayBeRelative) {
  Workspace workspace = SmallWorkspace();
  RunLine("cd DW", workspace);
  RunLine("cd Initializer", workspace);
  EXPECT_EQ(Pwd(workspace), "/DW/Initializer\n");
  RunLine("cd ../../DW2", workspace);
  EXPECT_EQ(Pwd(workspace), "/DW2\n");
  RunLine("cd /ScalarW", workspace);
  EXPECT_EQ(Pwd(workspace), "/ScalarW\n");
}

TEST(PlaceCommandsTest, CdWithoutAScopeGoesToTheRoot) {
  Workspace workspace = SmallWorkspace();
  RunLine("cd DW/Initializer", workspace);
  EXPECT_TRUE(RunLine("cd", workspace).status.ok());
  EXPECT_EQ(Pwd(workspace), "/\n");
}

TEST(PlaceCommandsTest, UpGoesToTheScopeAround) {
  Workspace workspace = SmallWorkspace();
  RunLine("cd DW/Initializer", workspace);
  EXPECT_TRUE(RunLine("up", workspace).status.ok());
  EXPECT_EQ(Pwd(workspace), "/DW\n");
  RunLine("up", workspace);
  // The root contains itself.
  EXPECT_TRUE(RunLine("up", workspace).status.ok());
  EXPECT_EQ(Pwd(workspace), "/\n");
}

TEST(PlaceCommandsTest, AnUnknownScopeChangesNothing) {
  Workspace workspace = SmallWorkspace();
  RunLine("cd DW", workspace);
  const tables::Answer answer = RunLine("cd Initialiser", workspace);
  EXPECT_TRUE(absl::IsNotFound(answer.status));
  EXPECT_THAT(std::string(answer.status.message()),
              HasSubstr("did you mean Initializer?"));
  EXPECT_EQ(Pwd(workspace), "/DW\n");
}

TEST(PlaceCommandsTest, CodeIsATreeOfItsOwn) {
  Workspace workspace = WorkspaceOf(accounting::ShapedModel());
  EXPECT_TRUE(RunLine("cd code:", workspace).status.ok());
  EXPECT_EQ(Pwd(workspace), "code:/\n");
  // The beginning of a name is enough if only one begins so.
  EXPECT_TRUE(RunLine("cd train.py:10", workspace).status.ok());
  EXPECT_EQ(Pwd(workspace), "code:/train.py:10:model\n");
  EXPECT_TRUE(RunLine("cd scope:", workspace).status.ok());
  EXPECT_EQ(Pwd(workspace), "/\n");
}

TEST(PlaceCommandsTest, MovingHasNoContent) {
  Workspace workspace = SmallWorkspace();
  for (const char* line : {"cd DW", "up"}) {
    const tables::Answer answer = RunLine(line, workspace);
    EXPECT_TRUE(answer.data.kind.empty()) << line;
    EXPECT_TRUE(answer.forms.empty()) << line;
  }
}

}  // namespace
}  // namespace tfprof::commands
