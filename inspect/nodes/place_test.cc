#include "inspect/nodes/place.h"

#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"

namespace tfprof::inspect {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The place that `path` leads to from `from`, or the error.
std::string Where(views::Views& views, std::string_view from,
                  std::string_view path) {
  const auto start = FindPlace(views, {}, from);
  if (!start.ok()) return Message(start.status());
  const auto place = FindPlace(views, *start, path);
  return place.ok() ? PlaceText(views, *place) : Message(place.status());
}

using PlaceTest = SmallModelTest;

TEST_F(PlaceTest, PathsAreThoseOfAFileSystem) {
  EXPECT_EQ(Where(views_, "/", ""), "/");
  EXPECT_EQ(Where(views_, "/", "DW"), "/DW");
  EXPECT_EQ(Where(views_, "/", "DW/Initializer/random_normal/mul"),
            "/DW/Initializer/random_normal/mul");
  EXPECT_EQ(Where(views_, "/DW/Initializer", ".."), "/DW");
  EXPECT_EQ(Where(views_, "/DW/Initializer", "../../DW2/./read"), "/DW2/read");
  EXPECT_EQ(Where(views_, "/DW", "/DW2/"), "/DW2");
  EXPECT_EQ(Where(views_, "/DW", "../../.."), "/");
  EXPECT_EQ(Where(views_, "/DW", "/"), "/");
}

TEST_F(PlaceTest, APrefixBeginsAtTheRootOfItsTree) {
  EXPECT_EQ(Where(views_, "/DW", "scope:"), "/");
  EXPECT_EQ(Where(views_, "/DW", "scope:DW2"), "/DW2");
  EXPECT_EQ(Where(views_, "/DW", "scope:/DW2"), "/DW2");
}

TEST_F(PlaceTest, ErrorsHaveTheNearestNames) {
  EXPECT_EQ(Where(views_, "/", "DX"), "no DX at the root; did you mean DW?");
  EXPECT_EQ(Where(views_, "/DW", "raed"), "no raed in DW; did you mean read?");
  EXPECT_EQ(Where(views_, "/DW/read", "x"),
            "no x in DW/read, which has nothing below it");
  EXPECT_TRUE(absl::IsNotFound(FindPlace(views_, {}, "DX").status()));
}

TEST_F(PlaceTest, WithoutCallStacksThereIsNoCode) {
  const absl::Status status = FindPlace(views_, {}, "code:").status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_EQ(Message(status),
            "there is no code: call stacks come from an op log, which is not "
            "among the inputs (see status)");
}

TEST_F(PlaceTest, TheLabelOfARowIsItsLastPart) {
  EXPECT_EQ(RowLabel(views_, views::View::kScope, At("DW/read").row()), "read");
  EXPECT_EQ(RowLabel(views_, views::View::kScope, At("DW").row()), "DW");
}

TEST_F(PlaceTest, NodesBelowIncludeThePlace) {
  EXPECT_THAT(NodesBelow(views_, At("DW/read")), ElementsAre(Node("DW/read")));
  EXPECT_EQ(NodesBelow(views_, At("DW")).size(), 9u);
  EXPECT_EQ(NodesBelow(views_, {}).size(), profile_.nodes().size());
}

TEST(PlaceInSmallGraphsTest, NamesWithEmptyPartsAreFoundInFull) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  builder.AddNode("a//b", "X", profile::kNoRecord);
  builder.AddNode("a/c", "X", profile::kNoRecord);
  const profile::Profile profile = std::move(builder).Build();
  views::Views views(profile);
  EXPECT_EQ(Where(views, "/", "a//b"), "/a//b");
}

TEST(PlaceInSmallGraphsTest, AnEmptyProfileHasARoot) {
  const profile::Profile profile;
  views::Views views(profile);
  EXPECT_EQ(Where(views, "/", "/.."), "/");
  EXPECT_THAT(NodesBelow(views, {}), IsEmpty());
  EXPECT_EQ(Where(views, "/", "x"),
            "no x at the root, which has nothing below it");
}

TEST(PlaceInCodeTest, TheBeginningOfALineIsEnough) {
  const profile::Profile profile = CodeModel("/nowhere/train.py");
  views::Views views(profile);
  EXPECT_EQ(Where(views, "/", "code:"), "code:/");
  EXPECT_EQ(Where(views, "/", "code:train.py"), "code:/train.py:2:main");
  EXPECT_EQ(Where(views, "/", "code:/train.py/train.py:4"),
            "code:/train.py:2:main/train.py:4:main");
  EXPECT_EQ(Where(views, "code:/train.py/train.py:4", ".."),
            "code:/train.py:2:main");
  // Only whole parts between colons match.
  EXPECT_EQ(Where(views, "/", "code:train"),
            "no train at the root; did you mean train.py:2:main?");
}

TEST(PlaceInCodeTest, NodesBelowAreThoseOfInnerCallsToo) {
  const profile::Profile profile = CodeModel("/nowhere/train.py");
  views::Views views(profile);
  const auto line = FindPlace(views, {}, "code:/train.py/train.py:4");
  ASSERT_TRUE(line.ok());
  EXPECT_THAT(NodesBelow(views, *line), ElementsAre(1u, 2u));
}

TEST(PlaceInCodeTest, ABeginningOfSeveralLinesIsAnError) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  profile::GraphTables& graph = builder.mutable_graph();
  graph.has_code_traces = true;
  for (int line = 1; line <= 6; ++line) {
    const profile::NodeId n =
        builder.AddNode(fmt::format("n{}", line), "Op", profile::kNoRecord);
    profile::Frame frame;
    frame.file = graph.strings.Intern("m.py");
    frame.function = graph.strings.Intern("f");
    frame.line = graph.strings.Intern("x");
    frame.lineno = line;
    graph.nodes.stack[n] = graph.stacks.Push(profile::kNoStack, frame);
  }
  const profile::Profile profile = std::move(builder).Build();
  views::Views views(profile);
  const absl::Status status = FindPlace(views, {}, "code:m.py").status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_EQ(Message(status),
            "several at the root begin with m.py: m.py:1:f, m.py:2:f, "
            "m.py:3:f, m.py:4:f, m.py:5:f");
  EXPECT_EQ(Where(views, "/", "code:m.py:6"), "code:/m.py:6:f");
}

}  // namespace
}  // namespace tfprof::inspect
