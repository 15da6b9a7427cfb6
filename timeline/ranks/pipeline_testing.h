// PipelineJob: makes the timeline of a pipeline-parallel job by hand, for
// tests.
//
//   PipelineJob job;
//   job.plant = [](const PipelineJob::Where& op, double micros) {
//     return op.dp == 2 && op.stage == 1 ? 1.5 * micros : micros;
//   };
//   const profile::Profile profile = job.Build();
//
// Its workers run one forward and one backward pass in turn. Begins are found
// by relaxation: each operation moves until it begins after all that it needs.
// Lengths are microseconds, with noise, the same ones in each run.

#ifndef TFPROF_TIMELINE_RANKS_PIPELINE_TESTING_H_
#define TFPROF_TIMELINE_RANKS_PIPELINE_TESTING_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "profile/profile.h"
#include "profile/profile_builder.h"

namespace tfprof::timeline {

class PipelineJob {
 public:
  // An operation. `number` is its micro-batch, if it is a pass or a transfer.
  struct Where {
    int step = 0, dp = 0, stage = 0;
    std::string_view type;
    int number = 0;

    bool is_pass() const {
      return type == "forward-compute" || type == "backward-compute";
    }
    bool is_transfer() const {
      return type.ends_with("-send") || type.ends_with("-recv");
    }
  };

  int dps = 4, stages = 4, batches = 8, steps = 4;
  double noise = 0.02;  // of the logarithm of each length
  // Returns the length of an operation whose usual length is `micros`.
  std::function<double(const Where& op, double micros)> plant;
  // Returns how much later than it could an operation begins.
  std::function<double(const Where& op)> late;
  std::vector<double> clocks;  // by rank: how far its clock is ahead
  int model_chunks = 1;        // of each stage, in turn

  profile::Profile Build() const {
    profile::ProfileBuilder builder;
    std::mt19937 random(17);
    double origin = 0;
    for (int step = 0; step < steps; ++step) {
      std::vector<Op> ops = OpsOf(step, random);
      Relax(ops);
      builder.AddStep(kFirstStep + step);
      double end = 0;
      for (const Op& op : ops) {
        end = std::max(end, op.end);
        AddTo(builder, op, origin);
      }
      origin += 1.1 * end;  // there is time between steps, which means nothing
    }
    builder.FinishAllSteps();
    return std::move(builder).Build();
  }

  static constexpr int kFirstStep = 10;

 private:
  struct Op {
    Where where;
    double length = 0, late = 0, begin = 0, end = 0;
    std::vector<size_t> needs, together;
  };
  using Key = std::tuple<int, int, std::string_view, int>;

  static double UsualLength(std::string_view type) {
    static const std::map<std::string_view, double> kLengths = {
        {"forward-compute", 100'000},        {"backward-compute", 190'000},
        {"params-all-gather", 50'000},       {"grads-reduce-scatter", 80'000},
        {"embedding-grads-all-reduce", 9e3}, {"optimizer", 30'000},
        {"optimizer-clip-main-grad", 4'000}};
    const auto it = kLengths.find(type);
    return it == kLengths.end() ? 1'200 : it->second;  // transfers
  }

  // The passes of a stage in their order.
  std::vector<std::pair<std::string_view, int>> Passes(int stage) const {
    const int warm = std::min(batches, stages - stage - 1);
    std::vector<std::pair<std::string_view, int>> order;
    for (int i = 0; i < warm; ++i) order.push_back({"forward-compute", i});
    for (int i = 0; i < batches; ++i) {
      if (warm + i < batches) order.push_back({"forward-compute", warm + i});
      order.push_back({"backward-compute", i});
    }
    return order;
  }

  std::vector<Op> OpsOf(int step, std::mt19937& random) const {
    std::vector<Op> ops;
    std::map<Key, size_t> at;
    std::normal_distribution<double> normal(0, noise);
    const auto add = [&](int dp, int stage, std::string_view type, int number) {
      Op op;
      op.where = {step, dp, stage, type, number};
      op.length =
          UsualLength(type) * (noise > 0 ? std::exp(normal(random)) : 1);
      if (plant) op.length = plant(op.where, op.length);
      if (late) op.late = late(op.where);
      at[{dp, stage, type, number}] = ops.size();
      ops.push_back(std::move(op));
    };
    for (int dp = 0; dp < dps; ++dp) {
      for (int stage = 0; stage < stages; ++stage) {
        add(dp, stage, "params-all-gather", 0);
        for (const auto& [type, number] : Passes(stage)) {
          add(dp, stage, type, number);
        }
        for (int i = 0; i < batches; ++i) {
          if (stage > 0) add(dp, stage, "forward-recv", i);
          if (stage > 0) add(dp, stage, "backward-send", i);
          if (stage + 1 < stages) add(dp, stage, "forward-send", i);
          if (stage + 1 < stages) add(dp, stage, "backward-recv", i);
        }
        if (stage == 0 || stage + 1 == stages) {
          add(dp, stage, "embedding-grads-all-reduce", 0);
        }
        add(dp, stage, "grads-reduce-scatter", 0);
        add(dp, stage, "optimizer-clip-main-grad", 0);
        add(dp, stage, "optimizer", 0);
      }
    }
    for (Op& op : ops) Connect(op, at);
    return ops;
  }

  void Connect(Op& op, const std::map<Key, size_t>& at) const {
    const Where& w = op.where;
    const auto find = [&](std::vector<size_t>& list, int dp, int stage,
                          std::string_view type, int number) {
      const auto it = at.find({dp, stage, type, number});
      if (it != at.end()) list.push_back(it->second);
    };
    const auto need = [&](std::string_view type, int number) {
      find(op.needs, w.dp, w.stage, type, number);
    };
    const auto passes = Passes(w.stage);
    const auto place = std::ranges::find(passes, std::pair(w.type, w.number));
    const bool forward = w.type.starts_with("forward");
    const std::string_view pass =
        forward ? "forward-compute" : "backward-compute";
    const auto last = [&] { need(passes.back().first, passes.back().second); };
    if (w.is_pass()) {
      if (place == passes.begin()) {
        need("params-all-gather", 0);
      } else {
        need((place - 1)->first, (place - 1)->second);
      }
      need(forward ? "forward-recv" : "backward-recv", w.number);
    } else if (w.is_transfer()) {
      need(w.type, w.number - 1);
      need(pass, w.type.ends_with("send") ? w.number : w.number - 1);
      const int next = w.stage + (forward == w.type.ends_with("send") ? 1 : -1);
      const std::string_view other =
          w.type.ends_with("send")
              ? (forward ? "forward-recv" : "backward-recv")
              : (forward ? "forward-send" : "backward-send");
      find(op.together, w.dp, next, other, w.number);
    } else if (w.type == "embedding-grads-all-reduce") {
      last();
      find(op.together, w.dp, w.stage == 0 ? stages - 1 : 0, w.type, 0);
    } else if (w.type == "grads-reduce-scatter") {
      last();
      need("embedding-grads-all-reduce", 0);
    } else if (w.type == "optimizer-clip-main-grad") {
      need("grads-reduce-scatter", 0);
    } else if (w.type == "optimizer") {
      need("optimizer-clip-main-grad", 0);
    }
    const bool of_all = w.type == "optimizer-clip-main-grad";
    if (of_all || w.type == "grads-reduce-scatter" ||
        w.type == "params-all-gather") {
      for (int dp = 0; dp < dps; ++dp) {
        for (int stage = 0; stage < stages; ++stage) {
          if (!of_all && stage != w.stage) continue;
          find(op.together, dp, stage, w.type, 0);
        }
      }
    }
  }

  static void Relax(std::vector<Op>& ops) {
    for (bool moved = true; moved;) {
      moved = false;
      for (Op& op : ops) {
        double begin = 0;
        for (const size_t needed : op.needs) {
          begin = std::max(begin, ops[needed].end);
        }
        begin += op.late;
        double together = begin;
        for (const size_t other : op.together) {
          together = std::max(together, ops[other].begin);
        }
        const double end = together + op.length;
        moved |= begin != op.begin || end != op.end;
        op.begin = begin;
        op.end = end;
      }
    }
  }

  // A transfer is recorded from the moment at which all its participants are
  // there.
  void AddTo(profile::ProfileBuilder& builder, const Op& op,
             double origin) const {
    const auto nanos = [](double micros) {
      return static_cast<int64_t>(std::llround(micros * 1000));
    };
    const Where& w = op.where;
    const auto dp = static_cast<size_t>(w.dp);
    const double ahead = dp < clocks.size() ? clocks[dp] : 0;
    profile::PipelineOp row;
    row.step = kFirstStep + w.step;
    row.dp = w.dp;
    row.stage = w.stage;
    row.type = builder.mutable_graph().strings.Intern(w.type);
    row.sequence = w.number;
    row.micro_batch = w.is_pass() ? w.number : -1;
    row.model_chunk = w.is_pass() ? w.number % model_chunks : -1;
    row.start = nanos(origin + op.end - op.length + ahead);
    row.duration = nanos(op.length);
    builder.AddPipelineOp(row);
  }
};

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_RANKS_PIPELINE_TESTING_H_
