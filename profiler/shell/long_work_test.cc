#include "profiler/shell/long_work.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::shell {
namespace {
namespace long_work_test {

using ::testing::HasSubstr;

std::string TempPath(const std::string& name) {
  const auto path = std::filesystem::path(testing::TempDir()) / name;
  std::filesystem::remove(path);
  return path.string();
}

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(LoadWithBarTest, LoadsTheFilesOfTheRequest) {
  const std::string path = TempPath("bar_graph.pbtxt");
  std::ofstream(path) << "node { name: 'a' op: 'Neg' }";
  loaders::LoadRequest request;
  request.files = {path};
  const auto loaded = LoadWithBar(request);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->profile.nodes().size(), 1u);
  EXPECT_EQ(loaded->sources.at(0).path, path);
}

TEST(LoadWithBarTest, ReturnsTheErrorOfTheLoad) {
  loaders::LoadRequest request;
  request.files = {TempPath("missing.pb")};
  const auto loaded = LoadWithBar(request);
  EXPECT_TRUE(absl::IsNotFound(loaded.status())) << loaded.status();
  EXPECT_THAT(std::string(loaded.status().message()), HasSubstr("missing.pb"));
}

TEST(WriteFileWithBarTest, WritesTheFile) {
  const std::string path = TempPath("written");
  const absl::Status written = WriteFileWithBar(path, [](util::Sink& sink) {
    sink.Write("one ");
    sink.Reached(0.5);
    sink.Write("two");
    return absl::OkStatus();
  });
  EXPECT_TRUE(written.ok()) << written;
  EXPECT_EQ(Contents(path), "one two");
}

TEST(WriteFileWithBarTest, AFailedWriteKeepsTheOldFile) {
  const std::string path = TempPath("kept");
  std::ofstream(path) << "old";
  const absl::Status written = WriteFileWithBar(path, [](util::Sink& sink) {
    sink.Write("new");
    return absl::DataLossError("broken");
  });
  EXPECT_TRUE(absl::IsDataLoss(written)) << written;
  EXPECT_EQ(Contents(path), "old");
}

TEST(WriteFileWithBarTest, AMissingFolderIsAnError) {
  bool called = false;
  const absl::Status written =
      WriteFileWithBar("/no/such/folder/x", [&](util::Sink&) {
        called = true;
        return absl::OkStatus();
      });
  EXPECT_TRUE(absl::IsNotFound(written)) << written;
  EXPECT_FALSE(called);
}

}  // namespace long_work_test
}  // namespace
}  // namespace tfprof::shell
