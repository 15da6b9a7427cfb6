#include "loaders/chrome_json/kineto/job_ranks.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::kineto {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<int64_t> Ranks(const std::vector<JobRank>& rows) {
  std::vector<int64_t> ranks;
  for (const JobRank& row : rows) ranks.push_back(row.rank);
  return ranks;
}

JobFile File(std::string path, std::vector<uint32_t> nodes = {1, 2}) {
  return {.path = std::move(path), .nodes = std::move(nodes)};
}

TEST(JobRanksTest, RecordedRanksMayRunDifferentPrograms) {
  JobFile a = File("a", {1, 2}), b = File("b", {3, 4});
  a.recorded_rank = 3;
  b.recorded_rank = 1;
  const auto rows = FindJobRanks(std::vector{a, b});
  EXPECT_THAT(Ranks(rows), ElementsAre(3, 1));
  EXPECT_THAT(rows[1].why_not, IsEmpty());
}

TEST(JobRanksTest, OtherFilesAreNumberedIfTheyAreOneProgram) {
  EXPECT_THAT(Ranks(FindJobRanks(std::vector{
                  File("a", {1, 2, 3}), File("b", {1, 2}), File("c", {2, 3})})),
              ElementsAre(0, 1, 2));
}

TEST(JobRanksTest, AnotherProgram) {
  const auto rows = FindJobRanks(
      std::vector{File("bert.json", {1, 2, 3}), File("qwen.json", {3, 4, 5})});
  EXPECT_THAT(Ranks(rows), ElementsAre(-1, -1));
  EXPECT_THAT(rows[0].why_not, IsEmpty());
  EXPECT_EQ(rows[1].why_not,
            "qwen.json: this is another program, and no other rank of the job "
            "of bert.json. To compare the two: tfprof --base bert.json "
            "qwen.json");
}

TEST(JobRanksTest, TwoRecordingsOfOneRank) {
  JobFile a = File("a"), b = File("b"), c = File("c");
  a.recorded_rank = 1;
  b.recorded_rank = 0;
  c.recorded_rank = 0;
  const auto rows = FindJobRanks(std::vector{a, b, c});
  EXPECT_THAT(Ranks(rows), ElementsAre(1, 0, -1));
  EXPECT_THAT(rows[2].why_not, HasSubstr("another recording of rank 0"));
  EXPECT_THAT(rows[2].why_not, HasSubstr("tfprof --base b c"));
}

TEST(JobRanksTest, RanksInNamesOfFiles) {
  JobFile a = File("rank0.json"), b = File("rank1.json");
  a.path_rank = 0;
  b.path_rank = 1;
  EXPECT_THAT(Ranks(FindJobRanks(std::vector{a, b})), ElementsAre(0, 1));
  b.nodes = {7, 8};
  EXPECT_THAT(Ranks(FindJobRanks(std::vector{a, b})), ElementsAre(0, -1));
}

TEST(JobRanksTest, AnotherWorldSize) {
  JobFile a = File("a"), b = File("b");
  a.recorded_rank = 0;
  b.recorded_rank = 1;
  a.world_size = 8;
  b.world_size = 2;
  EXPECT_THAT(FindJobRanks(std::vector{a, b})[1].why_not,
              HasSubstr("a job of 2 ranks and not of 8"));
}

TEST(JobRanksTest, RunsOneAfterTheOther) {
  JobFile a = File("a"), b = File("b");
  a.has_times = b.has_times = true;
  a.start = 100;
  a.end = 200;
  b.start = 150;
  b.end = 250;
  EXPECT_THAT(Ranks(FindJobRanks(std::vector{a, b})), ElementsAre(0, 1));
  b.start = 201;
  EXPECT_THAT(FindJobRanks(std::vector{a, b})[1].why_not,
              HasSubstr("another recording of this program"));
}

TEST(JobRanksTest, OneRecordingTwice) {
  JobFile a = File("a");
  a.has_times = true;
  a.start = 100;
  a.end = 200;
  EXPECT_THAT(FindJobRanks(std::vector{a, a})[1].why_not,
              HasSubstr("the same recording"));
}

TEST(JobRanksTest, OneFile) {
  EXPECT_THAT(Ranks(FindJobRanks(std::vector{File("a")})), ElementsAre(-1));
}

}  // namespace
}  // namespace tfprof::kineto
