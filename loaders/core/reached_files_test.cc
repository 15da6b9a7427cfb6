#include "loaders/core/reached_files.h"

#include <filesystem>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/registry.h"

namespace tfprof::loaders {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::UnorderedElementsAre;

class ReachedFilesTest : public testing::Test {
 protected:
  ReachedFilesTest() { std::filesystem::create_directories(folder_); }
  ~ReachedFilesTest() override { std::filesystem::remove_all(folder_); }

  std::string Make(const std::string& name) {
    std::ofstream(folder_ + name) << "x";
    return folder_ + name;
  }
  static ReachedFiles By(const LoadRequest& request) {
    return ReachedBy(request, Formats());
  }

  const std::string folder_ = testing::TempDir() + "/reached/";
};

TEST_F(ReachedFilesTest, AFileAloneIsAll) {
  const std::string file = Make("a.json"), other = Make("b.json");
  Make("a.json.bak");
  LoadRequest request;
  request.files = {file};
  request.joined = {other};
  const ReachedFiles reached = By(request);
  EXPECT_THAT(reached.paths, ElementsAre(file, other));
  EXPECT_THAT(reached.listed, IsEmpty());
}

TEST_F(ReachedFilesTest, AStepAndStandardInputAreNotNames) {
  const std::string file = Make("run_meta");
  LoadRequest request;
  request.files = {"7:" + file, "-"};
  EXPECT_THAT(By(request).paths,
              IsSupersetOf({file, std::string("/dev/stdin")}));
}

TEST_F(ReachedFilesTest, AFileThatStandsForAFolderBringsTheFolder) {
  LoadRequest request;
  request.files = {Make("metadata")};
  EXPECT_THAT(
      By(request).paths,
      ElementsAre(folder_ + "metadata", folder_.substr(0, folder_.size() - 1)));
}

TEST_F(ReachedFilesTest, ACheckpointBringsItsFiles) {
  const std::string index = Make("model.ckpt.index");
  const std::string data = Make("model.ckpt.data-00000-of-00001");
  Make("other.ckpt.index");
  for (const std::string& named : {folder_ + "model.ckpt", index, data}) {
    SCOPED_TRACE(named);
    LoadRequest request;
    request.flagged = {{"checkpoint_path", named}};
    const ReachedFiles reached = By(request);
    EXPECT_THAT(reached.paths, UnorderedElementsAre(named, index, data));
    EXPECT_THAT(reached.listed,
                ElementsAre(folder_.substr(0, folder_.size() - 1)));
  }
}

}  // namespace
}  // namespace tfprof::loaders
