#include "loaders/chrome_json/kineto/replays/capture_files.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::kineto {
namespace {

constexpr FileFacts kRun = {};
constexpr FileFacts kCapture = {.has_capture = true};
constexpr FileFacts kAnnotated = {.has_capture = true, .has_annotation = true};

FileFacts OfRank(FileFacts facts, int64_t rank) {
  facts.rank = rank;
  return facts;
}

// A letter for each file: E for an execution, c for captures.
std::string Find(const std::vector<FileFacts>& files) {
  std::string letters;
  for (const bool is_capture : FindCaptureFiles(files)) {
    letters += is_capture ? 'c' : 'E';
  }
  return letters;
}

TEST(CaptureFiles, FilesThatCaptureServeTheOthers) {
  EXPECT_EQ(Find({kRun, kCapture, kAnnotated}), "Ecc");
  EXPECT_EQ(Find({kCapture, kRun}), "cE");
}

TEST(CaptureFiles, OneFileIsAnExecution) {
  EXPECT_EQ(Find({kCapture}), "E");
  EXPECT_EQ(Find({kAnnotated}), "E");
  EXPECT_EQ(Find({kAnnotated, kAnnotated}), "EE");
}

TEST(CaptureFiles, ARunWithStepsMayCaptureToo) {
  const FileFacts run = {.has_capture = true, .has_engine_steps = true};
  EXPECT_EQ(Find({kCapture, run}), "cE");
  EXPECT_EQ(Find({run, run}), "EE");
}

TEST(CaptureFiles, RanksThatCaptureAreNoCapturesOfEachOther) {
  EXPECT_EQ(Find({OfRank(kCapture, 0), OfRank(kCapture, 1)}), "EE");
  EXPECT_EQ(Find({OfRank(kRun, 0), OfRank(kCapture, 1)}), "EE");
  EXPECT_EQ(Find({OfRank(kRun, 0), OfRank(kAnnotated, 1)}), "Ec");
  EXPECT_EQ(Find({kCapture, kCapture}), "EE");
}

TEST(CaptureFiles, OfOneRankTheFirstIsTheExecution) {
  EXPECT_EQ(Find({OfRank(kCapture, 3), OfRank(kCapture, 3)}), "Ec");
}

}  // namespace
}  // namespace tfprof::kineto
