#include "profiler/commands/show/largest_first.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/profile_testing.h"
#include "profiler/commands/commands_testing.h"

namespace tfprof::commands {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class LargestFirstTest : public tensorflow::ProfileTest {
 protected:
  // Thirty types, the last one by name with most of the time.
  Workspace Types() {
    for (int i = 10; i < 40; ++i) {
      const std::string number = std::to_string(i);
      Ran(Node("scope/n" + number, "Op" + number), 1000 + 100 * i,
          i == 39 ? 71 : 1, 0, "/job:w/device:CPU:0");
    }
    return WorkspaceOf(Build());
  }
  static tables::Answer ForReading(std::string_view line,
                                   Workspace& workspace) {
    return RunLine(line, workspace);
  }
  static std::string Screen(const tables::Answer& answer, size_t height = 0) {
    tables::WriteOptions options;
    options.look.width = 80;
    options.look.height = height;
    util::StringSink sink;
    EXPECT_TRUE(tables::WriteAnswer(answer,
                                    tables::DefaultFormat(answer, false, false),
                                    options, sink)
                    .ok());
    return sink.text();
  }
};

TEST_F(LargestFirstTest, TheLargestRowIsOnTopAndTheRestIsCounted) {
  Workspace workspace = Types();
  const std::string text = Screen(ForReading("op", workspace));
  EXPECT_THAT(text, StartsWith("sums of op times, average of the steps; "
                               "largest first\nname "));
  EXPECT_LT(text.find("Op39"), text.find("Op10"));
  EXPECT_THAT(text, EndsWith("\n+ 19 rows, 19us (19.0%); -max_depth 1000 shows "
                             "more\n"));
}

TEST_F(LargestFirstTest, TheWindowCutsToo) {
  Workspace workspace = Types();
  const std::string text = Screen(ForReading("op", workspace), 8);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 8);
  EXPECT_THAT(text, HasSubstr("\n+ 27 rows, 27us (27.0%)"));
}

// The launch of a kernel and the kernel pass at the same time: their sum is for
// programs only.
TEST_F(LargestFirstTest, TimesOfAcceleratorsAndHostsAreNotAdded) {
  const profile::NodeId a = Node("a", "A"), b = Node("b", "B");
  RanOn(a, "/job:w/device:GPU:0", 1000, 90);
  RanOn(a, "/device:GPU:0/stream:all", 1010, 80);
  RanOn(b, "/job:w/device:GPU:0", 1090, 9);
  Workspace workspace = WorkspaceOf(Build());
  const tables::Answer answer = ForReading("op -limit 1", workspace);
  const std::string text = Screen(answer);
  EXPECT_THAT(text, HasSubstr("largest accelerator + cpu time first\n"));
  EXPECT_THAT(text, HasSubstr("\nname   accelerator   share "));
  EXPECT_THAT(text, Not(HasSubstr("170us")));
  EXPECT_THAT(text, HasSubstr("\n+ 1 row, accelerator 0us (0.0%), cpu 9us "
                              "(9.1%)"));
  EXPECT_THAT(Written(answer, "csv"), HasSubstr("self_micros,"));
}

TEST_F(LargestFirstTest, NothingHiddenNeedsNoLine) {
  Workspace workspace = Types();
  EXPECT_THAT(Screen(ForReading("op -max_depth 100", workspace)),
              Not(HasSubstr("+ ")));
}

TEST_F(LargestFirstTest, ARowOfATreeStandsForAllInsideIt) {
  Workspace workspace = Types();
  EXPECT_THAT(Screen(ForReading("scope -max_depth 1", workspace)),
              Not(HasSubstr("+ ")));
  EXPECT_THAT(Screen(ForReading("scope", workspace), 9),
              EndsWith("\n+ 27 rows, 27us (27.0%); -max_depth 1000 shows "
                       "more\n"));
}

TEST_F(LargestFirstTest, SumsAboveTheWallTimeAreExplained) {
  const profile::NodeId a = Node("a", "A"), b = Node("b", "B");
  Ran(a, 1000, 10, 0, "/job:w/device:CPU:0");
  Ran(b, 1000, 10, 0, "/job:w/device:CPU:0");
  Workspace workspace = WorkspaceOf(Build());
  EXPECT_THAT(ForReading("op", workspace).notes,
              testing::ElementsAre(
                  "The sum of op times, 20us, is more than the wall time of a "
                  "step, 10us: devices and threads work at the same time."));
  workspace.defaults.reference = true;
  EXPECT_THAT(RunLine("op", workspace).notes, testing::IsEmpty());
}

TEST_F(LargestFirstTest, AnAverageOverFewerStepsIsExplained) {
  const profile::NodeId a = Node("a", "A"), b = Node("b", "B");
  for (int step = 0; step < 3; ++step) {
    Ran(a, 1000, 10, step, "/job:w/device:CPU:0");
  }
  Ran(b, 1010, 90, 2, "/job:w/device:CPU:0");
  Workspace workspace = WorkspaceOf(Build());
  EXPECT_THAT(ForReading("op", workspace).notes,
              testing::ElementsAre(HasSubstr(
                  "100us, is more than the wall time of a step, 40us: the "
                  "average of an operation is over the steps in which it "
                  "ran")));
  EXPECT_THAT(ForReading("op -step all", workspace).notes, testing::IsEmpty());
}

TEST_F(LargestFirstTest, AnOrderThatWasAskedForStays) {
  Workspace workspace = Types();
  const std::string text = Screen(ForReading("op -order_by name", workspace));
  EXPECT_THAT(text, Not(HasSubstr("largest first")));
  EXPECT_LT(text.find("Op10"), text.find("Op11"));
}

TEST_F(LargestFirstTest, TheReferencesFormKeepsItsOrder) {
  Workspace workspace = Types();
  const tables::Answer answer = RunLine("op -compatible", workspace);
  EXPECT_EQ(tables::DefaultFormat(answer, false, true), "text");
  const std::string plain = Written(answer, "text");
  EXPECT_LT(plain.find("Op10"), plain.find("Op11"));
  EXPECT_EQ(plain.find("Op39"), plain.npos);
}

TEST_F(LargestFirstTest, DataHaveTheSameOrder) {
  Workspace workspace = Types();
  const std::string csv = Written(RunLine("op -output csv", workspace), "csv");
  EXPECT_LT(csv.find("Op39"), csv.find("Op10"));
  // All rows, also those without weight.
  EXPECT_NE(csv.find("Op38"), csv.npos);
}

TEST_F(LargestFirstTest, ALimitIsANumberOfRows) {
  Workspace workspace = Types();
  const std::string three = Screen(ForReading("op 3", workspace));
  EXPECT_EQ(three, Screen(ForReading("op -limit 3", workspace)));
  EXPECT_THAT(three, HasSubstr("\n+ 27 rows, 27us (27.0%)"));
  EXPECT_NE(three.find("Op39"), three.npos);
  EXPECT_EQ(
      OnlyTable(ForReading("op -limit 20 -output json", workspace)).num_rows,
      20u);
}

TEST_F(LargestFirstTest, ANameIsAFilter) {
  Workspace workspace = Types();
  EXPECT_EQ(OnlyTable(ForReading("op Op12", workspace)).num_rows, 1u);
  EXPECT_EQ(OnlyTable(ForReading("op op2", workspace)).num_rows, 10u);
  EXPECT_EQ(OnlyTable(ForReading("op *9", workspace)).num_rows, 3u);
}

TEST_F(LargestFirstTest, AgentsGetTheSame) {
  Workspace workspace = Types();
  const tables::Answer answer = ForReading("op", workspace);
  const std::string_view form =
      tables::DefaultFormat(answer, /*agent=*/true, false);
  const std::string text = Written(answer, form);
  EXPECT_THAT(text, StartsWith("tfprof.op, command: op, "));
  EXPECT_LT(text.find("Op39"), text.find("Op10"));
  EXPECT_THAT(text, HasSubstr("\n+ 19 rows, 19us (19.0%)"));
}

TEST_F(LargestFirstTest, AProfileWithoutThisCostKeepsItsOrder) {
  Node("b", "B");
  Node("a", "A");
  Workspace workspace = WorkspaceOf(Build());
  EXPECT_EQ(tables::DefaultFormat(ForReading("op", workspace), false, false),
            "table");
}

TEST_F(LargestFirstTest, LsIsSortedToo) {
  Ran(Node("a", "A"), 1000, 10, 0, "/job:w/device:CPU:0");
  Ran(Node("b", "B"), 1100, 90, 0, "/job:w/device:CPU:0");
  Workspace workspace = WorkspaceOf(Build());
  const std::string text = Written(RunLine("ls", workspace), "csv");
  EXPECT_LT(text.find("\nb,"), text.find("\na,"));
}

TEST(FirstCostTest, IsThatOfTheFirstColumnOfNumbers) {
  views::ViewOptions options;
  EXPECT_EQ(FirstCost(views::View::kOp, options), accounting::kMicros);
  options.select.Add(accounting::kParameters);
  EXPECT_EQ(FirstCost(views::View::kScope, options), accounting::kParameters);
  EXPECT_EQ(FirstCost(views::View::kOp, options), accounting::kMicros);
  options.select = {};
  options.select.Add(views::Field::kDevice);
  EXPECT_EQ(FirstCost(views::View::kOp, options), std::nullopt);
}

}  // namespace
}  // namespace tfprof::commands
