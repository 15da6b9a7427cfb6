#include "timeline/critical_path.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "timeline/trace_testing.h"

namespace tfprof::timeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns a text such as "compute 5" for each segment of the chain.
std::vector<std::string> Chain(const CriticalPath& path) {
  std::vector<std::string> texts;
  for (const PathSegment& s : path.chain()) {
    texts.push_back(std::string(PathKindName(s.kind)) + " " +
                    std::to_string(s.length()));
  }
  return texts;
}

TEST(CriticalPathTest, LaunchesKernelsAndWaits) {
  TraceModel model;
  const profile::LaneId gpu = model.Stream(0, 7, profile::LaneKind::kKernels);
  const profile::NodeId mm = model.Op("mm");
  const int first = model.Add({.name = "launch",
                               .node = mm,
                               .lane = model.Launches(),
                               .start = 0,
                               .duration = 10});
  const int second = model.Add({.name = "launch",
                                .node = mm,
                                .lane = model.Launches(),
                                .start = 20,
                                .duration = 5});
  model.Add({.name = "a",
             .node = mm,
             .lane = gpu,
             .start = 15,
             .duration = 50,
             .launch = first});
  model.Add({.name = "b",
             .node = mm,
             .lane = gpu,
             .start = 70,
             .duration = 30,
             .launch = second});
  const profile::Profile profile = std::move(model).Build();
  const CriticalPath path(profile, 0);
  EXPECT_EQ(path.length(), 100);
  EXPECT_THAT(Chain(path), ElementsAre("launch 10", "wait 5", "compute 50",
                                       "wait 5", "compute 30"));
  EXPECT_EQ(path.violations(), 0);
  for (const PathSegment& s : path.segments()) {
    if (s.kind == PathSegment::Kind::kLaunch && s.start == 20) {
      EXPECT_EQ(s.slack, 45);  // b could wait for it until 65
    } else {
      EXPECT_EQ(s.slack, 0);
    }
  }
  // If kernels are twice as fast: 15 + 25 + 5 + 15.
  EXPECT_EQ(path.LengthIf([](const PathSegment& s) {
    return s.kind == PathSegment::Kind::kCompute ? 2.0 : 1.0;
  }),
            60);
}

TEST(CriticalPathTest, TheHostWaitsForTheDevice) {
  TraceModel model;
  const profile::LaneId gpu = model.Stream(0, 7, profile::LaneKind::kKernels);
  const profile::NodeId mm = model.Op("mm");
  const int launch = model.Add({.name = "launch",
                                .node = mm,
                                .lane = model.Launches(),
                                .start = 0,
                                .duration = 5});
  model.Add({.name = "k",
             .node = mm,
             .lane = gpu,
             .start = 10,
             .duration = 80,
             .launch = launch});
  model.Add({.name = "cudaDeviceSynchronize",
             .lane = model.Launches(),
             .start = 6,
             .duration = 94});
  const profile::Profile profile = std::move(model).Build();
  const CriticalPath path(profile, 0);
  EXPECT_EQ(path.length(), 100);
  EXPECT_THAT(Chain(path),
              ElementsAre("launch 5", "wait 5", "compute 80", "launch 10"));
  EXPECT_EQ(path.LengthIf([&](const PathSegment& s) {
    return s.kind == PathSegment::Kind::kCompute ? 4.0 : 1.0;
  }),
            40);
}

TEST(CriticalPathTest, AMomentBelongsToTheInnermostCall) {
  TraceModel model;
  const profile::NodeId outer = model.Op("outer"), inner = model.Op("inner");
  model.Add({.name = "outer",
             .node = outer,
             .lane = model.Ops(),
             .start = 0,
             .duration = 100});
  model.Add({.name = "inner",
             .node = inner,
             .lane = model.Ops(),
             .start = 30,
             .duration = 50});
  const profile::Profile profile = std::move(model).Build();
  const CriticalPath path(profile, 0);
  EXPECT_THAT(Chain(path),
              ElementsAre("compute 30", "compute 50", "compute 20"));
  EXPECT_EQ(path.LengthIf([&](const PathSegment& s) {
    return s.node == inner ? 5.0 : 1.0;
  }),
            60);
}

TEST(CriticalPathTest, WorkGoesFromThreadToThread) {
  TraceModel model;
  const profile::NodeId op = model.Op("op");
  const profile::LaneId main = model.Thread(1, profile::LaneKind::kCompute);
  const profile::LaneId other = model.Thread(2, profile::LaneKind::kCompute);
  for (const auto& [lane, start, end] :
       {std::tuple(main, 0, 10), std::tuple(other, 12, 70),
        std::tuple(main, 75, 100)}) {
    model.Add({.name = "op",
               .node = op,
               .lane = lane,
               .start = start,
               .duration = end - start});
  }
  const profile::Profile profile = std::move(model).Build();
  EXPECT_THAT(Chain(CriticalPath(profile, 0)),
              ElementsAre("compute 10", "wait 2", "compute 58", "wait 5",
                          "compute 25"));
}

TEST(CriticalPathTest, ALinkBackInTimeIsCounted) {
  TraceModel model;
  const profile::NodeId mm = model.Op("mm");
  const int launch = model.Add({.name = "launch",
                                .node = mm,
                                .lane = model.Launches(),
                                .start = 50,
                                .duration = 5});
  model.Add({.name = "k",
             .node = mm,
             .lane = model.Stream(0, 7, profile::LaneKind::kKernels),
             .start = 10,
             .duration = 5,
             .launch = launch});
  const profile::Profile profile = std::move(model).Build();
  const CriticalPath path(profile, 0);
  EXPECT_EQ(path.violations(), 1);
  EXPECT_EQ(path.length(), 45);
}

TEST(CriticalPathTest, NothingRan) {
  TraceModel model;
  model.Add({.name = "named",
             .lane = model.Thread(1, profile::LaneKind::kAnnotation),
             .start = 0,
             .duration = 9});
  const profile::Profile profile = std::move(model).Build();
  const CriticalPath path(profile, 0);
  EXPECT_THAT(path.chain(), IsEmpty());
  EXPECT_EQ(path.length(), 0);
}

// Computes the same numbers directly from the definitions, without sorting.
class Naive {
 public:
  struct Run {
    int64_t start, end;
    std::vector<size_t> after;    // runs that it waits for to end
    std::vector<size_t> started;  // runs that it waits for to start
  };
  explicit Naive(std::vector<Run> runs) : runs_(std::move(runs)) {
    for (const Run& run : runs_) {
      origin_ = std::min(origin_, run.start);
      last_ = std::max(last_, run.end);
    }
  }
  int64_t length() const { return last_ - origin_; }
  int64_t LengthIf(size_t run, int64_t length) const {
    std::map<size_t, int64_t> starts;
    int64_t last = origin_;
    for (size_t r = 0; r < runs_.size(); ++r) {
      last = std::max(last,
                      Start(r, run, length, starts) + LengthOf(r, run, length));
    }
    return last - origin_;
  }
  // Finds by trial how much longer the run can be.
  int64_t Slack(size_t run) const {
    int64_t low = 0, high = length() + 1;
    while (high - low > 1) {
      const int64_t mid = (low + high) / 2;
      const int64_t longer = runs_[run].end - runs_[run].start + mid;
      (LengthIf(run, longer) <= length() ? low : high) = mid;
    }
    return low;
  }

 private:
  int64_t LengthOf(size_t r, size_t run, int64_t length) const {
    return r == run ? length : runs_[r].end - runs_[r].start;
  }
  int64_t Start(size_t r, size_t run, int64_t length,
                std::map<size_t, int64_t>& starts) const {
    if (const auto it = starts.find(r); it != starts.end()) return it->second;
    int64_t recorded = origin_, now = origin_;
    for (const size_t p : runs_[r].after) {
      recorded = std::max(recorded, runs_[p].end);
      now = std::max(now,
                     Start(p, run, length, starts) + LengthOf(p, run, length));
    }
    for (const size_t p : runs_[r].started) {
      recorded = std::max(recorded, runs_[p].start);
      now = std::max(now, Start(p, run, length, starts));
    }
    return starts[r] = now + runs_[r].start - recorded;
  }

  std::vector<Run> runs_;
  int64_t origin_ = INT64_MAX;
  int64_t last_ = INT64_MIN;
};

TEST(CriticalPathTest, AsANaiveModelOnRandomTraces) {
  std::mt19937 random(1);
  for (int round = 0; round < 1000; ++round) {
    TraceModel model;
    std::vector<Naive::Run> runs;
    std::vector<profile::NodeId> nodes;
    int64_t host = 0;
    std::vector<int64_t> free(2, 0);
    std::vector<size_t> last_on(2, SIZE_MAX);
    size_t last_call = SIZE_MAX;
    const int calls = 1 + static_cast<int>(random() % 8);
    for (int i = 0; i < calls; ++i) {
      host += random() % 20;
      const int64_t length = 1 + random() % 10;
      const profile::NodeId node = model.Op("n" + std::to_string(i));
      const int call = model.Add({.name = "launch",
                                  .node = node,
                                  .lane = model.Launches(),
                                  .start = host,
                                  .duration = length});
      runs.push_back({host, host + length, {}, {}});
      if (last_call != SIZE_MAX) runs.back().after.push_back(last_call);
      last_call = runs.size() - 1;
      nodes.push_back(profile::kNone);
      if (random() % 4 == 0) {
        host += length;
        continue;
      }
      const size_t stream = random() % 2;
      const int64_t start =
          std::max(free[stream], host + static_cast<int64_t>(random() % 30));
      const int64_t kernel = 1 + random() % 60;
      const profile::NodeId of = model.Op("k" + std::to_string(i));
      model.Add({.name = "k",
                 .node = of,
                 .lane = model.Stream(0, static_cast<int64_t>(stream),
                                      profile::LaneKind::kKernels),
                 .start = start,
                 .duration = kernel,
                 .launch = call});
      runs.push_back({start, start + kernel, {}, {last_call}});
      if (last_on[stream] != SIZE_MAX) {
        runs.back().after.push_back(last_on[stream]);
      }
      last_on[stream] = runs.size() - 1;
      nodes.push_back(of);
      free[stream] = start + kernel;
      host += length;
    }
    const profile::Profile profile = std::move(model).Build();
    const CriticalPath path(profile, 0);
    const Naive naive(runs);
    ASSERT_EQ(path.length(), naive.length()) << round;
    ASSERT_EQ(path.LengthIf([](const PathSegment&) { return 1.0; }),
              naive.length());
    int64_t chain = 0;
    for (const PathSegment& s : path.chain()) chain += s.length();
    ASSERT_EQ(chain, path.chain().back().end - path.chain().front().start);
    for (size_t r = 0; r < runs.size(); ++r) {
      if (nodes[r] == profile::kNone) continue;
      const int64_t length = runs[r].end - runs[r].start;
      ASSERT_EQ(path.LengthIf([&](const PathSegment& s) {
        return s.node == nodes[r] ? static_cast<double>(length) : 1.0;
      }),
                naive.LengthIf(r, 1))
          << round;
      const auto segment = std::find_if(
          path.segments().begin(), path.segments().end(),
          [&](const PathSegment& s) { return s.node == nodes[r]; });
      ASSERT_EQ(segment->slack, naive.Slack(r)) << round;
    }
  }
}

}  // namespace
}  // namespace tfprof::timeline
