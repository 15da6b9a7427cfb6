#include "loaders/ctf/load.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load.h"
#include "loaders/ctf/ctf_testing.h"
#include "loaders/ctf/format.h"
#include "loaders/ctf/trace_reader.h"

namespace tfprof::ctf {
namespace {

using ::testing::HasSubstr;

class CtfLoadTest : public ::testing::Test {
 protected:
  CtfLoadTest()
      : folder_(
            std::filesystem::path(::testing::TempDir()) /
            ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove_all(folder_);
  }
  ~CtfLoadTest() override { std::filesystem::remove_all(folder_); }

  void Write(const std::string& path, const std::string& bytes) {
    const std::filesystem::path full = folder_ / path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full, std::ios::binary) << bytes;
  }

  absl::StatusOr<loaders::Loaded> LoadFolder() {
    loaders::LoadRequest request;
    request.files = {folder_.string()};
    static constexpr const loaders::Format* kFormats[] = {&kCtfFormat};
    return loaders::Load(request, kFormats);
  }

  // Makes two sessions, each with a run of the op "dense/MatMul".
  static std::string Events() {
    std::string events;
    uint64_t time = 100;
    for (const int32_t count : {1, 2}) {
      events += ctf::TestEvent(0, time).Put(count).bytes();
      for (const uint16_t id : {2, 3}) {
        events += ctf::TestEvent(id, time + 10 * id)
                      .PutString("/job:w/replica:0/task:0/device:CPU:0")
                      .PutString("dense/MatMul")
                      .bytes();
      }
      events += ctf::TestEvent(1, time + 50).Put(count).bytes();
      time += 100;
    }
    return events;
  }
  static std::string Metadata() {
    std::string text;
    int id = 0;
    for (const std::string name :
         {"session_start", "session_end", "operation_start", "operation_end"}) {
      text += "event { name = \"tensorflowTracer:" + name +
              "\"; id = " + std::to_string(id) + "; stream_id = 0; fields := " +
              (id < 2 ? "struct { int32_t _count; }; };"
                      : "struct { string _placement; string _name; }; };");
      ++id;
    }
    return ctf::TestMetadata(text);
  }

  const std::filesystem::path folder_;
};

TEST_F(CtfLoadTest, AFolderWithATraceBelowItIsOpened) {
  Write("ust/uid/0/64-bit/metadata", Metadata());
  Write("ust/uid/0/64-bit/ch_0",
        ctf::PacketBytes({.begin = 100, .end = 400, .events = Events()}));
  Write("ust/uid/0/64-bit/index/ch_0.idx", "not a stream");
  const auto loaded = LoadFolder();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_FALSE(loaded->log.damaged());
  const profile::Profile& profile = loaded->profile;
  ASSERT_EQ(profile.steps().size(), 2u);
  EXPECT_EQ(profile.steps()[0]->id, 1);
  EXPECT_EQ(profile.steps()[1]->id, 2);
  const profile::NodeId node =
      profile.nodes().Find(profile.strings().Find("dense/MatMul"));
  ASSERT_NE(node, profile::kNone);
  for (const auto& step : profile.steps()) {
    ASSERT_EQ(step->num_executions(), 1u);
    EXPECT_EQ(step->FindGroup(node), 0u);
    EXPECT_EQ(step->exec_duration.Ticks(0), 10);
  }
}

TEST_F(CtfLoadTest, AFileBesideTheFolderOfATraceIsNotLostInSilence) {
  Write("graph.pb", "a graph");
  Write("ust/metadata", Metadata());
  Write("ust/ch_0",
        ctf::PacketBytes({.begin = 100, .end = 400, .events = Events()}));
  const auto loaded = LoadFolder();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  std::string met;
  for (const std::string& line : loaded->log.Lines()) met += line + "\n";
  EXPECT_THAT(met, testing::HasSubstr("graph.pb: skipped: beside a folder"));
  EXPECT_THAT(met, testing::Not(testing::HasSubstr("ch_0")));
}

TEST_F(CtfLoadTest, AChunkThatIsThereTwiceCountsOnce) {
  const std::string packet =
      ctf::PacketBytes({.begin = 100, .end = 400, .events = Events()});
  for (const std::string chunk : {"archives/1", "archives/2"}) {
    Write(chunk + "/metadata", Metadata());
    Write(chunk + "/ch_0", packet);
  }
  const auto loaded = LoadFolder();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ASSERT_EQ(loaded->profile.steps().size(), 2u);
  EXPECT_EQ(loaded->profile.steps()[0]->num_executions(), 1u);
}

TEST_F(CtfLoadTest, TheTraceCanBeReadAgain) {
  Write("metadata", Metadata());
  Write("ch_0",
        ctf::PacketBytes({.begin = 100, .end = 400, .events = Events()}));
  const auto loaded = LoadFolder();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ASSERT_NE(loaded->ctf_trace, nullptr);
  const auto trace = loaded->ctf_trace->Read(nullptr);
  ASSERT_TRUE(trace.ok()) << trace.status();
  EXPECT_EQ(trace->facts.num_events, 8u);
  EXPECT_EQ(trace->facts.sessions.size(), 2u);
  EXPECT_EQ(trace->files.num_packets, 1u);
}

TEST_F(CtfLoadTest, ATraceThatHasChangedIsNotReadAgain) {
  Write("metadata", Metadata());
  Write("ch_0",
        ctf::PacketBytes({.begin = 100, .end = 400, .events = Events()}));
  const auto loaded = LoadFolder();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  Write("ch_1",
        ctf::PacketBytes(
            {.begin = 500, .end = 800, .number = 1, .events = Events()}));
  const absl::Status changed = loaded->ctf_trace->Read(nullptr).status();
  EXPECT_EQ(changed.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(changed.message()),
              HasSubstr("had 8 events when it was loaded and has 16 now"));
  std::filesystem::remove_all(folder_);
  EXPECT_FALSE(loaded->ctf_trace->Read(nullptr).ok());
}

TEST_F(CtfLoadTest, ACancelledReadSaysSo) {
  Write("metadata", Metadata());
  Write("ch_0",
        ctf::PacketBytes({.begin = 100, .end = 400, .events = Events()}));
  const auto loaded = LoadFolder();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  util::Cancellation cancellation;
  cancellation.Request();
  EXPECT_EQ(loaded->ctf_trace->Read(&cancellation).status().code(),
            absl::StatusCode::kCancelled);
}

TEST_F(CtfLoadTest, MetadataWithoutStreamsIsAnError) {
  Write("metadata", "/* CTF 1.8 */ trace { major = ");
  const auto loaded = LoadFolder();
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(std::string(loaded.status().message()),
              HasSubstr("the metadata declares no stream"));
}

}  // namespace
}  // namespace tfprof::ctf
