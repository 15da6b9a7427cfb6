#include "inspect/devices/device_figures.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/profile_testing.h"
#include "timeline/trace_testing.h"

namespace tfprof::inspect {
namespace {

using ::testing::SizeIs;

constexpr int kTime = 200;

// The activity of a device, tick by tick.
struct Naive {
  std::vector<bool> compute = std::vector<bool>(kTime);
  std::vector<bool> communication = std::vector<bool>(kTime);
  std::vector<bool> copies = std::vector<bool>(kTime);

  static void Add(std::vector<bool>& of, int64_t start, int64_t length) {
    for (int64_t t = start; t < start + length; ++t) {
      of[static_cast<size_t>(t)] = true;
    }
  }
  template <typename Is>
  int64_t Count(Is is) const {
    int64_t count = 0;
    for (size_t t = 0; t < kTime; ++t) {
      count += is(compute[t], communication[t], copies[t]) ? 1 : 0;
    }
    return count;
  }
};

void ExpectFigures(const DeviceFigure& figure, const Naive& naive,
                   int64_t ticks, int round) {
  const auto busy = [](bool a, bool b, bool c) { return a || b || c; };
  EXPECT_EQ(figure.split.busy, ticks * naive.Count(busy)) << round;
  EXPECT_EQ(figure.split.compute, ticks * naive.Count([](bool a, bool, bool) {
    return a;
  })) << round;
  EXPECT_EQ(figure.split.communication, ticks * naive.Count([](bool, bool b,
                                                               bool) {
    return b;
  })) << round;
  EXPECT_EQ(figure.split.copies, ticks * naive.Count([](bool, bool, bool c) {
    return c;
  })) << round;
  EXPECT_EQ(figure.overlap, ticks * naive.Count([](bool a, bool b, bool) {
    return a && b;
  })) << round;
  EXPECT_EQ(figure.exposed(), ticks * naive.Count([](bool a, bool b, bool) {
    return b && !a;
  })) << round;
  EXPECT_EQ(figure.split.idle, figure.split.wall - figure.split.busy) << round;
}

class Random {
 public:
  int64_t UpTo(int64_t most) {
    return static_cast<int64_t>(engine_() % static_cast<uint64_t>(most + 1));
  }

 private:
  std::mt19937_64 engine_{17};
};

TEST(DeviceFiguresTest, TracesAreAsANaiveModelSays) {
  Random random;
  for (int round = 0; round < 500; ++round) {
    timeline::TraceModel model;
    Naive naive;
    const profile::NodeId op = model.Op("aten::mm");
    struct Kind {
      profile::LaneId lane;
      std::vector<bool>& of;
    };
    const std::vector<Kind> kinds = {
        {model.Stream(0, 7, profile::LaneKind::kKernels), naive.compute},
        {model.Stream(0, 8, profile::LaneKind::kKernels), naive.compute},
        {model.Stream(0, 9, profile::LaneKind::kCommunication),
         naive.communication},
        {model.Stream(0, 7, profile::LaneKind::kCopies), naive.copies}};
    int64_t first = kTime, last = 0;
    for (int64_t i = 0; i <= random.UpTo(12); ++i) {
      const Kind& kind = kinds[static_cast<size_t>(random.UpTo(3))];
      const int64_t start = random.UpTo(kTime - 2);
      const int64_t length =
          1 + random.UpTo(std::min<int64_t>(30, kTime - 1 - start));
      Naive::Add(kind.of, start, length);
      first = std::min(first, start);
      last = std::max(last, start + length);
      model.Add({.name = "k",
                 .node = op,
                 .lane = kind.lane,
                 .start = start,
                 .duration = length});
    }
    const profile::Profile profile = std::move(model).Build();
    views::Views views(profile);
    const std::vector<DeviceFigure> figures =
        DeviceFigures(views).Of(*profile.FindStep(0));
    ASSERT_THAT(figures, SizeIs(1)) << round;
    EXPECT_EQ(figures[0].split.wall, last - first) << round;
    ExpectFigures(figures[0], naive, 1, round);
    ASSERT_TRUE(figures[0].idle.has_value()) << round;
    const IdleParts& idle = *figures[0].idle;
    EXPECT_EQ(idle.waiting + idle.host_bound + idle.other,
              figures[0].split.idle)
        << round;
  }
}

class TaskFiguresTest : public tensorflow::ProfileTest {};

TEST_F(TaskFiguresTest, TasksAreAsANaiveModelSays) {
  Random random;
  const std::string task = "/job:localhost/replica:0/task:0";
  for (int round = 0; round < 500; ++round) {
    builder_ = profile::ProfileBuilder(accounting::TfprofRules());
    input_ = builder_.AddInput(std::make_shared<tensorflow::DataFormats>());
    Naive naive;
    const profile::NodeId compute = Node("a", "MatMul");
    const profile::NodeId receive = Node("b", "_Recv");
    int64_t first = kTime, last = 0;
    for (int64_t i = 0; i <= random.UpTo(12); ++i) {
      const int64_t start = random.UpTo(kTime - 2);
      const int64_t length =
          1 + random.UpTo(std::min<int64_t>(30, kTime - 1 - start));
      first = std::min(first, start);
      last = std::max(last, start + length);
      const int64_t kind = random.UpTo(1);
      Naive::Add(kind == 0 ? naive.compute : naive.communication, start,
                 length);
      RanOn(kind == 0 ? compute : receive, task + "/device:CPU:0", 1000 + start,
            length);
    }
    const profile::Profile profile = Build();
    views::Views views(profile);
    const std::vector<DeviceFigure> figures =
        DeviceFigures(views).Of(*profile.FindStep(0));
    ASSERT_THAT(figures, SizeIs(1)) << round;
    const int64_t ticks = profile.ticks_per_micro();
    EXPECT_EQ(figures[0].split.wall, ticks * (last - first)) << round;
    ExpectFigures(figures[0], naive, ticks, round);
    EXPECT_FALSE(figures[0].idle.has_value()) << round;
  }
}

}  // namespace
}  // namespace tfprof::inspect
