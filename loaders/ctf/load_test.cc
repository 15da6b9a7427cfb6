#include "loaders/ctf/load.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load.h"
#include "loaders/ctf/ctf_testing.h"
#include "loaders/ctf/format.h"
#include "loaders/ctf/trace_reader.h"

namespace tfprof::ctf {
namespace {

using ::testing::ElementsAreArray;
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

// Such a kernel has the name of its operation, and no device.
TEST_F(CtfLoadTest, AKernelIsOnTheDeviceOfItsOperation) {
  std::string kernels;
  for (const int id : {4, 5}) {
    kernels += "event { name = \"cudaTracer:kernel_" +
               std::string(id == 4 ? "begin" : "end") +
               "\"; id = " + std::to_string(id) +
               "; stream_id = 0; fields := struct { string _cat; string _name; "
               "uint64_t _timestamp; }; };";
  }
  Write("metadata", Metadata() + kernels);
  std::string events = ctf::TestEvent(0, 10000).Put(int32_t{1}).bytes();
  for (const int gpu : {0, 1}) {
    const std::string name = "tower_" + std::to_string(gpu) + "/MatMul";
    for (const uint16_t id : {2, 3}) {
      events += ctf::TestEvent(id, 10000u + 1000u * id + 5000u * gpu)
                    .PutString("/job:w/replica:0/task:0/device:GPU:" +
                               std::to_string(gpu))
                    .PutString(name)
                    .bytes();
    }
  }
  events += ctf::TestEvent(1, 60000).Put(int32_t{1}).bytes();
  for (const uint64_t gpu : {0, 1}) {
    const std::string name = "tower_" + std::to_string(gpu) + "/MatMul";
    for (const uint16_t id : {4, 5}) {
      events += ctf::TestEvent(id, 61000)
                    .PutString("kernel")
                    .PutString(name)
                    .Put(uint64_t{20} + 10 * gpu + id)
                    .bytes();
    }
  }
  Write("ch_0",
        ctf::PacketBytes({.begin = 10000, .end = 70000, .events = events}));
  const auto loaded = LoadFolder();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const profile::LaneTable& lanes = loaded->profile.lanes();
  std::vector<std::string> devices;
  for (profile::LaneId id = 0; id < lanes.size(); ++id) {
    if (lanes[id].kind == profile::LaneKind::kKernels) {
      devices.push_back(lanes.physical(lanes[id].physical).label);
    }
  }
  EXPECT_THAT(devices, ElementsAreArray({"gpu:0", "gpu:1"}));
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

// The events of tfprof's recorder that the tests use.
constexpr uint16_t kStepBegin = 0, kStepEnd = 1, kRangeBegin = 2, kRangeEnd = 3,
                   kOpBegin = 4, kOpEnd = 5, kWork = 6, kCall = 7;
std::string RecorderMetadata() {
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
       "uint64_t _start; uint64_t _end; uint64_t _correlation; string _queue; "
       "string _kind; string _name; string _device;"},
      {"call",
       "uint64_t _correlation; uint32_t _thread; uint64_t _begin; "
       "uint64_t _end; string _domain; string _name;"}};
  std::string text;
  for (size_t id = 0; id < std::size(kFields); ++id) {
    text += "event { name = \"tfprof:" + std::string(kFields[id][0]) +
            "\"; id = " + std::to_string(id) +
            "; stream_id = 0; fields := struct { " +
            std::string(kFields[id][1]) + " }; };";
  }
  return ctf::TestMetadata(text);
}

// Work of the device CUDA:0, recorded at its end; `work` 0 is a kernel, 1 a
// copy of 64 bytes.
std::string RecordedWork(uint16_t work, uint64_t start, uint64_t end,
                         uint64_t correlation, std::string_view name) {
  return ctf::TestEvent(kWork, end)
      .Put(work)
      .Put(uint16_t{0})
      .Put(uint16_t{1})
      .Put(uint64_t{work == 1 ? 64u : 0u})
      .Put(start)
      .Put(end)
      .Put(correlation)
      .PutString("7")
      .PutString("")
      .PutString(name)
      .PutString("CUDA:0")
      .bytes();
}

std::string RecordedCall(uint64_t begin, uint64_t end, uint64_t correlation,
                         std::string_view name) {
  return ctf::TestEvent(kCall, end)
      .Put(correlation)
      .Put(uint32_t{1})
      .Put(begin)
      .Put(end)
      .PutString("cuda")
      .PutString(name)
      .bytes();
}

// A recording by tfprof: an op on a GPU, a range around it, and a copy.
TEST_F(CtfLoadTest, CallsOfTheHostAndWorkOfItsGpu) {
  Write("metadata", RecorderMetadata());
  const uint16_t zero = 0;
  std::string events = ctf::TestEvent(kStepBegin, 100)
                           .Put(int32_t{7})
                           .PutString("train")
                           .bytes();
  events += ctf::TestEvent(kRangeBegin, 110).Put(zero).PutString("mix").bytes();
  events += ctf::TestEvent(kOpBegin, 120, 5)
                .Put(zero)
                .Put(int32_t{7})
                .PutString("dense/MatMul")
                .PutString("MatMul")
                .PutString("/job:w/replica:0/task:0/device:GPU:0")
                .bytes();
  events += ctf::TestEvent(kOpEnd, 130, 5).Put(zero).bytes();
  events += ctf::TestEvent(kRangeEnd, 150).Put(zero).bytes();
  events += RecordedWork(1, 160, 180, 0, "Memcpy HtoD");
  events += ctf::TestEvent(kStepEnd, 200).Put(int32_t{7}).bytes();
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

// Without operations, calls and ranges are the operations, or a recording of a
// program of CUDA would have nothing to show.
TEST_F(CtfLoadTest, ATraceWithoutOperationsHasCallsRangesAndKernels) {
  Write("metadata", RecorderMetadata());
  std::string events =
      ctf::TestEvent(kStepBegin, 100).Put(int32_t{7}).PutString("").bytes();
  events += ctf::TestEvent(kRangeBegin, 110)
                .Put(uint16_t{0})
                .PutString("mix")
                .bytes();
  events += RecordedCall(120, 130, 33, "cudaLaunchKernel_v7000");
  events += ctf::TestEvent(kRangeEnd, 150).Put(uint16_t{0}).bytes();
  events += RecordedCall(160, 170, 34, "cudaMemcpyAsync_v3020");
  events += RecordedWork(1, 172, 180, 34, "Memcpy HtoD");
  events += RecordedWork(0, 181, 191, 99, "lonely");
  events += ctf::TestEvent(kStepEnd, 200).Put(int32_t{7}).bytes();
  // It ends after the step in which it was launched.
  events += RecordedWork(0, 195, 260, 33, "gemm");
  events += RecordedCall(270, 275, 0, "cudaDeviceSynchronize_v3020");
  Write("ch_0", ctf::PacketBytes({.begin = 100, .end = 400, .events = events}));
  const auto loaded = LoadFolder();
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const profile::Profile& profile = loaded->profile;
  EXPECT_TRUE(profile.graph().self_times);
  // Step, node, kind of lane, recorded name, nanoseconds.
  using Row =
      std::tuple<int64_t, std::string, std::string, std::string, int64_t>;
  std::vector<Row> rows;
  for (const auto& step : profile.steps()) {
    EXPECT_EQ(step->num_outside(), 0u);
    for (size_t g = 0; g < step->num_groups(); ++g) {
      for (size_t e = step->exec_begin(g); e < step->exec_end(g); ++e) {
        const profile::Lane& lane = profile.lanes()[step->LaneOf(e)];
        rows.emplace_back(
            step->id,
            std::string(
                profile.node_name(static_cast<profile::NodeId>(step->node[g]))),
            std::string(profile::LaneKindName(lane.kind)),
            std::string(
                profile
                    .Text(static_cast<profile::RecordRef>(step->exec_record[e]))
                    .name),
            step->exec_duration.Nanos(e));
      }
    }
  }
  std::ranges::sort(rows);
  const std::vector<Row> want = {
      {profile::kOutsideSteps, "cudaDeviceSynchronize", "launches",
       "cudaDeviceSynchronize_v3020", 5},
      {7, "(launch not in the file)/lonely", "kernels", "lonely", 10},
      {7, "cudaMemcpyAsync", "copies", "Memcpy HtoD", 8},
      {7, "cudaMemcpyAsync", "launches", "cudaMemcpyAsync_v3020", 10},
      {7, "mix", "compute", "mix", 40},
      {7, "mix", "kernels", "gemm", 65},
      {7, "mix/cudaLaunchKernel", "launches", "cudaLaunchKernel_v7000", 10}};
  EXPECT_THAT(rows, ElementsAreArray(want));
  EXPECT_EQ(profile.links().size(), 2u);
  ASSERT_EQ(profile.step_intervals().size(), 1u);
  EXPECT_EQ(profile.step_intervals()[0].step, 7);
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
