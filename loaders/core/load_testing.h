// Shared by the tests of loaders: a small graph, a run of it and further files
// in text form, and a test fixture that writes files to its own folder.

#ifndef TFPROF_LOADERS_CORE_LOAD_TESTING_H_
#define TFPROF_LOADERS_CORE_LOAD_TESTING_H_

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "accounting/node_stats.h"
#include "exporters/formats/profile_proto.h"
#include "gtest/gtest.h"
#include "loaders/core/binary_testing.h"
#include "loaders/core/import_log.h"
#include "loaders/core/load.h"
#include "profile/profile.h"
#include "util/files/sink.h"

namespace tfprof::loaders {

inline constexpr char kGraph[] = R"(
  node { name: "w" op: "VariableV2"
         attr { key: "shape" value { shape { dim { size: 3 } } } } }
  node { name: "x" op: "Const" }
  node { name: "y" op: "MatMul" input: "w" input: "x" input: "^gone" }
  versions { producer: 24 })";
inline constexpr char kRunMeta[] = R"(
  step_stats {
    dev_stats {
      device: "/job:localhost/replica:0/task:0/device:CPU:0"
      node_stats { node_name: "y" all_start_micros: 100 op_end_rel_micros: 7
                   memory { allocator_name: "cpu" total_bytes: 64
                            peak_bytes: 32 live_bytes: 16 } }
      node_stats { node_name: "x:Const" all_start_micros: 90 }
    }
  })";
inline constexpr char kOpLog[] = R"(
  log_entries { name: "y" float_ops: 12 types: "mine"
                code_def { traces { lineno: 3 file_id: 1 function_id: 2
                                    line_id: 3 } } }
  id_to_string { key: 1 value: "m.py" }
  id_to_string { key: 2 value: "f" }
  id_to_string { key: 3 value: "y = x @ w" })";
inline constexpr char kProfile[] = R"(
  nodes { key: 0 value { name: "w" op: "VariableV2" op_types: "VariableV2" } }
  nodes { key: 1 value { name: "y" op: "MatMul" op_types: "MatMul" id: 1
                         inputs { key: 0 value: 0 }
                         execs { key: 4 value { run_count: 2
                                                all_start_micros: 5 } } } }
  steps: 4)";

// Returns how often a log has an entry of this kind.
inline int64_t CountOf(const ImportLog& log, std::string_view kind) {
  for (const ImportLog::Entry& entry : log.entries()) {
    if (entry.kind == kind) return entry.count;
  }
  return 0;
}

// Returns the accelerator time of each operation, in the ticks of the profile.
inline std::map<std::string, int64_t> WorkOf(const profile::Profile& profile) {
  std::map<std::string, int64_t> work;
  const auto stats = accounting::ComputeNodeStats(profile, -1);
  const profile::GraphTables& graph = profile.graph();
  for (profile::NodeId n = 0; n < stats.size(); ++n) {
    const int64_t time = stats[n][accounting::Stat::kAcceleratorMicros];
    if (time > 0) {
      work[std::string(graph.strings.Get(graph.nodes.op[n]))] += time;
    }
  }
  return work;
}

// Loads files under flags.
inline absl::StatusOr<Loaded> LoadFlagged(
    std::vector<LoadRequest::FlaggedFile> flagged) {
  LoadRequest request;
  request.flagged = std::move(flagged);
  return Load(request);
}

// Loads files and folders without a flag.
inline absl::StatusOr<Loaded> LoadFiles(std::vector<std::string> files) {
  LoadRequest request;
  request.files = std::move(files);
  return Load(request);
}

// A test with its own folder, which is removed afterwards.
class FolderTest : public ::testing::Test {
 protected:
  FolderTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    dir_ = std::filesystem::path(::testing::TempDir()) / test->name();
    std::filesystem::remove_all(dir_);
    std::filesystem::create_directories(dir_);
  }
  ~FolderTest() override { std::filesystem::remove_all(dir_); }

  // Writes a file with these bytes and returns its path.
  std::string Write(const std::string& name, std::string_view bytes) {
    const std::filesystem::path path = dir_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path.string();
  }
  std::string PathOf(const std::string& name) { return (dir_ / name).string(); }

  static std::string Error(const absl::StatusOr<Loaded>& loaded) {
    EXPECT_FALSE(loaded.ok());
    return std::string(loaded.status().message());
  }
  static std::vector<int64_t> Steps(const Loaded& loaded) {
    std::vector<int64_t> ids;
    for (const auto& step : loaded.profile.steps()) ids.push_back(step->id);
    return ids;
  }
  static int64_t Count(const Loaded& loaded, std::string_view kind) {
    return CountOf(loaded.log, kind);
  }
  // The sum of a statistic over all nodes.
  static int64_t Sum(const Loaded& loaded, accounting::Stat stat,
                     int64_t step = -1) {
    int64_t sum = 0;
    for (const accounting::Stats& s :
         accounting::ComputeNodeStats(loaded.profile, step)) {
      sum += s[stat];
    }
    return sum;
  }
  static std::string Saved(const Loaded& loaded) {
    util::StringSink sink;
    EXPECT_TRUE(exporters::WriteProfileProto(loaded.profile, sink).ok());
    return sink.text();
  }

  std::filesystem::path dir_;
};

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_CORE_LOAD_TESTING_H_
