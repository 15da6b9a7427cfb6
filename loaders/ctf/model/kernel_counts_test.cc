#include "loaders/ctf/model/kernel_counts.h"

#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::ctf {
namespace {

// Two ops, each with a launch of "sgemm". The device ran the second one first.
class KernelCountsTest : public testing::Test {
 protected:
  KernelCountsTest() {
    facts_.threads.resize(1);
    facts_.processes.resize(1);
    facts_.sessions = {{0, 1, 0, 1000, Name("Run")}};
    for (const int64_t begin : {100, 200}) {
      facts_.ops.push_back({begin, begin + 50, Name(begin == 100 ? "a" : "b"),
                            profile::kNone, 0});
      facts_.launches.push_back(
          {begin + 10, begin + 10, Name("sgemm"), Name("queue"), 0});
    }
    facts_.object_names[{0, Name("7")}] = Name("sgemm");
  }
  profile::StringId Name(std::string_view text) {
    return facts_.names.Intern(text);
  }
  void AddKernel(std::string_view name, int64_t begin) {
    Activity kernel;
    kernel.name = Name(name);
    kernel.begin = begin;
    kernel.end = begin + 5;
    facts_.activities.push_back(kernel);
    attribution_.links.emplace_back();
  }
  void AddSet(double wavefronts) {
    CounterSet set;
    set.object = Name("7");
    set.workgroup = {64, 1, 1};
    set.grid = {1024, 2, 3};
    set.group_segment = 256;
    set.counts = {{Name("Wavefronts"), wavefronts, false},
                  {Name("CacheHit"), 50, true}};
    facts_.counter_sets.push_back(set);
  }
  CountedKernels Match(const std::vector<loaders::CounterFile>& files = {}) {
    return MatchCounters(facts_, attribution_, files);
  }

  TraceFacts facts_;
  Attribution attribution_;
};

TEST_F(KernelCountsTest, SetsWithoutKernelsBelongToTheOpOfTheirLaunch) {
  AddSet(1);
  AddSet(2);
  const CountedKernels counted = Match();
  ASSERT_EQ(counted.kernels.size(), 2u);
  EXPECT_EQ(counted.kernels[0].name, "sgemm");
  EXPECT_EQ(counted.kernels[0].set, 0u);
  EXPECT_EQ(counted.kernels[0].op, 0u);
  EXPECT_EQ(counted.kernels[1].op, 1u);
  EXPECT_EQ(counted.sets_without_kernel, 0u);
}

TEST_F(KernelCountsTest, SetsBelongToKernelsOfTheirNameInOrder) {
  AddKernel("relu", 5);
  AddKernel("sgemm", 20);
  AddKernel("sgemm", 10);
  attribution_.links[1].op = 1;
  AddSet(1);
  AddSet(2);
  const CountedKernels counted = Match();
  ASSERT_EQ(counted.kernels.size(), 2u);
  EXPECT_EQ(counted.kernels[0].activity, 2u) << "which began first";
  EXPECT_EQ(counted.kernels[0].set, 0u);
  EXPECT_EQ(counted.kernels[1].activity, 1u);
  EXPECT_EQ(counted.kernels[1].op, 1u);
}

TEST_F(KernelCountsTest, AnotherNumberOfKernelsIsNoMatch) {
  AddKernel("sgemm", 10);
  AddSet(1);
  AddSet(2);
  AddSet(3);
  const CountedKernels counted = Match();
  ASSERT_EQ(counted.kernels.size(), 3u);
  EXPECT_EQ(counted.kernels[0].activity, profile::kNone);
  EXPECT_EQ(counted.kernels[0].op, profile::kNone);
  EXPECT_EQ(counted.sets_without_kernel, 3u);
}

TEST_F(KernelCountsTest, RowsOfAFile) {
  AddKernel("sgemm", 10);
  AddKernel("relu", 2000);
  const loaders::CounterFile file = {"c.csv",
                                     {"Wavefronts"},
                                     {{"relu", {3}, {"relu", "1", "3.00"}},
                                      {"sgemm", {4}, {"sgemm", "2", "4.00"}},
                                      {"gone", {5}, {"gone", "3", "5.00"}}}};
  const CountedKernels counted = Match({file});
  EXPECT_EQ(counted.rows_without_kernel, 1u);
  ASSERT_EQ(counted.kernels.size(), 3u);
  EXPECT_EQ(counted.kernels[0].activity, 0u);
  EXPECT_EQ(counted.kernels[0].row, 1u);
  EXPECT_EQ(counted.kernels[1].activity, 1u);
  EXPECT_EQ(counted.kernels[1].row, 0u);
  EXPECT_EQ(counted.kernels[2].activity, profile::kNone);
}

}  // namespace
}  // namespace tfprof::ctf
