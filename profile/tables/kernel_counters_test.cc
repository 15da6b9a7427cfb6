#include "profile/tables/kernel_counters.h"

#include "gtest/gtest.h"

namespace tfprof::profile {
namespace {

using Kind = KernelCounters::Kind;

TEST(KernelCounters, SharesAndCountsOfWorkItemsHaveMeans) {
  for (const char* name :
       {"CacheHit", "VALUBusy", "MemUnitStalled", "VALUUtilization",
        "LDSBankConflict", "VALUInsts", "SFetchInsts", "sm__busy.avg",
        "dram__throughput.pct_of_peak"}) {
    EXPECT_EQ(KindOfCounter(name), Kind::kMean) << name;
  }
  for (const char* name : {"Wavefronts", "FetchSize", "WriteSize", "SQ_WAVES",
                           "SQ_INSTS_VALU", ""}) {
    EXPECT_EQ(KindOfCounter(name), Kind::kSum) << name;
  }
}

TEST(KernelCounters, ValuesOfAKernelAreTogether) {
  KernelCounters counters;
  counters.counters.resize(2);
  counters.kernels.resize(2);
  counters.values = {1, 2, 3, 4};
  EXPECT_EQ(counters.ValuesOf(1)[0], 3);
  EXPECT_EQ(counters.ValuesOf(1)[1], 4);
  EXPECT_GE(counters.bytes(), 4 * sizeof(double));
}

}  // namespace
}  // namespace tfprof::profile
