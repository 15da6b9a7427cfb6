#include "util/files/mapped_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

using ::testing::HasSubstr;

constexpr size_t kPages = 64;

class MappedFileTest : public ::testing::Test {
 protected:
  MappedFileTest()
      : path_(::testing::TempDir() + "/mapped" + std::to_string(getpid())) {}
  ~MappedFileTest() override { std::filesystem::remove(path_); }

  // Fills the file with `size` bytes 'x' and gives it an old time.
  void Fill(size_t size) {
    const int fd = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    const std::string bytes(size, 'x');
    ASSERT_EQ(write(fd, bytes.data(), size), static_cast<ssize_t>(size));
    const timespec times[] = {{1, 0}, {1, 0}};
    futimens(fd, times);
    close(fd);
  }

  std::unique_ptr<const MappedFile> Map() {
    const int fd = open(path_.c_str(), O_RDONLY);
    struct stat info;
    EXPECT_EQ(fstat(fd, &info), 0);
    auto mapped = MappedFile::Map(fd, path_, info);
    close(fd);
    return mapped;
  }

  const size_t page_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const std::string path_;
};

TEST_F(MappedFileTest, AFileThatStaysIsUnchanged) {
  Fill(1000);
  const auto file = Map();
  EXPECT_EQ(file->bytes(), std::string(1000, 'x'));
  EXPECT_TRUE(file->CheckUnchanged("now").ok());
}

TEST_F(MappedFileTest, AShortenedFileReadsAsZerosAndIsAnError) {
  Fill(kPages * page_);
  const auto file = Map();
  ASSERT_EQ(truncate(path_.c_str(), static_cast<off_t>(page_)), 0);
  EXPECT_EQ(file->bytes()[page_ - 1], 'x');
  for (size_t i = page_; i < file->bytes().size(); i += page_) {
    EXPECT_EQ(file->bytes()[i], '\0');
  }
  const absl::Status status = file->CheckUnchanged("after it was loaded");
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(std::string(status.message()),
            path_ + " changed after it was loaded; load it again");
}

TEST_F(MappedFileTest, AFaultIsRememberedWhenTheFileIsAsBefore) {
  Fill(kPages * page_);
  const auto file = Map();
  ASSERT_EQ(truncate(path_.c_str(), 0), 0);
  EXPECT_EQ(file->bytes().back(), '\0');
  Fill(kPages * page_);
  EXPECT_FALSE(file->CheckUnchanged("now").ok());
  // A reused guard starts unmarked.
  EXPECT_TRUE(Map()->CheckUnchanged("now").ok());
}

TEST_F(MappedFileTest, ThreadsMayFaultTogether) {
  Fill(kPages * page_);
  const auto file = Map();
  ASSERT_EQ(truncate(path_.c_str(), 0), 0);
  std::vector<int> sums(4);
  std::vector<std::thread> threads;
  for (int& sum : sums) {
    threads.emplace_back([&] {
      for (const char c : file->bytes()) sum += c;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(sums, ::testing::Each(0));
  EXPECT_FALSE(file->CheckUnchanged("now").ok());
}

TEST_F(MappedFileTest, BytesWrittenInPlaceAreAnError) {
  Fill(1000);
  const auto file = Map();
  const int fd = open(path_.c_str(), O_WRONLY);
  ASSERT_EQ(write(fd, "y", 1), 1);
  close(fd);
  EXPECT_THAT(std::string(file->CheckUnchanged("now").message()),
              HasSubstr("changed now"));
}

TEST_F(MappedFileTest, AFileThatIsReplacedOrRemovedKeepsItsBytes) {
  Fill(1000);
  const auto file = Map();
  std::filesystem::rename(path_, path_ + ".old");
  EXPECT_TRUE(file->CheckUnchanged("now").ok());
  Fill(2000);
  EXPECT_TRUE(file->CheckUnchanged("now").ok());
  std::filesystem::remove(path_ + ".old");
  EXPECT_EQ(file->bytes(), std::string(1000, 'x'));
}

TEST_F(MappedFileTest, AFaultElsewhereEndsTheProgram) {
  Fill(2 * page_);
  const auto file = Map();
  EXPECT_EXIT(
      {
        const int fd = open(path_.c_str(), O_RDONLY);
        void* other = mmap(nullptr, 2 * page_, PROT_READ, MAP_PRIVATE, fd, 0);
        if (truncate(path_.c_str(), 0) != 0) std::exit(1);
        std::exit(static_cast<const char*>(other)[page_]);
      },
      [](int status) { return WIFSIGNALED(status) || status != 0; }, "");
}

}  // namespace
}  // namespace tfprof::util
