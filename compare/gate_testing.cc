#include "compare/gate_testing.h"

#include <algorithm>
#include <random>
#include <set>
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
  // Every step with a multiple of this number runs the second op of a device
  // for so many steps more.
  int op_every = 0;
  double op_takes = 0;
  // Every tenth step ends with an op of so many steps; 0: never.
  double save = 0;
  bool scattered = false;  // the interrupted steps may be any steps
};

// The time of a step of one device without its noise.
constexpr double kStepMicros = 500.0 * kOps * (kOps + 1) / 2;

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
  const profile::NodeId save =
      fault.save > 0 ? builder.AddNode("save", "Save", profile::kNoRecord)
                     : profile::kNone;
  const double run = 1 + 0.01 * normal(random);
  const int interrupted = uniform(random) < 0.3 ? 1 + random() % 3 : 0;
  std::set<int> slow_steps;
  for (int i = 1; i <= interrupted; ++i) {
    slow_steps.insert(fault.scattered ? static_cast<int>(random() % kSteps)
                                      : i);
  }
  for (int step = 0; step < kSteps - fault.lost_steps; ++step) {
    double slow = run * (1 + 0.02 * std::abs(normal(random)));
    if (step == 0) slow *= 3;
    if (slow_steps.contains(step)) slow *= 1.5 + uniform(random);
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
    const bool op_is_slow =
        fault.op_every > 0 && step % fault.op_every == fault.op_every / 2;
    for (size_t i = 0; i < nodes.size(); ++i) {
      add(nodes[i].first, nodes[i].second,
          500.0 * static_cast<double>(1 + i % kOps) +
              (i == 1 && op_is_slow ? fault.op_takes * kStepMicros : 0));
    }
    if (save != profile::kNone && step % 10 == 9) {
      add(save, 0, fault.save * kStepMicros);
    }
    if (added != profile::kNone) {
      add(added, 0, fault.new_op * kStepMicros * kDevices);
    }
    builder.AddExecutions(step, records, {});
  }
  return std::move(builder).Build();
}

// An error counts as a wrong verdict on either side.
enum class Judgement { kPasses, kFails, kError };

Judgement Judge(unsigned seed, const Fault& healthy, const Fault& fault) {
  const profile::Profile before = Run(2 * seed, healthy);
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

// A program that saves in every tenth step, `save` steps long.
Fault Saves(double save) { return {.save = save, .scattered = true}; }

// A regression of some steps of a program that saves.
std::pair<std::string, Fault> RegressionOfSomeSteps(unsigned number,
                                                    double save,
                                                    std::mt19937& random) {
  std::uniform_real_distribution<double> uniform;
  Fault fault = Saves(save);
  switch (number % 4) {
    case 0:
      // An op is slow in some steps: 8 % of the steps and up to 20 %.
      fault.op_every = 5 + static_cast<int>(random() % 8);
      fault.op_takes = save + 0.5 + 2 * uniform(random);
      return {"op in some steps", fault};
    case 1:
      // Slow in the steps that do not save: the longest step is no longer.
      fault.op_every = 10;
      fault.op_takes = std::max(0.3, save * (0.6 + 0.4 * uniform(random)));
      return {"below the saves", fault};
    case 2:
      fault.save = save * (1.8 + uniform(random));
      return {"the saves", fault};
    default:
      fault.every = 5 + static_cast<int>(random() % 8);
      fault.then = 1.5 + save + 3 * uniform(random);
      return {"whole steps", fault};
  }
}

}  // namespace

GateCounts TryGate(GateFamily family) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform;
  GateCounts counts;
  const auto healthy = [&] {
    if (family == GateFamily::kSteady) return Fault{};
    return Saves(0.5 + uniform(random));
  };
  for (unsigned i = 0; i < kGateRuns; ++i) {
    const Fault base = healthy();
    const auto [kind, fault] =
        family == GateFamily::kSteady
            ? Regression(i, random)
            : RegressionOfSomeSteps(i, base.save, random);
    const bool found = Judge(i, base, fault) == Judgement::kFails;
    GateCounts::Kind& of_kind = counts.kinds[kind];
    of_kind.found += found;
    ++of_kind.all;
    counts.found += found;
  }
  for (unsigned i = 0; i < kGateRuns; ++i) {
    const Fault base = healthy();
    counts.alarms += Judge(1000 + i, base, base) != Judgement::kPasses;
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
