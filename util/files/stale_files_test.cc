#include "util/files/stale_files.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

namespace fs = std::filesystem;

// The id of a process that has ended.
pid_t DeadProcess() {
  const pid_t pid = fork();
  if (pid == 0) _exit(0);
  waitpid(pid, nullptr, 0);
  return pid;
}

TEST(StaleFilesTest, OnlyWhatDeadProcessesLeftOfThisPathIsRemoved) {
  const fs::path folder = fs::path(::testing::TempDir()) / "stale";
  fs::remove_all(folder);
  const std::string path = (folder / "out").string();
  const std::string dead = std::to_string(DeadProcess());
  const std::string gone[] = {path + ".tmp" + dead,
                              path + ".tmp" + dead + ".3"};
  const std::string kept[] = {UnfinishedName(path),
                              path,
                              path + ".tmp",
                              path + ".tmp" + dead + "x",
                              path + ".tmp" + dead + ".x",
                              path + "2.tmp" + dead,
                              path + ".tmp-1",
                              path + ".tmp0"};
  fs::create_directories(gone[0]);
  for (const std::string& name : kept) std::ofstream(name) << "x";
  std::ofstream(gone[0] + "/run_meta_1.pb") << "x";
  std::ofstream(gone[1]) << "x";
  RemoveUnfinished(path);
  for (const std::string& name : gone) EXPECT_FALSE(fs::exists(name)) << name;
  for (const std::string& name : kept) EXPECT_TRUE(fs::exists(name)) << name;
}

TEST(StaleFilesTest, AFolderWithForeignFoldersStays) {
  const fs::path folder = fs::path(::testing::TempDir()) / "stale_deep";
  fs::remove_all(folder);
  const std::string path = (folder / "out").string();
  const fs::path left = path + ".tmp" + std::to_string(DeadProcess());
  fs::create_directories(left / "inner");
  RemoveUnfinished(path);
  EXPECT_TRUE(fs::exists(left / "inner"));
}

TEST(StaleFilesTest, NoFolderIsNoError) {
  RemoveUnfinished("/no/such/folder/out");
  RemoveUnfinished("out");
}

}  // namespace
}  // namespace tfprof::util
