#include "util/files/sink.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

TEST(WriteFileTest, AllOrNothing) {
  const std::string path = ::testing::TempDir() + "/written";
  const auto contents = [&] {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  };
  ASSERT_TRUE(WriteFile(path, "first").ok());
  EXPECT_EQ(contents(), "first");
  const absl::Status failed = WriteFile(path, [](Sink& sink) {
    sink.Write("second");
    return absl::DataLossError("no more");
  });
  EXPECT_EQ(failed, absl::DataLossError("no more"));
  EXPECT_EQ(contents(), "first");
  EXPECT_EQ(WriteFile("/nonexistent/x", "bytes").code(),
            absl::StatusCode::kNotFound);
}

TEST(WriteFileTest, TellsHowFarItIs) {
  const std::string path = ::testing::TempDir() + "/written";
  WriteProgress progress;
  const Progress& bytes = progress.bytes;
  progress.end = 0.25;
  ASSERT_TRUE(WriteFile(path,
                        [&](Sink& sink) {
                          sink.Write(std::string(100, 'x'));
                          EXPECT_EQ(bytes.done, 100);
                          EXPECT_EQ(bytes.total, 0);
                          sink.Reached(0);  // gives no estimate yet
                          EXPECT_EQ(bytes.total, 0);
                          sink.Reached(0.5);
                          EXPECT_EQ(bytes.total, 800);
                          return absl::OkStatus();
                        },
                        {.progress = &progress})
                  .ok());
  // The next file is the rest of the work, and has more bytes than expected.
  progress.begin = 0.25;
  progress.end = 1;
  ASSERT_TRUE(WriteFile(path,
                        [&](Sink& sink) {
                          sink.Write(std::string(900, 'x'));
                          sink.Reached(1.0 / 3);
                          EXPECT_EQ(bytes.total, 2000);
                          sink.Reached(1);
                          return absl::OkStatus();
                        },
                        {.progress = &progress})
                  .ok());
  EXPECT_EQ(bytes.done, 1000);
  EXPECT_EQ(bytes.total, 1000);
}

TEST(SinkTest, ACancelledFileIsNotLeftHalf) {
  const std::string path = testing::TempDir() + "/half";
  Cancellation cancellation;
  const absl::Status status = WriteFile(path,
                                        [&](Sink& sink) {
                                          EXPECT_TRUE(sink.wanted());
                                          sink.Write("some");
                                          cancellation.Request();
                                          EXPECT_FALSE(sink.wanted());
                                          sink.Write("more");
                                          return absl::OkStatus();
                                        },
                                        {.cancellation = &cancellation});
  EXPECT_EQ(status.code(), absl::StatusCode::kCancelled);
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST(SinkTest, NothingMayBeWritten) {
  const std::string path = testing::TempDir() + "/nothing";
  EXPECT_TRUE(WriteFile(path, std::string_view()).ok());
  EXPECT_EQ(std::filesystem::file_size(path), 0u);
}

TEST(SinkTest, OfALinkTheTargetIsReplaced) {
  const std::string folder = testing::TempDir() + "/links";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder + "/sub");
  std::filesystem::create_symlink("sub/target", folder + "/link");
  // The target need not exist yet.
  for (const std::string text : {"first", "second"}) {
    ASSERT_TRUE(WriteFile(folder + "/link", text).ok());
    EXPECT_TRUE(std::filesystem::is_symlink(folder + "/link"));
    std::ifstream file(folder + "/sub/target");
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), text);
  }
}

TEST(SinkTest, AFileThatIsInTheWayStays) {
  const std::string path = testing::TempDir() + "/out";
  const std::string in_the_way = path + ".tmp" + std::to_string(getpid());
  std::ofstream(in_the_way) << "mine";
  EXPECT_TRUE(WriteFile(path, "ours").ok());
  EXPECT_TRUE(WriteFile(path, "again").ok());
  std::ifstream file(in_the_way);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "mine");
  std::filesystem::remove(in_the_way);
}

TEST(SinkTest, AFileThatIsReplacedKeepsItsMode) {
  const std::string path = testing::TempDir() + "/mode";
  std::ofstream(path) << "old";
  chmod(path.c_str(), 0662);
  EXPECT_TRUE(WriteFile(path, "new").ok());
  struct stat info;
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0662u);
}

}  // namespace
}  // namespace tfprof::util
