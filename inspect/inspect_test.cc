#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/small_model.h"
#include "accounting/tfprof_rules.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/attribute_text.h"
#include "inspect/children.h"
#include "inspect/devices.h"
#include "inspect/find_node.h"
#include "inspect/neighbours.h"
#include "inspect/node.h"
#include "inspect/place.h"
#include "inspect/source.h"
#include "inspect/steps.h"
#include "inspect/top.h"
#include "loaders/tensorflow/device_names.h"
#include "profile/profile_builder.h"
#include "proto/graph.pb.h"
#include "tables/data_table.h"
#include "util/nearest.h"

namespace tfprof {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string CellText(const DataCell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* i = std::get_if<int64_t>(&cell)) return fmt::format("{}", *i);
  if (const auto* d = std::get_if<double>(&cell))
    return fmt::format("{:.3f}", *d);
  return "-";
}

std::vector<std::string> Column(const DataTable& table, std::string_view name) {
  std::vector<std::string> texts;
  std::vector<DataCell> cells;
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].name != name) continue;
    for (size_t row = 0; row < table.num_rows; ++row) {
      table.cells(row, cells);
      EXPECT_EQ(cells.size(), table.columns.size());
      texts.push_back(CellText(cells[c]));
    }
    return texts;
  }
  ADD_FAILURE() << "no column " << name;
  return texts;
}

// By its name, or by its title where it is for people only.
std::string Fact(const DataFacts& facts, std::string_view name) {
  for (const auto& [column, cell] : facts) {
    if ((column.name.empty() ? column.title : column.name) == name) {
      return CellText(cell);
    }
  }
  return "(no such fact)";
}

std::string Fact(const DataTable& table, std::string_view name) {
  return Fact(table.facts, name);
}

const DataTable* Find(const DataDocument& document, std::string_view kind) {
  for (const DataDocument::Part& part : document.parts) {
    if (part.table.kind == kind) return &part.table;
  }
  return nullptr;
}

std::string Message(const absl::Status& status) {
  return std::string(status.message());
}

class SmallModelTest : public testing::Test {
 protected:
  Place At(std::string_view path) {
    const auto place = FindPlace(views_, {}, path);
    EXPECT_TRUE(place.ok()) << path;
    return place.ok() ? *place : Place();
  }
  std::string Where(std::string_view from, std::string_view path) {
    const auto place = FindPlace(views_, At(from), path);
    return place.ok() ? PlaceText(views_, *place)
                      : std::string(place.status().message());
  }
  NodeId Node(std::string_view name) {
    return profile_.nodes().Find(profile_.strings().Find(name));
  }

  const Profile profile_ = SmallModel();
  Views views_{profile_};
};

// ---- Places

TEST_F(SmallModelTest, PathsAreThoseOfAFileSystem) {
  EXPECT_EQ(Where("/", ""), "/");
  EXPECT_EQ(Where("/", "DW"), "/DW");
  EXPECT_EQ(Where("/", "DW/Initializer/random_normal/mul"),
            "/DW/Initializer/random_normal/mul");
  EXPECT_EQ(Where("/DW/Initializer", ".."), "/DW");
  EXPECT_EQ(Where("/DW/Initializer", "../../DW2/./read"), "/DW2/read");
  EXPECT_EQ(Where("/DW", "/DW2/"), "/DW2");
  EXPECT_EQ(Where("/DW", "../../.."), "/");
  EXPECT_EQ(Where("/DW", "/"), "/");
  EXPECT_EQ(Where("/DW", "scope:"), "/");
  EXPECT_EQ(Where("/DW", "scope:DW2"), "/DW2");
}

TEST_F(SmallModelTest, WhatIsNotThereIsSaidWithWhatIs) {
  EXPECT_EQ(Where("/", "DX"), "no DX at the root; did you mean DW?");
  EXPECT_EQ(Where("/DW", "raed"), "no raed in DW; did you mean read?");
  EXPECT_EQ(Where("/DW/read", "x"),
            "no x in DW/read, which has nothing below it");
  EXPECT_THAT(Where("/", "code:"), HasSubstr("there is no code"));
}

TEST(PlaceTest, NamesWithEmptyPartsAreFoundInFull) {
  ProfileBuilder builder(TfprofRules());
  builder.AddNode("a//b", "X", kNoRecord);
  builder.AddNode("a/c", "X", kNoRecord);
  const Profile profile = std::move(builder).Build();
  Views views(profile);
  const auto place = FindPlace(views, {}, "a//b");
  ASSERT_TRUE(place.ok()) << place.status().message();
  EXPECT_EQ(PlaceText(views, *place), "/a//b");
}

// ---- ls, top

TEST_F(SmallModelTest, ChildrenByNameWithSharesOfThePlace) {
  const DataTable table = ChildrenTable(views_, {}, {});
  EXPECT_THAT(Column(table, "name"),
              ElementsAre("Conv2D", "Conv2D_1", "DW", "DW2", "ScalarW",
                          "_retval_Conv2D_1_0_0", "init", "zeros"));
  EXPECT_THAT(Column(table, "total_micros"),
              ElementsAre("4292", "597", "2", "11", "0", "41", "0", "2"));
  EXPECT_EQ(Fact(table, "total_micros"), "4945");
  EXPECT_EQ(Column(table, "total_micros_share")[0], "0.868");
  EXPECT_EQ(Column(table, "children")[2], "3");  // Assign, Initializer, read
}

TEST_F(SmallModelTest, ChildrenByAStatistic) {
  ViewOptions options;
  options.order = ViewOptions::Order::kStat;
  options.order_stat = kParameters;
  const DataTable table = ChildrenTable(views_, {}, options);
  EXPECT_EQ(Column(table, "name")[0], "DW2");
  EXPECT_EQ(Column(table, "total_parameters")[0], "288");
  // A leaf lists itself.
  EXPECT_THAT(Column(ChildrenTable(views_, At("DW/read"), {}), "name"),
              ElementsAre("read"));
}

TEST_F(SmallModelTest, TopSelectsAndHonoursThePlace) {
  const DataTable table = TopTable(views_, {}, {}, 2);
  EXPECT_THAT(Column(table, "name"), ElementsAre("Conv2D", "Conv2D_1"));
  EXPECT_THAT(Column(table, "micros"), ElementsAre("4292", "597"));
  EXPECT_EQ(table.total_rows, 6u);
  EXPECT_THAT(Column(TopTable(views_, At("DW2"), {}, 5), "name"),
              ElementsAre("DW2"));
  ViewOptions options;
  options.order = ViewOptions::Order::kStat;
  options.order_stat = kPeakBytes;
  EXPECT_THAT(Column(TopTable(views_, {}, options, 1), "peak_bytes"),
              ElementsAre("14592"));
  options.account_types = {"VariableV2"};
  EXPECT_THAT(Column(TopTable(views_, {}, options, 9), "name"),
              ElementsAre("DW", "DW2"));
}

// ---- show, peek

TEST_F(SmallModelTest, NodesAreFoundFromWhereOneIs) {
  EXPECT_EQ(*FindNode(views_, {}, "DW/read"), Node("DW/read"));
  EXPECT_EQ(*FindNode(views_, At("DW"), "read"), Node("DW/read"));
  EXPECT_EQ(*FindNode(views_, At("DW"), "DW2/read"), Node("DW2/read"));
  EXPECT_EQ(*FindNode(views_, At("DW"), "/zeros"), Node("zeros"));
  EXPECT_EQ(*FindNode(views_, {}, "zeros:0"), Node("zeros"));
  EXPECT_EQ(*FindNode(views_, {}, "^zeros"), Node("zeros"));
  EXPECT_THAT(Message(FindNode(views_, {}, "DW/Initializer").status()),
              HasSubstr("is a scope, not a node; ls /DW/Initializer"));
  EXPECT_EQ(Message(FindNode(views_, {}, "Conv2d").status()),
            "no node Conv2d; did you mean Conv2D or Conv2D_1?");
}

TEST_F(SmallModelTest, ANodeInFull) {
  const DataDocument tables = NodeDocument(views_, Node("Conv2D"), {}, 0);
  EXPECT_EQ(tables.kind, "show");
  EXPECT_EQ(Fact(tables.facts, "op"), "Conv2D");
  EXPECT_THAT(Fact(tables.facts, "device"), HasSubstr("gpu:0"));
  EXPECT_EQ(Fact(tables.facts, "step"), "-1");
  EXPECT_EQ(Fact(tables.facts, "sums"), "average of the steps");
  EXPECT_EQ(Fact(tables.facts, "micros"), "4292");
  EXPECT_EQ(Fact(tables.facts, "float_ops"), "5832");
  const DataTable* inputs = Find(tables, "inputs");
  ASSERT_NE(inputs, nullptr);
  EXPECT_THAT(Column(*inputs, "name"), ElementsAre("zeros", "DW/read"));
  EXPECT_THAT(Column(*inputs, "shape"), ElementsAre("[2,6,6,3]", "[3,3,3,6]"));
  const DataTable* consumers = Find(tables, "consumers");
  ASSERT_NE(consumers, nullptr);
  EXPECT_THAT(Column(*consumers, "name"), ElementsAre("Conv2D_1"));
  const DataTable* executions = Find(tables, "executions");
  ASSERT_NE(executions, nullptr);
  EXPECT_THAT(Column(*executions, "start_micros"), ElementsAre("14", "4000"));
  EXPECT_THAT(Column(*executions, "micros"), ElementsAre("4066", "226"));
  // No op log: no source.
  const DataTable* source = Find(tables, "source");
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(source->num_rows, 0u);
}

TEST_F(SmallModelTest, LongListsAreCutAndSaySo) {
  const auto tables = NodeDocument(views_, Node("Conv2D"), {}, 1);
  const DataTable* inputs = Find(tables, "inputs");
  ASSERT_NE(inputs, nullptr);
  EXPECT_EQ(inputs->num_rows, 1u);
  EXPECT_EQ(inputs->total_rows, 2u);
}

TEST_F(SmallModelTest, PeekShowsBothSides) {
  const DataTable table = PeekTable(views_, Node("Conv2D"), -1, 0);
  EXPECT_THAT(Column(table, "relation"),
              ElementsAre("input", "input", "node", "consumer"));
  EXPECT_THAT(Column(table, "name"),
              ElementsAre("zeros", "DW/read", "Conv2D", "Conv2D_1"));
  EXPECT_THAT(Column(table, "edge_shape"),
              ElementsAre("[2,6,6,3]", "[3,3,3,6]", "-", "[2,3,3,6]"));
}

// ---- Attributes

TEST(AttributeTextTest, EveryKind) {
  const auto describe = [](const AttrValue& value) {
    const std::string bytes = value.SerializeAsString();
    const AttributeText text = DescribeAttribute(bytes);
    return fmt::format("{} {}", text.type, text.value);
  };
  AttrValue value;
  value.set_type(DT_FLOAT);
  EXPECT_EQ(describe(value), "type float");
  value.set_type(DT_INT32_REF);
  EXPECT_EQ(describe(value), "type int32_ref");
  value.set_s("NHWC\n");
  EXPECT_EQ(describe(value), "string \"NHWC\\n\"");
  value.set_i(-3);
  EXPECT_EQ(describe(value), "int -3");
  value.set_f(0.5);
  EXPECT_EQ(describe(value), "float 0.5");
  value.set_b(true);
  EXPECT_EQ(describe(value), "bool true");
  auto* shape = value.mutable_shape();
  EXPECT_EQ(describe(value), "shape []");
  shape->add_dim()->set_size(2);
  shape->add_dim()->set_size(-1);
  EXPECT_EQ(describe(value), "shape [2,?]");
  shape->set_unknown_rank(true);
  EXPECT_EQ(describe(value), "shape ?");
  value.mutable_tensor()->set_dtype(DT_INT64);
  value.mutable_tensor()->mutable_tensor_shape()->add_dim()->set_size(4);
  EXPECT_EQ(describe(value), "tensor int64 [4]");
  value.mutable_func()->set_name("body_1");
  EXPECT_EQ(describe(value), "func \"body_1\"");
  auto* list = value.mutable_list();
  for (int i = 1; i <= 2; ++i) list->add_i(i * 1000);
  EXPECT_EQ(describe(value), "list(int) [1000, 2000]");
  list->Clear();
  list->add_f(1.5);
  EXPECT_EQ(describe(value), "list(float) [1.5]");
  list->Clear();
  for (int i = 0; i < 20; ++i) list->add_type(DT_BOOL);
  EXPECT_THAT(describe(value), HasSubstr(", … 20 in all]"));
}

TEST(AttributeTextTest, LongAndDamagedValues) {
  AttrValue value;
  value.set_s(std::string(1000, 'x'));
  EXPECT_LT(DescribeAttribute(value.SerializeAsString()).value.size(), 100u);
  EXPECT_EQ(DescribeAttribute("\x12\x7f").value, "(damaged)");
  EXPECT_EQ(DescribeAttribute("").value, "");
}

// ---- Names that are near

TEST(NearestTest, TyposPartsAndSubstrings) {
  const std::vector<std::string_view> names = {"conv1/weights", "conv2/bias",
                                               "dense/kernel"};
  EXPECT_THAT(NearestPaths("conv1/wieghts", names),
              ElementsAre("conv1/weights"));
  EXPECT_THAT(NearestPaths("kernal", names), ElementsAre("dense/kernel"));
  EXPECT_THAT(NearestPaths("ense", names), Contains("dense/kernel"));
  EXPECT_THAT(NearestPaths("zzz", names), IsEmpty());
  EXPECT_THAT(NearestPaths("", names), IsEmpty());
  EXPECT_EQ(NearHint("kernal", names), "; did you mean dense/kernel?");
  EXPECT_EQ(NearHint("zzz", names), "");
}

// ---- Steps, devices

TEST(SparkLineTest, HeightsAndNeighbours) {
  EXPECT_EQ(SparkLine(std::vector<int64_t>{0, 4, 8}, 10), "▁▅█");
  EXPECT_EQ(SparkLine(std::vector<int64_t>{1, 8, 2, 3}, 2), "█▄");
  EXPECT_EQ(SparkLine(std::vector<int64_t>{0, 0}, 10), "▁▁");
  EXPECT_EQ(SparkLine({}, 10), "");
}

// Two steps on a CPU: [10, 30) twice at once, then [50, 60); and [100, 140).
Profile TwoSteps() {
  ProfileBuilder builder(TfprofRules());
  const LaneId cpu = DeviceLane("/job:localhost/replica:0/task:0/device:cpu:0",
                                builder.mutable_graph());
  const NodeId a = builder.AddNode("a", "Op", kNoRecord);
  const NodeId b = builder.AddNode("b", "Op", kNoRecord);
  const auto ran = [&](NodeId n, int64_t start, int64_t micros) {
    ExecutionRecord record;
    record.node = n;
    record.lane = cpu;
    record.start = start;
    record.duration = micros;
    record.peak_bytes = micros;
    return record;
  };
  builder.AddExecutions(3, {ran(a, 10, 20), ran(b, 10, 20), ran(b, 50, 10)},
                        {});
  builder.AddExecutions(7, {ran(a, 100, 40)}, {});
  return std::move(builder).Build();
}

TEST(StepsTest, SpansAndIdleTime) {
  const Profile profile = TwoSteps();
  Views views(profile);
  const DataTable table = StepsTable(views, -1, 0);
  EXPECT_THAT(Column(table, "step"), ElementsAre("3", "7"));
  EXPECT_THAT(Column(table, "span_micros"), ElementsAre("50", "40"));
  EXPECT_THAT(Column(table, "idle_micros"), ElementsAre("20", "0"));
  EXPECT_THAT(Column(table, "busy_micros_cpu_0"), ElementsAre("30", "40"));
  EXPECT_EQ(table.columns[4].of,
            "/job:localhost/replica:0/task:0/device:cpu:0");
  EXPECT_THAT(Column(table, "executions"), ElementsAre("3", "1"));
  EXPECT_EQ(Fact(table, "span"), "█▇");
  EXPECT_THAT(Column(StepsTable(views, 7, 8), "step"), ElementsAre("7"));
}

TEST(DevicesTest, BusyTimeIsAUnion) {
  const Profile profile = TwoSteps();
  Views views(profile);
  const DataTable table = DevicesTable(views, -1);
  EXPECT_THAT(Column(table, "kind"), ElementsAre("cpu"));
  EXPECT_THAT(Column(table, "nodes"), ElementsAre("2"));
  EXPECT_THAT(Column(table, "busy_micros"), ElementsAre("70"));
  EXPECT_THAT(Column(table, "node_peak_bytes"), ElementsAre("40"));
}

TEST_F(SmallModelTest, AGpuIsOneDevice) {
  const DataTable table = DevicesTable(views_, -1);
  EXPECT_THAT(Column(table, "kind"), ElementsAre("gpu", "cpu"));
  EXPECT_THAT(Column(table, "busy_micros"), ElementsAre("404", "41"));
}

// ---- Source

Profile WithStacks(const std::string& file) {
  ProfileBuilder builder(TfprofRules());
  GraphTables& graph = builder.mutable_graph();
  graph.has_code_traces = true;
  const LaneId cpu = DeviceLane("/device:cpu:0", graph);
  const auto frame = [&](int line, std::string_view text) {
    Frame f;
    f.file = graph.strings.Intern(file);
    f.function = graph.strings.Intern("main");
    f.line = graph.strings.Intern(text);
    f.lineno = line;
    return f;
  };
  const StackId outer = graph.stacks.Push(kNoStack, frame(2, "b = f()"));
  // f calls itself.
  const StackId inner = graph.stacks.Push(outer, frame(4, "c"));
  const StackId again = graph.stacks.Push(inner, frame(4, "c"));
  std::vector<ExecutionRecord> records;
  for (const auto& [name, stack, micros] :
       {std::tuple("x", outer, 5), std::tuple("y", inner, 10),
        std::tuple("z", again, 100)}) {
    ExecutionRecord record;
    record.node = builder.AddNode(name, "Op", kNoRecord);
    builder.mutable_graph().nodes.stack[record.node] = stack;
    record.lane = cpu;
    record.start = 1000;
    record.duration = micros;
    records.push_back(record);
  }
  builder.AddExecutions(0, records, {});
  return std::move(builder).Build();
}

TEST(SourceTest, RequestsNameALine) {
  EXPECT_EQ(ParseSourceRequest("a.py:12").file, "a.py");
  EXPECT_EQ(ParseSourceRequest("a.py:12").line, 12);
  EXPECT_EQ(ParseSourceRequest("a.py").line, 0);
  EXPECT_EQ(ParseSourceRequest("c:x").file, "c:x");
}

TEST(SourceTest, WithoutTheFileKnownLinesStay) {
  const Profile profile = WithStacks("/nowhere/there/train.py");
  Views views(profile);
  const SourceFiles files({"."});
  const auto table =
      SourceTable(views, ParseSourceRequest("train.py"), {}, files);
  ASSERT_TRUE(table.ok()) << Message(table.status());
  EXPECT_THAT(Column(*table, "line"), ElementsAre("2", "4"));
  EXPECT_THAT(Column(*table, "self_micros"), ElementsAre("5", "110"));
  // A line that calls itself counts once.
  EXPECT_THAT(Column(*table, "total_micros"), ElementsAre("115", "110"));
  EXPECT_THAT(Column(*table, "source"), ElementsAre("b = f()", "c"));
  EXPECT_EQ(Fact(*table, "note"),
            "/nowhere/there/train.py is outside of the folders with source "
            "files (-source_path DIR allows another folder): the lines are "
            "what the call stacks hold");
  EXPECT_THAT(Message(SourceTable(views, {"tarin.py", 0}, {}, files).status()),
              HasSubstr("did you mean /nowhere/there/train.py?"));
  EXPECT_FALSE(SourceTable(views, {"rain.py", 0}, {}, files).ok());
}

TEST(SourceTest, LinesOfTheFileBetween) {
  const std::string path = testing::TempDir() + "/inspect_source.py";
  std::ofstream(path) << "def f():\n  b = f()\n\n  c\nd\n";
  const Profile profile = WithStacks(path);
  Views views(profile);
  const SourceFiles files({testing::TempDir()});
  const auto table =
      SourceTable(views, ParseSourceRequest("inspect_source.py:2"), {}, files);
  ASSERT_TRUE(table.ok()) << Message(table.status());
  EXPECT_THAT(Column(*table, "source"),
              ElementsAre("def f():", "  b = f()", "", "  c", "d"));
  EXPECT_THAT(Column(*table, "total_micros"),
              ElementsAre("-", "115", "-", "110", "-"));
  EXPECT_EQ(Fact(*table, "note"), "(no such fact)");

  std::ofstream(path) << "\n\n\nc\n";
  EXPECT_EQ(Fact(*SourceTable(views, {path, 0}, {}, files), "note"),
            "the source has changed since: line 2 was another");
  std::ofstream(path) << "";
  EXPECT_EQ(Fact(*SourceTable(views, {path, 0}, {}, files), "note"),
            "the source has changed since: line 2 was another");
  std::filesystem::remove(path);
}

TEST(SourceTest, TheUserMayNameTheFileBelowAFolder) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "checkout";
  std::filesystem::create_directories(folder / "model");
  std::ofstream(folder / "model/train.py") << "a\nb = f()\n\nc\n";
  const Profile profile = WithStacks("/nowhere/there/model/train.py");
  Views views(profile);
  const SourceFiles files({folder.string()});
  const auto table = SourceTable(views, {"model/train.py", 0}, {}, files);
  ASSERT_TRUE(table.ok()) << Message(table.status());
  EXPECT_EQ(Fact(*table, "note"), "(no such fact)");
  EXPECT_EQ(Fact(*table, "read"), (folder / "model/train.py").string());
  EXPECT_THAT(Column(*table, "source"), ElementsAre("a", "b = f()", "", "c"));
  // No part of the path is guessed.
  EXPECT_THAT(Fact(*SourceTable(views, {"train.py", 0}, {}, files), "note"),
              HasSubstr("is outside of the folders"));
  std::filesystem::remove_all(folder);
}

TEST(SourceTest, WhatIsNoSourceFileSaysSo) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "no_source";
  std::filesystem::create_directories(folder / "train.py");
  const std::string path = (folder / "train.py").string();
  const Profile profile = WithStacks(path);
  Views views(profile);
  const SourceFiles files({folder.string()});
  EXPECT_EQ(Fact(*SourceTable(views, {path, 0}, {}, files), "note"),
            path +
                " is not a regular file: the lines are what the call stacks "
                "hold");
  std::filesystem::remove(path);
  EXPECT_EQ(Fact(*SourceTable(views, {path, 0}, {}, files), "note"),
            path +
                " is missing (-source_path DIR allows another folder): the "
                "lines are what the call stacks hold");
  std::filesystem::remove_all(folder);
}

TEST(SourceTest, TheCodeIsATreeToo) {
  const Profile profile = WithStacks("/nowhere/train.py");
  Views views(profile);
  const auto place = FindPlace(views, {}, "code:/train.py/train.py:4");
  ASSERT_TRUE(place.ok()) << Message(place.status());
  EXPECT_EQ(PlaceText(views, *place), "code:/train.py:2:main/train.py:4:main");
  EXPECT_THAT(Column(TopTable(views, *place, {}, 9), "name"),
              ElementsAre("z", "y"));
  EXPECT_THAT(Column(ChildrenTable(views, *place, {}), "total_micros"),
              ElementsAre("100"));
}

}  // namespace
}  // namespace tfprof
