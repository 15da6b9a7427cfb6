#include "profiler/commands/workspace.h"

#include <string>
#include <utility>
#include <vector>

#include "accounting/small_model.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST(LoadNotesTest, OfManyFilesTheFirstAndTheLastAreListed) {
  Loaded loaded;
  loaded.coverage = {0.5};
  EXPECT_THAT(LoadNotes(loaded), ElementsAre("run graph coverage: 0.50"));
  loaded.coverage.assign(20, 1.0);
  loaded.coverage.back() = 0.25;
  const std::vector<std::string> notes = LoadNotes(loaded);
  EXPECT_THAT(notes, SizeIs(9));
  EXPECT_EQ(notes[4], "…");
  EXPECT_EQ(notes.back(), "run graph coverage: 0.25");
}

TEST(CheckStepTest, TheMessageListsTheSteps) {
  const Profile profile = SmallModel();
  EXPECT_TRUE(CheckStep(profile, -1).ok());
  EXPECT_TRUE(CheckStep(profile, 0).ok());
  const absl::Status status = CheckStep(profile, 9);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(std::string(status.message()),
            "Options -step=9 not found.\nAvailable steps: 0 ");
}

TEST(RegexNotesTest, NamesTheExpression) {
  ViewOptions options;
  options.show_names = {"(", "a.*"};
  EXPECT_THAT(
      RegexNotes(options),
      ElementsAre(StartsWith(
          "'(' is not a valid regular expression and matches nothing: ")));
}

TEST(LoadBaseTest, NamesItsFiles) {
  std::vector<std::string> notes;
  Workspace workspace;
  workspace.inputs.max_memory = 7;
  workspace.work.threads = 3;
  workspace.load = [](LoadRequest request) -> absl::StatusOr<Loaded> {
    EXPECT_EQ(request.max_memory, 7u);
    EXPECT_EQ(request.work.threads, 3);
    Loaded loaded;
    if (request.files.size() > 1) loaded.profile = SmallModel();
    return loaded;
  };
  const absl::StatusOr<Base> base = LoadBase({"a", "b"}, workspace, notes);
  ASSERT_TRUE(base.ok()) << base.status();
  EXPECT_EQ(base->name, "a,b");
  EXPECT_THAT(std::string(LoadBase({"a"}, workspace, notes).status().message()),
              HasSubstr("no node in a"));
}

}  // namespace
}  // namespace tfprof
