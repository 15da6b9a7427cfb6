#include "timeline/ranks/communication.h"

#include <string_view>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/profile_testing.h"
#include "timeline/activity.h"
#include "timeline/trace_testing.h"

namespace tfprof::timeline {
namespace {

// These are the types that tfvis and tensorflow-tracer distinguish, and those
// that they miss.
TEST(TfvisRulesTest, ReceivingHorovodNcclAndSendingAreCommunication) {
  for (const std::string_view op :
       {"RecvTensor", "SendTensor", "HorovodAllreduce", "HorovodAllgather",
        "HorovodBroadcast", "NcclAllReduce", "NcclReduce", "CollectiveGather",
        "_Send", "_Recv", "_HostSend", "_HostRecv"}) {
    EXPECT_TRUE(IsCommunicationOp(op)) << op;
  }
}

TEST(TfvisRulesTest, ComputingIsNot) {
  for (const std::string_view op : {"MatMul", "Conv2D", "Recv", "allreduce"}) {
    EXPECT_FALSE(IsCommunicationOp(op)) << op;
  }
}

TEST(CollectiveOpTest, ThoseOfXlaToo) {
  EXPECT_TRUE(IsCommunicationOp("all-reduce-start.1"));
  EXPECT_TRUE(IsCommunicationOp("HorovodAllreduce"));
  EXPECT_FALSE(IsCommunicationOp("fusion.1"));
}

TEST(CollectiveOpTest, KernelsOfNccl) {
  EXPECT_TRUE(IsCommunicationOp("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(x)"));
  EXPECT_TRUE(IsCommunicationOp("ncclKernel_AllGather_RING_LL_Sum_int8_t(x)"));
  EXPECT_TRUE(IsCommunicationOp("rcclKernel_ReduceScatter"));
  EXPECT_FALSE(IsCommunicationOp("nccl"));
}

TEST(CommunicationRulesTest, AddedExpressionsMatchAllOfTheType) {
  const CommunicationRules rules({"Ddl.*", "Push"});
  EXPECT_TRUE(rules.IsCommunication("DdlAllReduce"));
  EXPECT_TRUE(rules.IsCommunication("Push"));
  EXPECT_TRUE(rules.IsCommunication("RecvTensor"));
  EXPECT_FALSE(rules.IsCommunication("PushPull"));
  EXPECT_FALSE(CommunicationRules().IsCommunication("Push"));
}

TEST(CommunicationRulesTest, ABrokenExpressionMatchesNothing) {
  EXPECT_FALSE(CommunicationRules({"("}).IsCommunication("("));
}

class UseCommunicationTest : public tensorflow::ProfileTest {};

TEST_F(UseCommunicationTest, FiguresFollowTheRules) {
  RanOn(Node("a", "DdlAllReduce"),
        "/job:localhost/replica:0/task:0/device:CPU:0", 100, 10);
  const profile::Profile profile = Build();
  views::Views views(profile);
  const auto communication = [&] {
    const auto activity = views.Kept<Activities>().Of(*profile.FindStep(0));
    return Length(activity->devices[0].communication);
  };
  EXPECT_EQ(communication(), 0);
  UseCommunication(views, {"Ddl.*"});
  EXPECT_EQ(communication(), 10);
  UseCommunication(views, {});
  EXPECT_EQ(communication(), 0);
}

TEST(UseCommunicationOfTraceTest, AnOpOrAKernelIsNamed) {
  TraceModel model;
  const profile::LaneId gpu = model.Stream(0, 7, profile::LaneKind::kKernels);
  model.Add({.name = "cross_device_reduce_1stage",
             .node = model.Op("custom::reduce"),
             .lane = gpu,
             .start = 10,
             .duration = 5});
  model.Add({.name = "gemm",
             .node = model.Op("aten::mm"),
             .lane = gpu,
             .start = 20,
             .duration = 5});
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  const auto communication = [&] {
    const auto all = views.Kept<Activities>().Everything();
    return Length(all->devices[0].communication);
  };
  EXPECT_EQ(communication(), 0);
  UseCommunication(views, {"custom::.*"});
  EXPECT_EQ(communication(), 5);
  UseCommunication(views, {"cross_device_reduce.*"});
  EXPECT_EQ(communication(), 5);
}

}  // namespace
}  // namespace tfprof::timeline
