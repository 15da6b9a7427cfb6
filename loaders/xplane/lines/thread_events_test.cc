#include "loaders/xplane/lines/thread_events.h"

#include <memory>
#include <set>

#include "gtest/gtest.h"
#include "loaders/xplane/xplane_testing.h"

namespace tfprof::xplane {
namespace {

struct Nested {
  explicit Nested(const XPlaneMaker& plane)
      : file(XPlaneInput(XSpaceOf({plane.Bytes()}))),
        space(ReadXSpace(*file, log)) {
    const XLine* const part = &space.planes[0].lines[0];
    line =
        ReadLine({&part, 1}, space.planes[0], file->bytes().data(), 0, nullptr);
    thread = NestThread(space.planes[0], line);
  }
  // Returns the names of the frames around an event, innermost first.
  std::vector<std::string_view> FramesOf(size_t event) const {
    std::vector<std::string_view> frames;
    for (uint32_t s = thread.groups[line.events[event].group].stack; s != 0;
         s = thread.stacks[s].caller) {
      frames.push_back(space.planes[0].events[thread.stacks[s].metadata].name);
    }
    return frames;
  }

  loaders::ImportLog log;
  std::shared_ptr<const loaders::InputFile> file;
  XSpace space;
  LineEvents line;
  ThreadNesting thread;
};

TEST(NestThreadTest, EventsHaveTheTimeInThemselves) {
  XPlaneMaker plane("/host:CPU");
  plane.Line("t", 0,
             {plane.Event("outer", 0, 100), plane.Event("a", 10, 20),
              plane.Event("b", 40, 50)});
  const Nested nested(plane);
  EXPECT_EQ(nested.thread.inside, (loaders::InsideTimes{{0, 70}}));
  EXPECT_EQ(nested.thread.groups.size(), 3u);
}

TEST(NestThreadTest, RangesAreInTheFramesAroundThem) {
  XPlaneMaker plane("/host:CPU");
  plane.Line("python", 0,
             {plane.Event("$a.py:1 f", 0, 100), plane.Event("work", 10, 5),
              plane.Event("$a.py:9 g", 20, 50), plane.Event("work", 30, 5)});
  const Nested nested(plane);
  EXPECT_EQ(nested.FramesOf(1), (std::vector<std::string_view>{"$a.py:1 f"}));
  EXPECT_EQ(nested.FramesOf(3),
            (std::vector<std::string_view>{"$a.py:9 g", "$a.py:1 f"}));
  EXPECT_NE(nested.line.events[1].group, nested.line.events[3].group);
}

TEST(NestThreadTest, EqualStacksAreOneGroup) {
  XPlaneMaker plane("/host:CPU");
  plane.Line("python", 0,
             {plane.Event("$a.py:1 f", 0, 10), plane.Event("work", 1, 5),
              plane.Event("$a.py:1 f", 20, 10), plane.Event("work", 21, 5)});
  const Nested nested(plane);
  EXPECT_EQ(nested.line.events[0].group, nested.line.events[2].group);
  EXPECT_EQ(nested.line.events[1].group, nested.line.events[3].group);
}

TEST(NestThreadTest, InstructionsHaveNoFrames) {
  XPlaneMaker plane("/host:CPU");
  plane.Line("python", 0,
             {plane.Event("$a.py:1 f", 0, 10),
              plane.Event("dot", 1, 5, {plane.Ref("hlo_op", "dot")})});
  const Nested nested(plane);
  EXPECT_TRUE(nested.FramesOf(1).empty());
}

TEST(NestThreadTest, PartlyOverlappingRangesAreNotInside) {
  XPlaneMaker plane("/host:CPU");
  plane.Line(
      "python", 0,
      {plane.Event("$a.py:1 __init__", 0, 10), plane.Event("train", 5, 100)});
  const Nested nested(plane);
  EXPECT_TRUE(nested.FramesOf(1).empty());
  EXPECT_TRUE(nested.thread.inside.empty());
}

TEST(NestThreadTest, RecursionIsDeep) {
  XPlaneMaker plane("/host:CPU");
  std::vector<std::string> events;
  for (int64_t i = 0; i < 20000; ++i) {
    events.push_back(plane.Event("$a.py:1 f", i, 100000 - 2 * i));
  }
  plane.Line("python", 0, events);
  const Nested nested(plane);
  EXPECT_EQ(nested.thread.stacks.size(), 20001u);
}

}  // namespace
}  // namespace tfprof::xplane
