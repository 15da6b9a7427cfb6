#include "advisor/advisor_testing.h"
#include "fmt/format.h"

namespace tfprof::advisor {
namespace {
namespace stragglers_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kChecker[] = "SkewChecker:straggler";

// Tasks that are busy for the given ms in each of two steps, with as many ops
// as given.
class StragglerTest : public AdvisorTest {
 protected:
  std::vector<std::string> Tasks(const std::string& job,
                                 const std::vector<int64_t>& milliseconds,
                                 int first_ops = 2) {
    for (const int64_t step : {0, 1}) {
      for (size_t t = 0; t < milliseconds.size(); ++t) {
        const std::string task = std::to_string(t);
        const int ops = t == 0 ? first_ops : 2;
        for (int i = 0; i < ops; ++i) {
          const std::string name = "n" + task + std::to_string(i);
          const profile::GraphTables& graph = builder_.graph();
          profile::NodeId n = graph.nodes.Find(graph.strings.Find(name));
          if (n == profile::kNone) n = Node(name, "Op");
          // All tasks end together; the gaps are between the ops.
          Ran(n, 1'000'000 * (step + 1) + int64_t{100'000} * i,
              milliseconds[t] * 1000 / ops, step,
              fmt::format("/job:{}/replica:0/task:{}/device:CPU:0", job, task));
        }
      }
    }
    return Check(kChecker);
  }
};

TEST_F(StragglerTest, BusyLongerThanOthers) {
  EXPECT_THAT(Tasks("worker", {10, 30, 12, 14}),
              ElementsAre("/job:worker/replica:0/task:1 is busy 30.00ms per "
                          "step, 2.50 times the median of the other 3 tasks of "
                          "worker (12.00ms)"));
  EXPECT_EQ(findings_[0].rule, "straggler");
  EXPECT_EQ(findings_[0].saving_micros, 18000);
  EXPECT_EQ(findings_[0].evidence,
            "op -account_type_regexes /job:worker/replica:0/task:1/.* -select "
            "micros,device -order_by micros");
}

TEST_F(StragglerTest, OneOfTwoTasks) {
  EXPECT_THAT(Tasks("worker", {10, 20}), SizeIs(1));
}

TEST_F(StragglerTest, EvenTasks) {
  EXPECT_THAT(Tasks("worker", {10, 14, 12, 14}), IsEmpty());
}

TEST_F(StragglerTest, ATaskWithMoreOpsHasOtherWork) {
  EXPECT_THAT(Tasks("worker", {30, 10, 12}, 5), IsEmpty());
}

TEST_F(StragglerTest, ParameterServersAreNoStragglers) {
  EXPECT_THAT(Tasks("ps", {10, 30, 12}), IsEmpty());
}

TEST_F(StragglerTest, RealProfiles) {
  for (const char* name :
       {"ps_worker/profile.pb.gz", "multi_cpu/profile.pb.gz"}) {
    EXPECT_THAT(CheckFiles({name}, kChecker), IsEmpty()) << name;
  }
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(StragglerTest, SmallDifferencesAreFine) {
  // Twice as long, but less than a millisecond more.
  const char* const kTasks[] = {"/job:w/replica:0/task:0/device:CPU:0",
                                "/job:w/replica:0/task:1/device:CPU:0"};
  const profile::NodeId a = Node("a", "Op");
  Ran(a, 1000, 500, 0, kTasks[0]);
  Ran(a, 1000, 1400, 0, kTasks[1]);
  const profile::Profile profile = Build();
  EXPECT_THAT(CheckProfile(profile, kChecker), IsEmpty());
  EXPECT_THAT(CheckProfile(profile, kChecker, {{"min_micros", 900}}),
              SizeIs(1));
}

TEST_F(StragglerTest, TheRatioIsAnOption) {
  const profile::NodeId a = Node("a", "Op");
  Ran(a, 1000, 10000, 0, "/job:w/replica:0/task:0/device:CPU:0");
  Ran(a, 1000, 13000, 0, "/job:w/replica:0/task:1/device:CPU:0");
  const profile::Profile profile = Build();
  EXPECT_THAT(CheckProfile(profile, kChecker), IsEmpty());
  EXPECT_THAT(CheckProfile(profile, kChecker, {{"straggler", 1.3}}), SizeIs(1));
  EXPECT_EQ(findings_[0].threshold, 1.3);
}

// A task that is idle in a step says nothing about the others.
TEST_F(StragglerTest, OnlyStepsOfAllTasksCount) {
  const profile::NodeId a = Node("a", "Op");
  for (const int64_t step : {0, 1}) {
    Ran(a, 1000, 10000, step, "/job:w/replica:0/task:0/device:CPU:0");
  }
  Ran(a, 1000, 30000, 0, "/job:w/replica:0/task:1/device:CPU:0");
  EXPECT_THAT(Check(kChecker), SizeIs(1));
  EXPECT_EQ(findings_[0].saving_micros, 20000);
}

TEST_F(StragglerTest, JobsAreComparedByThemselves) {
  const profile::NodeId a = Node("a", "Op");
  Ran(a, 1000, 10000, 0, "/job:chief/replica:0/task:0/device:CPU:0");
  Ran(a, 1000, 90000, 0, "/job:w/replica:0/task:0/device:CPU:0");
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

}  // namespace stragglers_test
}  // namespace
}  // namespace tfprof::advisor
