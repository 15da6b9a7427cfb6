// The default gate on 200 injected regressions and 200 harmless reruns.
//
// A run has 60 steps of six ops on four devices. Its noise is like that of real
// runs: each step and each op varies by a few percent, the run as a whole by
// one percent (clocks, placement), the first step is slower, and some runs have
// a few interrupted steps. At least 99 % of the regressions must fail, and at
// most 1 % of the reruns.

#include <cstdint>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/compare_testing.h"
#include "gtest/gtest.h"

namespace tfprof {
namespace {

constexpr int kSteps = 60;
constexpr int kDevices = 4;
constexpr int kOps = 6;

// What is wrong with a run; all 1 or 0: nothing.
struct Fault {
  double all = 1;         // each op takes so much longer
  int every = 0;          // in each step of that number …
  double then = 1;        // … all ops take so much longer
  double tail = 0;        // the share of steps, at random, with `then`
  double one_device = 1;  // the ops of the last device take longer
  double memory = 1;
  double new_op = 0;  // the time of an op that was not there, as a share
  int lost_steps = 0;
};

Profile Run(unsigned seed, const Fault& fault) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  ProfileBuilder builder(TfprofRules());
  std::vector<LaneId> lanes;
  for (int d = 0; d < kDevices; ++d) {
    lanes.push_back(DeviceLane(
        "/job:a/replica:0/task:" + std::to_string(d) + "/device:cpu:0",
        builder.mutable_graph()));
  }
  std::vector<std::pair<NodeId, int>> nodes;  // and their devices
  for (int d = 0; d < kDevices; ++d) {
    for (int op = 0; op < kOps; ++op) {
      const std::string type = "Op" + std::to_string(op);
      nodes.emplace_back(builder.AddNode("d" + std::to_string(d) + "/" + type,
                                         type, kNoRecord),
                         d);
    }
  }
  const NodeId added =
      fault.new_op > 0 ? builder.AddNode("svd", "Svd", kNoRecord) : kNone;
  const double run = 1 + 0.01 * normal(random);
  const int interrupted = uniform(random) < 0.3 ? 1 + random() % 3 : 0;
  for (int step = 0; step < kSteps - fault.lost_steps; ++step) {
    double slow = run * (1 + 0.02 * std::abs(normal(random)));
    if (step == 0) slow *= 3;
    if (step > 0 && step <= interrupted) slow *= 1.5 + uniform(random);
    if (fault.every > 0 && step % fault.every == 1) slow *= fault.then;
    if (fault.tail > 0 && uniform(random) < fault.tail) slow *= fault.then;
    std::vector<ExecutionRecord> records;
    std::vector<int64_t> now(kDevices, 1'000'000 * (step + 1));
    const auto add = [&](NodeId node, int device, double micros) {
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
    if (added != kNone) {
      add(added, 0, fault.new_op * 500 * 21 * kDevices);
    }
    builder.AddExecutions(step, records, {});
  }
  return std::move(builder).Build();
}

bool Fails(unsigned seed, const Fault& fault) {
  Two two(Run(2 * seed, {}), Run(2 * seed + 1, fault));
  const auto report = Check(DefaultCheckRules(), 0, two.before, two.after);
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() && report->failed();
}

TEST(GateTest, FindsRegressionsAndKeepsQuietAboutReruns) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform;
  std::map<std::string_view, std::pair<int, int>> found;  // of how many
  int total = 0, caught = 0;
  for (unsigned i = 0; i < 200; ++i) {
    Fault fault;
    std::string_view kind;
    switch (i % 7) {
      case 0:
        kind = "constant";
        fault.all = 1.2 + 0.6 * uniform(random);
        break;
      case 1: {
        kind = "every k-th step";
        fault.every = 2 + static_cast<int>(random() % 7);
        // The mean grows by 30 to 100 %.
        fault.then = 1 + fault.every * (0.3 + 0.7 * uniform(random));
        break;
      }
      case 2:
        kind = "tail";
        fault.tail = 0.15 + 0.15 * uniform(random);
        fault.then = 5 + 5 * uniform(random);
        break;
      case 3:
        kind = "one rank";
        fault.one_device = 1.25 + uniform(random);
        break;
      case 4:
        kind = "memory";
        fault.memory = 1.15 + uniform(random);
        break;
      case 5:
        kind = "new op";
        fault.new_op = 0.07 + 0.3 * uniform(random);
        break;
      default:
        kind = "lost steps";
        fault.lost_steps = 1 + static_cast<int>(random() % 20);
        break;
    }
    const bool fails = Fails(i, fault);
    found[kind].first += fails;
    ++found[kind].second;
    caught += fails;
    ++total;
  }
  int alarms = 0;
  for (unsigned i = 0; i < 200; ++i) alarms += Fails(1000 + i, {});
  for (const auto& [kind, counts] : found) {
    std::printf("%-16.*s %3d of %3d found\n", static_cast<int>(kind.size()),
                kind.data(), counts.first, counts.second);
  }
  std::printf("%-16s %3d of %3d found\n", "all", caught, total);
  std::printf("%-16s %3d of 200 failed\n", "harmless reruns", alarms);
  EXPECT_GE(caught, 198);
  EXPECT_LE(alarms, 2);
}

}  // namespace
}  // namespace tfprof
