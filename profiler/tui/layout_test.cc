#include "profiler/tui/layout.h"

#include "gtest/gtest.h"

namespace tfprof::tui {
namespace {

constexpr Pane kPanes[] = {Pane::kSteps, Pane::kTree, Pane::kDetails};

TEST(LayoutTest, WindowsBelowTheSmallestShowNothing) {
  for (const auto& [width, height] : {std::pair(kLeastWidth - 1, kLeastHeight),
                                      std::pair(kLeastWidth, kLeastHeight - 1),
                                      std::pair<size_t, size_t>()}) {
    const Layout layout = MakeLayout(width, height, Pane::kTree, 24);
    EXPECT_FALSE(layout.fits);
    EXPECT_EQ(layout.rows, 0u);
    for (const Pane pane : kPanes) EXPECT_EQ(layout.of(pane).width, 0u);
  }
  EXPECT_TRUE(MakeLayout(kLeastWidth, kLeastHeight, Pane::kTree, 24).fits);
}

TEST(LayoutTest, ANarrowWindowHasThePaneOfTheKeys) {
  for (const Pane focus : kPanes) {
    const Layout layout = MakeLayout(71, 24, focus, 10);
    for (const Pane pane : kPanes) {
      EXPECT_EQ(layout.of(pane).width, pane == focus ? 71u : 0u);
      EXPECT_EQ(layout.of(pane).begin, 0u);
    }
    EXPECT_EQ(layout.rows, 20u);
  }
}

TEST(LayoutTest, PanesFillAWideWindowWithALineBetweenTwo) {
  for (size_t width = 72; width < 300; ++width) {
    for (const size_t steps : {size_t{10}, size_t{33}}) {
      for (const Pane focus : kPanes) {
        const Layout layout = MakeLayout(width, 24, focus, steps);
        size_t begin = 0;
        for (const Pane pane : kPanes) {
          EXPECT_EQ(layout.of(pane).begin, begin);
          EXPECT_GT(layout.of(pane).width, 0u);
          begin += layout.of(pane).width + 1;
        }
        EXPECT_EQ(begin, width + 1) << steps;
        EXPECT_EQ(layout.of(Pane::kSteps).width, steps);
      }
    }
  }
}

TEST(LayoutTest, DetailsGetRoomWhileTheyAreRead) {
  for (const size_t width : {size_t{80}, size_t{160}}) {
    const auto details = [&](Pane focus) {
      return MakeLayout(width, 24, focus, 10).of(Pane::kDetails).width;
    };
    EXPECT_GT(details(Pane::kDetails), details(Pane::kTree));
    EXPECT_EQ(details(Pane::kSteps), details(Pane::kTree));
  }
}

}  // namespace
}  // namespace tfprof::tui
