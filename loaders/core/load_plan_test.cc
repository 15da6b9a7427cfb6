#include "loaders/core/load_plan.h"

#include <sys/stat.h>

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "loaders/core/registry.h"
#include "proto/graph.pb.h"
#include "proto/run_metadata.pb.h"
#include "proto/tfprof_log.pb.h"
#include "util/run/progress.h"

namespace tfprof::loaders {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

// The index of a checkpoint, as far as sniffing reads it.
const std::string kTable =
    std::string(60, '\0') + "\x57\xfb\x80\x8b\x24\x75\x47\xdb";

class LoadPlanTest : public FolderTest {
 protected:
  absl::StatusOr<LoadPlan> Plan(const LoadRequest& request) {
    log_ = ImportLog();
    Inputs inputs(log_, progress_);
    return PlanLoad(request, Formats(), inputs, log_);
  }
  absl::StatusOr<LoadPlan> PlanFiles(std::vector<std::string> files) {
    LoadRequest request;
    request.files = std::move(files);
    return Plan(request);
  }

  // Lists the files of a plan, with paths relative to the test folder:
  // "GraphDef: graph.pb".
  std::vector<std::string> Lines(const absl::StatusOr<LoadPlan>& plan) {
    std::vector<std::string> lines;
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return lines;
    for (const LoadPlan::Group& group : plan->groups) {
      for (const LoadPlan::File& file : group.files) {
        std::string line = std::string(group.format->name) + ": " +
                           file.path.substr(dir_.string().size() + 1);
        if (file.step) line += " @" + std::to_string(*file.step);
        lines.push_back(line);
      }
    }
    return lines;
  }
  // Lists the skipped files, with the reason: "notes.txt: unknown format".
  std::vector<std::string> Skipped() {
    std::vector<std::string> lines;
    for (const ImportLog::Entry& entry : log_.entries()) {
      EXPECT_EQ(entry.kind, kSkippedFile);
      EXPECT_EQ(entry.severity, ImportLog::kNotice);
      for (const std::string& text : entry.texts) {
        EXPECT_THAT(text, StartsWith(PathOf("d/")));
        const size_t colon = text.find(": skipped: ");
        EXPECT_NE(colon, text.npos) << text;
        const size_t name = PathOf("d/").size();
        lines.push_back(text.substr(name, colon - name) + ": " +
                        text.substr(colon + 11));
      }
    }
    return lines;
  }
  static std::string PlanError(const absl::StatusOr<LoadPlan>& plan) {
    EXPECT_FALSE(plan.ok());
    return std::string(plan.status().message());
  }

  const std::string graph_ = Binary<proto::GraphDef>(kGraph);
  const std::string run_ = Binary<proto::RunMetadata>(kRunMeta);
  const std::string op_log_ = Binary<proto::OpLogProto>(kOpLog);
  const std::string profile_ = Binary<proto::ProfileProto>(kProfile);
  util::Progress progress_;
  ImportLog log_;
};

TEST_F(LoadPlanTest, FormatsInTheirOrderFilesAsGiven) {
  const auto plan = PlanFiles({Write("run_meta_9", run_), Write("log", op_log_),
                               Write("b", graph_), Write("saved", profile_),
                               Write("a", graph_), "3:" + Write("run", run_)});
  EXPECT_THAT(Lines(plan),
              ElementsAre("ProfileProto: saved", "GraphDef: b", "GraphDef: a",
                          "OpLogProto: log", "RunMetadata: run_meta_9 @9",
                          "RunMetadata: run @3"));
  EXPECT_THAT(Skipped(), IsEmpty());
}

// A rank may be killed while it writes its dump.
TEST_F(LoadPlanTest, DamagedFilesThatCountHaveTheNameOfOthers) {
  const std::string dump = R"({"entries": [], "pg_status": {}})";
  const std::vector<std::string> files = {Write("trace_rank_0", dump),
                                          Write("trace_rank_1", ""),
                                          Write("trace_rank_12", "\x80\x02}")};
  const std::vector<std::string> expected = {
      "flight recorder dump: trace_rank_0",
      "flight recorder dump: trace_rank_1",
      "flight recorder dump: trace_rank_12"};
  EXPECT_EQ(Lines(PlanFiles(files)), expected);
  EXPECT_THAT(PlanError(PlanFiles({files[0], Write("other_1", "")})),
              HasSubstr("other_1: the file is empty"));
  EXPECT_THAT(PlanError(PlanFiles({files[1]})), HasSubstr("the file is empty"));
}

TEST_F(LoadPlanTest, FilesUnderFlagsAreNotOpened) {
  LoadRequest request;
  request.flagged = {{"run_meta_path", PathOf("run_meta_9")},
                     {"graph_path", PathOf("none")},
                     {"run_meta_path", "4:" + PathOf("x")},
                     {"checkpoint_path", PathOf("ckpt")}};
  EXPECT_THAT(Lines(Plan(request)),
              ElementsAre("GraphDef: none", "checkpoint: ckpt",
                          "RunMetadata: run_meta_9", "RunMetadata: x @4"));
}

TEST_F(LoadPlanTest, AProfileUnderAFlagExcludesGraphsAndRuns) {
  for (const char* other : {"graph_path", "run_meta_path"}) {
    LoadRequest request;
    request.flagged = {{other, "x"}, {"profile_path", "p"}};
    EXPECT_EQ(
        PlanError(Plan(request)),
        "--profile_path is set, do not set --graph_path, --run_meta_path, "
        "--pickle_path or --ctf_path");
  }
  // An op log is ignored and a checkpoint is read; files are not flags.
  LoadRequest request;
  request.flagged = {{"profile_path", PathOf("p")},
                     {"op_log_path", PathOf("l")},
                     {"checkpoint_path", PathOf("c")}};
  request.files = {Write("g", graph_), Write("log", op_log_)};
  EXPECT_THAT(Lines(Plan(request)),
              ElementsAre("ProfileProto: p", "GraphDef: g", "OpLogProto: log",
                          "checkpoint: c"));
}

TEST_F(LoadPlanTest, AFlagThatNoFormatHas) {
  LoadRequest request;
  request.flagged = {{"graf_path", "g"}};
  EXPECT_THAT(
      PlanError(Plan(request)),
      StartsWith("g: there is no input flag --graf_path; use --profile_path, "
                 "--graph_path, --run_meta_path, --op_log_path, "));
}

TEST_F(LoadPlanTest, ACheckpointIsNamedByItsPrefix) {
  Write("ckpt.index", kTable);
  Write("v1", kTable);
  EXPECT_THAT(Lines(PlanFiles({PathOf("ckpt")})),
              ElementsAre("checkpoint: ckpt"));
  EXPECT_THAT(Lines(PlanFiles({PathOf("ckpt.index")})),
              ElementsAre("checkpoint: ckpt"));
  EXPECT_THAT(Lines(PlanFiles({PathOf("v1")})), ElementsAre("checkpoint: v1"));
  // A load takes one checkpoint.
  EXPECT_THAT(Lines(PlanFiles({PathOf("ckpt"), PathOf("v1")})),
              ElementsAre("checkpoint: v1"));
  ASSERT_THAT(log_.entries(), SizeIs(1));
  EXPECT_EQ(log_.entries()[0].kind, kSkippedFile);
  EXPECT_THAT(log_.entries()[0].texts,
              ElementsAre(EndsWith(
                  "v1 is the checkpoint that is read, the last named")));
}

TEST_F(LoadPlanTest, AFolderWithAGraph) {
  Write("d/a.pb", graph_);
  Write("d/a.pbtxt", kGraph);
  Write("d/op_log", op_log_);
  Write("d/run_meta_10", run_);
  Write("d/run_meta_9", run_);
  Write("d/saved.pb", profile_);
  EXPECT_THAT(Lines(PlanFiles({PathOf("d")})),
              ElementsAre("GraphDef: d/a.pb", "OpLogProto: d/op_log",
                          "RunMetadata: d/run_meta_9 @9",
                          "RunMetadata: d/run_meta_10 @10"));
  EXPECT_THAT(Skipped(),
              ElementsAre("a.pbtxt: a.pb is the GraphDef that is read; name "
                          "the files to choose others",
                          "saved.pb: a ProfileProto beside a GraphDef; name "
                          "the files to choose others"));
}

// To open the pipe would wait for a writer.
TEST_F(LoadPlanTest, AFolderWithAPipe) {
  Write("d/a.pb", graph_);
  ASSERT_EQ(mkfifo(PathOf("d/run_meta_1").c_str(), 0600), 0);
  ASSERT_EQ(mkfifo(PathOf("d/metadata").c_str(), 0600), 0);
  EXPECT_THAT(Lines(PlanFiles({PathOf("d")})), ElementsAre("GraphDef: d/a.pb"));
  EXPECT_THAT(
      Skipped(),
      ElementsAre("metadata: a pipe, a socket or a device; name it to read it",
                  "run_meta_1: a pipe, a socket or a device; name it to read "
                  "it"));
}

TEST_F(LoadPlanTest, AFolderWithProfilesAndNoGraph) {
  Write("d/profile_10", profile_);
  Write("d/profile_9", profile_);
  Write("d/run_meta_9", run_);
  Write("d/op_log", op_log_);
  EXPECT_THAT(
      Lines(PlanFiles({PathOf("d")})),
      ElementsAre("ProfileProto: d/profile_10", "OpLogProto: d/op_log"));
  EXPECT_THAT(Skipped(),
              ElementsAre("profile_9: profile_10 is the ProfileProto that is "
                          "read; name the files to choose others",
                          "run_meta_9: a RunMetadata beside a ProfileProto; "
                          "name the files to choose others"));
}

TEST_F(LoadPlanTest, FilesThatAreNoInputsAreListed) {
  Write("d/graph.pb", graph_);
  Write("d/.hidden", graph_);
  Write("d/.git/config", "x");
  Write("d/sub/graph.pb", graph_);
  Write("d/meta.json", "{\"a\": 1}");
  Write("d/notes.txt", "nothing of ours");
  Write("d/empty", "");
  EXPECT_THAT(Lines(PlanFiles({PathOf("d")})),
              ElementsAre("GraphDef: d/graph.pb"));
  EXPECT_THAT(Skipped(),
              UnorderedElementsAre(
                  ".git: a hidden file", ".hidden: a hidden file",
                  "sub: a folder in a folder; name it to read what is in it",
                  "meta.json: unknown format", "notes.txt: unknown format",
                  "empty: the file is empty"));
}

TEST_F(LoadPlanTest, TheFilesOfACheckpointInAFolder) {
  Write("d/graph.pb", graph_);
  Write("d/ckpt-1.index", kTable);
  Write("d/ckpt-1.data-00000-of-00001", "values");
  Write("d/ckpt-2.index", kTable);
  Write("d/ckpt-2.data-00000-of-00001", "values");
  EXPECT_THAT(Lines(PlanFiles({PathOf("d")})),
              ElementsAre("GraphDef: d/graph.pb", "checkpoint: d/ckpt-2"));
  // Parts of the checkpoint that is read are not listed as skipped.
  EXPECT_THAT(Skipped(),
              ElementsAre("ckpt-1: ckpt-2 is the checkpoint that is read; name "
                          "the files to choose others",
                          "ckpt-1.data-00000-of-00001: part of a checkpoint "
                          "that is not read"));
}

TEST_F(LoadPlanTest, ManySkippedFilesAreCounted) {
  Write("d/graph.pb", graph_);
  for (int i = 0; i < 50; ++i) Write("d/n" + std::to_string(i), "x");
  ASSERT_TRUE(PlanFiles({PathOf("d")}).ok());
  ASSERT_THAT(log_.entries(), SizeIs(1));
  EXPECT_EQ(log_.entries()[0].count, 50);
  EXPECT_THAT(log_.entries()[0].texts, SizeIs(ImportLog::kMaxTexts));
}

TEST_F(LoadPlanTest, AFolderThatShowsNothing) {
  Write("d/log", op_log_);
  Write("d/ckpt.index", kTable);
  const auto plan = PlanFiles({PathOf("d")});
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(PlanError(plan),
              AllOf(StartsWith(PathOf("d") + ": no ProfileProto, GraphDef, "),
                    EndsWith("among its 2 entries")));
}

TEST_F(LoadPlanTest, AFileOfUnknownFormat) {
  EXPECT_THAT(
      PlanError(PlanFiles({Write("x", "nothing of ours")})),
      AllOf(StartsWith(PathOf("x") +
                       ": byte 0: the format of its 15 bytes is unknown; it "
                       "can be a ProfileProto, GraphDef, "),
            EndsWith(". If it is one of them, name its format with a flag, as "
                     "--profile_path")));
  EXPECT_THAT(PlanError(PlanFiles({Write("e", "")})),
              HasSubstr("the file is empty"));
  EXPECT_EQ(PlanFiles({PathOf("missing")}).status().code(),
            absl::StatusCode::kNotFound);
}

TEST_F(LoadPlanTest, AMinusIsStandardInput) {
  // Standard input of a test has no profile.
  EXPECT_THAT(PlanError(PlanFiles({"-"})), StartsWith("/dev/stdin: "));
}

TEST_F(LoadPlanTest, SkippedFilesAreNoWork) {
  Write("d/graph.pb", graph_);
  Write("d/saved.pb", profile_);
  Write("d/notes", std::string(1000, 'x'));
  ASSERT_TRUE(PlanFiles({PathOf("d")}).ok());
  EXPECT_EQ(progress_.total, static_cast<int64_t>(graph_.size()));
}

}  // namespace
}  // namespace tfprof::loaders
