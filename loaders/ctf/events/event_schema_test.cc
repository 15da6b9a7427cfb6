#include "loaders/ctf/events/event_schema.h"

#include "gtest/gtest.h"

namespace tfprof::ctf {
namespace {

TEST(EventSchema, HasRowsForNamesAndFamilies) {
  EXPECT_EQ(FindEventRow("tensorflowTracer:operation_start")->role,
            EventRole::kOpBegin);
  EXPECT_EQ(FindEventRow("grpcTracer:anything")->role, EventRole::kKnown);
  EXPECT_EQ(FindEventRow("tensorflowTracer:bfc_allocator_stats")->role,
            EventRole::kAllocator)
      << "before the row of its family";
  EXPECT_EQ(FindEventRow("tensorflowTracer:bfc_other")->role,
            EventRole::kKnown);
  EXPECT_EQ(FindEventRow("other:thing"), nullptr);
  EXPECT_EQ(FindEventRow("tensorflowTracer:operation_start2"), nullptr);
  EXPECT_EQ(FindEventRow(""), nullptr);
}

TEST(EventSchema, CallsThatEnqueueAndThatLaunch) {
  EXPECT_TRUE(IsEnqueueCall("clEnqueueNDRangeKernel"));
  EXPECT_TRUE(IsEnqueueCall("clEnqueueReadBuffer"));
  EXPECT_FALSE(IsEnqueueCall("clEnqueueMarkerWithWaitList"));
  EXPECT_FALSE(IsEnqueueCall("clEnqueueBarrier"));
  EXPECT_FALSE(IsEnqueueCall("clFinish"));
  EXPECT_TRUE(IsKernelLaunchCall("clEnqueueTask"));
  EXPECT_TRUE(IsKernelLaunchCall("hipLaunchKernelGGL"));
  EXPECT_FALSE(IsKernelLaunchCall("clEnqueueReadBuffer"));
}

}  // namespace
}  // namespace tfprof::ctf
