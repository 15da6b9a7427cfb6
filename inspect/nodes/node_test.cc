#include "inspect/nodes/node.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "profile/graph_testing.h"
#include "timeline/trace_testing.h"

namespace tfprof::inspect {
namespace {
namespace node_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using NodeDocumentTest = SmallModelTest;

// Returns a table, and fails the test if it is missing.
const tables::DataTable& Part(const tables::DataDocument& document,
                              std::string_view kind) {
  static const tables::DataTable& none = *new tables::DataTable;
  const tables::DataTable* table = FindTable(document, kind);
  EXPECT_NE(table, nullptr) << kind;
  return table == nullptr ? none : *table;
}

TEST_F(NodeDocumentTest, FactsSayWhatTheNodeIs) {
  const tables::DataDocument document =
      NodeDocument(views_, Node("Conv2D"), {}, 0);
  EXPECT_EQ(document.kind, "show");
  EXPECT_EQ(Fact(document.facts, "name"), "Conv2D");
  EXPECT_EQ(Fact(document.facts, "op"), "Conv2D");
  EXPECT_THAT(Fact(document.facts, "device"), HasSubstr("gpu:0"));
  EXPECT_EQ(Fact(document.facts, "step"), "-1");
  EXPECT_EQ(Fact(document.facts, "sums"), "average of the steps");
  EXPECT_EQ(Fact(document.facts, "micros"), "4292");
  EXPECT_EQ(Fact(document.facts, "float_ops"), "5832");
}

TEST_F(NodeDocumentTest, FactsThatDoNotApplyAreMissing) {
  const tables::DataDocument conv = NodeDocument(views_, Node("Conv2D"), {}, 0);
  EXPECT_EQ(Fact(conv.facts, "module"), "(no such fact)");
  EXPECT_EQ(Fact(conv.facts, "shape"), "(no such fact)");
  EXPECT_EQ(Fact(conv.facts, "types"), "(no such fact)");
  const tables::DataDocument variable = NodeDocument(views_, Node("DW"), {}, 0);
  EXPECT_EQ(Fact(variable.facts, "shape"), "[3,3,3,6]");
  EXPECT_EQ(Fact(variable.facts, "types"), "_trainable_variables");
}

TEST_F(NodeDocumentTest, ANodeThatDidNotRunHasNoDevice) {
  const tables::DataDocument document =
      NodeDocument(views_, Node("init"), {}, 0);
  EXPECT_EQ(Fact(document.facts, "device"), "-");
  EXPECT_THAT(Rows(Part(document, "steps"), {"step"}), IsEmpty());
  EXPECT_THAT(Rows(Part(document, "executions"), {"step"}), IsEmpty());
}

TEST_F(NodeDocumentTest, AllTablesAreThereWithoutRowsToo) {
  std::vector<std::string> kinds;
  const tables::DataDocument document =
      NodeDocument(views_, Node("init"), {}, 0);
  for (const tables::DataDocument::Part& part : document.parts) {
    kinds.push_back(part.table.kind);
    EXPECT_NE(part.title, "") << part.table.kind;
  }
  EXPECT_THAT(kinds, ElementsAre("outputs", "attributes", "inputs", "consumers",
                                 "steps", "executions", "memory", "allocations",
                                 "source"));
}

TEST_F(NodeDocumentTest, InputsAndConsumers) {
  const tables::DataDocument document =
      NodeDocument(views_, Node("Conv2D"), {}, 0);
  EXPECT_THAT(Rows(Part(document, "inputs"), {"position", "name", "shape"}),
              ElementsAre("0 zeros [2,6,6,3]", "1 DW/read [3,3,3,6]"));
  EXPECT_THAT(Rows(Part(document, "consumers"), {"name", "op", "shape"}),
              ElementsAre("Conv2D_1 Conv2D [2,3,3,6]"));
}

TEST_F(NodeDocumentTest, ExecutionsStartAfterTheBeginOfTheirStep) {
  const tables::DataDocument document =
      NodeDocument(views_, Node("Conv2D"), {}, 0);
  EXPECT_THAT(Rows(Part(document, "executions"), {"start_micros", "micros"}),
              ElementsAre("14 4066", "4000 226"));
}

TEST_F(NodeDocumentTest, ExecutionsOfTensorFlowHaveNoArguments) {
  const tables::DataDocument document =
      NodeDocument(views_, Node("Conv2D"), {}, 0);
  for (const tables::DataColumn& column :
       Part(document, "executions").columns) {
    EXPECT_NE(column.name, "arguments");
  }
}

TEST(NodeOfATraceTest, ExecutionsHaveTheirArguments) {
  timeline::TraceModel model;
  const profile::NodeId reduce = model.Op("nccl:all_reduce");
  const auto run = [&](int64_t start, profile::ArgumentList arguments) {
    model.Add({.name = "nccl:all_reduce",
               .node = reduce,
               .lane = model.Ops(),
               .start = start,
               .duration = 10,
               .arguments = std::move(arguments)});
  };
  run(100, {{"Group size", "8"}, {"Process Group Name", "0"}});
  run(200, {});
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  const tables::DataDocument document = NodeDocument(views, reduce, {}, 0);
  EXPECT_THAT(Rows(Part(document, "executions"), {"arguments"}),
              ElementsAre("Group size: 8, Process Group Name: 0", "-"));
}

TEST_F(NodeDocumentTest, StepsHaveTheAccounting) {
  const tables::DataDocument document =
      NodeDocument(views_, Node("Conv2D"), {}, 0);
  EXPECT_THAT(
      Rows(Part(document, "steps"),
           {"step", "runs", "micros", "accelerator_micros", "requested_bytes"}),
      ElementsAre("0 1 4292 226 18176"));
}

TEST_F(NodeDocumentTest, LongTablesAreCutAndSaySo) {
  const tables::DataDocument document =
      NodeDocument(views_, Node("Conv2D"), {}, 1);
  for (const char* kind : {"inputs", "executions"}) {
    EXPECT_EQ(Part(document, kind).num_rows, 1u) << kind;
    EXPECT_EQ(Part(document, kind).total_rows, 2u) << kind;
  }
}

TEST(NodeDocumentOfStepsTest, AStepLimitsTheTables) {
  const profile::Profile profile = TwoSteps();
  views::Views views(profile);
  const profile::NodeId a = 0;
  EXPECT_THAT(
      Rows(Part(NodeDocument(views, a, {}, 0), "steps"), {"step", "micros"}),
      ElementsAre("3 20", "7 40"));
  views::ViewOptions seven;
  seven.step = 7;
  const tables::DataDocument document = NodeDocument(views, a, seven, 0);
  EXPECT_THAT(Rows(Part(document, "steps"), {"step", "micros"}),
              ElementsAre("7 40"));
  EXPECT_THAT(Rows(Part(document, "executions"), {"step", "micros"}),
              ElementsAre("7 40"));
  EXPECT_EQ(Fact(document.facts, "sums"), "step 7");
}

TEST(NodeDocumentOfStepsTest, StepsKeptAsSumsHaveNoExecutions) {
  const profile::Profile profile = TwoSteps(/*max_memory=*/1);
  views::Views views(profile);
  const tables::DataDocument document = NodeDocument(views, 0, {}, 0);
  EXPECT_THAT(Rows(Part(document, "steps"), {"step", "micros"}),
              ElementsAre("3 20", "7 40"));
  EXPECT_THAT(Rows(Part(document, "executions"), {"step"}), IsEmpty());
}

// A node on a GPU whose only record has memory.
class MemoryOfANodeTest : public testing::Test {
 protected:
  tables::DataDocument Document(const profile::ExecutionDetail& detail,
                                size_t max_rows = 0) {
    const auto details = std::make_shared<FakeDetails>();
    details->attributes = {{"data_format", "\x12\x04NHWC"}, {"N", "\x18\x03"}};
    details->executions = {detail};
    profile::ProfileBuilder builder(accounting::TfprofRules());
    const uint32_t input = builder.AddInput(details);
    const profile::LaneId gpu =
        tensorflow::DeviceLane("/device:GPU:0", builder.mutable_graph());
    const profile::NodeId a =
        builder.AddNode("a", "Op", profile::MakeRecordRef(input, 0));
    builder.AddOutputShape(
        1, builder.mutable_graph().shapes.Intern(std::vector<int64_t>{4, 2}));
    builder.AddExecutions(0,
                          {{.node = a,
                            .lane = gpu,
                            .start = 1000,
                            .duration = 50,
                            .record = profile::MakeRecordRef(input, 0)}},
                          {});
    profile_ = std::move(builder).Build();
    views_ = std::make_unique<views::Views>(profile_);
    return NodeDocument(*views_, a, {}, max_rows);
  }

  profile::Profile profile_;
  std::unique_ptr<views::Views> views_;
};

TEST_F(MemoryOfANodeTest, OutputsAreThoseWithAShapeOrBytes) {
  profile::ExecutionDetail detail;
  detail.memory.push_back({.outputs = {{.slot = 0, .bytes = 32}}});
  EXPECT_THAT(
      Rows(Part(Document(detail), "outputs"), {"output", "shape", "bytes"}),
      ElementsAre("0 ? 32", "1 [4,2] -"));
}

TEST_F(MemoryOfANodeTest, AttributesAreDecoded) {
  EXPECT_THAT(
      Rows(Part(Document({}), "attributes"), {"attribute", "type", "value"}),
      ElementsAre("data_format string \"NHWC\"", "N int 3"));
}

TEST_F(MemoryOfANodeTest, RecordsWithMemoryBesideOutputsAreListed) {
  profile::ExecutionDetail detail;
  detail.memory.resize(2);
  detail.memory[0].accelerator_temp_bytes = 7;
  detail.memory[0].allocator_bytes_in_use = 100;
  // The second entry has only outputs.
  detail.memory[1].outputs = {{.slot = 0, .bytes = 32}};
  EXPECT_THAT(Rows(Part(Document(detail), "memory"),
                   {"accelerator_temp_bytes", "allocator_bytes_in_use"}),
              ElementsAre("7 100"));
}

TEST_F(MemoryOfANodeTest, AllocationsAreAtAnOffsetInTheirStep) {
  profile::ExecutionDetail detail;
  detail.allocations = {{1010, 500}, {1040, -500}};
  EXPECT_THAT(
      Rows(Part(Document(detail), "allocations"), {"start_micros", "bytes"}),
      ElementsAre("10 500", "40 -500"));
  const tables::DataDocument cut = Document(detail, 1);
  EXPECT_EQ(Part(cut, "allocations").num_rows, 1u);
  EXPECT_EQ(Part(cut, "allocations").total_rows, 2u);
}

TEST(SourceOfANodeTest, TheInnermostLinesStay) {
  const profile::Profile profile = CodeModel("/x/train.py");
  views::Views views(profile);
  const profile::NodeId z = 2;
  EXPECT_THAT(
      Rows(Part(NodeDocument(views, z, {}, 0), "source"), {"line", "source"}),
      ElementsAre("2 b = f()", "4 c", "4 c"));
  const tables::DataDocument cut = NodeDocument(views, z, {}, 2);
  EXPECT_THAT(Rows(Part(cut, "source"), {"line", "function", "file"}),
              ElementsAre("4 main /x/train.py", "4 main /x/train.py"));
  EXPECT_EQ(Part(cut, "source").total_rows, 3u);
}

}  // namespace node_test
}  // namespace
}  // namespace tfprof::inspect
