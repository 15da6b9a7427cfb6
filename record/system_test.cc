#include "record/system.h"

#include <errno.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace tfprof::record {
namespace {

class SystemTest : public ::testing::Test {
 protected:
  SystemTest() : folder_(::testing::TempDir() + "/system_XXXXXX") {
    EXPECT_NE(mkdtemp(folder_.data()), nullptr);
  }
  ~SystemTest() override { std::filesystem::remove_all(folder_); }

  std::string PathOf(const char* name) const { return folder_ + "/" + name; }
  static std::string Read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string folder_;
};

TEST_F(SystemTest, NothingIsWrittenOverWhatIsThere) {
  const std::string file = PathOf("file"), folder = PathOf("folder");
  EXPECT_EQ(WriteNewFile(file.c_str(), "abc"), 0);
  EXPECT_LT(WriteNewFile(file.c_str(), "other"), 0);
  EXPECT_EQ(Read(file), "abc");
  EXPECT_EQ(MapNewFile(file.c_str(), 4096), nullptr);
  EXPECT_EQ(Read(file), "abc");
  EXPECT_EQ(MakeFolder(folder.c_str()), 0);
  EXPECT_EQ(MakeFolder(folder.c_str()), -EEXIST);
  EXPECT_EQ(MakeFolder(PathOf("no/folder").c_str()), -ENOENT);
}

TEST_F(SystemTest, BytesAreAppendedAtTheirPlace) {
  const std::string file = PathOf("file");
  EXPECT_EQ(AppendToFile(file.c_str(), 0, "abc"), 0);
  EXPECT_EQ(AppendToFile(file.c_str(), 3, "de"), 0);
  EXPECT_EQ(Read(file), "abcde");
  EXPECT_LT(AppendToFile(folder_.c_str(), 0, "x"), 0);
}

TEST_F(SystemTest, AFileIsReadAsFarAsThePlaceGoes) {
  const std::string file = PathOf("file");
  ASSERT_EQ(WriteNewFile(file.c_str(), "abcdef"), 0);
  char bytes[8] = "-------";
  EXPECT_EQ(ReadFile(file.c_str(), bytes, 4), 4);
  EXPECT_STREQ(bytes, "abcd---");
  EXPECT_EQ(ReadFile(file.c_str(), bytes, sizeof(bytes)), 6);
  EXPECT_EQ(ReadFile(PathOf("none").c_str(), bytes, 4), -ENOENT);
}

TEST_F(SystemTest, WhatIsWrittenIntoAMappedFileIsInTheFile) {
  const std::string file = PathOf("file");
  void* const mapped = MapNewFile(file.c_str(), 4096);
  ASSERT_NE(mapped, nullptr);
  EXPECT_EQ(Read(file), std::string(4096, '\0'));
  memcpy(mapped, "abc", 3);
  EXPECT_EQ(Read(file).substr(0, 4), std::string("abc\0", 4));
  Unmap(mapped, 4096);
  EXPECT_EQ(std::filesystem::file_size(file), 4096u);
}

TEST_F(SystemTest, AChildFindsZerosInPagesThatAreWiped) {
  auto* const wiped = static_cast<char*>(AllocatePages(PageBytes()));
  auto* const kept = static_cast<char*>(AllocatePages(PageBytes()));
  ASSERT_NE(wiped, nullptr);
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(wiped[PageBytes() - 1], 0);
  ASSERT_TRUE(WipeOnFork(wiped, PageBytes()));
  wiped[0] = kept[0] = 7;
  const pid_t child = fork();
  if (child == 0) _exit(wiped[0] == 0 && kept[0] == 7 ? 0 : 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(wiped[0], 7);
  Unmap(wiped, PageBytes());
  Unmap(kept, PageBytes());
}

TEST_F(SystemTest, ClocksAndNumbersAreThoseOfTheSystem) {
  EXPECT_EQ(CurrentProcess(), static_cast<uint32_t>(getpid()));
  EXPECT_EQ(CurrentThread(), static_cast<uint32_t>(gettid()));
  EXPECT_EQ(PageBytes(), static_cast<size_t>(sysconf(_SC_PAGESIZE)));
  const uint64_t before = ReadClock(CLOCK_MONOTONIC);
  Sleep(2'000'000);
  EXPECT_GE(ReadClock(CLOCK_MONOTONIC), before + 2'000'000);
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  EXPECT_NEAR(static_cast<double>(ReadClock(CLOCK_REALTIME)) / 1e9,
              static_cast<double>(now.tv_sec), 60);
}

}  // namespace
}  // namespace tfprof::record
