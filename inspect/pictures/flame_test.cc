#include "inspect/pictures/flame.h"

#include <string>
#include <utility>
#include <vector>

#include "accounting/shaped_model_testing.h"
#include "accounting/statistics.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "loaders/tensorflow/profile_testing.h"
#include "timeline/calls_testing.h"
#include "util/text/text_layout.h"

namespace tfprof::inspect {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

views::ViewOptions Deep() {
  views::ViewOptions options;
  options.max_depth = 1 << 30;
  return options;
}

std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

class FlameTest : public tensorflow::ProfileTest {
 protected:
  void Took(std::string_view name, int64_t micros) {
    RanOn(Node(name, "Op"), "/job:w/device:CPU:0", start_, micros);
    start_ += micros;
  }
  Flame Made(std::string_view path = "") {
    profile_ = Build();
    views_.emplace(profile_);
    const auto place = FindPlace(*views_, {}, path);
    EXPECT_TRUE(place.ok());
    return MakeFlame(*views_, *place, Deep(), accounting::kMicros);
  }
  int64_t start_ = 1000;
  profile::Profile profile_;
  std::optional<views::Views> views_;
};

TEST_F(FlameTest, FramesHaveTheCostsOfTheView) {
  Took("a/x", 30);
  Took("a/y", 10);
  Took("b", 60);
  const Flame flame = Made();
  EXPECT_EQ(flame.whole(), 100);
  EXPECT_THAT(Rows(FlameTable(flame), {"name", "total_micros", "self_micros",
                                       "share", "start_share"}),
              ElementsAre("/ 100 0 1.000 0.000", "b 60 60 0.600 0.000",
                          "a 40 0 0.400 0.600", "x 30 30 0.300 0.600",
                          "y 10 10 0.100 0.900"));
}

TEST_F(FlameTest, APlaceIsTheWhole) {
  Took("a/x", 30);
  Took("a/y", 10);
  Took("b", 60);
  const Flame flame = Made("a");
  EXPECT_EQ(flame.place, "/a");
  EXPECT_THAT(Rows(FlameTable(flame), {"name", "share"}),
              ElementsAre("a 1.000", "x 0.750", "y 0.250"));
}

TEST_F(FlameTest, WithoutCostThereAreNoFrames) {
  Took("a", 10);
  Node("b", "Op");
  EXPECT_THAT(Made("b").frames, IsEmpty());
}

TEST_F(FlameTest, APictureIsAsWideAsTheWindow) {
  Took("a/x", 30);
  Took("a/y", 10);
  Took("b", 60);
  const Flame flame = Made();
  const std::vector<std::string> lines =
      Lines(FlameText(flame, {.width = 50, .height = 20}));
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(util::Columns(lines[2]), 50u);
  EXPECT_THAT(lines[2], HasSubstr("▌all 100us 100.0%"));
  EXPECT_EQ(lines[3].find("▌b 60.0%"), 0u);
  EXPECT_EQ(util::Columns(lines[3].substr(0, lines[3].find("▌a"))), 30u);
  // b has no children: its whole cost is its own.
  EXPECT_EQ(lines[4].substr(0, 30), std::string(30, ' '));
  EXPECT_THAT(lines[4], HasSubstr("▌x"));
}

TEST_F(FlameTest, SmallPartsBecomeOne) {
  Took("big", 1000);
  for (int i = 0; i < 30; ++i)
    Took(std::string(1, static_cast<char>('a' + i % 26)) + std::to_string(i),
         10);
  const Flame flame = Made();
  const std::string text = FlameText(flame, {.width = 80, .height = 20});
  EXPECT_THAT(text, HasSubstr("+ 30 others 23.1%"));
  EXPECT_THAT(text, HasSubstr("(30 in all)"));
}

TEST_F(FlameTest, OneSmallPartKeepsItsName) {
  Took("big", 970);
  Took("s", 30);
  const Flame flame = Made();
  EXPECT_THAT(FlameText(flame, {.width = 100, .height = 20}), HasSubstr("▌s"));
}

TEST_F(FlameTest, PartsWithAllOfTheCostAreOneRow) {
  Took("a/b/c/x", 30);
  Took("a/b/c/y", 70);
  const Flame flame = Made();
  const std::vector<std::string> lines =
      Lines(FlameText(flame, {.width = 60, .height = 20}));
  EXPECT_THAT(lines[2], HasSubstr("▌a/b/c 100us 100.0%"));
  EXPECT_EQ(lines.size(), 4u);
}

TEST_F(FlameTest, LevelsThatDoNotFitAreCounted) {
  std::string name = "n";
  for (int i = 0; i < 20; ++i) {
    Took(name, 10);
    name += "/n" + std::to_string(i);
  }
  const Flame flame = Made();
  const std::string text = FlameText(flame, {.width = 80, .height = 10});
  EXPECT_LE(Lines(text).size(), 10u);
  EXPECT_THAT(text, HasSubstr("more levels below do not fit"));
}

TEST_F(FlameTest, OnlyAsciiAndNoEscapesOfNamesWhereTheTerminalHasNoMore) {
  Took("a\x1b[31m<b>/x", 40);
  Took("a\x1b[31m<b>/y", 60);
  const Flame flame = Made();
  const std::string text =
      FlameText(flame, {.width = 60, .height = 20, .unicode = false});
  for (const char c : text) {
    EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << text;
  }
  EXPECT_THAT(text, HasSubstr("a\\x1b[31m<b>"));
}

TEST_F(FlameTest, ColoursDivideNeighbours) {
  Took("a", 40);
  Took("b", 60);
  const Flame flame = Made();
  const std::string text =
      FlameText(flame, {.width = 60, .height = 20, .color = true});
  EXPECT_THAT(text, HasSubstr("\x1b[30;43m b"));
  EXPECT_THAT(text, HasSubstr("\x1b[30;46m a"));
  EXPECT_THAT(text, Not(HasSubstr("▌")));
}

TEST_F(FlameTest, CostsOfAnySizeAreDrawn) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 2;
  RanOn(Node("a/x", "Op"), "/job:w/device:CPU:0", 1, kMost);
  RanOn(Node("a/y", "Op"), "/job:w/device:CPU:0", 1, kMost);
  RanOn(Node("a/z", "Op"), "/job:w/device:CPU:0", 1, kMost);
  RanOn(Node("b", "Op"), "/job:w/device:CPU:0", 1, 5);
  const Flame flame = Made();
  for (const Flame::Frame& frame : flame.frames) {
    EXPECT_GE(frame.start, 0);
    EXPECT_LE(frame.start + frame.width, 1.0 + 1e-9);
  }
  for (const size_t width : {1, 20, 80}) {
    for (const std::string& line :
         Lines(FlameText(flame, {.width = width, .height = 10}))) {
      EXPECT_LE(util::Columns(line), std::max<size_t>(width, 20)) << line;
    }
  }
}

TEST(FlameCodeTest, CodeIsChosenWhereNamesHaveNoLevels) {
  const profile::Profile profile = CodeModel("/src/a.py");
  views::Views views(profile);
  const Place place = PlaceWithLevels(views, {}, Deep(), accounting::kMicros);
  EXPECT_EQ(place.tree, views::View::kCode);
  const Flame flame = MakeFlame(views, place, Deep(), accounting::kMicros);
  EXPECT_EQ(flame.whole(), 115);
  EXPECT_THAT(Column(FlameTable(flame), "total_micros"),
              ElementsAre("115", "115", "110", "100"));
}

TEST(FlameCodeTest, ScopesWithLevelsStay) {
  const profile::Profile profile = accounting::ShapedModel();
  views::Views views(profile);
  EXPECT_EQ(PlaceWithLevels(views, {}, Deep(), accounting::kMicros).tree,
            views::View::kScope);
}

// Both run at the same time, so that a sum of both is no time.
TEST(FlameCostTest, TimeOnAcceleratorsOrOnCpus) {
  for (const bool on_accelerator : {true, false}) {
    timeline::CallsModel model;
    model.Op("aten::mm", 0, 40);
    model.Kernel("gemm", 10, on_accelerator ? 90 : 20);
    const profile::Profile profile = std::move(model.trace).Build();
    views::Views views(profile);
    std::vector<std::string> notes;
    EXPECT_EQ(FlameCost(views, {}, notes), on_accelerator
                                               ? accounting::kAcceleratorMicros
                                               : accounting::kCpuMicros);
    ASSERT_EQ(notes.size(), 1u);
    EXPECT_EQ(notes[0],
              on_accelerator
                  ? "widths are the time on accelerators; -select cpu_micros "
                    "shows the 40us on CPUs"
                  : "widths are the time on CPUs; -select accelerator_micros "
                    "shows the 20us on accelerators");
  }
}

TEST(FlameCostTest, NothingWithoutCosts) {
  std::vector<std::string> notes;
  const profile::Profile empty;
  views::Views none(empty);
  EXPECT_EQ(FlameCost(none, {}, notes), std::nullopt);
  EXPECT_THAT(notes, IsEmpty());
}

TEST(FlameCostTest, TimeOfOneKindNeedsNoNote) {
  timeline::CallsModel model;
  model.Op("aten::mm", 0, 40);
  const profile::Profile profile = std::move(model.trace).Build();
  views::Views views(profile);
  std::vector<std::string> notes;
  EXPECT_EQ(FlameCost(views, {}, notes), accounting::kMicros);
  EXPECT_THAT(notes, IsEmpty());
}

}  // namespace
}  // namespace tfprof::inspect
