#include "loaders/chrome_json/ort/ort.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "fmt/format.h"
#include "loaders/chrome_json/event_details.h"
#include "loaders/chrome_json/ort/ort_devices.h"
#include "loaders/chrome_json/ort/ort_events.h"
#include "loaders/chrome_json/ort/ort_nodes.h"
#include "loaders/nodes/nesting.h"
#include "loaders/onnx/onnx_flops.h"
#include "util/arithmetic.h"
#include "util/run/self_profile.h"
#include "util/text/decimal.h"

namespace tfprof::chrome_json {
namespace {

constexpr std::string_view kSessionScope = "session";
constexpr std::string_view kKernelScope = "kernels";

class Loader {
 public:
  Loader(const std::shared_ptr<const loaders::InputFile>& file, uint32_t number,
         OrtNodes& nodes, loaders::LoadContext& context)
      : file_(*file),
        number_(number),
        nodes_(nodes),
        context_(context),
        builder_(context.builder),
        events_(ReadOrtEvents(*file, context.log)) {
    if (!events_.events.empty()) {
      input_ = builder_.AddInput(std::make_shared<EventDetails>(file));
    }
  }

  // Adds the executions. Adds their steps to `steps`.
  absl::Status Load(std::vector<int64_t>& steps) {
    if (events_.events.empty()) {
      return absl::InvalidArgumentError(
          fmt::format("{}: no event of ONNX Runtime in {} bytes", file_.path(),
                      file_.bytes().size()));
    }
    profile::Process process;
    process.process_id =
        util::ParseDecimal(events_.events.front().process).value_or(-1);
    process.name = "onnxruntime";
    if (number_ > 0) process.label = fmt::format("process {}", number_);
    process_ = builder_.mutable_graph().lanes.AddProcess(std::move(process));
    NestThreads();
    FindSteps();
    AddExecutions();
    AddBytesInUse();
    for (auto& [step, batches] : batches_) {
      steps.push_back(step);
      std::vector<profile::LaneExecutions> executions;
      for (auto& [key, batch] : batches) executions.push_back(std::move(batch));
      builder_.AddExecutions(step, std::move(executions), {});
    }
    Note();
    return absl::OkStatus();
  }

 private:
  using Kind = OrtEvent::Kind;

  const OrtEvent& event(size_t i) const { return events_.events[i]; }
  size_t size() const { return events_.events.size(); }
  profile::StringId Intern(std::string_view s) {
    return builder_.mutable_graph().strings.Intern(s);
  }

  // Finds the nesting of the events on each thread of the host.
  void NestThreads() {
    std::map<std::string_view, std::vector<uint32_t>> threads;
    for (uint32_t i = 0; i < size(); ++i) {
      if (event(i).kind != Kind::kKernel) threads[event(i).thread].push_back(i);
    }
    parent_.assign(size(), profile::kNone);
    self_.assign(size(), 0);
    for (const auto& [thread, of_thread] : threads) {
      std::vector<loaders::Span> spans;
      for (const uint32_t i : of_thread) {
        spans.push_back({event(i).start, event(i).duration});
      }
      const loaders::Nesting nesting = loaders::Nest(spans);
      for (size_t k = 0; k < of_thread.size(); ++k) {
        const uint32_t parent = nesting.parent[k];
        if (parent != profile::kNone) parent_[of_thread[k]] = of_thread[parent];
        self_[of_thread[k]] = nesting.self[k];
      }
    }
  }

  // Finds the step of each event: the run that contains it on its thread, else
  // the run that is open when it starts.
  void FindSteps() {
    int64_t next = 0;
    step_.assign(size(), profile::kOutsideSteps);
    std::vector<loaders::Span> spans;
    std::vector<uint32_t> of_span;
    for (uint32_t i = 0; i < size(); ++i) {
      const bool is_run = event(i).kind == Kind::kRun;
      spans.push_back({event(i).start, is_run ? event(i).duration : 0});
      of_span.push_back(i);
      if (!is_run) continue;
      step_[i] = next;
      builder_.AddStepInterval(
          {.step = next++,
           .process = process_,
           .start = event(i).start,
           .end = util::SaturatingAdd(event(i).start, event(i).duration),
           .name = Intern("model_run")});
    }
    // Parents come before their children.
    const loaders::Nesting by_time = loaders::Nest(spans);
    for (const uint32_t i : by_time.order) {
      if (step_[i] != profile::kOutsideSteps) continue;
      if (parent_[i] != profile::kNone &&
          step_[parent_[i]] != profile::kOutsideSteps) {
        step_[i] = step_[parent_[i]];
      } else if (by_time.parent[i] != profile::kNone &&
                 event(i).kind != Kind::kSession) {
        step_[i] = step_[by_time.parent[i]];
      }
    }
  }

  profile::LaneId LaneOf(const OrtEvent& of, const OrtDevice& device,
                         profile::LaneKind kind) {
    profile::LaneTable& lanes = builder_.mutable_graph().lanes;
    const profile::PhysicalId physical =
        lanes.InternPhysical(process_, device.label, device.label);
    lanes.mutable_physical(physical).kind = device.kind;
    const std::string_view line =
        kind == profile::LaneKind::kKernels ? of.stream : of.thread;
    const auto [it, is_new] = lanes_.try_emplace(
        {Intern(line), physical, kind == profile::LaneKind::kKernels},
        profile::kNone);
    if (!is_new) return it->second;
    profile::Lane lane = {
        .process = process_, .kind = kind, .physical = physical};
    lane.clock = number_;
    if (kind == profile::LaneKind::kKernels) {
      lane.name = Intern(fmt::format("stream {}", line));
      lane.stream =
          util::ParseDecimal(line).value_or(profile::Lane::kUnnumberedStream);
    } else {
      lane.name = Intern(fmt::format("thread {}", line));
      lane.thread = util::ParseDecimal(line).value_or(-1);
    }
    it->second = lanes.Add(lane);
    return it->second;
  }

  profile::LaneExecutions& Batch(int64_t step, profile::LaneId lane,
                                 bool are_runs) {
    profile::LaneExecutions& batch = batches_[step][{lane, are_runs}];
    batch.lane = lane;
    batch.are_runs = are_runs;
    batch.ticks_per_micro = kOrtTicksPerMicro;
    return batch;
  }

  // In the order of starts, so an operation comes before its kernels.
  void AddExecutions() {
    for (uint32_t i = 0; i < size(); ++i) {
      if (event(i).kind == Kind::kKernel) {
        AddKernel(i);
      } else {
        AddOperation(i);
      }
    }
  }

  void AddOperation(uint32_t i) {
    const OrtEvent& e = event(i);
    const bool is_node = e.kind == Kind::kNode;
    const OrtDevice device = DeviceOfProvider(is_node ? e.provider : "");
    const profile::LaneId lane =
        LaneOf(e, device,
               device.is_cpu() ? profile::LaneKind::kCompute
                               : profile::LaneKind::kLaunches);
    const profile::NodeId node = is_node ? nodes_.Operation(e.name, e.op)
                                         : nodes_.Other(kSessionScope, e.name);
    if (is_node) {
      SetFloatOps(node, e);
      last_run_.insert_or_assign(Intern(e.name), LastRun{node, step_[i]});
    }
    profile::LaneExecutions& batch = Batch(step_[i], lane, /*are_runs=*/true);
    batch.records.push_back({.node = node,
                             .start = e.start,
                             .duration = e.duration,
                             .record = profile::MakeRecordRef(input_, e.offset),
                             .requested_bytes = e.output_bytes,
                             .output_bytes = e.output_bytes});
    batch.self.push_back(self_[i]);
  }

  void SetFloatOps(profile::NodeId node, const OrtEvent& e) {
    if (e.output_shapes.empty() || builder_.graph().nodes.FloatOps(node) != 0) {
      return;
    }
    const profile::GraphTables& graph = builder_.graph();
    std::span<const int64_t> weight;
    if (graph.nodes.num_inputs(node) > 1) {
      weight = graph.shapes[graph.nodes.InputShape(
          node, graph.nodes.edge_begin[node] + 1,
          /*real_output=*/true)];
    }
    const int64_t float_ops =
        onnx::OnnxFloatOps(e.op, ParseOrtShapes(e.input_shapes),
                           ParseOrtShapes(e.output_shapes), weight);
    if (float_ops > 0) builder_.SetFloatOps(node, float_ops);
  }

  // A kernel counts for its parent operation. It belongs to the step in which
  // it starts; if it starts after its run has ended, to the step of the
  // operation.
  void AddKernel(uint32_t i) {
    const OrtEvent& e = event(i);
    const profile::StringId parent = builder_.graph().strings.Find(e.parent);
    const auto run = e.parent.empty() || parent == profile::kNone
                         ? last_run_.end()
                         : last_run_.find(parent);
    const bool has_run = run != last_run_.end();
    const profile::NodeId node =
        has_run ? run->second.node : nodes_.Other(kKernelScope, e.name);
    int64_t step = step_[i];
    if (step == profile::kOutsideSteps && has_run) step = run->second.step;
    ++(has_run ? kernels_of_runs_ : kernels_alone_);
    const profile::LaneId lane = LaneOf(e, {.kind = "gpu", .label = "gpu:0"},
                                        profile::LaneKind::kKernels);
    Batch(step, lane, /*are_runs=*/!has_run)
        .records.push_back(
            {.node = node,
             .start = e.start,
             .duration = e.duration,
             .record = profile::MakeRecordRef(input_, e.offset)});
  }

  void AddBytesInUse() {
    std::vector<profile::CounterSample> samples;
    for (const OrtEvent& e : events_.events) {
      if (e.bytes_in_use < 0) continue;
      samples.push_back({.time = util::SaturatingAdd(e.start, e.duration),
                         .value = static_cast<double>(e.bytes_in_use)});
    }
    if (samples.empty()) return;
    builder_.AddCounter({.name = Intern("bytes in use"),
                         .unit = Intern("bytes"),
                         .process = process_},
                        std::move(samples));
  }

  void Note() {
    loaders::ImportLog& log = context_.log;
    if (events_.fences > 0) {
      log.Count(loaders::ImportLog::kNotice, "fence of ONNX Runtime skipped",
                events_.fences);
    }
    if (events_.unknown > 0) {
      log.Add(
          loaders::ImportLog::kDamage, "event that ONNX Runtime does not write",
          fmt::format("{}: {} no start or duration that is a number, or a "
                      "kind that ONNX Runtime does not write; skipped",
                      file_.path(),
                      events_.unknown == 1
                          ? "1 event has"
                          : fmt::format("{} events have", events_.unknown)));
    }
    if (kernels_alone_ > 0) {
      log.Add(loaders::ImportLog::kNotice, "kernel without its operation",
              fmt::format("{}: {} of {} kernels do not name their operation; "
                          "they are in the scope {}",
                          file_.path(), kernels_alone_,
                          kernels_alone_ + kernels_of_runs_, kKernelScope));
    }
  }

  struct LastRun {
    profile::NodeId node = profile::kNone;
    int64_t step = profile::kOutsideSteps;
  };
  struct LaneKey {
    profile::StringId line;
    profile::PhysicalId physical;
    bool kernels;
    template <typename H>
    friend H AbslHashValue(H h, const LaneKey& key) {
      return H::combine(std::move(h), key.line, key.physical, key.kernels);
    }
    friend bool operator==(const LaneKey&, const LaneKey&) = default;
  };

  const loaders::InputFile& file_;
  const uint32_t number_;  // of the file
  OrtNodes& nodes_;
  loaders::LoadContext& context_;
  profile::ProfileBuilder& builder_;
  const OrtEvents events_;
  uint32_t input_ = 0;
  profile::ProcessId process_ = 0;
  // Both are indexed by event.
  std::vector<uint32_t> parent_;
  std::vector<int64_t> self_;
  std::vector<int64_t> step_;
  absl::flat_hash_map<LaneKey, profile::LaneId> lanes_;
  absl::flat_hash_map<profile::StringId, LastRun> last_run_;  // by operation
  std::map<int64_t,
           std::map<std::pair<profile::LaneId, bool>, profile::LaneExecutions>>
      batches_;
  int64_t kernels_of_runs_ = 0;
  int64_t kernels_alone_ = 0;
};

}  // namespace

absl::Status LoadOrt(
    std::span<const std::shared_ptr<const loaders::InputFile>> files,
    loaders::LoadContext& context) {
  // Shared by all files, because they have the same model operations.
  OrtNodes nodes(context);
  std::vector<int64_t> steps;
  for (uint32_t i = 0; i < files.size(); ++i) {
    const util::ScopedPhase phase("onnx runtime profile", files[i]->path());
    absl::Status status = Loader(files[i], i, nodes, context).Load(steps);
    if (!status.ok()) return status;
    context.progress->done += static_cast<int64_t>(files[i]->bytes().size());
    if (context.work.cancelled()) return absl::OkStatus();
  }
  const bool has_model = !context.tensor_producers.empty();
  if (has_model) {
    context.log.Add(
        loaders::ImportLog::kNotice, "operations found in the ONNX model",
        fmt::format("{} of {} operations of the profile are in the ONNX model; "
                    "the others were made by its optimization",
                    nodes.num_in_model(), nodes.num_operations()));
  }
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  const util::ScopedPhase phase("make columns");
  context.builder.FinishSteps(steps);
  return absl::OkStatus();
}

int OrtFit(std::string_view bytes) {
  constexpr size_t kLooked = 64 << 10;
  constexpr int kScore = 1000;
  const std::string_view head = bytes.substr(0, kLooked);
  const size_t first = head.find_first_not_of(" \t\r\n");
  if (first == head.npos || head[first] != '[') return 0;
  const bool has_session =
      head.find("\"Session\"") != head.npos &&
      (head.find("\"session_initialization\"") != head.npos ||
       head.find("\"model_loading_") != head.npos ||
       head.find("\"model_run\"") != head.npos);
  return has_session || head.find("_kernel_time\"") != head.npos ? kScore : 0;
}

}  // namespace tfprof::chrome_json
