#include "timeline/account/framework.h"

#include <utility>

#include "gtest/gtest.h"
#include "timeline/trace_testing.h"

namespace tfprof::timeline {
namespace {

Framework WithOp(std::string_view op) {
  TraceModel model;
  model.Add({.name = std::string(op),
             .node = model.Op(op),
             .lane = model.Ops(),
             .duration = 10});
  return FrameworkOf(std::move(model).Build());
}

TEST(FrameworkTest, NamesOfOperations) {
  EXPECT_EQ(WithOp("aten::mm"), Framework::kTorch);
  EXPECT_EQ(WithOp("MatMul"), Framework::kTensorFlow);
  EXPECT_EQ(WithOp("main"), Framework::kUnknown);
}

TEST(FrameworkTest, NamesOfPrograms) {
  TraceModel model;
  const profile::ModuleId module =
      model.builder().AddModule("jit_train_step(12)");
  model.Add({.name = "fusion",
             .node = model.builder().AddNode(module, "fusion", "fusion",
                                             profile::kNoRecord),
             .lane = model.Ops(),
             .duration = 10});
  EXPECT_EQ(FrameworkOf(std::move(model).Build()), Framework::kJax);
}

}  // namespace
}  // namespace tfprof::timeline
