// Shared helpers for the tests of exporters: profiles made by hand, with
// devices, times, call stacks, and records whose details a test chooses.

#ifndef TFPROF_EXPORTERS_EXPORTERS_TESTING_H_
#define TFPROF_EXPORTERS_EXPORTERS_TESTING_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "accounting/tfprof_rules.h"
#include "loaders/tensorflow/device_names.h"
#include "profile/profile_builder.h"
#include "views/options.h"

namespace tfprof::exporters {

inline constexpr char kGpu[] = "/job:localhost/replica:0/task:0/device:gpu:0";
inline constexpr char kCpu0[] = "/device:cpu:0";
inline constexpr char kCpu1[] = "/device:cpu:1";

// Returns the details that a test set for an offset.
class FakeRecords : public profile::DetailReader {
 public:
  std::vector<std::pair<std::string_view, std::string_view>> Attributes(
      uint64_t) const override {
    // Serialized AttrValue messages {i: 2}, {i: 1} and {i: 3}.
    return {{"b", "\x18\x02"}, {"a", "\x18\x01"}, {"b", "\x18\x03"}};
  }
  profile::ExecutionDetail Execution(uint64_t offset, bool) const override {
    const auto it = executions.find(offset);
    return it == executions.end() ? profile::ExecutionDetail() : it->second;
  }
  bool record_is_group() const override { return false; }

  std::map<uint64_t, profile::ExecutionDetail> executions;
};

class Maker {
 public:
  profile::NodeId Node(std::string_view name,
                       std::vector<profile::NodeId> inputs = {}) {
    const profile::NodeId n = builder_.AddNode(name, "Op", profile::kNoRecord);
    for (size_t i = 0; i < inputs.size(); ++i) {
      builder_.AddEdge(builder_.graph().nodes.name[inputs[i]],
                       static_cast<int32_t>(i), 0, 0);
    }
    return n;
  }

  void Run(profile::NodeId n, std::string_view device, int64_t start,
           int64_t duration, profile::RecordRef record = profile::kNoRecord) {
    profile::ExecutionRecord r;
    r.node = n;
    r.lane = tensorflow::DeviceLane(device, builder_.mutable_graph());
    r.start = start;
    r.duration = duration;
    r.record = record;
    builder_.AddExecutions(0, {r}, {});
  }

  // `frames` are tuples of file, line, function and its first line; outermost
  // first.
  using Frames =
      std::vector<std::tuple<std::string, int32_t, std::string, int32_t>>;
  void Stack(profile::NodeId n, const Frames& frames) {
    profile::GraphTables& graph = builder_.mutable_graph();
    graph.has_code_traces = true;
    profile::StackId stack = profile::kNoStack;
    for (const auto& [file, line, function, first_line] : frames) {
      stack =
          graph.stacks.Push(stack, {.file = graph.strings.Intern(file),
                                    .function = graph.strings.Intern(function),
                                    .lineno = line,
                                    .func_start_line = first_line});
    }
    graph.nodes.stack[n] = stack;
  }

  profile::ProfileBuilder& builder() { return builder_; }
  profile::Profile Build() { return std::move(builder_).Build(); }

 private:
  profile::ProfileBuilder builder_ =
      profile::ProfileBuilder(accounting::TfprofRules());
};

// Options for a report of all rows, for a step.
inline views::ViewOptions AllRows(int64_t step) {
  views::ViewOptions options;
  options.max_depth = 1000000;
  options.step = step;
  return options;
}

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_EXPORTERS_TESTING_H_
