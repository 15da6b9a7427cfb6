#include "loaders/memory_snapshot/snapshot.h"

#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "loaders/core/load_context.h"
#include "loaders/core/load_testing.h"
#include "loaders/memory_snapshot/snapshot_nodes.h"

namespace tfprof::memory_snapshot {
namespace {

using profile::AllocatorBlock;
using profile::AllocatorEvent;
using namespace std::string_literals;

// ---- Values of a pickle.

std::string Text(std::string_view text) {
  std::string bytes = "\x8c";
  bytes += static_cast<char>(text.size());
  bytes += text;
  return bytes;
}
std::string Number(int32_t number) {
  std::string bytes = "J";
  for (int i = 0; i < 4; ++i) {
    bytes += static_cast<char>(static_cast<uint32_t>(number) >> (8 * i));
  }
  return bytes;
}
std::string Dict(const std::string& items) { return "}(" + items + "u"; }
std::string List(const std::string& items) { return "](" + items + "e"; }
std::string Pickle(const std::string& value) {
  return "\x80\x04" + value + ".";
}

std::string Frame(std::string_view file, int32_t line,
                  std::string_view function) {
  return Dict(Text("name") + Text(function) + Text("filename") + Text(file) +
              Text("line") + Number(line));
}
std::string Stack(std::string_view function) {
  return Text("frames") +
         List(Frame("??", 0, "c10::alloc") + Frame("/u/train.py", 7, function) +
              Frame("/u/train.py", 9, "main"));
}

std::string Event(std::string_view action, int32_t address, int32_t size,
                  int32_t time, const std::string& more = "") {
  return Dict(Text("action") + Text(action) + Text("addr") + Number(address) +
              Text("size") + Number(size) + Text("time_us") + Number(time) +
              more);
}
std::string Block(int32_t address, int32_t size, int32_t requested,
                  std::string_view state) {
  return Dict(Text("address") + Number(address) + Text("size") + Number(size) +
              Text("requested_size") + Number(requested) + Text("state") +
              Text(state) + Stack("held"));
}
std::string Segment(int32_t device, int32_t address, int32_t size,
                    const std::string& blocks) {
  return Dict(Text("device") + Number(device) + Text("address") +
              Number(address) + Text("total_size") + Number(size) +
              Text("stream") + Number(3) + Text("segment_type") +
              Text("small") + Text("segment_pool_id") + Number(0) + Number(3) +
              "\x86" + Text("is_expandable") + "\x88" + Text("blocks") +
              List(blocks));
}
std::string Snapshot(const std::string& segments, const std::string& events) {
  return Pickle(Dict(Text("segments") + List(segments) + Text("device_traces") +
                     List(List(events))));
}

class SnapshotTest : public ::testing::Test {
 protected:
  absl::StatusOr<profile::Allocators> Read(const std::string& bytes) {
    const auto file = loaders::InputFile::FromBytes("s.pickle", bytes);
    return ReadSnapshot(*file, {}, context_.builder.mutable_graph(),
                        context_.log);
  }
  profile::Allocators ReadGood(const std::string& bytes) {
    auto read = Read(bytes);
    EXPECT_TRUE(read.ok()) << read.status();
    return *std::move(read);
  }
  std::string FunctionOf(profile::StackId stack) {
    const profile::GraphTables& graph = context_.builder.graph();
    const profile::Frame& frame = graph.stacks.frame(graph.stacks[stack].frame);
    return std::string(graph.strings.Get(frame.function));
  }

  loaders::LoadContext context_;
};

TEST_F(SnapshotTest, ReadsEventsAndSegments) {
  const profile::Allocators allocators =
      ReadGood(Snapshot(Segment(1, 1000, 100,
                                Block(1000, 60, 50, "active_allocated") +
                                    Block(1060, 30, 0, "inactive") +
                                    Block(1090, 10, 10, "active_pending_free")),
                        ""));
  ASSERT_EQ(allocators.size(), 1);
  const profile::AllocatorHistory& history = allocators[0];
  EXPECT_EQ(history.name, "gpu:1");
  ASSERT_EQ(history.segments.size(), 1);
  EXPECT_EQ(history.segments[0].bytes, 100);
  EXPECT_EQ(history.segments[0].stream, 3);
  EXPECT_TRUE(history.segments[0].small);
  EXPECT_TRUE(history.segments[0].expandable);
  EXPECT_EQ(history.segments[0].pool, profile::AllocatorPool(0, 3));
  ASSERT_EQ(history.blocks.size(), 3);
  EXPECT_EQ(history.blocks[0].requested, 50);
  EXPECT_EQ(history.blocks[0].state, AllocatorBlock::State::kAllocated);
  EXPECT_EQ(history.blocks[1].state, AllocatorBlock::State::kFree);
  EXPECT_EQ(history.blocks[2].state, AllocatorBlock::State::kAwaitingFree);
  EXPECT_FALSE(history.blocks[0].seen);
  // Frames of C++ are left out of a stack with Python frames.
  EXPECT_EQ(FunctionOf(history.blocks[0].stack), "held");
  EXPECT_TRUE(context_.log.entries().empty());
}

TEST_F(SnapshotTest, ReadsRangesThatHaveBothEnds) {
  const auto mark = [](std::string_view stage, std::string_view name,
                       int32_t time, int32_t device = 0) {
    return Dict(Text("stage") + Text(stage) + Text("name") + Text(name) +
                Text("device") + Number(device) + Text("time_us") +
                Number(time));
  };
  const profile::Allocators allocators = ReadGood(Pickle(
      Dict(Text("external_annotations") +
           List(mark("END", "before", 1) + mark("START", "outer", 2) +
                mark("START", "inner", 3) + mark("END", "inner", 4) +
                mark("START", "elsewhere", 4, /*device=*/9) +
                mark("END", "outer", 5) + mark("START", "after", 6)) +
           Text("segments") +
           List(Segment(0, 1000, 60, Block(1000, 60, 50, "active_allocated"))) +
           Text("device_traces") + List(List("")))));
  ASSERT_EQ(allocators.size(), 1);
  ASSERT_EQ(allocators[0].ranges.size(), 2);
  const auto& strings = context_.builder.graph().strings;
  EXPECT_EQ(strings.Get(allocators[0].ranges[0].name), "outer");
  EXPECT_EQ(allocators[0].ranges[0].start, 2000);
  EXPECT_EQ(allocators[0].ranges[0].end, 5000);
  EXPECT_EQ(strings.Get(allocators[0].ranges[1].name), "inner");
  EXPECT_TRUE(context_.log.entries().empty());
}

TEST_F(SnapshotTest, PairsAllocationsWithTheirReleases) {
  const profile::Allocators allocators = ReadGood(Snapshot(
      Segment(0, 1000, 60, Block(1000, 60, 50, "active_allocated")),
      Event("segment_alloc", 1000, 60, 1) +
          Event("alloc", 1000, 8, 2, Stack("a")) +
          Event("free_requested", 1000, 8, 3) +
          Event("free_completed", 1000, 8, 4) +
          Event("alloc", 1000, 50, 5, Stack("b")) +
          Event("free_completed", 2000, 7, 6) +
          Dict(Text("action") + Text("oom") + Text("size") + Number(99) +
               Text("device_free") + Number(44) + Text("stream") + Number(9) +
               Text("time_us") + Number(7))));
  ASSERT_EQ(allocators.size(), 1);
  const profile::AllocatorHistory& history = allocators[0];
  ASSERT_EQ(history.events.size(), 7);
  EXPECT_EQ(history.events[0].kind, AllocatorEvent::Kind::kReserve);
  EXPECT_EQ(history.events[1].pair, 3);
  EXPECT_EQ(history.events[3].pair, 1);
  EXPECT_EQ(FunctionOf(history.events[1].stack), "a");
  EXPECT_EQ(history.events[1].time, 2000);
  EXPECT_EQ(history.events[4].pair, profile::kNone);
  EXPECT_EQ(history.events[5].pair, profile::kNone);
  EXPECT_EQ(history.events[6].kind, AllocatorEvent::Kind::kOutOfMemory);
  EXPECT_EQ(history.events[6].address, 44);
  EXPECT_EQ(history.failure_streams, std::vector<int64_t>{9});
  EXPECT_TRUE(history.blocks[0].seen);
}

TEST_F(SnapshotTest, EqualListsOfFramesAreOneStack) {
  std::string events;
  int32_t address = 0;
  for (const std::string_view function : {"a", "b", "a", "a", "b"}) {
    events += Event("alloc", ++address, 8, 2, Stack(function));
  }
  const profile::Allocators allocators = ReadGood(Snapshot("", events));
  std::vector<std::string> functions;
  std::set<profile::StackId> stacks;
  for (const AllocatorEvent& event : allocators[0].events) {
    functions.push_back(FunctionOf(event.stack));
    stacks.insert(event.stack);
  }
  EXPECT_EQ(functions, (std::vector<std::string>{"a", "b", "a", "a", "b"}));
  EXPECT_EQ(stacks.size(), 2u);
}

TEST_F(SnapshotTest, StacksWithoutPythonKeepTheirFrames) {
  const profile::Allocators allocators = ReadGood(
      Snapshot("", Event("alloc", 1, 8, 2,
                         Text("frames") + List(Frame("??", 0, "c10::alloc"))) +
                       Event("alloc", 2, 8, 2, Text("frames") + "]")));
  EXPECT_EQ(FunctionOf(allocators[0].events[0].stack), "c10::alloc");
  EXPECT_EQ(allocators[0].events[1].stack, profile::kNoStack);
}

// PyTorch 1.13: no addresses of blocks, sizes and stacks in their history.
TEST_F(SnapshotTest, ReadsTheHistoryOfBlocks) {
  const std::string block =
      Dict(Text("size") + Number(64) + Text("state") +
           Text("active_allocated") + Text("history") +
           List(Dict(Text("addr") + Number(5) + Text("real_size") + Number(40) +
                     Stack("first")) +
                Dict(Text("addr") + Number(6) + Text("real_size") + Number(9) +
                     Stack("second"))));
  const std::string segment = Dict(
      Text("device") + Number(0) + Text("address") + Number(1000) +
      Text("total_size") + Number(128) + Text("blocks") + List(block + block));
  const profile::Allocators allocators = ReadGood(Pickle(List(segment)));
  ASSERT_EQ(allocators[0].blocks.size(), 2);
  EXPECT_EQ(allocators[0].blocks[0].requested, 49);
  EXPECT_EQ(FunctionOf(allocators[0].blocks[0].stack), "first");
}

TEST_F(SnapshotTest, CountsWhatItDrops) {
  const profile::Allocators allocators = ReadGood(
      Snapshot(Segment(0, 1, 100, Block(1, 60, 50, "active_allocated")) +
                   Segment(0, 1, -5, Block(1, 60, 50, "inactive")) + Number(3),
               Event("alloc", 1, -1, 1) + Event("strange", 1, 1, 1) +
                   Number(3) + Event("alloc", 1, 1, 1)));
  EXPECT_EQ(allocators[0].events.size(), 1);
  EXPECT_EQ(allocators[0].segments.size(), 1);
  for (const std::string_view kind :
       {"segment whose blocks do not cover it", "segment without a size",
        "segment without size or blocks", "event without a size",
        "event of an unknown kind", "event without a kind"}) {
    EXPECT_EQ(loaders::CountOf(context_.log, kind), 1) << kind;
  }
}

TEST_F(SnapshotTest, RefusesWhatIsNoSnapshot) {
  for (const std::string& bytes :
       {Pickle(Number(3)), Pickle(Dict(Text("segments") + Number(3))),
        Pickle(Dict(Text("a") + Number(3))), Pickle("cos\nsystem\n"),
        "\x80\x04}("s}) {
    EXPECT_FALSE(Read(bytes).ok());
  }
}

TEST_F(SnapshotTest, KnowsItsFilesByContent) {
  EXPECT_TRUE(IsSnapshot(Snapshot("", "")));
  EXPECT_FALSE(IsSnapshot(Pickle(Dict(Text("segments") + Number(3)))));
  EXPECT_FALSE(IsSnapshot(""));
}

// The operator that needed the memory, not the one that makes tensors.
TEST_F(SnapshotTest, OperatorsComeFromNativeFrames) {
  const auto stack = [](const std::string& frames) {
    return Text("frames") +
           List(Frame("??", 0, "at::_ops::empty_strided::call(long)") + frames +
                Frame("/u/train.py", 7, "f"));
  };
  const profile::Allocators allocators = ReadGood(Snapshot(
      "", Event("alloc", 1, 8, 1,
                stack(Frame("??", 0, "at::_ops::mul_Tensor::redispatch(int)") +
                      Frame("??", 0, "at::_ops::linear::call(int)"))) +
              Event("alloc", 2, 8, 1, stack("")) +
              Event("alloc", 3, 8, 1, Stack("g"))));
  const auto op = [&](size_t event) {
    const profile::StringId id = allocators[0].events[event].op;
    return id == profile::kNone
               ? std::string()
               : std::string(context_.builder.graph().strings.Get(id));
  };
  EXPECT_EQ(op(0), "aten::mul_Tensor");
  EXPECT_EQ(op(1), "aten::empty_strided");
  EXPECT_EQ(op(2), "");
}

// An owner has the bytes that it allocated, held at the peak, and still held.
TEST_F(SnapshotTest, OwnersAreOperations) {
  const profile::Allocators allocators =
      ReadGood(Snapshot("", Event("alloc", 1, 8, 1, Stack("a")) +
                                Event("free_completed", 1, 8, 2) +
                                Event("alloc", 1, 5, 3, Stack("a")) +
                                Event("alloc", 2, 6, 4, Stack("b"))));
  AddSnapshotNodes(allocators, context_);
  const profile::Profile profile = std::move(context_.builder).Build();
  ASSERT_EQ(profile.steps().size(), 1);
  const profile::Step& step = *profile.steps()[0];
  ASSERT_EQ(step.num_groups(), 2);
  const profile::GroupSums a = step.sums.Of(0);
  EXPECT_EQ(profile.strings().Get(
                profile.nodes().op[static_cast<size_t>(step.node[0])]),
            "a");
  EXPECT_EQ(a.run_count, 2);
  EXPECT_EQ(a.requested_bytes, 13);
  EXPECT_EQ(a.peak_bytes, 5);
  EXPECT_EQ(a.residual_bytes, 5);
}

// The event is a row when the frame is appended to it, and no stack.
TEST_F(SnapshotTest, RefusesAFrameThatIsAppendedToAnEvent) {
  const std::string bytes =
      Snapshot("", Event("alloc", 1, 2, 3, Stack("a")) + '(' +
                       Frame("/u/train.py", 7, "f") + 'e');
  const auto read = Read(bytes);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.status().message().find("a list of frames has other values"),
            std::string_view::npos);
}

TEST_F(SnapshotTest, SurvivesMutations) {
  const std::string whole =
      Snapshot(Segment(0, 1000, 60, Block(1000, 60, 50, "active_allocated")),
               Event("alloc", 1000, 8, 2, Stack("a")) +
                   Event("free_completed", 1000, 8, 4));
  std::mt19937 random(5);
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(Read(whole.substr(0, size)).ok()) << size;
    std::string bytes = whole;
    for (int i = 0; i < 2; ++i) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    loaders::LoadContext context;
    const auto file = loaders::InputFile::FromBytes("s.pickle", bytes);
    const auto read =
        ReadSnapshot(*file, {}, context.builder.mutable_graph(), context.log);
    if (read.ok()) AddSnapshotNodes(*read, context);
  }
}

}  // namespace
}  // namespace tfprof::memory_snapshot
