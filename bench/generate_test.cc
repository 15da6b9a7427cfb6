#include "bench/generate.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "util/files/wire.h"
#include "util/files/wire_writer.h"

namespace tfprof {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::SizeIs;

// The messages in field `field` of `bytes`.
std::vector<std::string> Fields(std::string_view bytes, uint32_t field) {
  std::vector<std::string> values;
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() == util::LengthTag(field)) values.emplace_back(r.view());
  }
  EXPECT_FALSE(r.damaged());
  return values;
}
int64_t Number(std::string_view bytes, uint32_t field) {
  int64_t value = 0;
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() == util::VarintTag(field)) value = r.int64();
  }
  return value;
}
// The name (field 1) of each message.
std::vector<std::string> Names(const std::vector<std::string>& messages) {
  std::vector<std::string> names;
  for (const std::string& message : messages) {
    for (const std::string& name : Fields(message, 1)) names.push_back(name);
  }
  return names;
}

// A profile with two nodes that take 5 and 0 microseconds.
class GenerateTest : public ::testing::Test {
 protected:
  GenerateTest() {
    fs::remove_all(top_);
    fs::create_directories(source_);
    util::WireWriter graph;
    AddNode(graph, "a", {});
    AddNode(graph, "b", {"a", "^a"});
    Write("graph.pb", graph.bytes());

    util::WireWriter log;
    {
      const util::WireMessage entry(log, 1);
      log.Bytes(1, "a");
      log.Int64(3, 7);
    }
    log.Bytes(2, "shared string");
    Write("op_log", log.bytes());

    util::WireWriter run;
    {
      const util::WireMessage step(run, 1);
      const util::WireMessage device(run, 1);
      run.Bytes(1, "/cpu:0");
      AddRecord(run, "_SOURCE", 90, 1);
      AddRecord(run, "a", 100, 5);
      AddRecord(run, "b", 110, 0);
    }
    Write("run_meta_0", run.bytes());
  }
  ~GenerateTest() override { fs::remove_all(top_); }

  static void AddNode(util::WireWriter& w, std::string_view name,
                      const std::vector<std::string>& inputs) {
    const util::WireMessage node(w, 1);
    w.Bytes(1, name);
    w.Bytes(2, "Op");
    for (const std::string& input : inputs) w.Bytes(3, input);
    w.Bytes(4, "device");
  }
  static void AddRecord(util::WireWriter& w, std::string_view name,
                        int64_t start, int64_t duration) {
    const util::WireMessage record(w, 2);
    w.Bytes(1, name);
    w.Int64(2, start);
    w.Int64(4, duration);
    w.Bytes(8, "label");
  }
  void Write(std::string_view name, std::string_view bytes) {
    std::ofstream(source_ / name, std::ios::binary) << bytes;
  }
  static std::string Read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    EXPECT_TRUE(file.is_open()) << path;
    return {std::istreambuf_iterator<char>(file), {}};
  }
  absl::Status Make(const GeneratedSize& size) {
    return Generate(source_.string(), out_.string(), size);
  }
  GeneratedInputs Paths(const GeneratedSize& size) {
    return GeneratedPaths(out_.string(), size);
  }
  // The devices (DeviceStepStats) of a generated RunMetadata.
  static std::vector<std::string> Devices(const std::string& path) {
    return Fields(Fields(Read(path), 1).at(0), 1);
  }

  const fs::path top_ = fs::path(::testing::TempDir()) / "generate";
  const fs::path source_ = top_ / "source", out_ = top_ / "out";
};

TEST_F(GenerateTest, PathsAreInAFolderOfTheSize) {
  const GeneratedInputs inputs = GeneratedPaths("f", {.name = "A", .files = 2});
  EXPECT_EQ(inputs.graph, "f/A/graph.pb");
  EXPECT_EQ(inputs.op_log, "f/A/op_log");
  EXPECT_THAT(inputs.run_metas,
              ElementsAre("f/A/run_meta_0", "f/A/run_meta_1"));
}

TEST_F(GenerateTest, TheGraphIsRepeatedUntilThereAreEnoughNodes) {
  const GeneratedSize size = {.name = "A", .nodes = 5};
  ASSERT_TRUE(Make(size).ok());
  const std::vector<std::string> nodes = Fields(Read(Paths(size).graph), 1);
  EXPECT_THAT(Names(nodes), ElementsAre("tower_0/a", "tower_0/b", "tower_1/a",
                                        "tower_1/b", "tower_2/a", "tower_2/b"));
  EXPECT_THAT(Fields(nodes[3], 3), ElementsAre("tower_1/a", "^tower_1/a"));
  EXPECT_THAT(Fields(nodes[3], 2), ElementsAre("Op"));
  EXPECT_THAT(Fields(nodes[3], 4), ElementsAre("device"));
}

TEST_F(GenerateTest, TheOpLogSharesItsStrings) {
  const GeneratedSize size = {.name = "A", .nodes = 3};
  ASSERT_TRUE(Make(size).ok());
  const std::string log = Read(Paths(size).op_log);
  EXPECT_THAT(Names(Fields(log, 1)), ElementsAre("tower_0/a", "tower_1/a"));
  EXPECT_EQ(Number(Fields(log, 1)[1], 3), 7);
  EXPECT_THAT(Fields(log, 2), ElementsAre("shared string"));
}

TEST_F(GenerateTest, EachTowerRunsOnAGpuWithStreams) {
  const GeneratedSize size = {.name = "A", .nodes = 18};
  ASSERT_TRUE(Make(size).ok());
  const std::vector<std::string> devices = Devices(Paths(size).run_metas[0]);
  ASSERT_THAT(devices, SizeIs(9 * 3));
  const auto name = [&](size_t i) { return Fields(devices[i], 1).at(0); };
  EXPECT_EQ(name(0), "/job:localhost/replica:0/task:0/device:GPU:0");
  EXPECT_EQ(name(1), "/device:GPU:0/stream:all");
  EXPECT_EQ(name(2), "/device:GPU:0/stream:16");
  EXPECT_EQ(name(3 * 7), "/job:localhost/replica:0/task:0/device:GPU:7");
  // The ninth tower shares a GPU with the first one but has its own stream.
  EXPECT_EQ(name(3 * 8), "/job:localhost/replica:0/task:0/device:GPU:0");
  EXPECT_EQ(name(3 * 8 + 2), "/device:GPU:0/stream:17");
}

TEST_F(GenerateTest, OnlyOperationsThatTakeTimeLaunchAKernel) {
  const GeneratedSize size = {.name = "A", .nodes = 1};
  ASSERT_TRUE(Make(size).ok());
  const std::vector<std::string> devices = Devices(Paths(size).run_metas[0]);
  ASSERT_THAT(devices, SizeIs(3));
  const std::vector<std::string> scheduled = Fields(devices[0], 2);
  EXPECT_THAT(Names(scheduled), ElementsAre("tower_0/a", "tower_0/b"));
  EXPECT_THAT(Fields(scheduled[0], 8), ElementsAre("label"));
  EXPECT_GE(Number(scheduled[0], 4), 5);
  // The distances between starts are kept.
  EXPECT_EQ(Number(scheduled[1], 2) - Number(scheduled[0], 2), 10);
  for (size_t device : {1, 2}) {
    EXPECT_THAT(Names(Fields(devices[device], 2)),
                ElementsAre("tower_0/a:Kernel"));
  }
}

TEST_F(GenerateTest, AFileHasThePassesOfALoop) {
  const GeneratedSize size = {.name = "A", .nodes = 1, .repeats = 3};
  ASSERT_TRUE(Make(size).ok());
  const std::vector<std::string> devices = Devices(Paths(size).run_metas[0]);
  EXPECT_THAT(Fields(devices[0], 2), SizeIs(6));
  EXPECT_THAT(Fields(devices[1], 2), SizeIs(3));
}

TEST_F(GenerateTest, StepsDifferButRunsDoNot) {
  const GeneratedSize first = {.name = "A", .nodes = 4, .files = 2};
  GeneratedSize second = first;
  second.name = "B";
  ASSERT_TRUE(Make(first).ok());
  ASSERT_TRUE(Make(second).ok());
  const GeneratedInputs a = Paths(first), b = Paths(second);
  EXPECT_NE(Read(a.run_metas[0]), Read(a.run_metas[1]));
  EXPECT_EQ(Read(a.run_metas[1]), Read(b.run_metas[1]));
  EXPECT_EQ(Read(a.graph), Read(b.graph));
  EXPECT_EQ(Read(a.op_log), Read(b.op_log));
}

TEST_F(GenerateTest, FilesThatExistAreNotWrittenAgain) {
  const GeneratedSize size = {.name = "A", .nodes = 4, .files = 2};
  fs::create_directories(out_ / "A");
  std::ofstream(Paths(size).graph) << "mine";
  ASSERT_TRUE(Make(size).ok());
  EXPECT_EQ(Read(Paths(size).graph), "mine");
  EXPECT_NE(Read(Paths(size).run_metas[1]), "");
}

TEST_F(GenerateTest, AMissingSourceIsAnError) {
  fs::remove(source_ / "op_log");
  const absl::Status status = Make({.name = "A", .nodes = 4});
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(),
            (source_ / "op_log.gz").string() + ": cannot be read");
}

TEST_F(GenerateTest, AGraphWithoutNodesIsAnError) {
  Write("graph.pb", "");
  EXPECT_EQ(Make({.name = "A", .nodes = 4}).code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(GenerateTest, AFolderThatCannotBeWrittenIsAnError) {
  // A file has the name of the folder.
  std::ofstream(out_) << "file";
  EXPECT_FALSE(Make({.name = "A", .nodes = 4}).ok());
}

}  // namespace
}  // namespace tfprof
