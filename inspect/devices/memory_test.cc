#include "inspect/devices/memory.h"

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "accounting/counter_levels.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "inspect/steps/step_memory.h"
#include "timeline/trace_testing.h"
#include "util/text/text_layout.h"

namespace tfprof::inspect {
namespace {
namespace memory_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

MemoryChart ChartOf(views::Views& views, int64_t step = -1,
                    std::string_view name = "") {
  absl::StatusOr<MemoryChart> chart = MakeMemoryChart(views, step, name);
  EXPECT_TRUE(chart.ok()) << chart.status();
  return chart.ok() ? *std::move(chart) : MemoryChart();
}

std::vector<std::string> HolderTexts(const MemoryChart::Series& series) {
  std::vector<std::string> texts;
  for (const MemoryChart::Holder& holder : series.holders) {
    texts.push_back(fmt::format("{} {}", holder.name, holder.bytes));
  }
  return texts;
}

// Nodes on a GPU: each has the level of the allocator at its end, and its
// allocations.
profile::Profile Allocations() {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  const auto details = std::make_shared<FakeDetails>();
  const auto add = [&](int64_t micros, int64_t level, int64_t persistent,
                       std::vector<profile::Allocation> allocations) {
    profile::ExecutionDetail& detail = details->executions.emplace_back();
    detail.memory.push_back({.micros = micros,
                             .accelerator_persistent_bytes = persistent,
                             .allocator_bytes_in_use = level,
                             .outputs = {}});
    detail.allocations = std::move(allocations);
  };
  add(110, 300, 200, {});
  add(120, 700, 0, {{.micros = 115, .bytes = 400}});
  add(130, 500, 0, {{.micros = 112, .bytes = 50}, {.micros = 125, .bytes = 9}});
  const uint32_t input = builder.AddInput(details);
  const profile::LaneId gpu =
      tensorflow::DeviceLane("/device:GPU:0", builder.mutable_graph());
  std::vector<profile::ExecutionRecord> records;
  for (uint32_t i = 0; i < 3; ++i) {
    records.push_back(
        {.node = builder.AddNode(std::string(1, static_cast<char>('a' + i)),
                                 "Op", profile::kNoRecord),
         .lane = gpu,
         .start = 100 + 10 * i,
         .duration = 5,
         .record = profile::MakeRecordRef(input, i),
         .peak_bytes = 40 + i});
  }
  builder.AddExecutions(3, records, {});
  return std::move(builder).Build();
}

TEST(MemoryTest, NodesHoldWhatTheyHadAtThePeak) {
  const profile::Profile profile = Allocations();
  views::Views views(profile);
  const MemoryChart chart = ChartOf(views);
  ASSERT_EQ(chart.series.size(), 1u);
  const MemoryChart::Series& gpu = chart.series[0];
  EXPECT_EQ(gpu.name, "gpu:0");
  EXPECT_EQ(gpu.peak, 700);
  EXPECT_EQ(gpu.peak_time, 10);
  EXPECT_EQ(gpu.peak_step, 3);
  EXPECT_FALSE(gpu.raised);
  EXPECT_THAT(HolderTexts(gpu), ElementsAre("b 400", "a 200", "c 50"));
  EXPECT_EQ(gpu.unknown, 50);
  EXPECT_EQ(chart.length, 20);
}

TEST(MemoryTest, ThePeakIsThatOfTheDevice) {
  const profile::Profile profile = Allocations();
  views::Views views(profile);
  const auto peaks = MemoryPeaks(profile, *profile.FindStep(3));
  EXPECT_EQ(ChartOf(views).series[0].peak,
            peaks[profile.nodes().device[0]].allocator_bytes);
}

TEST(MemoryTest, OperationsAreListedByTheirOwnPeak) {
  const profile::Profile profile = TwoSteps();
  views::Views views(profile);
  const MemoryChart chart = ChartOf(views);
  EXPECT_THAT(chart.series, IsEmpty());
  const tables::DataDocument document = MemoryDocument(chart);
  EXPECT_THAT(Rows(*FindTable(document, "operations"), {"name", "peak_bytes"}),
              ElementsAre("a 40", "b 15"));
  EXPECT_THAT(MemoryText(chart, {.width = 80, .height = 24}),
              HasSubstr("No allocator reported"));
}

TEST(MemoryTest, WithoutMemoryTheErrorSaysHowToRecordIt) {
  const profile::Profile profile;
  views::Views views(profile);
  EXPECT_THAT(Message(MakeMemoryChart(views, -1, "").status()),
              HasSubstr("profile_memory=True"));
}

// Level: 100 before the recording, 300 by `first`, 250, 800 by `second`, 10.
class CounterTest : public testing::Test {
 protected:
  void Add(std::string_view name, profile::Counter::Kind kind,
           std::vector<profile::CounterSample> samples) {
    profile::StringPool& strings = model_.graph().strings;
    model_.builder().AddCounter({.name = strings.Intern(name),
                                 .unit = strings.Intern("bytes"),
                                 .kind = kind,
                                 .process = model_.process()},
                                std::move(samples));
  }
  void AddOps() {
    const profile::LaneId ops = model_.Ops();
    model_.Add({.node = model_.Op("outer"),
                .lane = ops,
                .start = 0,
                .duration = 900,
                .step = 1});
    model_.Add({.node = model_.Op("first"),
                .lane = ops,
                .start = 100,
                .duration = 100,
                .step = 1});
    model_.Add({.node = model_.Op("second"),
                .lane = ops,
                .start = 400,
                .duration = 100,
                .step = 1});
    model_.builder().AddStepInterval({.step = 1, .start = 0, .end = 1000});
  }
  views::Views& Made() {
    profile_ = std::move(model_).Build();
    return views_.emplace(profile_);
  }
  timeline::TraceModel model_;
  profile::Profile profile_;
  std::optional<views::Views> views_;
};

TEST_F(CounterTest, OperationsRaiseALevel) {
  AddOps();
  Add("gpu:0 allocated", profile::Counter::Kind::kLevel,
      {{50, 100}, {150, 300}, {300, 250}, {450, 800}, {700, 10}});
  const MemoryChart chart = ChartOf(Made());
  ASSERT_EQ(chart.series.size(), 1u);
  const MemoryChart::Series& series = chart.series[0];
  EXPECT_EQ(series.peak, 800);
  EXPECT_EQ(series.peak_time, 400);
  EXPECT_EQ(series.peak_step, 1);
  EXPECT_THAT(HolderTexts(series), ElementsAre("second 550", "first 150"));
  EXPECT_EQ(series.from_start, 100);
  EXPECT_EQ(series.unknown, 0);
}

TEST_F(CounterTest, ReservedMemoryComesLast) {
  AddOps();
  constexpr auto kLevel = profile::Counter::Kind::kLevel;
  Add("gpu:0 reserved", kLevel, {{150, 5000}});
  Add("gpu:1 allocated", kLevel, {{150, 300}});
  Add("gpu:0 allocated", kLevel, {{150, 400}});
  const MemoryChart chart = ChartOf(Made());
  std::vector<std::string> names;
  for (const auto& series : chart.series) names.push_back(series.name);
  EXPECT_THAT(names, ElementsAre("gpu:0 allocated", "gpu:1 allocated",
                                 "gpu:0 reserved"));
}

TEST_F(CounterTest, ChangesAddUp) {
  AddOps();
  Add("heap", profile::Counter::Kind::kChange,
      {{150, 300}, {300, -100}, {450, 700}});
  const MemoryChart chart = ChartOf(Made());
  EXPECT_EQ(chart.series.at(0).peak, 900);
  EXPECT_THAT(HolderTexts(chart.series[0]),
              ElementsAre("second 700", "first 200"));
  EXPECT_EQ(chart.series[0].peak,
            accounting::PeakOf(profile_, profile_.counters()[0])->bytes);
}

TEST_F(CounterTest, AStepHasTheLevelOfBeforeAndItsOwn) {
  AddOps();
  model_.builder().AddStepInterval({.step = 2, .start = 1000, .end = 2000});
  model_.Add({.node = model_.Op("third"),
              .lane = model_.Ops(),
              .start = 1100,
              .duration = 100,
              .step = 2});
  Add("m", profile::Counter::Kind::kLevel,
      {{150, 900}, {800, 300}, {1150, 400}});
  const MemoryChart chart = ChartOf(Made(), 2);
  EXPECT_EQ(chart.series.at(0).peak, 400);
  EXPECT_EQ(chart.series[0].from_start, 300);
  EXPECT_THAT(HolderTexts(chart.series[0]), ElementsAre("third 100"));
  EXPECT_EQ(chart.length, 1000);
}

TEST_F(CounterTest, SeriesAreSelectedByTheBeginningOfTheirNames) {
  Add("gpu:0 allocated", profile::Counter::Kind::kLevel, {{50, 100}, {60, 50}});
  Add("gpu:0 reserved", profile::Counter::Kind::kLevel, {{50, 400}, {60, 400}});
  views::Views& views = Made();
  EXPECT_EQ(ChartOf(views).series[0].name, "gpu:0 allocated");
  EXPECT_EQ(ChartOf(views).series[1].name, "gpu:0 reserved");
  EXPECT_EQ(ChartOf(views, -1, "gpu:0 a").series.size(), 1u);
  EXPECT_THAT(Message(MakeMemoryChart(views, -1, "gpu:0 alocated").status()),
              HasSubstr("gpu:0 allocated"));
}

TEST_F(CounterTest, AFlatLevelNeedsNoCurve) {
  Add("reserved", profile::Counter::Kind::kLevel, {{50, 400}, {60, 400}});
  const std::string text =
      MemoryText(ChartOf(Made()), {.width = 80, .height = 24});
  EXPECT_EQ(text, "reserved: 400B all the time\n");
}

TEST_F(CounterTest, APictureFitsItsWindow) {
  AddOps();
  for (int i = 0; i < 40; ++i) {
    Add("allocator\x1b[2J " + std::to_string(i), profile::Counter::Kind::kLevel,
        {{50, 100.0 + i}, {150, 300.0 + i}, {600, 2.0}});
  }
  const MemoryChart chart = ChartOf(Made());
  for (const size_t height : {1, 12, 24, 50}) {
    for (const size_t width : {1, 80, 200}) {
      const std::string text =
          MemoryText(chart, {.width = width, .height = height});
      EXPECT_LE(std::count(text.begin(), text.end(), '\n'),
                std::max<int64_t>(15, static_cast<int64_t>(height)));
      EXPECT_THAT(text, Not(HasSubstr("\x1b")));
      if (width >= 80) {
        EXPECT_THAT(text, HasSubstr(" more; the next peak is"));
      }
      for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
        EXPECT_LE(util::Columns(text.substr(at, text.find('\n', at) - at)),
                  std::max<size_t>(width, 40));
      }
    }
  }
}

TEST_F(CounterTest, OddLevelsAndTimesAreDrawn) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  Add("far", profile::Counter::Kind::kLevel,
      {{-kMost, 5}, {0, 1e300}, {kMost, 7}});
  Add("wide", profile::Counter::Kind::kLevel,
      {{-kMost, 5}, {0, -3}, {kMost, 7}});
  views::Views& views = Made();
  const MemoryChart chart = ChartOf(views);
  ASSERT_EQ(chart.series.size(), 1u);  // no memory has 1e300 bytes
  EXPECT_EQ(chart.series[0].name, "wide");
  EXPECT_THAT(MemoryText(chart, {.width = 80, .height = 24}),
              HasSubstr("wide: peak"));
}

}  // namespace memory_test
}  // namespace
}  // namespace tfprof::inspect
