// Properties of the account that hold for any profile: random ones, with
// several processes, devices, threads, nested and overlapping calls, launches
// with and without links, and zero and huge lengths.

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gtest/gtest.h"
#include "timeline/account/account.h"
#include "timeline/account/step_wall.h"
#include "timeline/calls_testing.h"

namespace tfprof::timeline {
namespace {

class RandomTrace {
 public:
  explicit RandomTrace(uint64_t seed) : random_(seed) {}

  profile::Profile Make() {
    const int64_t ranks = 1 + Below(3);
    const bool has_accelerators = Below(5) > 0;
    const bool has_intervals = Below(2) == 0;
    const int64_t steps = 1 + Below(3);
    // Most times are small, so that limits of the account matter; some traces
    // are longer than a year.
    scale_ = Below(8) == 0 ? int64_t{1} << 45 : 1 + Below(400);
    for (int64_t rank = 0; rank < ranks; ++rank) {
      if (ranks > 1) model_.trace.NextRank(rank);
      if (Below(8) == 0) {
        const profile::LaneId lane = model_.trace.Ops();
        model_.trace.graph().lanes.mutable_lane(lane).calls_nest = false;
      }
      for (int64_t i = Below(60); i >= 0; --i)
        AddEvent(steps, has_accelerators);
      for (int64_t s = 0; has_intervals && s < steps; ++s) {
        model_.step = s;
        const int64_t start = Time();
        model_.StepInterval(start, start + Time());
      }
    }
    return std::move(model_.trace).Build();
  }

 private:
  static constexpr std::string_view kOps[] = {
      "aten::mm",  "aten::relu",    "aten::item", "IteratorGetNext",
      "load_data", "copy-done",     "AllReduce",  "XlaCompile",
      "my_op",     "DataLoader",    "warmup",     "PyTorch Profiler (0)",
      "aten::sum", "aten::nonzero", "MatMul",     "ncclAllReduce"};
  // Operations that read input are not here: a device that runs one of them
  // waits for input, which is idle time.
  static constexpr std::string_view kRuns[] = {
      "aten::mm",      "aten::relu", "copy-done", "AllReduce",
      "ncclAllReduce", "my_op",      "aten::sum", "conv2d"};
  static constexpr std::string_view kCalls[] = {
      "cudaStreamSynchronize", "cudaMemcpyAsync", "cudaMalloc",
      "cuModuleLoadData",      "cudaMemcpy",      "cudaEventRecord"};
  static constexpr std::string_view kFunctions[] = {
      "train.py:1:step",     "data.py:2:load_batch", "torch/x.py:3:call",
      "threading.py:4:wait", "train.py:5:log",       "torch/y.py:6:compile"};

  int64_t Below(int64_t end) {
    return static_cast<int64_t>(random_() % static_cast<uint64_t>(end));
  }
  template <size_t N>
  std::string_view AnyOf(const std::string_view (&names)[N]) {
    return names[Below(N)];
  }
  int64_t Time() { return Below(100) * scale_; }
  int64_t Length() {
    switch (Below(8)) {
      case 0:
        return 0;
      case 1:
        return Below(50) * scale_;
      default:
        return 1 + Below(10) * scale_;
    }
  }

  void AddEvent(int64_t steps, bool has_accelerators) {
    using profile::LaneKind;
    // Some work is outside of all steps.
    model_.step = Below(10) == 0 ? profile::kOutsideSteps : Below(steps);
    model_.gpu = static_cast<int>(Below(2));
    const int64_t thread = 1 + Below(3);
    const int64_t stream = 7 + Below(3);
    switch (Below(has_accelerators ? 8 : 4)) {
      case 0:
      case 1:
        model_.Op(AnyOf(kOps), Time(), Length(), thread);
        return;
      case 2:
        model_.Call(AnyOf(kCalls), Time(), Length(), thread);
        return;
      case 3:
        model_.Python(AnyOf(kFunctions), Time(), Length(), thread);
        return;
      case 4:
      case 5: {
        const int64_t start = Time();
        const int launch = model_.Launch(start, Length(), thread);
        // The work may even begin before its launch, on a wrong clock.
        const int64_t begin = Below(4) == 0 ? Time() : start + Length();
        for (int64_t i = Below(3); i >= 0; --i) {
          model_.Kernel(AnyOf(kRuns), begin + Length(), Length(), launch,
                        stream);
        }
        return;
      }
      case 6:
        model_.Kernel(AnyOf(kRuns), Time(), Length(), -1, stream);
        return;
      default:
        model_.Run(AnyOf(kRuns),
                   Below(2) == 0 ? LaneKind::kCommunication : LaneKind::kCopies,
                   Time(), Length(), -1, stream);
    }
  }

  std::mt19937_64 random_;
  CallsModel model_;
  int64_t scale_ = 1;
};

void ExpectPartsAddUp(const DeviceAccount& device) {
  int64_t sum = 0;
  for (const PartInfo& info : AllParts()) {
    const PartTime& part = device[info.part];
    EXPECT_GE(part.ticks, 0) << info.id;
    EXPECT_GE(part.other, 0) << info.id;
    EXPECT_LE(part.details.size(), kMaxDetails);
    int64_t details = part.other;
    int64_t before = device.wall;
    for (const PartDetail& detail : part.details) {
      EXPECT_GT(detail.ticks, 0) << info.id;
      EXPECT_GT(detail.count, 0) << info.id;
      EXPECT_LE(detail.ticks, before) << info.id;
      before = detail.ticks;
      details += detail.ticks;
    }
    EXPECT_EQ(details, part.ticks) << info.id;
    sum += part.ticks;
  }
  EXPECT_EQ(sum, device.wall);
  EXPECT_LE(device.wall - device.idle(), device.wall);
}

TEST(AccountPropertyTest, PartsAddUpToTheWallTime) {
  int devices = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    const profile::Profile profile = RandomTrace(seed).Make();
    views::Views views(profile);
    Activities& activities = views.Kept<Activities>();
    const auto everything = activities.Everything();
    std::vector<const profile::Step*> steps;
    for (const auto& step : profile.steps()) steps.push_back(step.get());
    const std::vector<const StepAccount*> accounts = AccountsOf(views, steps);
    ASSERT_EQ(accounts.size(), steps.size());
    for (size_t s = 0; s < steps.size(); ++s) {
      EXPECT_EQ(accounts[s]->step, steps[s]);
      for (const DeviceAccount& device : accounts[s]->devices) {
        ++devices;
        const Intervals window = StepWindow(activities, *steps[s], device.unit);
        EXPECT_EQ(device.wall, timeline::Length(window));
        ExpectPartsAddUp(device);
        if (!device.accelerator) continue;
        // Work counts where it ran, each kind where no kind before it ran.
        const DeviceActivity& of = *everything->Find(device.unit);
        const auto in_window = [&](const Intervals& time) {
          return timeline::Length(Intersect(time, window));
        };
        EXPECT_EQ(device.idle(), device.wall - in_window(of.busy));
        EXPECT_EQ(device.Of(PartKind::kCompute), in_window(of.compute));
        EXPECT_EQ(device.Of(PartKind::kCommunication),
                  in_window(Subtract(of.communication, of.compute)));
      }
    }
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(devices, 3000);
}

}  // namespace
}  // namespace tfprof::timeline
