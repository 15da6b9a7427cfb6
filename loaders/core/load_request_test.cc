#include "loaders/core/load_request.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::loaders {
namespace {

using ::testing::ElementsAre;

constexpr Format kOne = {.name = "one", .flag = "one_path"};
constexpr Format kMany = {
    .name = "many", .flag = "many_path", .flag_takes_list = true};

std::vector<std::string> Flagged(const LoadRequest& request) {
  std::vector<std::string> files;
  for (const auto& [flag, path] : request.flagged) {
    files.push_back(flag + "=" + path);
  }
  return files;
}

TEST(LoadRequestTest, TheLastPathCounts) {
  LoadRequest request;
  EXPECT_TRUE(request.empty());
  SetInputFlag(kOne, "a,b", request);
  SetInputFlag(kMany, "m", request);
  EXPECT_THAT(Flagged(request), ElementsAre("one_path=a,b", "many_path=m"));
  SetInputFlag(kOne, "c", request);
  EXPECT_THAT(Flagged(request), ElementsAre("many_path=m", "one_path=c"));
  SetInputFlag(kOne, "", request);
  EXPECT_THAT(Flagged(request), ElementsAre("many_path=m"));
  EXPECT_FALSE(request.empty());
}

TEST(LoadRequestTest, ListsAddUp) {
  LoadRequest request;
  SetInputFlag(kMany, "a,,7:b,", request);
  SetInputFlag(kMany, "", request);
  SetInputFlag(kMany, "c", request);
  EXPECT_THAT(Flagged(request),
              ElementsAre("many_path=a", "many_path=7:b", "many_path=c"));
}

TEST(LoadRequestTest, FilesCount) {
  LoadRequest request;
  request.files = {"f"};
  EXPECT_FALSE(request.empty());
}

}  // namespace
}  // namespace tfprof::loaders
