#include "timeline/account/op_roles.h"

#include <string_view>

#include "gtest/gtest.h"
#include "timeline/calls_testing.h"

namespace tfprof::timeline {
namespace {

// A range, which is in the scope of its own name, on the first thread.
void AddRange(CallsModel& model, std::string_view name, int64_t start,
              int64_t micros) {
  model.Op(name, start, micros);
  profile::ProfileBuilder& builder = model.trace.builder();
  builder.SetScope(model.trace.Op(name),
                   builder.AddScope(profile::kRootScope, name));
}

TEST(OpRolesTest, ARangeBesideAnAcceleratorIsNoOperation) {
  CallsModel model;
  AddRange(model, "## backward ##", 0, 100);
  model.Op("aten::mm", 10, 20);
  model.Kernel("gemm", 20, 50);
  model.Op("cudaStreamSynchronize", 60, 30);
  model.Op("ProfilerStep#1", 0, 100);
  const profile::Profile profile = std::move(model.trace).Build();
  EXPECT_TRUE(IsNamedRange(
      profile, profile.nodes().Find(profile.strings().Find("## backward ##"))));
  const OpRoles roles(profile);
  EXPECT_EQ(roles.Of("## backward ##"), "range");
  EXPECT_EQ(roles.Of("aten::mm"), "");
  EXPECT_EQ(roles.Of("gemm"), "");
  EXPECT_EQ(roles.Of("cudaStreamSynchronize"), "waits");
  EXPECT_EQ(roles.Of("ProfilerStep#1"), "frame");
}

TEST(OpRolesTest, ARangeThatReadsInputIsACause) {
  CallsModel model;
  AddRange(model, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
           0, 100);
  model.Kernel("gemm", 20, 50);
  const profile::Profile profile = std::move(model.trace).Build();
  EXPECT_EQ(OpRoles(profile).Of(
                "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"),
            "");
}

// It has the work of the accelerator that nothing inside of it names.
TEST(OpRolesTest, ARangeThatRunsOnAnAcceleratorIsAnOperation) {
  CallsModel model;
  AddRange(model, "step", 0, 100);
  model.Kernel("step", 20, 50);
  const profile::Profile profile = std::move(model.trace).Build();
  EXPECT_EQ(OpRoles(profile).Of("step"), "");
}

TEST(OpRolesTest, WithoutAcceleratorsARangeMayBeTheWork) {
  CallsModel model;
  AddRange(model, "solve", 0, 100);
  model.Op("aten::mm", 10, 20);
  const profile::Profile profile = std::move(model.trace).Build();
  EXPECT_EQ(OpRoles(profile).Of("solve"), "");
}

}  // namespace
}  // namespace tfprof::timeline
