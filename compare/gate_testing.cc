#include "compare/gate_testing.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "accounting/tfprof_rules.h"
#include "compare/check.h"
#include "compare/rule.h"
#include "fmt/format.h"
#include "loaders/tensorflow/device_names.h"
#include "profile/profile_builder.h"
#include "views/views.h"

namespace tfprof::compare {
namespace {

constexpr int kSteps = 60;
constexpr int kDevices = 4;
constexpr int kOps = 6;

// The fault of a run; without a fault, all factors are 1 and the rest 0.
struct Fault {
  double all = 1;         // all ops take this factor longer
  int every = 0;          // every step with a multiple of this number …
  double then = 1;        // … takes this factor longer
  double tail = 0;        // share of random steps that take `then` longer
  double one_device = 1;  // the ops of the last device take longer
  double memory = 1;
  double new_op = 0;  // the time of an added op, as a share
  int lost_steps = 0;
};

profile::Profile Run(unsigned seed, const Fault& fault) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  profile::ProfileBuilder builder(accounting::TfprofRules());
  std::vector<profile::LaneId> lanes;
  for (int d = 0; d < kDevices; ++d) {
    lanes.push_back(tensorflow::DeviceLane(
        "/job:a/replica:0/task:" + std::to_string(d) + "/device:cpu:0",
        builder.mutable_graph()));
  }
  std::vector<std::pair<profile::NodeId, int>>
      nodes;  // nodes with their devices
  for (int d = 0; d < kDevices; ++d) {
    for (int op = 0; op < kOps; ++op) {
      const std::string type = "Op" + std::to_string(op);
      nodes.emplace_back(builder.AddNode("d" + std::to_string(d) + "/" + type,
                                         type, profile::kNoRecord),
                         d);
    }
  }
  const profile::NodeId added =
      fault.new_op > 0 ? builder.AddNode("svd", "Svd", profile::kNoRecord)
                       : profile::kNone;
  const double run = 1 + 0.01 * normal(random);
  const int interrupted = uniform(random) < 0.3 ? 1 + random() % 3 : 0;
  for (int step = 0; step < kSteps - fault.lost_steps; ++step) {
    double slow = run * (1 + 0.02 * std::abs(normal(random)));
    if (step == 0) slow *= 3;
    if (step > 0 && step <= interrupted) slow *= 1.5 + uniform(random);
    if (fault.every > 0 && step % fault.every == 1) slow *= fault.then;
    if (fault.tail > 0 && uniform(random) < fault.tail) slow *= fault.then;
    std::vector<profile::ExecutionRecord> records;
    std::vector<int64_t> now(kDevices, 1'000'000 * (step + 1));
    const auto add = [&](profile::NodeId node, int device, double micros) {
      const double mine = device == kDevices - 1 ? fault.one_device : 1;
      const auto time = static_cast<int64_t>(micros * slow * fault.all * mine *
                                             (1 + 0.03 * normal(random)));
      const auto bytes = static_cast<int64_t>(1e6 * fault.memory);
      records.push_back({.node = node,
                         .lane = lanes[static_cast<size_t>(device)],
                         .start = now[static_cast<size_t>(device)],
                         .duration = std::max<int64_t>(time, 1),
                         .requested_bytes = bytes,
                         .peak_bytes = bytes});
      now[static_cast<size_t>(device)] += records.back().duration;
    };
    for (size_t i = 0; i < nodes.size(); ++i) {
      add(nodes[i].first, nodes[i].second,
          500.0 * static_cast<double>(1 + i % kOps));
    }
    if (added != profile::kNone) {
      add(added, 0, fault.new_op * 500 * 21 * kDevices);
    }
    builder.AddExecutions(step, records, {});
  }
  return std::move(builder).Build();
}

// An error counts as a wrong verdict on either side.
enum class Judgement { kPasses, kFails, kError };

Judgement Judge(unsigned seed, const Fault& fault) {
  const profile::Profile before = Run(2 * seed, {});
  const profile::Profile after = Run(2 * seed + 1, fault);
  views::Views old_views(before), new_views(after);
  const auto report = Check(DefaultCheckRules(), 0, old_views, new_views);
  if (!report.ok()) return Judgement::kError;
  return report->failed() ? Judgement::kFails : Judgement::kPasses;
}

// The regression with this number, and its kind.
std::pair<std::string, Fault> Regression(unsigned number,
                                         std::mt19937& random) {
  std::uniform_real_distribution<double> uniform;
  Fault fault;
  switch (number % 7) {
    case 0:
      fault.all = 1.2 + 0.6 * uniform(random);
      return {"constant", fault};
    case 1:
      fault.every = 2 + static_cast<int>(random() % 7);
      // The mean grows by 30 to 100 %.
      fault.then = 1 + fault.every * (0.3 + 0.7 * uniform(random));
      return {"every k-th step", fault};
    case 2:
      fault.tail = 0.15 + 0.15 * uniform(random);
      fault.then = 5 + 5 * uniform(random);
      return {"tail", fault};
    case 3:
      fault.one_device = 1.25 + uniform(random);
      return {"one rank", fault};
    case 4:
      fault.memory = 1.15 + uniform(random);
      return {"memory", fault};
    case 5:
      fault.new_op = 0.07 + 0.3 * uniform(random);
      return {"new op", fault};
    default:
      fault.lost_steps = 1 + static_cast<int>(random() % 20);
      return {"lost steps", fault};
  }
}

}  // namespace

GateCounts TryGate() {
  std::mt19937 random(7);
  GateCounts counts;
  for (unsigned i = 0; i < kGateRuns; ++i) {
    const auto [kind, fault] = Regression(i, random);
    const bool found = Judge(i, fault) == Judgement::kFails;
    GateCounts::Kind& of_kind = counts.kinds[kind];
    of_kind.found += found;
    ++of_kind.all;
    counts.found += found;
  }
  for (unsigned i = 0; i < kGateRuns; ++i) {
    counts.alarms += Judge(1000 + i, {}) != Judgement::kPasses;
  }
  return counts;
}

std::string GateTable(const GateCounts& counts) {
  std::string table;
  for (const auto& [kind, of_kind] : counts.kinds) {
    table += fmt::format("{:<16} {:>3} of {:>3} found\n", kind, of_kind.found,
                         of_kind.all);
  }
  table += fmt::format("{:<16} {:>3} of {:>3} found\n", "all regressions",
                       counts.found, kGateRuns);
  table += fmt::format("{:<16} {:>3} of {:>3} failed\n", "harmless reruns",
                       counts.alarms, kGateRuns);
  return table;
}

}  // namespace tfprof::compare
