#include "profile/profile.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profile/call_stacks.h"
#include "profile/device_table.h"
#include "profile/graph_testing.h"
#include "profile/int_column.h"
#include "profile/profile_builder.h"
#include "profile/shape_table.h"
#include "profile/step_list.h"
#include "profile/string_pool.h"
#include "profile/type_sets.h"

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

TEST(IntColumnTest, RowsToColumns) {
  struct Row {
    uint32_t id;
    bool flag;
    int64_t value;
  };
  std::vector<Row> rows;
  for (uint32_t i = 0; i < 1000; ++i) {
    rows.push_back({i, i == 700, i % 2 == 0 ? INT64_MIN : INT64_MAX});
  }
  const auto [id, flag, value, one] = IntColumn::OfRows(
      std::span<const Row>(rows), [](const Row& r) { return r.id; },
      [](const Row& r) { return r.flag; }, [](const Row& r) { return r.value; },
      [](const Row&) { return -3; });
  EXPECT_EQ(id.bytes(), 2000u);
  EXPECT_EQ(flag.bytes(), 1000u);
  EXPECT_EQ(value.bytes(), 8000u);
  EXPECT_EQ(one.bytes(), 0u);
  for (uint32_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(id[i], i);
    ASSERT_EQ(flag[i], i == 700);
    ASSERT_EQ(value[i], rows[i].value);
    ASSERT_EQ(one[i], -3);
  }
  const auto [none] = IntColumn::OfRows(std::span<const Row>(),
                                        [](const Row& r) { return r.id; });
  EXPECT_EQ(none.size(), 0u);
}

TEST(IntColumnTest, Repeat) {
  const IntColumn column = IntColumn::Repeat(3, -7);
  EXPECT_EQ(column.size(), 3u);
  EXPECT_EQ(column.bytes(), 0u);
  EXPECT_EQ(column[2], -7);
}

TEST(IntColumnTest, Empty) {
  EXPECT_EQ(IntColumn().size(), 0u);
  EXPECT_EQ(IntColumn(std::vector<int64_t>()).size(), 0u);
  EXPECT_EQ(IntColumn().bytes(), 0u);
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
  builder.SetDevice(n, graph.devices.Intern("/cpu:0"));
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
  ProfileBuilder builder;
  AddNodeWithInputs(builder, "c", "Add", {"a"}, {4});
  const Profile small = std::move(builder).Build();
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
