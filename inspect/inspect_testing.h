// Helpers for the tests of this folder: cells of tables as text, and small
// profiles.

#ifndef TFPROF_INSPECT_INSPECT_TESTING_H_
#define TFPROF_INSPECT_INSPECT_TESTING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "accounting/small_model_testing.h"
#include "accounting/tfprof_rules.h"
#include "fmt/format.h"
#include "gtest/gtest.h"
#include "inspect/nodes/place.h"
#include "loaders/tensorflow/device_names.h"
#include "profile/details.h"
#include "profile/profile.h"
#include "profile/profile_builder.h"
#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof::inspect {

// "-" if there is no value.
inline std::string CellText(const tables::DataCell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* i = std::get_if<int64_t>(&cell)) return fmt::format("{}", *i);
  if (const auto* d = std::get_if<double>(&cell)) {
    return fmt::format("{:.3f}", *d);
  }
  return "-";
}

// The rows of a table, each with the cells of these columns, separated by
// blanks.
inline std::vector<std::string> Rows(
    const tables::DataTable& table,
    const std::vector<std::string_view>& columns) {
  std::vector<std::string> rows;
  std::vector<tables::DataCell> cells;
  for (size_t row = 0; row < table.num_rows; ++row) {
    table.cells(row, cells);
    EXPECT_EQ(cells.size(), table.columns.size());
    std::string& text = rows.emplace_back();
    for (const std::string_view column : columns) {
      bool found = false;
      for (size_t c = 0; c < table.columns.size() && !found; ++c) {
        if (table.columns[c].name != column) continue;
        found = true;
        if (!text.empty()) text += ' ';
        text += CellText(cells[c]);
      }
      EXPECT_TRUE(found) << "no column " << column;
    }
  }
  return rows;
}

inline std::vector<std::string> Column(const tables::DataTable& table,
                                       std::string_view name) {
  return Rows(table, {name});
}

// Finds a fact by its name, or by its title if it is only for people.
inline std::string Fact(const tables::DataFacts& facts, std::string_view name) {
  for (const auto& [column, cell] : facts) {
    if ((column.name.empty() ? column.title : column.name) == name) {
      return CellText(cell);
    }
  }
  return "(no such fact)";
}

inline std::string Fact(const tables::DataTable& table, std::string_view name) {
  return Fact(table.facts, name);
}

// Returns nullptr if the document has no such table.
inline const tables::DataTable* FindTable(const tables::DataDocument& document,
                                          std::string_view kind) {
  for (const tables::DataDocument::Part& part : document.parts) {
    if (part.table.kind == kind) return &part.table;
  }
  return nullptr;
}

inline std::string Message(const absl::Status& status) {
  return std::string(status.message());
}

// Places and nodes of the reference's small model.
class SmallModelTest : public testing::Test {
 protected:
  Place At(std::string_view path) {
    const auto place = FindPlace(views_, {}, path);
    EXPECT_TRUE(place.ok()) << path;
    return place.ok() ? *place : Place();
  }
  profile::NodeId Node(std::string_view name) {
    return profile_.nodes().Find(profile_.strings().Find(name));
  }

  const profile::Profile profile_ = accounting::SmallModel();
  views::Views views_{profile_};
};

// Details of records, by number.
class FakeDetails : public profile::DetailReader {
 public:
  profile::AttributeList Attributes(uint64_t) const override {
    return attributes;
  }
  std::vector<std::string_view> Inputs(uint64_t offset) const override {
    return offset < inputs.size() ? inputs[offset]
                                  : std::vector<std::string_view>();
  }
  profile::ExecutionDetail Execution(uint64_t offset, bool) const override {
    return offset < executions.size() ? executions[offset]
                                      : profile::ExecutionDetail();
  }
  bool record_is_group() const override { return false; }

  profile::AttributeList attributes;
  std::vector<std::vector<std::string_view>> inputs;
  std::vector<profile::ExecutionDetail> executions;
};

// Two steps on a CPU. Step 3 runs [10, 30) twice at the same time, then [50,
// 60); step 7 runs [100, 140). The peak bytes of an execution equal its
// microseconds.
inline profile::Profile TwoSteps(size_t max_memory = 0) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  if (max_memory > 0) builder.SetMaxMemory(max_memory);
  const profile::LaneId cpu = tensorflow::DeviceLane(
      "/job:localhost/replica:0/task:0/device:cpu:0", builder.mutable_graph());
  const profile::NodeId a = builder.AddNode("a", "Op", profile::kNoRecord);
  const profile::NodeId b = builder.AddNode("b", "Op", profile::kNoRecord);
  const auto ran = [&](profile::NodeId n, int64_t start, int64_t micros) {
    profile::ExecutionRecord record;
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

// Nodes that were made in `file`: x on line 2, y on line 4 below it, and z one
// call deeper, where line 4 calls itself.
inline profile::Profile CodeModel(const std::string& file) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  profile::GraphTables& graph = builder.mutable_graph();
  graph.has_code_traces = true;
  const profile::LaneId cpu = tensorflow::DeviceLane("/device:cpu:0", graph);
  const auto frame = [&](int line, std::string_view text) {
    profile::Frame f;
    f.file = graph.strings.Intern(file);
    f.function = graph.strings.Intern("main");
    f.line = graph.strings.Intern(text);
    f.lineno = line;
    return f;
  };
  const profile::StackId outer =
      graph.stacks.Push(profile::kNoStack, frame(2, "b = f()"));
  const profile::StackId inner = graph.stacks.Push(outer, frame(4, "c"));
  const profile::StackId again = graph.stacks.Push(inner, frame(4, "c"));
  std::vector<profile::ExecutionRecord> records;
  for (const auto& [name, stack, micros] :
       {std::tuple("x", outer, 5), std::tuple("y", inner, 10),
        std::tuple("z", again, 100)}) {
    profile::ExecutionRecord record;
    record.node = builder.AddNode(name, "Op", profile::kNoRecord);
    builder.mutable_graph().nodes.stack[record.node] = stack;
    record.lane = cpu;
    record.start = 1000;
    record.duration = micros;
    records.push_back(record);
  }
  builder.AddExecutions(0, records, {});
  return std::move(builder).Build();
}

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_INSPECT_TESTING_H_
