#include "loaders/xplane/lines/memory_events.h"

#include <memory>
#include <utility>

#include "accounting/self_time_rules.h"
#include "gtest/gtest.h"
#include "loaders/xplane/xplane_testing.h"

namespace tfprof::xplane {
namespace {

class MemorySeriesTest : public ::testing::Test {
 protected:
  // Reads the first line of the plane.
  FileLine& Read(const XPlaneMaker& plane) {
    file_ = XPlaneInput(XSpaceOf({plane.Bytes()}));
    space_ = ReadXSpace(*file_, log_);
    int64_t derived = 0;
    lines_ = CollectLines(space_, derived);
    ReadFileLine(file_->bytes().data(), 0, nullptr, lines_[0]);
    return lines_[0];
  }
  static std::string Allocation(XPlaneMaker& plane, int64_t at,
                                std::string_view event, std::string_view op,
                                std::string_view allocator = "bfc") {
    return plane.Event(
        event, at, 0,
        {plane.Text("allocator_name", allocator), plane.Text("tf_op", op),
         plane.Int("requested_bytes", 8), plane.Int("bytes_allocated", at)});
  }

  loaders::ImportLog log_;
  std::shared_ptr<const loaders::InputFile> file_;
  XSpace space_;
  std::vector<FileLine> lines_;
};

TEST_F(MemorySeriesTest, BytesGoToTheExecutionAround) {
  XPlaneMaker plane("/host:CPU");
  plane.Metadata("net/a:Add", "Add");
  plane.Line("t", 0,
             {plane.Event("net/a:Add", 0, 100), plane.Event("inner", 1, 50),
              Allocation(plane, 10, "MemoryAllocation", "net/a")});
  FileLine& line = Read(plane);
  MemorySeries series;
  EXPECT_TRUE(series.Add(line).empty());
  ASSERT_EQ(line.requested.size(), 1u);
  EXPECT_EQ(line.requested[0], (std::pair<uint32_t, int64_t>(0, 8)));
}

TEST_F(MemorySeriesTest, OthersAreUnplaced) {
  XPlaneMaker plane("/host:CPU");
  plane.Line("t", 0,
             {Allocation(plane, 10, "MemoryAllocation", "net/a"),
              Allocation(plane, 20, "MemoryAllocation", "(null)"),
              Allocation(plane, 30, "MemoryDeallocation", "net/a")});
  FileLine& line = Read(plane);
  MemorySeries series;
  const std::vector<UnplacedBytes> unplaced = series.Add(line);
  ASSERT_EQ(unplaced.size(), 1u);
  EXPECT_EQ(unplaced[0].tf_op, "net/a");
  EXPECT_EQ(unplaced[0].bytes, 8);
  EXPECT_TRUE(line.requested.empty());
}

TEST_F(MemorySeriesTest, EachAllocatorIsACounter) {
  XPlaneMaker plane("/host:CPU");
  plane.Line("t", 0,
             {Allocation(plane, 3000, "MemoryAllocation", "", "b"),
              Allocation(plane, 1000, "MemoryAllocation", "", "a"),
              Allocation(plane, 2000, "MemoryDeallocation", "", "b")});
  MemorySeries series;
  series.Add(Read(plane));
  profile::ProfileBuilder builder(accounting::SelfTimeRules());
  series.AddCounters(0, builder);
  const profile::Profile profile = std::move(builder).Build();
  ASSERT_EQ(profile.counters().size(), 2u);
  const profile::Counter& b = profile.counters()[1];
  EXPECT_EQ(profile.strings().Get(b.name), "b: bytes in use");
  EXPECT_EQ(b.time[0], 2);
  EXPECT_EQ(b.value, (std::vector<double>{2000, 3000}));
}

}  // namespace
}  // namespace tfprof::xplane
