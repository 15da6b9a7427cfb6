#include "profiler/program/serving.h"

#include "gtest/gtest.h"
#include "profiler/commands/commands.h"

namespace tfprof::program {
namespace {

TEST(ServingTest, EachCommandHasOneFunctionThatRunsIt) {
  for (const commands::CommandInfo* command : commands::CommandTable()) {
    SCOPED_TRACE(command->name);
    const int ways = (command->run != nullptr ? 1 : 0) +
                     (command->browses ? 1 : 0) +
                     (FindServing(command) != nullptr ? 1 : 0);
    EXPECT_EQ(ways, 1);
  }
}

TEST(ServingTest, TheShellDoesNotServe) {
  EXPECT_EQ(FindServing(nullptr), nullptr);
}

}  // namespace
}  // namespace tfprof::program
