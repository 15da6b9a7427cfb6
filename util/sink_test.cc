#include "util/sink.h"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

#include "absl/status/status.h"
#include "gtest/gtest.h"

namespace tfprof {
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
                          sink.Reached(0);  // which says nothing yet
                          EXPECT_EQ(bytes.total, 0);
                          sink.Reached(0.5);
                          EXPECT_EQ(bytes.total, 800);
                          return absl::OkStatus();
                        },
                        {.progress = &progress})
                  .ok());
  // The next file is the rest of the work, and of more bytes than expected.
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

}  // namespace
}  // namespace tfprof
