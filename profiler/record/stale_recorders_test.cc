#include "profiler/record/stale_recorders.h"

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/record/record_testing.h"
#include "profiler/record/recorder_file.h"

namespace tfprof::recording {
namespace {

namespace fs = std::filesystem;

class StaleRecordersTest : public RecordFilesTest {
 protected:
  // A folder as a killed program leaves it.
  std::string Left(const std::string& end) {
    std::string path = folder_ + "/" + kRecorderFolder + end;
    fs::create_directories(path);
    std::ofstream(path + "/" + kRecorderLibrary) << "x";
    return path;
  }
};

TEST_F(StaleRecordersTest, AFolderWithoutItsProgramIsRemoved) {
  const std::string left = Left("abcdef");
  RemoveStaleRecorders(folder_);
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(StaleRecordersTest, OneThatIsLockedIsKept) {
  const std::string locked = Left("locked");
  const int lock = LockRecorder(locked);
  ASSERT_GE(lock, 0);
  RemoveStaleRecorders(folder_);
  EXPECT_TRUE(fs::exists(locked));
  close(lock);
  RemoveStaleRecorders(folder_);
  EXPECT_FALSE(fs::exists(locked));
}

TEST_F(StaleRecordersTest, OneThatIsLoadedIsKept) {
  Set("TMPDIR", folder_);
  std::string path;
  {
    auto file = RecorderFile::Make("");
    ASSERT_TRUE(file.ok()) << file.status();
    path = file->path();
    file->Keep();
  }
  // The lock is gone, as if the program had ended.
  void* const library = dlopen(path.c_str(), RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  RemoveStaleRecorders(folder_);
  EXPECT_TRUE(fs::exists(path));
}

TEST_F(StaleRecordersTest, OtherFilesAreLeftAlone) {
  const std::string left = Left("more");
  std::ofstream(left + "/mine.txt") << "x";
  const std::string other = folder_ + "/" + kRecorderFolder + "file";
  std::ofstream(other) << "x";
  fs::create_directories(folder_ + "/elsewhere");
  fs::create_directory_symlink(folder_ + "/elsewhere",
                               folder_ + "/" + kRecorderFolder + "link");
  std::ofstream(folder_ + "/elsewhere/" + kRecorderLibrary) << "x";
  RemoveStaleRecorders(folder_);
  EXPECT_TRUE(fs::exists(left + "/mine.txt"));
  EXPECT_TRUE(fs::exists(other));
  EXPECT_TRUE(fs::exists(folder_ + "/elsewhere/" + kRecorderLibrary));
  RemoveStaleRecorders(folder_ + "/no such folder");
}

TEST_F(StaleRecordersTest, TheNextRecordingRemovesThem) {
  Set("TMPDIR", folder_);
  const std::string left = Left("before");
  const auto file = RecorderFile::Make("");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(file->path()));
  RemoveStaleRecorders(folder_);
  EXPECT_TRUE(fs::exists(file->path())) << "it is in use";
}

}  // namespace
}  // namespace tfprof::recording
