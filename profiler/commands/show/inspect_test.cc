// The commands that look at parts of a profile: ls, top, show, peek, list,
// steps, devices, doctor.

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "accounting/shaped_model_testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "profiler/commands/commands_testing.h"

namespace tfprof::commands {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// A node that thirty others read, which ran.
profile::Profile WideModel() {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  profile::GraphTables& graph = builder.mutable_graph();
  const profile::LaneId cpu = graph.lanes.Add(
      {.process = graph.lanes.InternProcess(""),
       .kind = profile::LaneKind::kCompute,
       .device = graph.devices.Intern("/device:cpu:0",
                                      {.canonical = true, .on_cpu = true})});
  profile::AddNodeWithInputs(builder, "source", "Const", {}, {1});
  std::vector<profile::ExecutionRecord> records;
  for (int i = 0; i < 30; ++i) {
    const profile::NodeId reader = profile::AddNodeWithInputs(
        builder, "reader_" + std::to_string(i), "Neg", {"source"}, {1});
    records.push_back(
        {.node = reader, .lane = cpu, .start = 10 + i, .duration = 1});
  }
  builder.AddExecutions(0, records, {});
  return std::move(builder).Build();
}

const tables::DataTable* FindPart(const tables::Answer& answer,
                                  std::string_view name) {
  for (const auto& [title, table] : answer.data.parts) {
    if (table.kind == name) return &table;
  }
  return nullptr;
}

TEST(InspectCommandsTest, AnUnknownStepIsAnErrorInEachCommand) {
  Workspace workspace = SmallWorkspace();
  for (const std::string command :
       {"ls", "top", "show DW", "peek DW", "list x.py", "steps", "devices",
        "kernels", "roofline"}) {
    EXPECT_EQ(ErrorOf(command + " -step 9", workspace),
              "Options -step=9 not found.\nAvailable steps: 0 ")
        << command;
  }
}

TEST(InspectCommandsTest, NotesAboutOptionsAreGiven) {
  Workspace workspace = SmallWorkspace();
  const tables::Answer answer =
      RunLine("ls -account_type_regexes (", workspace);
  ASSERT_EQ(answer.notes.size(), 1u);
  EXPECT_THAT(answer.notes[0], HasSubstr("'(' is not a valid regular"));
}

TEST(LsTest, ListsTheCurrentScopeOrAnother) {
  Workspace workspace = SmallWorkspace();
  RunLine("cd DW", workspace);
  const std::string here = Written(RunLine("ls", workspace), "csv");
  EXPECT_THAT(here, HasSubstr("Initializer"));
  EXPECT_EQ(Written(RunLine("ls .", workspace), "csv"), here);
  EXPECT_THAT(Written(RunLine("ls /", workspace), "csv"),
              HasSubstr("Conv2D_1"));
  EXPECT_TRUE(absl::IsNotFound(RunLine("ls nowhere", workspace).status));
  // It looks and does not move.
  EXPECT_EQ(WorkingPlace(workspace), "/DW");
}

TEST(LsTest, OrderIsTheOptions) {
  Workspace workspace = SmallWorkspace();
  const auto first = [&](std::string_view line) {
    std::vector<tables::DataCell> cells;
    const tables::Answer answer = RunLine(line, workspace);
    OnlyTable(answer).cells(0, cells);
    return std::get<std::string>(cells[0]);
  };
  EXPECT_EQ(first("ls"), "Conv2D");
  EXPECT_EQ(first("ls -order_by params"), "DW2");
}

TEST(TopTest, TakesTheNumberOfNodes) {
  Workspace workspace = SmallWorkspace();
  const tables::Answer all = RunLine("top 1000", workspace);
  const size_t nodes = OnlyTable(all).num_rows;
  EXPECT_EQ(OnlyTable(all).rest, "");
  const tables::Answer two = RunLine("top 2", workspace);
  EXPECT_EQ(OnlyTable(two).num_rows, 2u);
  EXPECT_EQ(OnlyTable(two).total_rows, nodes);
  // The line that gives the rest.
  EXPECT_EQ(OnlyTable(two).rest, "top " + std::to_string(nodes));
}

TEST(TopTest, TheDefaultIsTen) {
  Workspace workspace = WorkspaceOf(WideModel());
  EXPECT_EQ(OnlyTable(RunLine("top", workspace)).num_rows, 10u);
}

TEST(TopTest, OtherWordsAreErrors) {
  Workspace workspace = SmallWorkspace();
  for (const std::string word :
       {"0", "x", "2x", "1.5", "99999999999999999999999"}) {
    EXPECT_EQ(ErrorOf("top " + word, workspace),
              "top takes a number of nodes, not " + word);
  }
}

TEST(TopTest, TheRestHasTheOptionsOfTheLine) {
  Workspace workspace = SmallWorkspace();
  EXPECT_THAT(OnlyTable(RunLine("top 1 -order_by params", workspace)).rest,
              StartsWith("top -order_by params "));
}

TEST(ShowTest, NodesAreFoundFromTheCurrentScope) {
  Workspace workspace = SmallWorkspace();
  RunLine("cd DW", workspace);
  const tables::Answer answer = RunLine("show Assign", workspace);
  ASSERT_TRUE(answer.status.ok()) << answer.status;
  EXPECT_EQ(Fact(answer, "name"), tables::DataCell("DW/Assign"));
  EXPECT_EQ(answer.data.kind, "show");
}

TEST(ShowTest, AnUnknownNodeGetsASuggestion) {
  Workspace workspace = SmallWorkspace();
  EXPECT_EQ(ErrorOf("show Conv2d_2", workspace),
            "no node Conv2d_2; did you mean Conv2D_1 or Conv2D?");
  EXPECT_EQ(ErrorOf("show DW/Initializer", workspace),
            "DW/Initializer is a scope, not a node; ls /DW/Initializer lists "
            "its contents");
}

TEST(ShowTest, LongListsAreCutForAPersonOnly) {
  Workspace workspace = WorkspaceOf(WideModel());
  const tables::Answer person = RunLine("show source", workspace);
  const tables::DataTable* consumers = FindPart(person, "consumers");
  ASSERT_NE(consumers, nullptr);
  EXPECT_EQ(consumers->num_rows, 20u);
  EXPECT_EQ(consumers->total_rows, 30u);
  EXPECT_EQ(consumers->rest, "show source -output json");
  // A complete list has no rest.
  EXPECT_EQ(FindPart(person, "inputs")->rest, "");
  const tables::Answer data = RunLine("show source -output json", workspace);
  EXPECT_EQ(FindPart(data, "consumers")->num_rows, 30u);
}

TEST(PeekTest, LongListsAreCutForAPersonOnly) {
  Workspace workspace = WorkspaceOf(WideModel());
  const tables::Answer person = RunLine("peek source", workspace);
  EXPECT_LT(OnlyTable(person).num_rows, 31u);
  EXPECT_EQ(OnlyTable(person).rest, "peek source -output json");
  const tables::Answer data = RunLine("peek source -output csv", workspace);
  EXPECT_EQ(OnlyTable(data).num_rows, 31u);  // with the node itself
  EXPECT_EQ(OnlyTable(data).rest, "");
  EXPECT_THAT(ErrorOf("peek nothing", workspace),
              StartsWith("no node nothing"));
}

TEST(ListTest, ReadsSourcesOnlyBelowAllowedFolders) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "list_sources";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "train.py") << "import jax\n";
  Workspace workspace = WorkspaceOf(accounting::ShapedModel());
  EXPECT_THAT(Written(RunLine("list train.py -source_path " + folder.string(),
                              workspace),
                      "csv"),
              HasSubstr("import jax"));
  EXPECT_THAT(Written(RunLine("list train.py", workspace), "json"),
              HasSubstr("(-source_path DIR allows another folder)"));
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder);
  EXPECT_THAT(Written(RunLine("list train.py", workspace), "csv"),
              HasSubstr("import jax"));
  // Another program asks.
  workspace.sources_here = false;
  EXPECT_THAT(Written(RunLine("list train.py", workspace), "csv"),
              Not(HasSubstr("import jax")));
  EXPECT_THAT(Written(RunLine("list train.py -source_path " + folder.string(),
                              workspace),
                      "csv"),
              HasSubstr("import jax"));
  std::filesystem::current_path(before);
}

TEST(ListTest, AnUnknownFileIsAnError) {
  Workspace workspace = WorkspaceOf(accounting::ShapedModel());
  const tables::Answer answer = RunLine("list model.py", workspace);
  EXPECT_TRUE(absl::IsNotFound(answer.status));
  EXPECT_THAT(std::string(answer.status.message()), HasSubstr("model.py"));
}

TEST(StepsTest, HasARowForEachStep) {
  Workspace workspace = WorkspaceOf(accounting::ShapedModel());
  EXPECT_EQ(OnlyTable(RunLine("steps", workspace)).num_rows, 2u);
  EXPECT_EQ(OnlyTable(RunLine("steps -step 2", workspace)).num_rows, 1u);
}

TEST(DevicesTest, HasARowForEachDevice) {
  Workspace workspace = SmallWorkspace();
  const tables::Answer answer = RunLine("devices", workspace);
  // The stream belongs to its GPU.
  EXPECT_EQ(OnlyTable(answer).num_rows, 2u);
}

TEST(KernelsTest, AProfileOfTensorFlow1HasThemToo) {
  Workspace workspace = SmallWorkspace();
  EXPECT_EQ(OnlyTable(RunLine("kernels", workspace)).num_rows, 2u);
  EXPECT_THAT(ErrorOf("kernels gpu:9", workspace),
              HasSubstr("no accelerator 'gpu:9'"));
}

TEST(RooflineTest, HasPeaksOperationsAndSteps) {
  Workspace workspace = SmallWorkspace();
  const tables::Answer answer =
      RunLine("roofline -device_peaks 1e15,1e12", workspace);
  EXPECT_TRUE(answer.status.ok()) << answer.status;
  EXPECT_NE(FindPart(answer, "peaks"), nullptr);
  EXPECT_NE(FindPart(answer, "ops"), nullptr);
  EXPECT_NE(FindPart(answer, "steps"), nullptr);
}

TEST(DoctorTest, AProfileThatIsGoodPasses) {
  Workspace workspace = SmallWorkspace();
  const tables::Answer answer = RunLine("doctor", workspace);
  EXPECT_TRUE(answer.status.ok()) << answer.status;
  EXPECT_EQ(Fact(answer, "bad"), tables::DataCell(int64_t{0}));
}

TEST(DoctorTest, ABadProfileIsANegativeVerdictWithContent) {
  Workspace workspace = WorkspaceOf(profile::Profile());
  const tables::Answer answer = RunLine("doctor", workspace);
  EXPECT_TRUE(IsNegativeVerdict(answer.status));
  // The rule and its text.
  EXPECT_THAT(std::string(answer.status.message()), StartsWith("graph: "));
  EXPECT_GT(OnlyTable(answer).num_rows, 0u);
}

TEST(DoctorTest, DamageOfTheInputIsBad) {
  loaders::Loaded loaded;
  loaded.profile = accounting::SmallModel();
  loaded.log.Add(loaders::ImportLog::kDamage, "record", "byte 7: a bad record");
  Workspace workspace(std::move(loaded), {});
  EXPECT_THAT(std::string(RunLine("doctor", workspace).status.message()),
              StartsWith("import: "));
}

}  // namespace
}  // namespace tfprof::commands
