#include "loaders/pprof/pprof_profile.h"

#include <memory>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "loaders/pprof/pprof_testing.h"

namespace tfprof::pprof {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

class PprofProfileTest : public ::testing::Test {
 protected:
  absl::Status Read(std::string bytes) {
    file_ = loaders::InputFile::FromBytes("p", std::move(bytes));
    return ReadPprof(*file_, profile_, log_);
  }

  std::shared_ptr<const loaders::InputFile> file_;
  PprofProfile profile_;
  loaders::ImportLog log_;
};

TEST(PprofIdsTest, IdsThatCountFromOne) {
  PprofIds ids;
  for (const uint64_t id : {1, 2, 3}) ids.Add(id);
  ids.Finish();
  EXPECT_EQ(ids.Find(1), 0u);
  EXPECT_EQ(ids.Find(3), 2u);
  EXPECT_EQ(ids.Find(0), profile::kNone);
  EXPECT_EQ(ids.Find(4), profile::kNone);
}

TEST(PprofIdsTest, AnyIdsAndTheFirstOfEqualOnes) {
  PprofIds ids;
  for (const uint64_t id : {~uint64_t{0}, uint64_t{7}, uint64_t{7}}) {
    ids.Add(id);
  }
  ids.Finish();
  EXPECT_EQ(ids.Find(~uint64_t{0}), 0u);
  EXPECT_EQ(ids.Find(7), 1u);
  EXPECT_EQ(ids.Find(8), profile::kNone);
  EXPECT_EQ(PprofIds().Find(0), profile::kNone);
}

TEST_F(PprofProfileTest, AllTables) {
  PprofMaker maker(
      PprofMaker::Types{{"samples", "count"}, {"cpu", "nanoseconds"}});
  maker.Sample({2, 1}, {1, 10}, "phase", "sort");
  maker.Location(1, maker.Function("main", "m.go"), 3);
  maker.Address(2, 0x40, "libc.so");
  maker.Period("cpu", "nanoseconds", 10);
  maker.DefaultType("cpu");
  ASSERT_TRUE(Read(maker.Bytes()).ok());
  EXPECT_FALSE(log_.damaged());
  ASSERT_THAT(profile_.types, SizeIs(2));
  EXPECT_EQ(profile_.types[1].type, "cpu");
  EXPECT_EQ(profile_.types[1].unit, "nanoseconds");
  EXPECT_EQ(profile_.period, 10);
  EXPECT_EQ(profile_.default_type, "cpu");
  const PprofProfile::Location& main =
      profile_.locations[profile_.location_ids.Find(1)];
  ASSERT_THAT(profile_.LinesOf(main), SizeIs(1));
  EXPECT_EQ(profile_.LinesOf(main)[0].line, 3);
  EXPECT_EQ(profile_.functions[profile_.LinesOf(main)[0].function].name,
            "main");
  const PprofProfile::Location& libc =
      profile_.locations[profile_.location_ids.Find(2)];
  EXPECT_EQ(libc.address, 0x40u);
  EXPECT_EQ(profile_.mappings[0], "libc.so");
  ASSERT_THAT(profile_.samples, SizeIs(1));
  PprofSample sample;
  ASSERT_TRUE(ReadPprofSample(PprofField(*file_, profile_.samples[0]), sample));
  EXPECT_THAT(sample.location_ids, ElementsAre(2, 1));
  EXPECT_THAT(sample.values, ElementsAre(1, 10));
  ASSERT_THAT(sample.labels, SizeIs(1));
  EXPECT_EQ(profile_.String(sample.labels[0].text), "sort");
}

TEST_F(PprofProfileTest, StringsThatAreMissing) {
  // The sample type has no strings, and one index is negative.
  ASSERT_TRUE(Read(std::string("\x0a\x04\x08\x63\x10\x64", 6)).ok());
  EXPECT_EQ(profile_.types[0].type, "");
  EXPECT_EQ(profile_.String(-1), "");
}

TEST_F(PprofProfileTest, FilesThatAreNoProfiles) {
  EXPECT_EQ(std::string(Read("").message()),
            "p: no sample type in 0 bytes: not a pprof profile");
  EXPECT_EQ(std::string(Read("\x0a\x7f").message()),
            "p: byte 0: field 1: length 127 exceeds the 0 bytes left: not a "
            "pprof profile");
}

TEST_F(PprofProfileTest, AFileThatIsCutOffKeepsWhatCameBefore) {
  PprofMaker maker(PprofMaker::Types{{"cpu", "nanoseconds"}});
  maker.Sample({}, {1});
  std::string bytes = maker.Bytes();
  bytes.pop_back();
  ASSERT_TRUE(Read(bytes).ok());
  EXPECT_THAT(profile_.samples, SizeIs(1));
  EXPECT_EQ(loaders::CountOf(log_, "pprof profile cut short"), 1);
}

TEST(PprofSampleTest, ADamagedSample) {
  PprofSample sample;
  EXPECT_FALSE(ReadPprofSample("\x0a\x01\x80", sample));
  EXPECT_FALSE(ReadPprofSample("\x1a\x02\x08\x80", sample));
  EXPECT_TRUE(ReadPprofSample("", sample));
}

TEST(PprofSampleTest, NumbersThatAreNotPacked) {
  PprofSample sample;
  EXPECT_TRUE(ReadPprofSample("\x08\x05\x08\x06\x10\x07", sample));
  EXPECT_THAT(sample.location_ids, ElementsAre(5, 6));
  EXPECT_THAT(sample.values, ElementsAre(7));
}

}  // namespace
}  // namespace tfprof::pprof
