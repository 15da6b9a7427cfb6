#include "loaders/core/load.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "accounting/tfprof_rules.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load_plan.h"
#include "loaders/core/load_testing.h"
#include "proto/graph.pb.h"
#include "proto/run_metadata.pb.h"
#include "proto/tfprof_log.pb.h"
#include "util/files/wire.h"
#include "util/run/cancellation.h"
#include "util/run/progress.h"

namespace tfprof::loaders {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using LoadTest = FolderTest;

TEST_F(LoadTest, StepsByFlagPositionAndName) {
  const std::string bytes = Binary<proto::RunMetadata>(kRunMeta);
  const std::string a = Write("run_meta_100", bytes), b = Write("b", bytes);
  // Under the flag, the position is the step, whatever the name.
  auto loaded = LoadFlagged({{"run_meta_path", a},
                             {"run_meta_path", "7:" + b},
                             {"run_meta_path", b}});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Steps(*loaded), ElementsAre(0, 2, 7));
  EXPECT_THAT(loaded->coverage, SizeIs(3));
  // Without a flag, the name of the file or the given number is the step.
  loaded = LoadFiles({a, "12:" + b});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Steps(*loaded), ElementsAre(12, 100));
  loaded = LoadFiles({"12:" + a});
  EXPECT_THAT(Steps(*loaded), ElementsAre(12));
  // Two files of one step accumulate.
  loaded = LoadFiles({"3:" + a, "3:" + b});
  ASSERT_TRUE(loaded.ok());
  EXPECT_THAT(Steps(*loaded), ElementsAre(3));
  EXPECT_EQ(Sum(*loaded, accounting::kCpuMicros, 3), 16);
  // A file whose name looks like "N:FILE" is still found by its name.
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(dir_);
  Write("5:c", bytes);
  loaded = LoadFlagged({{"run_meta_path", "5:c"}});
  std::filesystem::current_path(before);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Steps(*loaded), ElementsAre(0));
}

TEST_F(LoadTest, AFolderOfSources) {
  Write("d/graph.pb", Binary<proto::GraphDef>(kGraph));
  Write("d/op_log", Binary<proto::OpLogProto>(kOpLog));
  Write("d/run_meta_10", Binary<proto::RunMetadata>(kRunMeta));
  Write("d/run_meta_9", Binary<proto::RunMetadata>(kRunMeta));
  Write("d/profile.pb", Binary<proto::ProfileProto>(kProfile));
  Write("d/notes.txt", "nothing of ours\n");
  Write("d/sub/graph.pb", "not looked at");
  const auto loaded = LoadFiles({(dir_ / "d").string()});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Steps(*loaded), ElementsAre(9, 10));
  EXPECT_EQ(Sum(*loaded, accounting::kFloatOps), 12);
  EXPECT_THAT(loaded->sources, SizeIs(4));
  // The log lists the saved profile, the notes and the folder.
  EXPECT_EQ(Count(*loaded, kSkippedFile), 3);
  EXPECT_FALSE(loaded->log.damaged());
}

TEST_F(LoadTest, AFolderOfProfilesIsTheLastOne) {
  const std::string other = Binary<proto::ProfileProto>(
      "nodes { key: 0 value { name: \"other\" } } steps: 9");
  Write("d/profile_9", other);
  Write("d/profile_10", Binary<proto::ProfileProto>(kProfile));
  const auto loaded = LoadFiles({(dir_ / "d").string()});
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(Steps(*loaded), ElementsAre(4));
}

TEST_F(LoadTest, ARecordingIsJoinedOnlyToOperations) {
  Write("profile.pb", Binary<proto::ProfileProto>(kProfile));
  LoadRequest request;
  request.files = {PathOf("profile.pb")};
  request.joined = {PathOf("profile.pb")};
  const auto loaded = Load(request);
  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(loaded.status().message()),
      HasSubstr("profile.pb: cannot be joined, because no other file is "
                "a trace of PyTorch"));
  request.joined = {PathOf("missing")};
  EXPECT_EQ(Load(request).status().code(), absl::StatusCode::kNotFound);
}

// The file looks like a trace, because it describes one.
TEST_F(LoadTest, ARefusedFileOfAFolderIsSkipped) {
  const std::string about =
      R"({"top_level_keys": ["schemaVersion", "traceEvents"], "events": 1})";
  LoadRequest request;
  request.files = {PathOf("d")};
  Write("d/about.json", about);
  const auto alone = Load(request);
  EXPECT_EQ(alone.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(alone.status().message()),
              HasSubstr("d/about.json: expected a Kineto trace"));

  Write("d/trace.json",
        R"({"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "cpu_op",
            "name": "add", "pid": 1, "tid": 1, "ts": 10, "dur": 5}]})");
  const auto loaded = Load(request);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ASSERT_EQ(loaded->sources.size(), 1u);
  EXPECT_EQ(loaded->sources[0].path, PathOf("d/trace.json"));
  ASSERT_EQ(CountOf(loaded->log, kSkippedFile), 1);
  EXPECT_THAT(loaded->log.entries()[0].texts[0],
              HasSubstr("about.json: skipped: expected a Kineto trace"));

  // The user named this file, so it is not skipped.
  request.files = {PathOf("d/trace.json"), PathOf("d/about.json")};
  EXPECT_FALSE(Load(request).ok());
}

TEST_F(LoadTest, AFolderOfNothing) {
  Write("d/notes.txt", "nothing of ours\n");
  EXPECT_THAT(Error(LoadFiles({(dir_ / "d").string()})),
              HasSubstr("no ProfileProto, GraphDef, RunMetadata, XPlane, "));
}

TEST_F(LoadTest, TextEqualsBinary) {
  const auto binary = LoadFlagged(
      {{"graph_path", Write("g", Binary<proto::GraphDef>(kGraph))},
       {"op_log_path", Write("l", Binary<proto::OpLogProto>(kOpLog))},
       {"run_meta_path", Write("r", Binary<proto::RunMetadata>(kRunMeta))}});
  const auto text = LoadFlagged({{"graph_path", Write("g.txt", kGraph)},
                                 {"op_log_path", Write("l.txt", kOpLog)},
                                 {"run_meta_path", Write("r.txt", kRunMeta)}});
  ASSERT_TRUE(binary.ok()) << binary.status();
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(Saved(*text), Saved(*binary));
  EXPECT_EQ(text->coverage, binary->coverage);
  EXPECT_EQ(Sum(*binary, accounting::kCpuMicros), 8);
  EXPECT_EQ(Sum(*binary, accounting::kRequestedBytes), 64);
  EXPECT_EQ(Sum(*binary, accounting::kFloatOps), 12);
  EXPECT_EQ(Sum(*binary, accounting::kParameters), 3);
  EXPECT_TRUE(binary->profile.graph().has_code_traces);

  const auto profile = LoadFlagged({{"profile_path", Write("p", kProfile)}});
  const auto profile_binary = LoadFlagged(
      {{"profile_path", Write("p.pb", Binary<proto::ProfileProto>(kProfile))}});
  ASSERT_TRUE(profile.ok()) << profile.status();
  ASSERT_TRUE(profile_binary.ok());
  EXPECT_EQ(Saved(*profile), Saved(*profile_binary));
  EXPECT_THAT(Steps(*profile), ElementsAre(4));
}

TEST_F(LoadTest, TextErrorsNameTheLine) {
  EXPECT_THAT(
      Error(LoadFlagged({{"graph_path", Write("g", "node {\n  name: }\n")}})),
      HasSubstr("line 2"));
}

TEST_F(LoadTest, FilesThatCannotBeRead) {
  const std::string missing = (dir_ / "missing").string();
  EXPECT_THAT(Error(LoadFiles({missing})),
              HasSubstr(missing + "; No such file or directory"));
  EXPECT_THAT(Error(LoadFlagged({{"graph_path", missing}})),
              HasSubstr("Failed to read graph_path: " + missing));
  EXPECT_EQ(LoadFlagged({{"graph_path", missing}}).status().code(),
            absl::StatusCode::kNotFound);
  EXPECT_THAT(Error(LoadFlagged({{"profile_path", dir_.string()}})),
              HasSubstr(dir_.string()));
  EXPECT_THAT(Error(LoadFiles({Write("e", "")})),
              HasSubstr("the file is empty"));
  EXPECT_THAT(
      Error(LoadFiles({Write("j", "just text\n")})),
      HasSubstr("it can be a ProfileProto, GraphDef, RunMetadata, OpLogProto, "
                "checkpoint, "));
}

TEST_F(LoadTest, TheWrongKindUnderAFlag) {
  const std::string graph = Write("g", Binary<proto::GraphDef>(kGraph));
  EXPECT_THAT(
      Error(LoadFlagged({{"run_meta_path", graph}})),
      HasSubstr("found GraphDef, expected RunMetadata (if it is one, it "
                "is damaged at byte 4); give it as --graph_path or "
                "without a flag"));
}

TEST_F(LoadTest, TruncatedFilesKeepTheirBeginning) {
  struct Kind {
    std::string bytes;
    std::string flag;
  };
  const Kind kinds[] = {
      {Binary<proto::GraphDef>(kGraph), "graph_path"},
      {Binary<proto::RunMetadata>(kRunMeta), "run_meta_path"},
      {Binary<proto::ProfileProto>(kProfile), "profile_path"}};
  for (const Kind& kind : kinds) {
    // The cuts that leave a whole message.
    std::vector<size_t> whole = {0};
    util::WireReader r(kind.bytes);
    while (r.Next()) whole.push_back(r.good_bytes());
    size_t nodes = 0;
    for (size_t n = 0; n <= kind.bytes.size(); ++n) {
      const auto loaded =
          LoadFlagged({{kind.flag, Write("cut", kind.bytes.substr(0, n))}});
      const bool cut = std::find(whole.begin(), whole.end(), n) == whole.end();
      if (!loaded.ok()) {
        EXPECT_THAT(std::string(loaded.status().message()),
                    HasSubstr((dir_ / "cut").string()))
            << n;
        EXPECT_TRUE(cut || n == 0) << n;
        continue;
      }
      // An empty file is an empty message.
      EXPECT_EQ(loaded->log.damaged() && n > 0, cut) << n;
      EXPECT_GE(loaded->profile.nodes().size(), nodes) << n;
      nodes = loaded->profile.nodes().size();
    }
    EXPECT_GE(nodes, 2u);
  }
}

// Also covers compressed files, text files, and folders with files that are not
// read: the progress reaches its total exactly once.
TEST(LoadProgressTest, EndsAtTheExpectedTotal) {
  namespace fs = std::filesystem;
  std::vector<std::string> inputs;
  int compressed = 0, folders = 0;
  for (const auto& entry :
       fs::recursive_directory_iterator("tests/golden/profiles")) {
    inputs.push_back(entry.path().string());
    compressed += entry.path().extension() == ".gz";
    folders += entry.is_directory();
  }
  EXPECT_GT(compressed, 5);
  EXPECT_GT(folders, 10);
  for (const std::string& path : inputs) {
    util::Progress progress;
    LoadRequest request;
    request.files = {path};
    request.progress = &progress;
    if (!Load(request).ok()) continue;
    EXPECT_EQ(progress.done, progress.total) << path;
    EXPECT_GE(progress.done,
              fs::is_directory(path) || !path.ends_with(".gz")
                  ? 0
                  : static_cast<int64_t>(2 * fs::file_size(path)))
        << path;
  }
}

TEST(LoadProgressTest, EndsWhenCancelled) {
  for (const char* path :
       {"profile.pb", "graph.pb.gz", "run_meta_0.gz", "op_log.gz", ""}) {
    LoadRequest request;
    request.files = {std::string("tests/golden/profiles/conv_resnet/") + path};
    util::Cancellation cancellation;
    cancellation.Request();
    request.work.cancellation = &cancellation;
    EXPECT_EQ(Load(request).status().code(), absl::StatusCode::kCancelled)
        << path;
    cancellation.Reset();
    EXPECT_TRUE(Load(request).ok()) << path;
  }
}

// A format that exists only in this test: loading needs nothing but its row.
// Its files begin with "skeleton", and each is one node whose name is the rest
// of the file.
constexpr std::string_view kSkeletonWord = "skeleton";

Fit SniffSkeleton(std::string_view bytes) {
  return {.score = bytes.starts_with(kSkeletonWord) ? Fit::kMagic : 0};
}

absl::Status LoadSkeletons(std::span<const FormatFile> files,
                           LoadContext& context) {
  for (const FormatFile& file : files) {
    const std::string_view bytes = file.file->bytes();
    if (!bytes.starts_with(kSkeletonWord)) {
      return absl::InvalidArgumentError(file.path + ": byte 0: no skeleton");
    }
    context.builder.AddNode(bytes.substr(kSkeletonWord.size()), "Bone",
                            profile::kNoRecord);
  }
  return absl::OkStatus();
}

constexpr Format kSkeletonFormat = {
    .name = "skeleton",
    .flag = "skeleton_path",
    .value_name = "FILE,…",
    .help = "A skeleton.",
    .flag_takes_list = true,
    .failed_name = "skeleton_path",
    .step_prefix = "skeleton_",
    .role = Role::kRun,
    .order = 100,
    .rules = accounting::TfprofRules,
    .sniff = SniffSkeleton,
    .load = LoadSkeletons,
};

class NewFormatTest : public FolderTest {
 protected:
  NewFormatTest() : formats_(Formats().begin(), Formats().end()) {
    formats_.push_back(&kSkeletonFormat);
  }

  absl::StatusOr<Loaded> LoadAny(const LoadRequest& request) {
    return Load(request, formats_);
  }
  absl::StatusOr<Loaded> LoadPath(const std::string& path) {
    LoadRequest request;
    request.files = {path};
    return LoadAny(request);
  }

  std::vector<const Format*> formats_;
};

TEST_F(NewFormatTest, IsRecognised) {
  const auto loaded = LoadPath(Write("skeleton_7", "skeletonskull"));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  ASSERT_EQ(loaded->profile.nodes().size(), 1u);
  EXPECT_EQ(loaded->profile.node_name(0), "skull");
  ASSERT_THAT(loaded->sources, SizeIs(1));
  EXPECT_EQ(loaded->sources[0].format, "skeleton");
  EXPECT_EQ(loaded->sources[0].step, 7);
  // Without its row, the file has an unknown format.
  EXPECT_EQ(LoadFiles({PathOf("skeleton_7")}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(NewFormatTest, HasItsFlag) {
  LoadRequest request;
  SetInputFlag(kSkeletonFormat,
               Write("a", "skeletona") + ",5:" + Write("b", "skeletonb"),
               request);
  request.files = {Write("g", Binary<proto::GraphDef>(kGraph))};
  const auto loaded = LoadAny(request);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->profile.nodes().size(), 5u);
  // It comes after the graph, because of its order.
  ASSERT_THAT(loaded->sources, SizeIs(3));
  EXPECT_EQ(loaded->sources[0].format, "GraphDef");
  EXPECT_EQ(loaded->sources[1].step, 0);
  EXPECT_EQ(loaded->sources[2].step, 5);
  // The registry of tfprof does not have this format.
  EXPECT_THAT(Error(Load(request)), HasSubstr("no input flag --skeleton_path"));
}

TEST_F(NewFormatTest, IsInMessages) {
  LoadRequest request;
  request.flagged = {
      {"skeleton_path", Write("g", Binary<proto::GraphDef>(kGraph))}};
  EXPECT_THAT(Error(LoadAny(request)),
              HasSubstr("Failed to read skeleton_path: " + PathOf("g") +
                        ": found GraphDef, expected skeleton; give it as "
                        "--graph_path or without a flag"));
  request.flagged = {{"graph_path", Write("s", "skeleton")}};
  EXPECT_THAT(Error(LoadAny(request)), HasSubstr("give it as --skeleton_path"));
  EXPECT_THAT(Error(LoadPath(Write("odd", "nothing"))),
              HasSubstr(" or skeleton. If it is one of them"));
  request.flagged = {{"profile_path", "p"}, {"skeleton_path", "s"}};
  EXPECT_EQ(Error(LoadAny(request)),
            "--profile_path is set, do not set --graph_path, --run_meta_path, "
            "--pickle_path, --ctf_path or --skeleton_path");
}

TEST_F(NewFormatTest, IsReadInFolders) {
  Write("d/skeleton_10", "skeletona");
  Write("d/skeleton_9", "skeletonb");
  auto loaded = LoadPath(PathOf("d"));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->profile.node_name(0), "b");
  EXPECT_THAT(loaded->sources, SizeIs(2));
  // A profile contains its runs.
  Write("d/profile", Binary<proto::ProfileProto>(kProfile));
  loaded = LoadPath(PathOf("d"));
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_THAT(loaded->sources, SizeIs(1));
  EXPECT_EQ(Count(*loaded, kSkippedFile), 2);
}

TEST_F(NewFormatTest, ReadsAnEmptyFileUnderItsFlag) {
  constexpr Format kNothing = {
      .name = "nothing",
      .flag = "nothing_path",
      .sniff = [](std::string_view) { return Fit(); },
      .load =
          [](std::span<const FormatFile> files, LoadContext& context) {
            LogIfEmpty(*files[0].file, "nothing", context.log);
            return absl::OkStatus();
          }};
  const Format* const formats[] = {&kNothing};
  LoadRequest request;
  request.flagged = {{"nothing_path", Write("empty", "")}};
  const auto loaded = Load(request, formats);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(Count(*loaded, "empty file"), 1);
}

}  // namespace
}  // namespace tfprof::loaders
