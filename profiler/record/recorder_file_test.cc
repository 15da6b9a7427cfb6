#include "profiler/record/recorder_file.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/record/record_testing.h"

namespace tfprof::recording {
namespace {

namespace fs = std::filesystem;
using ::testing::StartsWith;

class RecorderFileTest : public RecordFilesTest {
 protected:
  // A folder for $TMPDIR.
  std::string Temporary(const std::string& name) {
    std::string path = folder_ + "/" + name;
    fs::create_directories(path);
    Set("TMPDIR", path);
    return path;
  }
};

TEST_F(RecorderFileTest, LibrariesAreThereUntilTheEnd) {
  const std::string place = Temporary("tmp");
  {
    const auto file = RecorderFile::Make("");
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_THAT(file->path(), StartsWith(place + "/.tfprof-record-"));
    for (const std::string& path : {file->path(), file->lttng_path()}) {
      struct stat info = {};
      ASSERT_EQ(stat(path.c_str(), &info), 0) << path;
      EXPECT_EQ(info.st_mode & 0777, 0755u);
      std::string magic(4, '\0');
      std::ifstream(path, std::ios::binary).read(magic.data(), 4);
      EXPECT_EQ(magic,
                "\x7f"
                "ELF");
      ASSERT_EQ(stat(fs::path(path).parent_path().c_str(), &info), 0);
      EXPECT_EQ(info.st_mode & 0777, 0755u) << "only the user may write";
    }
  }
  EXPECT_TRUE(fs::is_empty(place));
}

TEST_F(RecorderFileTest, WhatStillRunsKeepsThem) {
  Temporary("tmp");
  std::string path;
  {
    auto file = RecorderFile::Make("");
    ASSERT_TRUE(file.ok()) << file.status();
    path = file->path();
    RecorderFile moved = *std::move(file);
    moved.Keep();
  }
  EXPECT_TRUE(fs::exists(path));
}

TEST_F(RecorderFileTest, NamesThatCannotBePreloadedAreNotTaken) {
  for (const char* name : {"with blank", "with:colon"}) {
    const std::string place = Temporary(name);
    const auto file = RecorderFile::Make("");
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_THAT(file->path(), StartsWith("/tmp/")) << place;
    EXPECT_TRUE(fs::is_empty(place));
  }
  Set("TMPDIR", "relative");
  const auto file = RecorderFile::Make("");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_THAT(file->path(), StartsWith("/tmp/"));
}

}  // namespace
}  // namespace tfprof::recording
