#include "loaders/chrome_json/kineto/host/host_scopes.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/chrome_json/kineto/host/python_time.h"

namespace tfprof::kineto {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class HostScopesTest : public ::testing::Test {
 protected:
  HostScopesTest() { events_.threads.resize(2); }

  profile::StringId Text(std::string_view text) {
    return builder_.mutable_graph().strings.Intern(text);
  }
  uint32_t Add(std::string_view name, int64_t start, int64_t duration,
               bool is_range = false, uint32_t thread = 0) {
    events_.host.push_back({.start = start,
                            .duration = duration,
                            .name = Text(name),
                            .thread = thread,
                            .is_range = is_range});
    return static_cast<uint32_t>(events_.host.size() - 1);
  }
  void Python(std::string_view name, int64_t start, int64_t end) {
    events_.python.push_back(
        {.start = start, .end = end, .name = names_.Intern(name)});
  }
  std::vector<std::string> Scopes() {
    const HostTree tree = BuildHostTree(events_);
    const HostScopes found =
        FindHostScopes(events_, tree, FindGradients(events_, tree),
                       OrderOfCalls(events_), names_, scopes_);
    std::vector<std::string> paths;
    const profile::GraphTables& graph = builder_.graph();
    for (const profile::ScopeId scope : found.scope) {
      std::string path;
      for (profile::ScopeId s = scope; s != profile::kRootScope;
           s = graph.scopes[s].parent) {
        path.insert(0, std::string(graph.strings.Get(graph.scopes[s].name)) +
                           (path.empty() ? "" : "|"));
      }
      paths.push_back(path);
    }
    return paths;
  }

  KinetoEvents events_;
  profile::ProfileBuilder builder_;
  ScopeMaker scopes_ = ScopeMaker(builder_);
  PythonNames names_ = PythonNames(builder_.mutable_graph().strings);
};

TEST_F(HostScopesTest, RangesAroundAnOperator) {
  Add("ProfilerStep#3", 0, 100, true);
  Add("forward", 10, 50, true);
  Add("loss", 20, 10, true);
  Add("aten::mm", 21, 1);
  Add("aten::mm", 70, 1);
  EXPECT_THAT(Scopes(),
              ElementsAre("", "forward", "forward|loss", "forward|loss", ""));
}

TEST_F(HostScopesTest, ModulesComeBeforeRanges) {
  Add("forward", 10, 50, true);
  Add("aten::mm", 21, 1);
  Add("inner", 22, 8, true);
  Add("aten::add", 23, 1);
  Add("aten::mul", 25, 1);
  Python("nn.Module: Net_0", 20, 40);
  Python("nn.Module: Act_0", 24, 27);
  EXPECT_THAT(Scopes(), ElementsAre("forward", "Net_0", "Net_0|inner",
                                    "Net_0|inner", "Net_0|Act_0"));
}

TEST_F(HostScopesTest, AGradientOutsideOfModules) {
  const uint32_t forward = Add("aten::mm", 21, 1);
  const uint32_t backward = Add("MmBackward0", 50, 10, false, 1);
  Add("aten::t", 51, 2, false, 1);
  Python("nn.Module: Net_0", 20, 40);
  events_.flows = {{.id = 1, .time = 21, .begins = true},
                   {.id = 1, .time = 50, .thread = 1}};
  const HostTree tree = BuildHostTree(events_);
  EXPECT_THAT(FindGradients(events_, tree),
              ElementsAre(Pair(forward, backward)));
  EXPECT_THAT(Scopes(),
              ElementsAre("Net_0", "Net_0|(backward)", "Net_0|(backward)"));
}

TEST_F(HostScopesTest, AGradientKeepsItsRangeIfThereAreNoModules) {
  Add("forward", 10, 20, true);
  Add("aten::mm", 21, 1);
  Add("backward", 40, 30, true);
  Add("MmBackward0", 50, 10);
  events_.flows = {{.id = 1, .time = 21, .begins = true},
                   {.id = 1, .time = 50}};
  EXPECT_THAT(Scopes(),
              ElementsAre("forward", "forward", "backward", "backward"));
}

TEST_F(HostScopesTest, ArrowsWithoutTwoEnds) {
  Add("aten::mm", 21, 1);
  events_.flows = {{.id = 1, .time = 21, .begins = true},
                   {.id = 2, .time = 21},
                   {.id = 1, .time = 22},
                   {.id = 1, .time = 21}};
  EXPECT_THAT(FindGradients(events_, BuildHostTree(events_)), IsEmpty());
}

TEST_F(HostScopesTest, TheInnermostOperatorOfASequenceNumber) {
  Add("aten::conv2d", 10, 10);
  const uint32_t inner = Add("aten::convolution", 11, 8);
  const uint32_t backward = Add("ConvolutionBackward0", 50, 10);
  events_.sequence = {{.number = 7, .host = 0},
                      {.number = 7, .host = inner},
                      {.number = 7, .host = backward, .backward = true},
                      {.number = 8, .host = backward, .backward = true}};
  EXPECT_THAT(FindGradients(events_, BuildHostTree(events_)),
              ElementsAre(Pair(inner, backward)));
}

TEST_F(HostScopesTest, AHierarchyThatTheEventCarries) {
  const uint32_t op = Add("aten::mm", 21, 1);
  Python("nn.Module: Net_0", 20, 40);
  events_.hierarchies = {{op, scopes_.Push(profile::kRootScope, Text("top"))}};
  EXPECT_THAT(Scopes(), ElementsAre("top"));
}

}  // namespace
}  // namespace tfprof::kineto
