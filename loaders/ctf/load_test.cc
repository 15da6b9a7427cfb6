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
        events += ctf::TestEvent(id, time + uint64_t{10} * id)
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

// A recording by tfprof: an op on a GPU, a range around it, and a copy.
TEST_F(CtfLoadTest, CallsOfTheHostAndWorkOfItsGpu) {
  constexpr std::string_view kFields[][2] = {
      {"step_begin", "int32_t _step; string _name;"},
      {"step_end", "int32_t _step;"},
      {"range_begin", "uint16_t _depth; string _name;"},
      {"range_end", "uint16_t _depth;"},
      {"op_begin",
       "uint16_t _depth; int32_t _step; string _name; string _type; "
       "string _device;"},
      {"op_end", "uint16_t _depth;"},
      {"work",
       "uint16_t _work; uint16_t _clock; uint16_t _profiled; uint64_t _bytes; "
       "uint64_t _start; uint64_t _end; string _kind; string _name; "
       "string _device;"}};
  std::string text;
  for (size_t id = 0; id < std::size(kFields); ++id) {
    text += "event { name = \"tfprof:" + std::string(kFields[id][0]) +
            "\"; id = " + std::to_string(id) +
            "; stream_id = 0; fields := struct { " +
            std::string(kFields[id][1]) + " }; };";
  }
  Write("metadata", ctf::TestMetadata(text));
  const uint16_t zero = 0;
  std::string events =
      ctf::TestEvent(0, 100).Put(int32_t{7}).PutString("train").bytes();
  events += ctf::TestEvent(2, 110).Put(zero).PutString("mix").bytes();
  events += ctf::TestEvent(4, 120, 5)
                .Put(zero)
                .Put(int32_t{7})
                .PutString("dense/MatMul")
                .PutString("MatMul")
                .PutString("/job:w/replica:0/task:0/device:GPU:0")
                .bytes();
  events += ctf::TestEvent(5, 130, 5).Put(zero).bytes();
  events += ctf::TestEvent(3, 150).Put(zero).bytes();
  events += ctf::TestEvent(6, 190)
                .Put(uint16_t{1})
                .Put(zero)
                .Put(uint16_t{1})
                .Put(uint64_t{64})
                .Put(uint64_t{160})
                .Put(uint64_t{180})
                .PutString("HtoD")
                .PutString("Memcpy HtoD")
                .PutString("CUDA:0")
                .bytes();
  events += ctf::TestEvent(1, 200).Put(int32_t{7}).bytes();
  Write("ch_0", ctf::PacketBytes({.begin = 100, .end = 400, .events = events}));
  const auto loaded = LoadFolder();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const profile::Profile& profile = loaded->profile;
  const profile::LaneTable& lanes = profile.lanes();
  const profile::Lane* op = nullptr;
  const profile::Lane* range = nullptr;
  const profile::Lane* copies = nullptr;
  for (profile::LaneId id = 0; id < lanes.size(); ++id) {
    (lanes[id].kind == profile::LaneKind::kLaunches     ? op
     : lanes[id].kind == profile::LaneKind::kAnnotation ? range
                                                        : copies) = &lanes[id];
  }
  ASSERT_TRUE(op != nullptr && range != nullptr && copies != nullptr);
  EXPECT_EQ(op->thread, 5);
  EXPECT_EQ(range->thread, 1);
  EXPECT_TRUE(range->calls_nest);
  EXPECT_EQ(lanes.physical(range->physical).kind, "cpu");
  EXPECT_EQ(copies->kind, profile::LaneKind::kCopies);
  EXPECT_EQ(copies->physical, op->physical) << "one GPU with two names";
  EXPECT_EQ(lanes.physical(op->physical).label, "gpu:0");
  ASSERT_EQ(profile.steps().size(), 1u);
  const profile::Step& step = *profile.steps()[0];
  bool found = false;
  for (size_t e = step.num_executions(); e < step.num_records(); ++e) {
    const auto record = static_cast<profile::RecordRef>(step.exec_record[e]);
    const profile::Transfer transfer = profile.TransferOf(record);
    if (transfer.bytes < 0) continue;
    found = true;
    EXPECT_EQ(transfer.bytes, 64);
    EXPECT_EQ(transfer.kind, profile::CopyKind::kToDevice);
  }
  EXPECT_TRUE(found);
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
