// The fixture for tests of checkers of a step's time. A step is about 10 ms, on
// one task with a CPU and a GPU unless a test says otherwise.

#ifndef TFPROF_ADVISOR_CHECKERS_STEPS_STEP_TIME_TESTING_H_
#define TFPROF_ADVISOR_CHECKERS_STEPS_STEP_TIME_TESTING_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/advisor_testing.h"
#include "loaders/tensorflow/device_names.h"
#include "loaders/tensorflow/transfer_text.h"

namespace tfprof::advisor {

// Files of bundled profiles (tests/golden/profiles) that give the step time
// checkers nothing to report.
inline std::vector<std::vector<std::string>> HealthyProfiles() {
  return {
      {"code_deep/graph.pb.gz", "code_deep/run_meta_0.gz"},
      {"conv_resnet/profile.pb"},
      {"conv_resnet/graph.pb.gz", "conv_resnet/run_meta_0.gz"},
      {"input_pipeline/graph.pb", "input_pipeline/run_meta_0",
       "input_pipeline/run_meta_1"},
      {"mlp_tiny/graph.pb.gz", "mlp_tiny/run_meta_0.gz"},
      {"multi_cpu/graph.pb.gz", "multi_cpu/run_meta_0.gz",
       "multi_cpu/run_meta_1"},
      {"multi_step/graph.pb", "multi_step/run_meta_10",
       "multi_step/run_meta_20"},
      {"rnn_while/run_meta_0.gz"},
      {"transformer/graph.pb.gz", "transformer/run_meta_0.gz"},
  };
}

// A worker that waits for its parameter server.
inline const std::vector<std::string> kWorker = {"ps_worker/graph.pb",
                                                 "ps_worker/run_meta_0.gz"};
// The kernels of this GPU are synthetic: they take half of the host's times.
inline const std::vector<std::string> kSyntheticGpu = {
    "synth_gpu/graph.pb.gz", "synth_gpu/run_meta_0.gz"};
// A GPU without records of its streams.
inline const std::vector<std::string> kNoStreams = {
    "synth_nostream/graph.pb.gz", "synth_nostream/run_meta_0.gz"};

// The names and labels of records, by number.
class RecordTexts : public profile::DetailReader {
 public:
  std::vector<std::pair<std::string_view, std::string_view>> Attributes(
      uint64_t) const override {
    return {};
  }
  profile::ExecutionDetail Execution(uint64_t, bool) const override {
    return {};
  }
  bool record_is_group() const override { return false; }
  profile::RecordText Text(uint64_t offset) const override {
    return {names[offset], labels[offset],
            tensorflow::OpOfLabel(labels[offset])};
  }
  profile::Transfer TransferOf(uint64_t offset) const override {
    return tensorflow::ReadTransfer(names[offset], labels[offset]);
  }
  std::deque<std::string> names, labels;
};

inline constexpr char kCpu[] = "/job:w/device:CPU:0";
inline constexpr char kGpu[] = "/job:w/device:GPU:0";
inline constexpr char kKernels[] = "/device:GPU:0/stream:all";
inline constexpr char kStream[] = "/device:GPU:0/stream:14";
inline constexpr char kMemcpy[] = "/device:GPU:0/memcpy";

class StepTimeTest : public AdvisorTest {
 protected:
  StepTimeTest()
      : texts_(std::make_shared<RecordTexts>()),
        texts_input_(builder_.AddInput(texts_)) {}

  // Adds a record with a label to the node of that name. If there is no such
  // node, the record is outside the accounting.
  void AddRecord(std::string_view name, std::string_view label,
                 std::string_view device, int64_t start, int64_t micros,
                 int64_t step = 0) {
    const profile::RecordRef record =
        profile::MakeRecordRef(texts_input_, texts_->labels.size());
    texts_->names.emplace_back(name);
    texts_->labels.emplace_back(label);
    profile::GraphTables& graph = builder_.mutable_graph();
    profile::LaneId on = tensorflow::DeviceLane(device, graph);
    if (name.find("MEMCPY") != name.npos) {
      on = tensorflow::TransferLane(on, profile::LaneKind::kCopies, graph);
    } else {
      on = tensorflow::LaneOfOutside(name, on, graph);
    }
    const profile::StringId id =
        graph.strings.Intern(name.substr(0, name.find(':')));
    if (const profile::NodeId n = graph.nodes.Find(id); n != profile::kNone) {
      builder_.AddExecutions(step,
                             {{.node = n,
                               .lane = on,
                               .start = start,
                               .duration = micros,
                               .record = record}},
                             {});
    } else {
      builder_.AddStep(step);
      builder_.AddOutside(step, {id, on, start, micros, record});
    }
  }
  // Adds a kernel whose launch takes `launch` microseconds on the host.
  void Kernel(profile::NodeId n, int64_t start, int64_t launch,
              int64_t kernel_start, int64_t micros, int64_t step = 0) {
    RanOn(n, kGpu, start, launch, step);
    RanOn(n, kKernels, kernel_start, micros, step);
    RanOn(n, kStream, kernel_start, micros, step);
  }

  std::shared_ptr<RecordTexts> texts_;
  uint32_t texts_input_;
};

}  // namespace tfprof::advisor

#endif  // TFPROF_ADVISOR_CHECKERS_STEPS_STEP_TIME_TESTING_H_
