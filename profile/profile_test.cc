#include "profile/profile.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/call_stacks.h"
#include "profile/device_table.h"
#include "profile/int_column.h"
#include "profile/profile_builder.h"
#include "profile/shape_table.h"
#include "profile/small_model.h"
#include "profile/step_list.h"
#include "profile/string_pool.h"
#include "profile/type_sets.h"
#include "util/threads.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

// ---- StringPool

TEST(StringPoolTest, IdsCountInOrderOfFirstSight) {
  StringPool pool;
  EXPECT_EQ(pool.Find("a"), kNone);
  EXPECT_EQ(pool.Intern("a"), 0u);
  EXPECT_EQ(pool.Intern(""), 1u);
  EXPECT_EQ(pool.Intern("a"), 0u);
  EXPECT_EQ(pool.Intern("b"), 2u);
  EXPECT_EQ(pool.Find("b"), 2u);
  EXPECT_EQ(pool.Get(1), "");
  EXPECT_EQ(pool.size(), 3u);
}

TEST(StringPoolTest, BytesAreArbitrary) {
  StringPool pool;
  const std::string zero("a\0b", 3), other("a\0c", 3), raw("\xff\xfe\n", 3);
  const StringId a = pool.Intern(zero);
  const StringId b = pool.Intern(other);
  EXPECT_NE(a, b);
  EXPECT_EQ(pool.Get(pool.Intern(raw)), raw);
  EXPECT_EQ(pool.Get(a), zero);
  EXPECT_EQ(pool.Find("a"), kNone);
}

TEST(StringPoolTest, ManyStringsStayWhereTheyAre) {
  StringPool pool;
  const std::string_view first = pool.Get(pool.Intern("first"));
  constexpr int kStrings = 200000;
  for (int i = 0; i < kStrings; ++i) {
    ASSERT_EQ(pool.Intern("while/body/layer_" + std::to_string(i)),
              static_cast<StringId>(i + 1));
  }
  for (int i = 0; i < kStrings; i += 17) {
    const std::string s = "while/body/layer_" + std::to_string(i);
    ASSERT_EQ(pool.Find(s), static_cast<StringId>(i + 1));
    ASSERT_EQ(pool.Get(i + 1), s);
  }
  EXPECT_EQ(pool.Find("while/body/layer_-1"), kNone);
  EXPECT_EQ(first.data(), pool.Get(0).data());
  EXPECT_EQ(first, "first");
}

TEST(StringPoolTest, LongStrings) {
  StringPool pool;
  const std::string a(3 << 20, 'a');
  const std::string b = a + "b";
  const StringId ia = pool.Intern(a), ib = pool.Intern(b);
  pool.Intern("short");
  EXPECT_EQ(pool.Get(ia), a);
  EXPECT_EQ(pool.Get(ib), b);
  EXPECT_GE(pool.bytes(), a.size() + b.size());
}

TEST(StringPoolTest, CopyIsIndependent) {
  auto pool = std::make_unique<StringPool>();
  for (int i = 0; i < 1000; ++i) pool->Intern(std::to_string(i));
  StringPool copy(*pool);
  EXPECT_EQ(copy.Intern("new"), 1000u);
  EXPECT_EQ(pool->Find("new"), kNone);
  EXPECT_EQ(pool->Intern("other"), 1000u);
  pool.reset();  // the copy owns its bytes
  EXPECT_EQ(copy.Get(1000), "new");
  EXPECT_EQ(copy.Find("other"), kNone);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(copy.Get(i), std::to_string(i));
    ASSERT_EQ(copy.Find(std::to_string(i)), static_cast<StringId>(i));
  }
}

TEST(StringPoolTest, TrimmingKeepsEverything) {
  StringPool pool;
  for (int i = 0; i < 5000; ++i) pool.Intern("s" + std::to_string(i));
  const size_t before = pool.bytes();
  pool.Trim();
  EXPECT_LE(pool.bytes(), before);
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(pool.Find("s" + std::to_string(i)), static_cast<StringId>(i));
  }
  EXPECT_EQ(pool.Intern("more"), 5000u);
}

// ---- IntColumn

TEST(IntColumnTest, WidthFollowsTheSpan) {
  struct Case {
    std::vector<int64_t> values;
    size_t width;
  };
  const Case cases[] = {
      {{7}, 0},
      {{kMin, kMin}, 0},
      {{0, 255}, 1},
      {{1000, 1255, 1001}, 1},
      {{-3, 252}, 1},
      {{0, 256}, 2},
      {{-1, 65534}, 2},
      {{0, 65536}, 4},
      {{1700000000000000, 1700004294967295}, 4},
      {{0, int64_t{1} << 32}, 8},
      {{kMin, kMax, 0, -1, 1}, 8},
  };
  for (const Case& c : cases) {
    const IntColumn column(c.values);
    ASSERT_EQ(column.size(), c.values.size());
    EXPECT_EQ(column.bytes(), c.width * c.values.size()) << c.values.back();
    for (size_t i = 0; i < c.values.size(); ++i) {
      EXPECT_EQ(column[i], c.values[i]) << i;
    }
  }
}

TEST(IntColumnTest, Empty) {
  EXPECT_EQ(IntColumn().size(), 0u);
  EXPECT_EQ(IntColumn(std::vector<int64_t>()).size(), 0u);
  EXPECT_EQ(IntColumn().bytes(), 0u);
}

// ---- Devices (spec 3.2)

TEST(DeviceTableTest, Classification) {
  struct Case {
    std::string name;
    bool canonical, stream, gpu, cpu;
  };
  const Case cases[] = {
      {"/job:w/replica:0/task:0/device:GPU:0", true, false, true, false},
      {"/job:w/replica:0/task:0/device:CPU:0", true, false, false, true},
      {"/gpu:0", true, false, true, false},
      {"/CPU:17", true, false, false, true},
      {"/device:cpu:123456789012345678901", true, false, false, true},
      {"gpu:0", false, false, true, false},
      {"/device:gpu:", false, false, true, false},
      {"/device:gpu:0x", false, false, true, false},
      {"/device:gpu:-1", false, false, true, false},
      {"/device:gpu:0 ", false, false, true, false},
      {"/device:gpu:0/stream:all", false, true, true, false},
      {"/job:w/device:GPU:0:stream:all", false, true, true, false},
      {"/job:w/device:GPU:0:STREAM:ALL", false, true, true, false},
      {"/device:gpu:0/stream:16", false, false, true, false},
      {"/device:gpu:0/memcpy", false, false, true, false},
      {"/job:w/device:TPU:0", false, false, false, false},
      {"/job:w/device:XLA_GPU:0", false, false, true, false},
      {"/job:w/device:XLA_CPU:0", false, false, false, true},
      {"/host:CPU", false, false, false, true},
      {"/host:CPU:0", false, false, false, true},
      {"/stream:all/cpu:0", true, true, false, true},
      {"/gpu:0/cpu:1", true, false, true, true},
      {"a\n/cpu:0", false, false, false, true},
      {"", false, false, false, false},
  };
  for (const Case& c : cases) {
    const Device d = ClassifyDevice(c.name);
    EXPECT_EQ(d.canonical, c.canonical) << c.name;
    EXPECT_EQ(d.accelerator_stream, c.stream) << c.name;
    EXPECT_EQ(d.on_gpu, c.gpu) << c.name;
    EXPECT_EQ(d.on_cpu, c.cpu) << c.name;
  }
}

TEST(DeviceTableTest, HostDevice) {
  EXPECT_EQ(HostDevice("/job:w/device:gpu:12"), "/job:w/device:cpu:0");
  EXPECT_EQ(HostDevice("/gpu:1/gpu:22"), "/cpu:0/cpu:0");
  EXPECT_EQ(HostDevice("/device:cpu:3"), "/device:cpu:3");
  EXPECT_EQ(HostDevice("/gpu:"), "/gpu:");
}

TEST(DeviceTableTest, OneDeviceWhateverTheCase) {
  DeviceTable devices;
  const DeviceId a = devices.Intern("/Device:GPU:0");
  EXPECT_EQ(devices.Intern("/device:gpu:0"), a);
  EXPECT_EQ(devices.name(a), "/device:gpu:0");
  EXPECT_TRUE(devices[a].canonical);
  EXPECT_EQ(devices.Intern("/device:gpu:1"), a + 1);
  EXPECT_EQ(devices.size(), 2u);
}

TEST(DeviceTableTest, LowerCaseIsAsciiOnly) {
  EXPECT_EQ(LowerCase("AZ[`az\xc3\x84\x80"), "az[`az\xc3\x84\x80");
}

// ---- TypeSets

TEST(TypeSetsTest, SetsAreSortedAndShared) {
  StringPool strings;
  const StringId b = strings.Intern("b"), a = strings.Intern("a"),
                 c = strings.Intern("c");
  TypeSets sets;
  const TypeSetId ba = sets.Add(sets.Add(kNoTypes, b, strings), a, strings);
  const TypeSetId ab = sets.Add(sets.Add(kNoTypes, a, strings), b, strings);
  EXPECT_EQ(ab, ba);
  EXPECT_THAT(sets[ab], ElementsAre(a, b));
  EXPECT_EQ(sets.Add(ab, b, strings), ab);
  const TypeSetId all = sets.AddAll(kNoTypes, {c, b, a, b}, strings);
  EXPECT_THAT(sets[all], ElementsAre(a, b, c));
  EXPECT_EQ(sets.Add(ab, c, strings), all);
  EXPECT_THAT(sets[kNoTypes], IsEmpty());
}

TEST(TypeSetsTest, ManyTypesAtOnceMakeOneSet) {
  StringPool strings;
  std::vector<StringId> types;
  for (int i = 0; i < 10000; ++i) {
    types.push_back(strings.Intern(std::to_string(i)));
  }
  TypeSets sets;
  const size_t before = sets.size();
  const TypeSetId id = sets.AddAll(kNoTypes, types, strings);
  EXPECT_EQ(sets[id].size(), types.size());
  EXPECT_EQ(sets.size(), before + 1);
}

// ---- CallStacks

TEST(CallStacksTest, StacksShareTheirCallers) {
  CallStacks stacks;
  const Frame main = {.file = 0, .function = 1, .lineno = 10};
  const Frame build = {.file = 0, .function = 2, .lineno = 20};
  const Frame other = {.file = 0, .function = 2, .lineno = 21};
  const StackId root = stacks.Push(kNoStack, main);
  const StackId a = stacks.Push(root, build);
  EXPECT_EQ(stacks.Push(stacks.Push(kNoStack, main), build), a);
  const StackId b = stacks.Push(root, other);
  EXPECT_NE(a, b);
  EXPECT_EQ(stacks.num_frames(), 3u);
  EXPECT_EQ(stacks.size(), 4u);  // with the empty one
  const std::vector<FrameId> frames = stacks.Frames(b);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(stacks.frame(frames[0]), main);
  EXPECT_EQ(stacks.frame(frames[1]), other);
  EXPECT_THAT(stacks.Frames(kNoStack), IsEmpty());
}

TEST(CallStacksTest, RecursionIsDeep) {
  CallStacks stacks;
  StackId id = kNoStack;
  for (int i = 0; i < 1000; ++i) id = stacks.Push(id, {.lineno = 1});
  EXPECT_EQ(stacks.num_frames(), 1u);
  EXPECT_EQ(stacks.Frames(id).size(), 1000u);
}

// ---- ShapeTable

TEST(ShapeTableTest, ShapesAndParameters) {
  ShapeTable shapes;
  EXPECT_EQ(shapes.Intern({}), kUnknownShape);
  const auto parameters = [&](std::vector<int64_t> dims) {
    return shapes.Parameters(shapes.Intern(dims));
  };
  EXPECT_EQ(parameters({}), 0);
  EXPECT_EQ(parameters({1}), 1);
  EXPECT_EQ(parameters({3, 3, 3, 6}), 162);
  EXPECT_EQ(parameters({3, -1}), 0);
  EXPECT_EQ(parameters({3, 0}), 0);
  // Wraps as the reference's arithmetic does.
  EXPECT_EQ(parameters({int64_t{1} << 62, 2}), kMin);
  EXPECT_EQ(parameters({int64_t{1} << 32, int64_t{1} << 32}), 0);
}

TEST(ShapeTableTest, DistinctShapesOnce) {
  ShapeTable shapes;
  const std::vector<int64_t> ab = {2, 3}, ba = {3, 2};
  const ShapeId id = shapes.Intern(ab);
  EXPECT_NE(shapes.Intern(ba), id);
  EXPECT_EQ(shapes.Intern(ab), id);
  EXPECT_THAT(shapes[id], ElementsAre(2, 3));
  EXPECT_EQ(shapes.size(), 3u);
}

// ---- ProfileBuilder: the graph

TEST(ProfileBuilderTest, FirstDefinitionWins) {
  ProfileBuilder builder;
  EXPECT_EQ(builder.AddNode("n", "Conv2D", 5), 0u);
  EXPECT_EQ(builder.AddNode("n", "MatMul", 6), kNone);
  EXPECT_EQ(builder.AddNode("m", "n", 7), 1u);
  const Profile profile = std::move(builder).Build();
  ASSERT_EQ(profile.nodes().size(), 2u);
  EXPECT_EQ(profile.node_name(0), "n");
  EXPECT_EQ(profile.strings().Get(profile.nodes().op[0]), "Conv2D");
  EXPECT_EQ(profile.nodes().record[0], 5u);
}

TEST(ProfileBuilderTest, EdgesFindTheirSourcesWhenTheyCome) {
  ProfileBuilder builder;
  const NodeId consumer =
      AddNodeWithInputs(builder, "c", "Add", {"late", "never"}, {});
  const NodeId late = AddNodeWithInputs(builder, "late", "Const", {}, {4});
  const Profile profile = std::move(builder).Build();
  const NodeTable& nodes = profile.nodes();
  ASSERT_EQ(nodes.num_inputs(consumer), 2u);
  EXPECT_EQ(nodes.Source(consumer, 0), late);
  EXPECT_EQ(nodes.Source(consumer, 1), kNone);
  EXPECT_THAT(profile.graph().shapes[nodes.InputShape(consumer, 0)],
              ElementsAre(4));
  EXPECT_EQ(nodes.InputShape(consumer, 1), kUnknownShape);
  EXPECT_EQ(nodes.num_inputs(late), 0u);
}

TEST(ProfileBuilderTest, OptionalEdgeColumns) {
  ProfileBuilder builder;
  GraphTables& graph = builder.mutable_graph();
  builder.AddNode("s", "Split", kNoRecord);
  builder.AddOutputShape(0, graph.shapes.Intern(std::vector<int64_t>{1}));
  builder.AddOutputShape(2, graph.shapes.Intern(std::vector<int64_t>{2, 2}));
  const StringId s = graph.strings.Find("s");
  builder.AddNode("a", "Add", kNoRecord);
  builder.AddEdge(s, 0, 0, 0);
  builder.AddNode("b", "Add", kNoRecord);
  builder.AddEdge(s, 3, 0, 2);  // positions 0 to 2 are not there
  builder.AddEdge(s, 7, 0, 1);
  const Profile profile = std::move(builder).Build();
  const NodeTable& nodes = profile.nodes();
  EXPECT_EQ(nodes.Position(1, 0), 0);
  EXPECT_EQ(nodes.Position(2, 1), 3);
  EXPECT_EQ(nodes.Position(2, 2), 7);
  const ShapeTable& shapes = profile.graph().shapes;
  // The reference sees output 0; the graph says output 2.
  EXPECT_THAT(shapes[nodes.InputShape(2, 1)], ElementsAre(1));
  EXPECT_THAT(shapes[nodes.InputShape(2, 1, true)], ElementsAre(2, 2));
  EXPECT_EQ(nodes.InputShape(2, 2, true), kUnknownShape);
}

TEST(ProfileBuilderTest, TypesAreOpDeviceAndWhatLogsSay) {
  ProfileBuilder builder;
  const NodeId n = builder.AddNode("n", "Zeta", kNoRecord);
  GraphTables& graph = builder.mutable_graph();
  builder.AddType(n, graph.strings.Intern("_trainable_variables"));
  builder.AddType(n, graph.strings.Intern("Alpha"));
  builder.AddType(n, graph.strings.Intern("Alpha"));
  builder.SetDevice(n, graph.devices.Intern("/CPU:0"));
  const Profile profile = std::move(builder).Build();
  std::vector<std::string_view> types;
  for (const StringId t : profile.graph().type_sets[profile.nodes().types[n]]) {
    types.push_back(profile.strings().Get(t));
  }
  EXPECT_THAT(types,
              ElementsAre("/cpu:0", "Alpha", "Zeta", "_trainable_variables"));
}

TEST(ProfileBuilderTest, FloatOpsColumnAppearsWithTheFirstValue) {
  ProfileBuilder builder;
  const NodeId a = builder.AddNode("a", "A", kNoRecord);
  const NodeId b = builder.AddNode("b", "B", kNoRecord);
  builder.SetFloatOps(b, 7);
  const NodeId c = builder.AddNode("c", "C", kNoRecord);
  const Profile profile = std::move(builder).Build();
  EXPECT_EQ(profile.nodes().FloatOps(a), 0);
  EXPECT_EQ(profile.nodes().FloatOps(b), 7);
  EXPECT_EQ(profile.nodes().FloatOps(c), 0);
}

// ---- ProfileBuilder: accounting

class AccountingTest : public ::testing::Test {
 protected:
  AccountingTest() {
    n_ = builder_.AddNode("n", "Conv2D", kNoRecord);
    DeviceTable& devices = builder_.mutable_graph().devices;
    gpu_ = devices.Intern("/job:w/device:GPU:0");
    gpu1_ = devices.Intern("/job:w/device:GPU:1");
    stream_ = devices.Intern("/job:w/device:GPU:0/stream:all");
    stream16_ = devices.Intern("/job:w/device:GPU:0/stream:16");
    host_ = devices.Intern("/host:CPU");
  }

  ExecutionRecord Ran(DeviceId device, int64_t start, int64_t duration,
                      int64_t bytes = 0) const {
    return {.node = n_,
            .device = device,
            .start = start,
            .duration = duration,
            .requested_bytes = bytes,
            .peak_bytes = bytes,
            .residual_bytes = bytes,
            .output_bytes = bytes};
  }

  ProfileBuilder builder_;
  NodeId n_;
  DeviceId gpu_, gpu1_, stream_, stream16_, host_;
};

TEST_F(AccountingTest, WhichDeviceCountsAsWhat) {
  builder_.AddExecutions(0,
                         {Ran(gpu_, 100, 10, 1000), Ran(stream_, 105, 20, 7),
                          Ran(stream16_, 105, 40, 7), Ran(host_, 90, 80, 7),
                          Ran(gpu_, 200, 1, 500)},
                         {});
  const Profile profile = std::move(builder_).Build();
  const Step* step = profile.FindStep(0);
  ASSERT_NE(step, nullptr);
  ASSERT_EQ(step->num_groups(), 1u);
  EXPECT_EQ(step->run_count[0], 2);
  EXPECT_EQ(step->cpu_micros[0], 11);
  EXPECT_EQ(step->accelerator_micros[0], 20);
  EXPECT_EQ(step->requested_bytes[0], 1500);
  EXPECT_EQ(step->output_bytes[0], 1500);
  // Start and end are those of all devices.
  EXPECT_EQ(step->start[0], 90);
  EXPECT_EQ(step->end[0], 201);
  // All are facts.
  EXPECT_EQ(step->num_executions(), 5u);
  EXPECT_EQ(step->exec_duration[2], 40);
  EXPECT_EQ(profile.nodes().device[n_], gpu_);
}

TEST_F(AccountingTest, FirstCanonicalDeviceWinsAcrossSteps) {
  builder_.AddExecutions(0, {Ran(gpu_, 100, 10)}, {});
  builder_.AddExecutions(1, {Ran(gpu1_, 200, 77, 5), Ran(stream_, 200, 3)}, {});
  const Profile profile = std::move(builder_).Build();
  EXPECT_EQ(profile.nodes().device[n_], gpu_);
  const Step* step = profile.FindStep(1);
  ASSERT_NE(step, nullptr);
  ASSERT_EQ(step->num_groups(), 1u);
  EXPECT_EQ(step->cpu_micros[0], 0);
  EXPECT_EQ(step->run_count[0], 0);
  EXPECT_EQ(step->accelerator_micros[0], 3);
  EXPECT_EQ(step->requested_bytes[0], 0);
  // The dropped record is still a fact.
  ASSERT_EQ(step->unaccounted.size(), 1u);
  EXPECT_EQ(step->unaccounted[0].device, gpu1_);
  EXPECT_EQ(step->unaccounted[0].duration, 77);
}

TEST_F(AccountingTest, NoValidStartNoTimeNoMemory) {
  std::vector<int64_t> told;
  builder_.AddExecutions(
      0, {Ran(gpu_, 0, 50, 9), Ran(gpu_, -5, 60, 9), Ran(stream_, 0, 70)},
      [&](const ExecutionRecord& r) { told.push_back(r.duration); });
  const Profile profile = std::move(builder_).Build();
  // Only of records on the node's own device.
  EXPECT_THAT(told, ElementsAre(50, 60));
  const Step* step = profile.FindStep(0);
  ASSERT_EQ(step->num_groups(), 1u);
  EXPECT_EQ(step->run_count[0], 0);
  EXPECT_EQ(step->cpu_micros[0], 0);
  EXPECT_EQ(step->accelerator_micros[0], 0);
  EXPECT_EQ(step->requested_bytes[0], 0);
  EXPECT_EQ(step->start[0], 0);
  EXPECT_EQ(step->end[0], 0);
  EXPECT_EQ(step->exec_start[1], 0);
  EXPECT_EQ(profile.nodes().device[n_], gpu_);
}

TEST_F(AccountingTest, NegativeDurationIsTakenAsItIs) {
  builder_.AddExecutions(0, {Ran(gpu_, 100, -30), Ran(gpu_, 10, 5)}, {});
  const Profile profile = std::move(builder_).Build();
  const Step* step = profile.FindStep(0);
  EXPECT_EQ(step->cpu_micros[0], -25);
  EXPECT_EQ(step->start[0], 10);
  EXPECT_EQ(step->end[0], 70);
}

TEST_F(AccountingTest, SumsWrapInsteadOfBeingUndefined) {
  builder_.AddExecutions(0, {Ran(gpu_, 1, kMax, kMax), Ran(gpu_, 1, 1, 1)}, {});
  const Profile profile = std::move(builder_).Build();
  EXPECT_EQ(profile.FindStep(0)->cpu_micros[0], kMin);
  EXPECT_EQ(profile.FindStep(0)->peak_bytes[0], kMin);
}

TEST_F(AccountingTest, SameStepTwiceAccumulates) {
  builder_.AddExecutions(3, {Ran(gpu_, 100, 10, 1)}, {});
  builder_.AddExecutions(3, {Ran(gpu_, 50, 5, 2), Ran(stream_, 60, 7)}, {});
  const Profile profile = std::move(builder_).Build();
  ASSERT_EQ(profile.steps().size(), 1u);
  const Step* step = profile.FindStep(3);
  EXPECT_EQ(step->cpu_micros[0], 15);
  EXPECT_EQ(step->accelerator_micros[0], 7);
  EXPECT_EQ(step->run_count[0], 2);
  EXPECT_EQ(step->requested_bytes[0], 3);
  EXPECT_EQ(step->start[0], 50);
  EXPECT_EQ(step->end[0], 110);
  // In the order of the inputs.
  EXPECT_EQ(step->exec_start[0], 100);
  EXPECT_EQ(step->exec_start[1], 50);
}

// Everything that accounting 100,000 executions leaves behind, as text.
std::string AccountedBy(int threads) {
  const int before = NumThreads();
  SetNumThreads(threads);
  ProfileBuilder builder;
  constexpr uint32_t kNodes = 3000;
  for (uint32_t n = 0; n < kNodes; ++n) {
    builder.AddNode("n" + std::to_string(n), "Op", kNoRecord);
  }
  DeviceTable& devices = builder.mutable_graph().devices;
  for (const char* name : {"/gpu:0", "/gpu:1", "/gpu:0/stream:all", "", "/x"}) {
    devices.Intern(name);
  }
  std::minstd_rand random(7);
  std::vector<DeviceExecutions> executions(40);
  uint64_t record = 0;
  for (DeviceExecutions& e : executions) {
    e.device = random() % devices.size();
    for (int i = 0; i < 2500; ++i) {
      const auto start = static_cast<int64_t>(random() % 1000) - 100;
      e.records.push_back({.node = static_cast<NodeId>(random() % kNodes),
                           .start = start,
                           .duration = 1 + start % 7,
                           .record = ++record,
                           .requested_bytes = start,
                           .peak_bytes = 1});
    }
  }
  std::string text;
  std::vector<Coverage> coverage(kNodes, Coverage::kNone);
  coverage[5] = Coverage::kMade;
  const int64_t covered = builder.AddExecutions(
      0, std::move(executions),
      [&](const ExecutionRecord& r) {
        text += "no start: " + std::to_string(r.record) + "\n";
      },
      coverage);
  text += "covered: " + std::to_string(covered) + "\n";
  const Profile profile = std::move(builder).Build();
  SetNumThreads(before);
  const Step& step = *profile.steps().front();
  const auto add = [&](const IntColumn& column) {
    for (size_t i = 0; i < column.size(); ++i) {
      text += std::to_string(column[i]) + ' ';
    }
    text += '\n';
  };
  for (const IntColumn* column :
       {&step.node, &step.first_exec, &step.run_count, &step.accelerator_micros,
        &step.cpu_micros, &step.requested_bytes, &step.peak_bytes, &step.start,
        &step.end, &step.exec_device, &step.exec_start, &step.exec_duration,
        &step.exec_record}) {
    add(*column);
  }
  for (const Step::Unaccounted& u : step.unaccounted) {
    text += std::to_string(u.record) + ' ';
  }
  for (NodeId n = 0; n < kNodes; ++n) {
    text += '\n' + std::to_string(profile.nodes().device[n]) + ' ' +
            std::to_string(profile.nodes().types[n]);
  }
  return text;
}

TEST_F(AccountingTest, ThreadsMakeNoDifference) {
  const std::string one = AccountedBy(1);
  EXPECT_NE(one.find("no start: "), one.npos);
  EXPECT_EQ(AccountedBy(2), one);
  EXPECT_EQ(AccountedBy(5), one);
}

TEST_F(AccountingTest, FinishedStepIsReopened) {
  const NodeId m = builder_.AddNode("m", "MatMul", kNoRecord);
  ExecutionRecord of_m = Ran(gpu_, 10, 4, 8);
  of_m.node = m;
  builder_.AddExecutions(3, {of_m}, {});
  builder_.FinishStep(3);
  builder_.AddExecutions(3, {Ran(gpu_, 100, 10, 1), of_m}, {});
  builder_.FinishStep(3);
  builder_.FinishStep(99);  // none such
  const Profile profile = std::move(builder_).Build();
  ASSERT_EQ(profile.steps().size(), 1u);
  const Step* step = profile.FindStep(3);
  ASSERT_EQ(step->num_groups(), 2u);
  const uint32_t gn = step->FindGroup(n_), gm = step->FindGroup(m);
  ASSERT_NE(gm, kNone);
  EXPECT_EQ(step->node[0], n_);  // groups are in ascending node
  EXPECT_EQ(step->cpu_micros[gn], 10);
  EXPECT_EQ(step->cpu_micros[gm], 8);
  EXPECT_EQ(step->run_count[gm], 2);
  EXPECT_EQ(step->requested_bytes[gm], 16);
  EXPECT_EQ(step->exec_end(gm) - step->exec_begin(gm), 2u);
}

TEST_F(AccountingTest, StepsAreOrderedAndFound) {
  for (const int64_t id : {30, -2, 7}) builder_.AddStep(id);
  // A saved profile may have executions of a step that it does not list.
  builder_.AddGroups(5, {{.node = n_, .run_count = 1}}, {Ran(gpu_, 1, 1)});
  const Profile profile = std::move(builder_).Build();
  std::vector<int64_t> ids;
  for (const auto& step : profile.steps()) ids.push_back(step->id);
  EXPECT_THAT(ids, ElementsAre(-2, 5, 7, 30));
  EXPECT_NE(profile.FindStep(7), nullptr);
  EXPECT_NE(profile.FindStep(-2), nullptr);
  EXPECT_EQ(profile.FindStep(5), nullptr);  // not listed
  EXPECT_EQ(profile.FindStep(8), nullptr);
  EXPECT_EQ(profile.FindStep(7)->FindGroup(n_), kNone);
}

TEST_F(AccountingTest, GivenTotalsStandAsTheyAre) {
  builder_.AddStep(0);
  builder_.AddGroups(0,
                     {{.node = n_,
                       .run_count = 42,
                       .accelerator_micros = 1,
                       .cpu_micros = 2,
                       .requested_bytes = 3,
                       .start = 4,
                       .end = 5}},
                     {Ran(gpu_, 100, 10, 1000)});
  const Profile profile = std::move(builder_).Build();
  const Step* step = profile.FindStep(0);
  EXPECT_EQ(step->run_count[0], 42);
  EXPECT_EQ(step->cpu_micros[0], 2);
  EXPECT_EQ(step->requested_bytes[0], 3);
  EXPECT_EQ(step->start[0], 4);
  EXPECT_EQ(step->end[0], 5);
  EXPECT_EQ(step->exec_start[0], 100);
}

TEST_F(AccountingTest, ExtendingAProfileSharesItsSteps) {
  builder_.AddExecutions(0, {Ran(gpu_, 100, 10)}, {});
  builder_.AddExecutions(1, {Ran(gpu_, 200, 30)}, {});
  const Profile base = std::move(builder_).Build();
  const size_t base_strings = base.strings().size();

  ProfileBuilder more(base);
  const NodeId m = more.AddNode("m", "MatMul", kNoRecord);
  ExecutionRecord of_m = Ran(gpu_, 300, 1);
  of_m.node = m;
  more.AddExecutions(1, {of_m}, {});
  more.AddExecutions(2, {of_m}, {});
  const Profile extended = std::move(more).Build();

  // The base has not changed.
  EXPECT_EQ(base.nodes().size(), 1u);
  EXPECT_EQ(base.strings().size(), base_strings);
  EXPECT_EQ(base.steps().size(), 2u);
  EXPECT_EQ(base.FindStep(1)->num_groups(), 1u);
  // What was not touched is the same object.
  EXPECT_EQ(extended.FindStep(0), base.FindStep(0));
  EXPECT_NE(extended.FindStep(1), base.FindStep(1));
  EXPECT_EQ(extended.FindStep(1)->num_groups(), 2u);
  EXPECT_EQ(extended.FindStep(1)->cpu_micros[0], 30);
  EXPECT_EQ(extended.FindStep(2)->num_groups(), 1u);
  EXPECT_EQ(extended.node_name(0), "n");
  EXPECT_EQ(extended.node_name(m), "m");
}

TEST_F(AccountingTest, StepOfKnownNodesSharesTheGraph) {
  builder_.AddExecutions(0, {Ran(gpu_, 100, 10)}, {});
  const Profile base = std::move(builder_).Build();
  ProfileBuilder more(base);
  more.AddExecutions(1, {Ran(gpu_, 200, 10)}, {});
  const Profile extended = std::move(more).Build();
  EXPECT_EQ(&extended.graph(), &base.graph());
  EXPECT_EQ(extended.steps().size(), 2u);
}

TEST_F(AccountingTest, WithSomeOfItsSteps) {
  for (const int64_t step : {0, 3, 7}) {
    builder_.AddExecutions(step, {Ran(gpu_, 100 + step, 10)}, {});
  }
  const Profile all = std::move(builder_).Build();
  const Profile one = all.WithSteps({all.steps()[1]});
  EXPECT_EQ(&one.graph(), &all.graph());
  EXPECT_EQ(one.FindStep(3), all.FindStep(3));
  EXPECT_EQ(one.FindStep(0), nullptr);
  EXPECT_EQ(all.steps().size(), 3u);
}

TEST(StepListTest, Parses) {
  EXPECT_EQ(ParseStepList("3"), (StepList{{3, 3}}));
  EXPECT_EQ(ParseStepList("3,5-7,0"), (StepList{{3, 3}, {5, 7}, {0, 0}}));
  EXPECT_EQ(ParseStepList("9223372036854775807"),
            (StepList{{INT64_MAX, INT64_MAX}}));
  for (const char* bad : {"", ",", "3,", "-3", "5-", "7-5", "x", "3 ,4", "3-x",
                          "9223372036854775808"}) {
    EXPECT_FALSE(ParseStepList(bad)) << bad;
  }
}

TEST(StepListTest, FormatsAndContains) {
  const StepList list = {{3, 3}, {5, 7}};
  EXPECT_EQ(FormatStepList(list), "3,5-7");
  EXPECT_TRUE(Contains(list, 6));
  EXPECT_FALSE(Contains(list, 4));
  const std::vector<int64_t> steps = {-4, 0, 1, 5, 6, 7, 9, INT64_MAX};
  EXPECT_EQ(FormatSteps(steps), "-4,0,1,5-7,9,9223372036854775807");
}

TEST(ProfileTest, MemoryUseCountsWhatIsThere) {
  const Profile small = SmallModel();
  size_t bytes = 0;
  std::set<std::string> names;
  for (const auto& [what, size] : small.MemoryUse()) {
    EXPECT_TRUE(names.insert(what).second) << what;
    bytes += size;
  }
  EXPECT_GT(bytes, small.nodes().size() * sizeof(StringId));
}

TEST(ArithmeticTest, Saturation) {
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
  constexpr int64_t kSmallest = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(SaturatingAdd(kLargest - 1, 1), kLargest);
  EXPECT_EQ(SaturatingAdd(kLargest, 1), kLargest);
  EXPECT_EQ(SaturatingAdd(kSmallest, -1), kSmallest);
  EXPECT_EQ(SaturatingMul(int64_t{1} << 32, int64_t{1} << 31), kLargest);
  EXPECT_EQ(SaturatingMul(int64_t{1} << 32, -(int64_t{1} << 32)), kSmallest);
  EXPECT_EQ(SaturatingMul(-3, 5), -15);
}

}  // namespace
}  // namespace tfprof
