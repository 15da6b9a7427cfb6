// Compares float operations that are computed from graphs with the numbers in
// op logs of TensorFlow's Python, node by node.
//
// Each profile is read in three ways: its graph alone; with its run metadata,
// whose shapes the op log may have used; and as the ProfileProto that
// TensorFlow saved, if there is one. Without arguments, it reads the profiles
// of the golden corpus and of tests/flops; with arguments, the profiles in the
// named folders:
//
//   bazel-bin/tests/flops/op_log_test DIRECTORY…
//
// A number may be missing if its shapes are missing: in a graph alone, if only
// the run has the shapes (with the run, the number must be equal), and in a
// saved profile. Every other difference must be in kExpected, with its reason.

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flops/graph_flops.h"
#include "fmt/format.h"
#include "gtest/gtest.h"
#include "loaders/core/load.h"

namespace tfprof {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDefaultDirectories[] = {"tests/golden/profiles",
                                                    "tests/flops"};
std::vector<std::string> directories;

enum class Way { kGraph, kRuns, kSaved };
constexpr std::pair<Way, std::string_view> kWays[] = {
    {Way::kGraph, "graph"},
    {Way::kRuns, "graph and runs"},
    {Way::kSaved, "saved profile"}};

struct Expected {
  std::string_view profile;  // "*": any profile
  std::string_view node;     // a name, or an op after "op:"
  std::string_view reason;
};
constexpr Expected kExpected[] = {
    {"*", "op:Einsum", "TensorFlow registers no figure"},
    {"mlp_tiny", "layer2/MatMul", "a figure of the user's own"},
    {"mlp_tiny", "loss", "a figure of the user's own"},
    {"synth_nostream", "layer2/MatMul", "a figure of the user's own"},
    {"synth_nostream", "loss", "a figure of the user's own"},
    {"input_pipeline", "mul", "the op log was made without the run"},
    {"input_pipeline", "gradients/mul_grad/Mul_1",
     "the op log was made without the run"},
    {"input_pipeline", "gradients/mul_grad/Sum",
     "the op log was made without the run"},
    {"synth_edge", "v", "made by hand"},
    {"synth_edge", "split", "made by hand"},
    {"synth_edge", "use0", "made by hand"},
    {"synth_edge", "use1", "made by hand"},
    {"synth_edge", "use2", "made by hand"},
    {"synth_edge", "use01", "made by hand"},
    {"synth_edge", "big", "made by hand"},
    {"synth_edge", "k", "made by hand"},
    {"synth_edge", "p", "made by hand"},
};

struct Files {
  std::string name;
  std::string graph;
  std::string op_log;
  std::string saved;
  std::vector<std::string> run_metas;
};

std::vector<Files> FindProfiles(const std::string& directory) {
  std::vector<Files> found;
  for (const auto& folder : fs::directory_iterator(directory)) {
    if (!folder.is_directory()) continue;
    Files files;
    files.name = folder.path().filename();
    for (const auto& file : fs::directory_iterator(folder.path())) {
      const std::string path = file.path();
      std::string name = file.path().filename();
      if (name.ends_with(".gz")) name.resize(name.size() - 3);
      if (name == "graph.pb") files.graph = path;
      if (name == "op_log") files.op_log = path;
      if (name == "profile.pb") files.saved = path;
      if (name.starts_with("run_meta_")) files.run_metas.push_back(path);
    }
    std::sort(files.run_metas.begin(), files.run_metas.end());
    if (!files.graph.empty() && !files.op_log.empty()) found.push_back(files);
  }
  std::sort(found.begin(), found.end(),
            [](const Files& a, const Files& b) { return a.name < b.name; });
  return found;
}

class Comparison {
 public:
  void Check(const Files& files, Way way, std::string_view way_name) {
    loaders::LoadRequest request;
    if (way == Way::kSaved) {
      if (files.saved.empty()) return;
      request.flagged = {{"profile_path", files.saved}};
    } else {
      request.flagged = {{"graph_path", files.graph},
                         {"op_log_path", files.op_log}};
    }
    if (way == Way::kRuns) {
      for (const std::string& run_meta : files.run_metas) {
        request.flagged.push_back({"run_meta_path", run_meta});
      }
    }
    const auto loaded = loaders::Load(request);
    ASSERT_TRUE(loaded.ok()) << files.name << ": " << loaded.status();
    const profile::Profile& profile = loaded->profile;
    const flops::GraphFlops computed = flops::ComputeGraphFlops(profile);
    int equal = 0, missing = 0, excused = 0;
    for (profile::NodeId n = 0; n < profile.nodes().size(); ++n) {
      const int64_t logged = profile.nodes().FloatOps(n);
      if (logged == 0 && computed.flops[n] == 0) continue;
      if (logged == computed.flops[n]) {
        ++equal;
        continue;
      }
      const std::string_view op = profile.strings().Get(profile.nodes().op[n]);
      if (IsExpected(files.name, op, profile.node_name(n))) {
        ++excused;
      } else if (way != Way::kRuns &&
                 computed.origin[n] == flops::FlopsOrigin::kNoShapes) {
        ++missing;
      } else {
        ADD_FAILURE() << fmt::format(
            "{} ({}): {} {}: the op log says {}, computed are {}", files.name,
            way_name, op, profile.node_name(n), logged, computed.flops[n]);
      }
    }
    fmt::print("{} ({}): {} equal, {} without shapes, {} expected to differ\n",
               files.name, way_name, equal, missing, excused);
    equal_[way] += equal;
  }

  int equal(Way way) const { return equal_.at(way); }

  // Entries of kExpected that were not needed.
  std::vector<std::string_view> Stale() const {
    std::vector<std::string_view> stale;
    for (size_t i = 0; i < std::size(kExpected); ++i) {
      if (!used_[i]) stale.push_back(kExpected[i].node);
    }
    return stale;
  }

 private:
  bool IsExpected(std::string_view profile, std::string_view op,
                  std::string_view name) {
    for (size_t i = 0; i < std::size(kExpected); ++i) {
      const Expected& expected = kExpected[i];
      if (expected.profile != "*" && expected.profile != profile) continue;
      if (expected.node != name && expected.node != fmt::format("op:{}", op)) {
        continue;
      }
      used_[i] = true;
      return true;
    }
    return false;
  }

  std::map<Way, int> equal_;
  bool used_[std::size(kExpected)] = {};
};

TEST(OpLogTest, GraphsGiveTheFiguresOfOpLogs) {
  Comparison comparison;
  const bool ours = directories.empty();
  if (ours) {
    directories.assign(std::begin(kDefaultDirectories),
                       std::end(kDefaultDirectories));
  }
  for (const std::string& directory : directories) {
    for (const Files& files : FindProfiles(directory)) {
      for (const auto& [way, name] : kWays) comparison.Check(files, way, name);
    }
  }
  if (!ours) return;
  // These minimums show that each way really compared numbers.
  EXPECT_GT(comparison.equal(Way::kGraph), 1500);
  EXPECT_GT(comparison.equal(Way::kRuns), 1500);
  EXPECT_GT(comparison.equal(Way::kSaved), 1300);
  EXPECT_EQ(comparison.Stale(), std::vector<std::string_view>());
}

}  // namespace
}  // namespace tfprof

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  tfprof::directories.assign(argv + 1, argv + argc);
  return RUN_ALL_TESTS();
}
