#include "exporters/formats/saved_counters.h"

#include <cmath>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/saved_counters.h"
#include "loaders/tensorflow/profile_testing.h"
#include "util/files/wire.h"

namespace tfprof::exporters {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A kernel of a node on a device, and one of which nothing is known.
class SavedCountersTest : public tensorflow::ProfileTest {
 protected:
  std::string Saved(SavedLanes lanes, size_t kernels = 2) {
    profile::GraphTables& graph = builder_.mutable_graph();
    const profile::NodeId node = Node("n", "Op");
    profile::KernelCounters counters;
    counters.counters = {
        {graph.strings.Intern("Waves"), profile::KernelCounters::Kind::kSum},
        {graph.strings.Intern("Hits"), profile::KernelCounters::Kind::kMean}};
    counters.kernels = {{.name = graph.strings.Intern("gemm"),
                         .node = node,
                         .step = -1,
                         .lane = tensorflow::DeviceLane("/device:gpu:0", graph),
                         .start = 11,
                         .duration = 7},
                        {}};
    counters.values = {64, -0.0, HUGE_VAL, 0.5};
    counters.kernels.resize(kernels);
    counters.values.resize(2 * kernels);
    builder_.SetKernelCounters(counters);
    util::WireWriter w;
    WriteSavedCounters(Build(), lanes, 9, w);
    util::WireReader r(w.bytes());
    return r.Next() && r.tag() == util::LengthTag(9) ? std::string(r.view())
                                                     : "";
  }

  bool Read(std::string_view bytes) {
    lanes_.clear();
    return loaders::ReadSavedCounters(
        bytes,
        {.node =
             [](int64_t number) {
               return static_cast<profile::NodeId>(number + 99);
             },
         .lane =
             [&](int64_t number, std::string_view text) {
               lanes_.push_back(std::to_string(number) + " " +
                                std::string(text));
               return profile::LaneId{5};
             }},
        strings_, read_);
  }

  profile::StringPool strings_;
  profile::KernelCounters read_;
  std::vector<std::string> lanes_;  // that were asked for
};

TEST_F(SavedCountersTest, AreReadAsTheyWere) {
  ASSERT_TRUE(Read(Saved(SavedLanes::kNumbers)));
  ASSERT_EQ(read_.counters.size(), 2u);
  EXPECT_EQ(strings_.Get(read_.counters[1].name), "Hits");
  EXPECT_EQ(read_.counters[0].kind, profile::KernelCounters::Kind::kSum);
  EXPECT_EQ(read_.counters[1].kind, profile::KernelCounters::Kind::kMean);
  ASSERT_EQ(read_.kernels.size(), 2u);
  EXPECT_EQ(strings_.Get(read_.kernels[0].name), "gemm");
  EXPECT_EQ(read_.kernels[0].node, 100u) << "number 1 of the file";
  EXPECT_EQ(read_.kernels[0].step, -1);
  EXPECT_EQ(read_.kernels[0].lane, 5u);
  EXPECT_EQ(read_.kernels[0].start, 11);
  EXPECT_EQ(read_.kernels[0].duration, 7);
  EXPECT_EQ(read_.kernels[1].name, profile::kNone);
  EXPECT_EQ(read_.kernels[1].node, 99u) << "number 0: none";
  EXPECT_EQ(read_.kernels[1].lane, profile::kNone);
  EXPECT_THAT(read_.values, ElementsAre(64, 0, HUGE_VAL, 0.5));
  EXPECT_TRUE(std::signbit(read_.values[1]));
}

TEST_F(SavedCountersTest, LanesAreNumbersOrDevices) {
  ASSERT_TRUE(Read(Saved(SavedLanes::kDevices)));
  EXPECT_THAT(lanes_, ElementsAre("4 /device:gpu:0"));
}

TEST_F(SavedCountersTest, LanesByNumberCountFromOne) {
  ASSERT_TRUE(Read(Saved(SavedLanes::kNumbers)));
  ASSERT_EQ(lanes_.size(), 1u);
  EXPECT_EQ(lanes_[0][0], '1');
}

TEST_F(SavedCountersTest, WithoutKernelsNothingIsWritten) {
  EXPECT_EQ(Saved(SavedLanes::kNumbers, 0), "");
}

TEST_F(SavedCountersTest, EveryCutIsDamageOrHasFewerTexts) {
  const std::string saved = Saved(SavedLanes::kNumbers);
  for (size_t size = 1; size < saved.size(); ++size) {
    // Texts come first: without the columns behind them there are no kernels.
    if (Read(saved.substr(0, size))) {
      EXPECT_THAT(read_.kernels, IsEmpty()) << size;
    }
  }
}

// Columns of a file that do not fit together; each has these numbers.
TEST_F(SavedCountersTest, ColumnsOfOtherLengthsAreDamage) {
  using Column = std::pair<uint32_t, std::vector<int64_t>>;
  namespace fields = loaders::saved_counters;
  const auto read = [&](const std::vector<Column>& columns) {
    util::WireWriter w;
    {
      const util::WireMessage message(w, fields::kColumns);
      for (const auto& [field, numbers] : columns) {
        w.PackedInt64(field, numbers);
      }
    }
    const bool good = Read(w.bytes());
    EXPECT_TRUE(good || read_.kernels.empty());
    return good;
  };
  const std::vector<Column> whole = {
      {fields::kCounterName, {1}}, {fields::kCounterKind, {0}},
      {fields::kKernelName, {1}},  {fields::kNode, {0}},
      {fields::kStep, {0}},        {fields::kLane, {0}},
      {fields::kStart, {0}},       {fields::kDuration, {0}},
      {fields::kValueBits, {0}}};
  EXPECT_TRUE(read(whole));
  for (size_t c = 0; c < whole.size(); ++c) {
    std::vector<Column> shorter = whole, longer = whole;
    shorter[c].second.clear();
    longer[c].second.push_back(0);
    EXPECT_FALSE(read(shorter)) << c;
    EXPECT_FALSE(read(longer)) << c;
  }
  EXPECT_TRUE(read({})) << "nothing at all";
}

TEST_F(SavedCountersTest, TextsThatAreNotThereAreEmpty) {
  namespace fields = loaders::saved_counters;
  util::WireWriter w;
  w.Bytes(fields::kText, "only");
  {
    const util::WireMessage message(w, fields::kColumns);
    const int64_t one[] = {1}, far[] = {2}, below[] = {-1}, zero[] = {0};
    w.PackedInt64(fields::kCounterName, far);
    w.PackedInt64(fields::kCounterKind, one);
    w.PackedInt64(fields::kKernelName, below);
    for (const uint32_t field :
         {fields::kNode, fields::kStep, fields::kLane, fields::kStart,
          fields::kDuration, fields::kValueBits}) {
      w.PackedInt64(field, zero);
    }
  }
  ASSERT_TRUE(Read(w.bytes()));
  EXPECT_EQ(strings_.Get(read_.counters[0].name), "");
  EXPECT_EQ(strings_.Get(read_.kernels[0].name), "");
}

}  // namespace
}  // namespace tfprof::exporters
