#include "loaders/chrome_json/kineto/host/open_python_calls.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::kineto {
namespace {

using ::testing::ElementsAre;

class OpenCallsTest : public ::testing::Test {
 protected:
  void Open(int64_t start, int64_t end, std::string_view name,
            int32_t call_line = -1) {
    calls_.Open({.start = start,
                 .end = end,
                 .name = names_.Intern(name),
                 .call_line = call_line});
  }
  std::vector<std::string> Stack(int64_t start, int64_t end) {
    std::vector<std::string> stack;
    const size_t call = calls_.Innermost(start, end);
    if (call == OpenCalls::kNowhere) return stack;
    const profile::GraphTables& graph = builder_.graph();
    for (const profile::FrameId f : graph.stacks.Frames(calls_.StackOf(call))) {
      const profile::Frame& frame = graph.stacks.frame(f);
      stack.push_back(std::string(graph.strings.Get(frame.function)) + ":" +
                      std::to_string(frame.lineno));
    }
    return stack;
  }

  profile::ProfileBuilder builder_;
  ScopeMaker scopes_ = ScopeMaker(builder_);
  PythonNames names_ = PythonNames(builder_.mutable_graph().strings);
  OpenCalls calls_ = OpenCalls(names_, scopes_);
};

TEST_F(OpenCallsTest, CallersAreWhereTheyCall) {
  Open(0, 100, "m.py(1): main");
  Open(10, 90, "m.py(20): step", 7);
  EXPECT_THAT(Stack(20, 30), ElementsAre("main:7", "step:20"));
  Open(40, 50, "n.py(5): f");
  EXPECT_THAT(Stack(41, 42), ElementsAre("main:7", "step:20", "f:5"));
}

TEST_F(OpenCallsTest, BuiltinFunctionsGiveTheLineOnly) {
  Open(0, 100, "m.py(1): main");
  Open(10, 90, "<built-in method mm at 0x1>", 33);
  EXPECT_THAT(Stack(20, 30), ElementsAre("main:33"));
  EXPECT_THAT(Stack(95, 96), ElementsAre("main:1"));
}

TEST_F(OpenCallsTest, CallsEnd) {
  Open(0, 100, "m.py(1): main");
  Open(10, 20, "m.py(5): f", 2);
  Open(20, 30, "m.py(9): g", 3);
  EXPECT_THAT(Stack(21, 22), ElementsAre("main:3", "g:9"));
  // This event outlives the call in which it began.
  EXPECT_THAT(Stack(29, 50), ElementsAre("main:1"));
  EXPECT_THAT(Stack(99, 200), ElementsAre());
  EXPECT_THAT(Stack(150, 160), ElementsAre());
}

TEST_F(OpenCallsTest, ModulesAreScopes) {
  Open(0, 100, "nn.Module: Net_0");
  Open(5, 90, "net.py(3): forward");
  Open(10, 50, "nn.Module: Conv2d_1", 4);
  const profile::ScopeId conv = calls_.ModuleOf(calls_.Innermost(20, 30));
  const profile::Scopes& scopes = builder_.graph().scopes;
  EXPECT_EQ(builder_.graph().strings.Get(scopes[conv].name), "Conv2d_1");
  const profile::ScopeId net = calls_.ModuleOf(calls_.Innermost(60, 70));
  EXPECT_EQ(scopes[conv].parent, net);
  EXPECT_THAT(Stack(60, 70), ElementsAre("forward:3"));
}

// The clock may say that a call ends after the beginning of the next one.
TEST_F(OpenCallsTest, NeighboursThatOverlapALittle) {
  Open(0, 90'000, "nn.Module: Net_0");
  Open(10'000, 20'001, "nn.Module: Conv2d_1");
  Open(20'000, 30'000, "m.py(9): g", 3);
  EXPECT_THAT(Stack(20'500, 20'600), ElementsAre("g:9"));
  const profile::ScopeId net =
      calls_.ModuleOf(calls_.Innermost(21'000, 22'000));
  const profile::Scopes& scopes = builder_.graph().scopes;
  EXPECT_EQ(builder_.graph().strings.Get(scopes[net].name), "Net_0");
}

TEST_F(OpenCallsTest, AnotherThread) {
  Open(0, 100, "m.py(1): main");
  calls_.Clear();
  EXPECT_EQ(calls_.Innermost(10, 20), OpenCalls::kNowhere);
}

}  // namespace
}  // namespace tfprof::kineto
