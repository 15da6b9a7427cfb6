#include "exporters/formats/profile_proto.h"

#include <cmath>
#include <cstdint>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/node_stats.h"
#include "exporters/exporters_testing.h"
#include "fmt/format.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"
#include "loaders/core/load.h"
#include "loaders/tensorflow/device_names.h"
#include "proto/tfprof_log.pb.h"
#include "util/files/sink.h"

namespace tfprof::exporters {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string TestData(std::string_view name) {
  return fmt::format("exporters/testdata/{}", name);
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The input of a test: a directory in testdata/ and its run metadata.
struct Sources {
  std::string dir;
  std::vector<std::pair<int64_t, std::string>> run_metas;
  bool op_log = true;
};

Sources MultiStep() {
  return {"multi_step",
          {{0, "run_meta_0"},
           {10, "run_meta_10"},
           {20, "run_meta_20"},
           {30, "run_meta_30"},
           {40, "run_meta_40"},
           {50, "run_meta_50"},
           {50, "run_meta_50.1"}}};
}
// Input with dangling inputs, real output indices, odd devices and odd traces.
Sources SynthEdge() {
  return {"synth_edge",
          {{0, "run_meta_0"}, {4, "run_meta_4"}, {9, "run_meta_9"}}};
}

profile::Profile LoadSources(const Sources& sources) {
  loaders::LoadRequest request;
  request.flagged = {{"graph_path", TestData(sources.dir + "/graph.pb")}};
  if (sources.op_log) {
    request.flagged.push_back(
        {"op_log_path", TestData(sources.dir + "/op_log")});
  }
  for (const auto& [step, file] : sources.run_metas) {
    request.flagged.push_back(
        {"run_meta_path",
         fmt::format("{}:{}", step, TestData(sources.dir + "/" + file))});
  }
  auto loaded = loaders::Load(request);
  EXPECT_TRUE(loaded.ok()) << loaded.status().ToString();
  return loaded.ok() ? std::move(loaded->profile) : profile::Profile();
}

std::string Save(const profile::Profile& profile) {
  util::StringSink sink;
  EXPECT_TRUE(WriteProfileProto(profile, sink).ok());
  return sink.text();
}

profile::Profile LoadSaved(const std::string& bytes) {
  const std::string path = ::testing::TempDir() + "/saved.pb";
  std::ofstream(path, std::ios::binary) << bytes;
  loaders::LoadRequest request;
  request.flagged = {{"profile_path", path}};
  auto loaded = loaders::Load(request);
  EXPECT_TRUE(loaded.ok()) << loaded.status().ToString();
  return loaded.ok() ? std::move(loaded->profile) : profile::Profile();
}

proto::ProfileProto Parse(const std::string& bytes) {
  proto::ProfileProto proto;
  EXPECT_TRUE(proto.ParseFromString(bytes));
  return proto;
}

// Replaces the ids of trace strings, which each writer chooses itself, by the
// strings, and removes the fields that only tfprof writes.
proto::ProfileProto Comparable(proto::ProfileProto proto) {
  const auto& strings = proto.id_to_string();
  for (auto& [id, node] : *proto.mutable_nodes()) {
    for (proto::CodeDef::Trace& trace :
         *node.mutable_trace()->mutable_traces()) {
      trace.set_file(strings.at(trace.file_id()));
      trace.set_function(strings.at(trace.function_id()));
      trace.set_line(strings.at(trace.line_id()));
      trace.clear_file_id();
      trace.clear_function_id();
      trace.clear_line_id();
    }
    node.clear_input_output_index();
    node.clear_dangling_inputs();
    for (auto& [step, exec] : *node.mutable_execs()) exec.clear_other_execs();
  }
  proto.clear_id_to_string();
  return proto;
}

std::string Difference(const std::string& ours, const std::string& real) {
  google::protobuf::util::MessageDifferencer differencer;
  std::string report;
  differencer.ReportDifferencesToString(&report);
  differencer.Compare(Comparable(Parse(real)), Comparable(Parse(ours)));
  return report;
}

TEST(ProfileProtoTest, SameAsTheRealProgram) {
  for (const Sources& sources :
       {MultiStep(), Sources{"tiny_const", {{0, "run_meta_0"}}},
        Sources{"synth_advice", {{0, "run_meta_0"}}, /*op_log=*/false}}) {
    SCOPED_TRACE(sources.dir);
    EXPECT_EQ(Difference(Save(LoadSources(sources)),
                         ReadFile(TestData(sources.dir + "/profile.pb"))),
              "");
  }
}

// A saved profile loads as the same profile, and is saved again to the same
// bytes.
TEST(ProfileProtoTest, RoundTrip) {
  for (const Sources& sources : {MultiStep(), SynthEdge()}) {
    SCOPED_TRACE(sources.dir);
    const profile::Profile profile = LoadSources(sources);
    const std::string bytes = Save(profile);
    const profile::Profile again = LoadSaved(bytes);
    // Only the warning about streams is not restored, as in the reference.
    const std::string mark =
        profile.graph().misses_accelerator_stream ? "(\x01" : "";
    EXPECT_TRUE(Save(again) + mark == bytes);
    ASSERT_EQ(again.nodes().size(), profile.nodes().size());
    for (const int64_t step : {int64_t{-1}, sources.run_metas[1].first}) {
      EXPECT_EQ(accounting::ComputeNodeStats(again, step),
                accounting::ComputeNodeStats(profile, step));
    }
  }
}

TEST(ProfileProtoTest, DanglingInputsAndRealOutputs) {
  const proto::ProfileProto proto = Parse(Save(LoadSources(SynthEdge())));
  int dangling = 0, outputs = 0;
  for (const auto& [id, node] : proto.nodes()) {
    EXPECT_EQ(node.id(), id);
    dangling += static_cast<int>(node.dangling_inputs().size());
    outputs += static_cast<int>(node.input_output_index().size());
    for (const auto& [position, source] : node.inputs()) {
      EXPECT_TRUE(proto.nodes().contains(source));
    }
  }
  EXPECT_GT(dangling, 0);
  EXPECT_GT(outputs, 0);
}

TEST(ProfileProtoTest, UnknownStringsAndUntimedExecutions) {
  Maker maker;
  auto details = std::make_shared<FakeRecords>();
  const uint32_t input = maker.builder().AddInput(details);
  const profile::NodeId n =
      maker.builder().AddNode("n", "Op", profile::MakeRecordRef(input, 1));
  profile::GraphTables& graph = maker.builder().mutable_graph();
  graph.has_code_traces = true;
  graph.nodes.stack[n] = graph.stacks.Push(
      profile::kNoStack, {.function = graph.strings.Intern("f"),
                          .line = graph.strings.Intern("none"),
                          .lineno = -1});
  maker.Run(n, "/device:GPU:0/memcpy", 5, 1);
  maker.Run(n, "/device:CPU:0", profile::kNoStart, 7);
  const proto::ProfileProto proto = Parse(Save(maker.Build()));
  ASSERT_TRUE(proto.nodes().contains(0));
  const proto::ProfileNode& node = proto.nodes().at(0);
  const auto& trace = node.trace().traces(0);
  EXPECT_EQ(proto.id_to_string().at(trace.file_id()), "<unknown>");
  EXPECT_EQ(proto.id_to_string().at(trace.function_id()), "f");
  EXPECT_EQ(trace.line_id(), 0);
  EXPECT_EQ(proto.id_to_string().at(0), "none");
  EXPECT_EQ(trace.lineno(), -1);
  EXPECT_EQ(node.canonical_device(), "/device:cpu:0");
  const proto::ExecProfile& exec = node.execs().at(0);
  EXPECT_EQ(exec.all_start_micros(), 5);
  EXPECT_THAT(exec.devices(),
              ElementsAre("/device:cpu:0", "/device:gpu:0/memcpy"));
  EXPECT_TRUE(exec.cpu_execs().empty());
  EXPECT_TRUE(exec.accelerator_execs().empty());
  EXPECT_EQ(exec.run_count(), 0);
}

TEST(ProfileProtoTest, AttributesAreCopied) {
  Maker maker;
  const uint32_t input =
      maker.builder().AddInput(std::make_shared<FakeRecords>());
  maker.builder().AddNode("n", "Op", profile::MakeRecordRef(input, 1));
  const std::string bytes = Save(maker.Build());
  const proto::ProfileProto proto = Parse(bytes);
  EXPECT_EQ(proto.nodes().at(0).attrs().at("a").i(), 1);
  // Only the last of equal keys is written.
  EXPECT_EQ(proto.nodes().at(0).attrs().at("b").i(), 3);
  EXPECT_THAT(bytes, Not(HasSubstr("\x18\x02")));
}

TEST(ProfileProtoTest, CountersOfKernelsOpenAgain) {
  Maker maker;
  const profile::NodeId n =
      maker.builder().AddNode("n", "Op", profile::kNoRecord);
  maker.Run(n, "/device:GPU:0", 5, 1);
  profile::GraphTables& graph = maker.builder().mutable_graph();
  const profile::LaneId lane = tensorflow::DeviceLane("/device:gpu:0", graph);
  profile::KernelCounters counters;
  counters.counters = {
      {graph.strings.Intern("Wavefronts"), profile::KernelCounters::Kind::kSum},
      {graph.strings.Intern("CacheHit"), profile::KernelCounters::Kind::kMean}};
  counters.kernels = {{.name = graph.strings.Intern("gemm"),
                       .node = n,
                       .step = 3,
                       .lane = lane,
                       .start = 1'795'299'049'222'065'207,
                       .duration = 7},
                      {.name = profile::kNone,
                       .node = profile::kNone,
                       .step = -1,
                       .lane = profile::kNone}};
  counters.values = {64, 12.5, std::nan(""), -0.0};
  maker.builder().SetKernelCounters(counters);
  const std::string bytes = Save(maker.Build());
  const profile::Profile again = LoadSaved(bytes);
  const profile::KernelCounters& read = again.kernel_counters();
  ASSERT_EQ(read.kernels.size(), 2u);
  ASSERT_EQ(read.counters.size(), 2u);
  EXPECT_EQ(again.strings().Get(read.counters[1].name), "CacheHit");
  EXPECT_EQ(read.counters[0].kind, profile::KernelCounters::Kind::kSum);
  EXPECT_EQ(read.counters[1].kind, profile::KernelCounters::Kind::kMean);
  const profile::KernelCounters::Kernel& kernel = read.kernels[0];
  EXPECT_EQ(again.strings().Get(kernel.name), "gemm");
  EXPECT_EQ(again.node_name(kernel.node), "n");
  EXPECT_EQ(kernel.step, 3);
  EXPECT_EQ(again.devices().name(again.device_of(kernel.lane)),
            "/device:gpu:0");
  EXPECT_EQ(kernel.start, 1'795'299'049'222'065'207);
  EXPECT_EQ(kernel.duration, 7);
  EXPECT_EQ(read.kernels[1].name, profile::kNone);
  EXPECT_EQ(read.kernels[1].node, profile::kNone);
  EXPECT_EQ(read.kernels[1].lane, profile::kNone);
  EXPECT_EQ(read.values[1], 12.5);
  EXPECT_TRUE(std::isnan(read.values[2]));
  EXPECT_EQ(Save(again), bytes);
}

TEST(ProfileProtoTest, Empty) { EXPECT_EQ(Save(profile::Profile()), ""); }

}  // namespace
}  // namespace tfprof::exporters
