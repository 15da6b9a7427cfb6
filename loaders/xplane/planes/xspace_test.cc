#include "loaders/xplane/planes/xspace.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "loaders/xplane/xplane_testing.h"

namespace tfprof::xplane {
namespace {
namespace xspace_test {

XSpace Read(const std::shared_ptr<const loaders::InputFile>& file,
            loaders::ImportLog& log) {
  return ReadXSpace(*file, log);
}

std::string SmallSpace() {
  XPlaneMaker plane("/host:CPU");
  plane.Metadata("a/b:Add", "Add");
  plane.Line("python", 77, {plane.Event("a/b:Add", 1, 2)}, -5);
  plane.PlaneStat(plane.Int("process_id", 12));
  return XSpaceOf({plane.Bytes()});
}

TEST(ReadXSpaceTest, ReadsTheOutline) {
  const auto file = XPlaneInput(SmallSpace());
  loaders::ImportLog log;
  const XSpace space = Read(file, log);
  EXPECT_TRUE(log.entries().empty());
  EXPECT_FALSE(space.cut);
  ASSERT_EQ(space.hostnames.size(), 1u);
  EXPECT_EQ(space.hostnames[0], "vm");
  ASSERT_EQ(space.planes.size(), 1u);
  const XPlane& plane = space.planes[0];
  EXPECT_EQ(plane.name, "/host:CPU");
  ASSERT_EQ(plane.lines.size(), 1u);
  EXPECT_EQ(plane.lines[0].id, -5);
  EXPECT_EQ(plane.lines[0].name, "python");
  EXPECT_EQ(plane.lines[0].timestamp_ns, 77);
  EXPECT_EQ(plane.lines[0].num_events, 1u);
  const uint32_t number = plane.event_ids.Find(1);
  ASSERT_NE(number, profile::kNone);
  EXPECT_EQ(plane.events[number].name, "a/b:Add");
  EXPECT_EQ(plane.events[number].display_name, "Add");
  int64_t process = 0;
  plane.VisitStats(plane.stats,
                   [&](std::string_view name, const PlaneStat& stat) {
                     EXPECT_EQ(name, "process_id");
                     process = stat.integer();
                   });
  EXPECT_EQ(process, 12);
}

TEST(ReadXSpaceTest, KeepsMessagesOfTheRecorder) {
  const auto file = XPlaneInput(
      "\x12\x03"
      "bad"
      "\x1a\x03"
      "odd");
  loaders::ImportLog log;
  const XSpace space = Read(file, log);
  ASSERT_EQ(space.errors.size(), 1u);
  EXPECT_EQ(space.errors[0], "bad");
  ASSERT_EQ(space.warnings.size(), 1u);
}

TEST(ReadXSpaceTest, ACutFileKeepsItsBegin) {
  const std::string whole = SmallSpace();
  // For every length: no crash, and at most one message.
  for (size_t size = 1; size + 1 < whole.size(); ++size) {
    const auto file = XPlaneInput(whole.substr(0, size));
    loaders::ImportLog log;
    Read(file, log);
    EXPECT_LE(log.Lines().size(), 1u) << size;
  }
}

TEST(ReadXSpaceTest, ACutPlaneKeepsItsLines) {
  XPlaneMaker plane("/host:CPU");
  plane.Line("first", 1, {plane.Event("a", 1, 2)});
  plane.Line("second", 1, {plane.Event("a", 1, 2)});
  const std::string whole = XSpaceOf({plane.Bytes()});
  const auto file = XPlaneInput(whole.substr(0, whole.find("second") + 3));
  loaders::ImportLog log;
  const XSpace space = Read(file, log);
  EXPECT_TRUE(space.cut);
  EXPECT_TRUE(log.damaged());
  ASSERT_EQ(space.planes.size(), 1u);
  ASSERT_EQ(space.planes[0].lines.size(), 2u);
  EXPECT_EQ(space.planes[0].lines[0].name, "first");
  // The names of events come after the lines.
  ASSERT_EQ(space.planes[0].events.size(), 1u);
  EXPECT_EQ(space.planes[0].events[0].name, "event 1 (its name is cut off)");
  EXPECT_EQ(space.planes[0].event_ids.Find(1), 0u);
}

TEST(ReadXSpaceTest, ACutPlaneKeepsTheNamesThatItHas) {
  XPlaneMaker plane("/host:CPU");
  plane.Line("first", 1, {plane.Event("one", 1, 2), plane.Event("two", 1, 2)});
  const std::string whole = XSpaceOf({plane.Bytes()});
  const auto file = XPlaneInput(whole.substr(0, whole.find("two")));
  loaders::ImportLog log;
  const XSpace space = Read(file, log);
  ASSERT_EQ(space.planes.size(), 1u);
  const XPlane& read = space.planes[0];
  std::vector<std::string> names;
  for (const int64_t id : {1, 2}) {
    const uint32_t number = read.event_ids.Find(id);
    ASSERT_NE(number, profile::kNone);
    names.emplace_back(read.events[number].name);
  }
  EXPECT_EQ(names[0] == "one", names[1] != "one");
  EXPECT_LE(log.Lines().size(), 1u);
}

TEST(ReadXSpaceTest, DamageInsideIsReported) {
  std::string bytes;
  {
    util::WireWriter w;
    w.Bytes(1,
            "\x12\x7f"
            "x");  // a name longer than its plane
    bytes = w.bytes();
  }
  const auto file = XPlaneInput(bytes + SmallSpace());
  loaders::ImportLog log;
  const XSpace space = Read(file, log);
  EXPECT_TRUE(log.damaged());
  ASSERT_EQ(space.planes.size(), 2u);
  EXPECT_EQ(space.planes[1].name, "/host:CPU");
}

}  // namespace xspace_test
}  // namespace
}  // namespace tfprof::xplane
