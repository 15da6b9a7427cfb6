#include "views/allocation_line.h"

#include <vector>

#include "gtest/gtest.h"

namespace tfprof::views {
namespace {

TEST(AllocationLineTest, StacksOfOneLineAreAddedUp) {
  profile::GraphTables graph;
  const auto push = [&](profile::StackId under, const char* file, int line) {
    return graph.stacks.Push(under, {.file = graph.strings.Intern(file),
                                     .function = graph.strings.Intern("f"),
                                     .lineno = line});
  };
  const profile::StackId a = push(profile::kNoStack, "/u/a.py", 7);
  const profile::StackId in_a = push(a, "/x/site-packages/torch/t.py", 9);
  const profile::StackId b = push(profile::kNoStack, "/u/b.py", 8);
  std::vector<accounting::HeldMemory> held = {{.stack = b, .bytes = 50},
                                              {.stack = a, .bytes = 30},
                                              {.stack = in_a, .bytes = 40}};
  const std::vector<LineBytes> lines = BytesByLine(graph, held);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].line, "/u/a.py:7:f");
  EXPECT_EQ(lines[0].bytes, 70);
  ASSERT_TRUE(LargestLine(graph, held));
  EXPECT_EQ(LargestLine(graph, held)->line, "/u/a.py:7:f");
  // Most of it is older than the recording.
  held.push_back({.stack = profile::kNoStack, .bytes = 100});
  EXPECT_FALSE(LargestLine(graph, held));
  EXPECT_FALSE(LargestLine(graph, {}));
}

}  // namespace
}  // namespace tfprof::views
