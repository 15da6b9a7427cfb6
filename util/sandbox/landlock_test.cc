#include "util/sandbox/landlock.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "gtest/gtest.h"
#include "util/sandbox/sandbox_testing.h"

namespace tfprof::util {
namespace {

// What a child with the restriction reports if it could not restrict itself.
constexpr int kNotRestricted = 200;

class LandlockTest : public testing::Test {
 protected:
  LandlockTest() {
    std::filesystem::create_directories(folder_ + "inner");
    std::ofstream(folder_ + "file") << "x";
    std::ofstream(folder_ + "inner/file") << "x";
    std::ofstream(other_) << "x";
  }
  ~LandlockTest() override { std::filesystem::remove_all(folder_); }
  void SetUp() override {
    if (LandlockVersion() == 0) GTEST_SKIP() << "no Landlock in this kernel";
  }

  static int Restricted(const std::vector<UsedFile>& files,
                        const std::function<int()>& work) {
    return InChild(
        [&] { return RestrictFiles(files).ok() ? work() : kNotRestricted; });
  }

  const std::string folder_ = testing::TempDir() + "/landlock/";
  const std::string other_ = testing::TempDir() + "/landlock_other";
};

TEST_F(LandlockTest, AFileIsReadAndOthersAreNot) {
  const std::vector<UsedFile> files = {{folder_ + "file"}};
  const auto open = [&](const std::string& path, int flags) {
    return Restricted(files, [&] { return OpenError(path, flags); });
  };
  EXPECT_EQ(open(folder_ + "file", O_RDONLY), 0);
  EXPECT_EQ(open(folder_ + "file", O_WRONLY), EACCES);
  EXPECT_EQ(open(folder_ + "inner/file", O_RDONLY), EACCES);
  EXPECT_EQ(open(folder_, O_RDONLY | O_DIRECTORY), EACCES);
  EXPECT_EQ(open(folder_ + "new", O_WRONLY | O_CREAT), EACCES);
  EXPECT_EQ(open("/etc/passwd", O_RDONLY), EACCES);
  EXPECT_EQ(open("/proc/self/environ", O_RDONLY), EACCES);
}

TEST_F(LandlockTest, AFolderIsReadWithWhatIsBelow) {
  const std::vector<UsedFile> files = {{folder_}};
  const auto open = [&](const std::string& path, int flags) {
    return Restricted(files, [&] { return OpenError(path, flags); });
  };
  EXPECT_EQ(open(folder_, O_RDONLY | O_DIRECTORY), 0);
  EXPECT_EQ(open(folder_ + "inner/file", O_RDONLY), 0);
  EXPECT_EQ(open(folder_ + "inner/file", O_RDWR), EACCES);
  EXPECT_EQ(open(other_, O_RDONLY), EACCES);
  std::filesystem::create_symlink(other_, folder_ + "link");
  EXPECT_EQ(open(folder_ + "link", O_RDONLY), EACCES);
}

TEST_F(LandlockTest, NamesAloneAreListed) {
  const std::vector<UsedFile> files = {{folder_, FileUse::kList}};
  const auto open = [&](const std::string& path, int flags) {
    return Restricted(files, [&] { return OpenError(path, flags); });
  };
  EXPECT_EQ(open(folder_, O_RDONLY | O_DIRECTORY), 0);
  EXPECT_EQ(open(folder_ + "file", O_RDONLY), EACCES);
}

TEST_F(LandlockTest, AFolderIsChanged) {
  const std::vector<UsedFile> files = {{folder_, FileUse::kChange}};
  EXPECT_EQ(Restricted(files,
                       [&] {
                         std::error_code error;
                         std::filesystem::create_directory(folder_ + "new",
                                                           error);
                         if (error) return 1;
                         std::ofstream(folder_ + "new/a") << "x";
                         std::filesystem::rename(folder_ + "new/a",
                                                 folder_ + "b", error);
                         if (error) return 2;
                         std::filesystem::remove_all(folder_ + "new", error);
                         return error ? 3 : 0;
                       }),
            0);
  EXPECT_TRUE(std::filesystem::exists(folder_ + "b"));
  EXPECT_EQ(Restricted(files, [&] { return OpenError(other_, O_WRONLY); }),
            EACCES);
  EXPECT_EQ(Restricted(files, [&] { return unlink(other_.c_str()) + 1; }), 0);
  EXPECT_EQ(
      Restricted(files,
                 [&] { return mkfifo((folder_ + "fifo").c_str(), 0600) + 1; }),
      0);
}

TEST_F(LandlockTest, WhatIsMissingAndPipesNeedNoRule) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const std::string pipe = "/proc/self/fd/" + std::to_string(ends[0]);
  EXPECT_EQ(Restricted({{folder_ + "missing"}, {pipe}},
                       [&] { return OpenError(pipe, O_RDONLY | O_NONBLOCK); }),
            0);
  close(ends[0]);
  close(ends[1]);
}

TEST_F(LandlockTest, NoConnectionIsMade) {
  if (LandlockVersion() < 4) GTEST_SKIP() << "this kernel restricts only files";
  EXPECT_EQ(
      Restricted({},
                 [] {
                   const int fd = socket(AF_INET, SOCK_STREAM, 0);
                   sockaddr_in to = {};
                   to.sin_family = AF_INET;
                   to.sin_port = htons(9);
                   to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
                   const auto* address = reinterpret_cast<const sockaddr*>(&to);
                   return connect(fd, address, sizeof(to)) == 0 ? 0 : errno;
                 }),
      EACCES);
}

}  // namespace
}  // namespace tfprof::util
