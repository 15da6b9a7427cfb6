#include "profiler/shell/new_folder.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::shell {
namespace {
namespace new_folder_test {

using ::testing::HasSubstr;
using ::testing::Not;

std::filesystem::path Fresh(const std::string& name) {
  auto path = std::filesystem::path(::testing::TempDir()) / name;
  std::filesystem::remove_all(path);
  return path;
}

absl::Status Nothing(util::Sink&) { return absl::OkStatus(); }

TEST(NewFolderTest, ExistsAfterCommit) {
  const auto path = Fresh("whole");
  NewFolder folder(path.string(), 2);
  ASSERT_TRUE(folder.Make().ok());
  ASSERT_TRUE(folder.Write("a", 1, Nothing).ok());
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_TRUE(folder.Commit().ok());
  EXPECT_TRUE(std::filesystem::exists(path / "a"));
}

TEST(NewFolderTest, LeavesNothingWithoutCommit) {
  const auto path = Fresh("alone") / "half";
  std::filesystem::create_directories(path.parent_path());
  {
    NewFolder folder(path.string(), 2);
    ASSERT_TRUE(folder.Make().ok());
    ASSERT_TRUE(folder.Write("a", 1, Nothing).ok());
    const absl::Status failed = folder.Write(
        "b", 1, [](util::Sink&) { return absl::DataLossError("broken"); });
    EXPECT_EQ(failed.code(), absl::StatusCode::kDataLoss);
  }
  EXPECT_TRUE(std::filesystem::is_empty(path.parent_path()));
}

TEST(NewFolderTest, RemovesWhatAKilledProcessLeft) {
  const auto path = Fresh("killed") / "folder";
  std::filesystem::create_directories(path.parent_path());
  const pid_t pid = fork();
  if (pid == 0) {
    NewFolder folder(path.string(), 1);
    if (!folder.Make().ok() || !folder.Write("a", 1, Nothing).ok()) _exit(1);
    raise(SIGKILL);
  }
  waitpid(pid, nullptr, 0);
  const std::string left = path.string() + ".tmp" + std::to_string(pid);
  EXPECT_TRUE(std::filesystem::exists(left + "/a"));
  NewFolder folder(path.string(), 1);
  ASSERT_TRUE(folder.Make().ok());
  EXPECT_FALSE(std::filesystem::exists(left));
}

TEST(NewFolderTest, MayReplaceAnEmptyFolderOnly) {
  const auto path = Fresh("given");
  std::filesystem::create_directories(path);
  {
    NewFolder folder(path.string(), 1);
    ASSERT_TRUE(folder.Make().ok());
    ASSERT_TRUE(folder.Write("a", 1, Nothing).ok());
    ASSERT_TRUE(folder.Commit().ok());
  }
  NewFolder again(path.string(), 1);
  EXPECT_EQ(again.Make().code(), absl::StatusCode::kAlreadyExists);
  EXPECT_TRUE(std::filesystem::exists(path / "a"));
}

TEST(NewFolderTest, ErrorsNameTheFolderThatWasAskedFor) {
  NewFolder folder("/no/such/folder", 1);
  const std::string message(folder.Make().message());
  EXPECT_THAT(message, HasSubstr("/no/such/folder"));
  EXPECT_THAT(message, Not(HasSubstr(".tmp")));
}

}  // namespace new_folder_test
}  // namespace
}  // namespace tfprof::shell
