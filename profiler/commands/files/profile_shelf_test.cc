#include "profiler/commands/files/profile_shelf.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::commands {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ResultOf;

class ProfileShelfTest : public ::testing::Test {
 protected:
  ProfileShelfTest() : folder_(testing::TempDir() + "/shelf") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ + "/in/run");
    Write("in/run/a.pbtxt", "A");
    Write("outside.pbtxt", "O");
  }
  void Write(const std::string& name, const std::string& node) {
    std::ofstream(folder_ + "/" + name)
        << "node { name: \"" << node << "\" op: \"NoOp\" }\n";
  }
  absl::Status Error(ProfileShelf& shelf, const std::string& name) {
    return shelf.Open(name, {}, {}, notes_).status();
  }

  std::string folder_;
  std::vector<std::string> notes_;
};

TEST_F(ProfileShelfTest, ListsAndOpensWhatIsBelow) {
  ProfileShelf shelf = ProfileShelf::Below(folder_ + "/in");
  size_t more = 0;
  const auto list = shelf.List(10, more);
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].name, "run/a.pbtxt");
  EXPECT_GT(list[0].bytes, 0);
  EXPECT_FALSE(shelf.one_profile());
  const auto opened = shelf.Open("run/a.pbtxt", {}, {}, notes_);
  ASSERT_TRUE(opened.ok()) << opened.status();
  EXPECT_EQ((*opened)->profile().nodes().size(), 1u);
  EXPECT_THAT(shelf.OpenNames(), ElementsAre("run/a.pbtxt"));
}

TEST_F(ProfileShelfTest, ATraceOfManyFilesIsOneProfile) {
  std::filesystem::create_directories(folder_ + "/in/trace");
  std::ofstream(folder_ + "/in/trace/metadata") << "/* CTF 1.8 */\n";
  Write("in/trace/channel_0", "A");
  Write("in/trace/zz", "B");
  // A file of this name that is no trace stands for nothing.
  std::ofstream(folder_ + "/in/run/metadata") << "notes\n";
  size_t more = 0;
  std::vector<std::string> names;
  for (const auto& listed : ProfileShelf::Below(folder_ + "/in").List(9, more))
    names.push_back(listed.name);
  EXPECT_THAT(names,
              ElementsAre("run/a.pbtxt", "run/metadata", "trace/metadata"));
}

TEST_F(ProfileShelfTest, TheNewestProfileIsNoOtherFile) {
  namespace fs = std::filesystem;
  Write("in/run/b.pbtxt", "B");
  std::ofstream(folder_ + "/in/README.md") << "# What is here\n";
  const auto now = fs::last_write_time(folder_ + "/in/README.md");
  const auto at = [&](const std::string& name, int seconds) {
    fs::last_write_time(folder_ + "/in/" + name,
                        now + std::chrono::seconds(seconds));
  };
  at("run/a.pbtxt", 1);
  at("run/b.pbtxt", 2);
  at("README.md", 3);
  const ProfileShelf shelf = ProfileShelf::Below(folder_ + "/in");
  EXPECT_EQ(shelf.Newest(), "run/b.pbtxt");
  at("run/a.pbtxt", 4);
  EXPECT_EQ(shelf.Newest(), "run/a.pbtxt");
  fs::remove_all(folder_ + "/in/run");
  EXPECT_EQ(shelf.Newest(), "");
  EXPECT_EQ(ProfileShelf::Below(folder_ + "/outside.pbtxt").Newest(),
            "outside.pbtxt");
}

TEST_F(ProfileShelfTest, SaysHowManyAreLeftOut) {
  Write("in/b.pbtxt", "B");
  size_t more = 0;
  EXPECT_EQ(ProfileShelf::Below(folder_ + "/in").List(1, more).size(), 1u);
  EXPECT_EQ(more, 1u);
}

TEST_F(ProfileShelfTest, NothingOutsideOfTheFolder) {
  std::filesystem::create_symlink(folder_ + "/outside.pbtxt",
                                  folder_ + "/in/link.pbtxt");
  ProfileShelf shelf = ProfileShelf::Below(folder_ + "/in");
  EXPECT_TRUE(absl::IsPermissionDenied(Error(shelf, "../outside.pbtxt")));
  EXPECT_TRUE(absl::IsPermissionDenied(Error(shelf, "link.pbtxt")));
  EXPECT_TRUE(
      absl::IsPermissionDenied(Error(shelf, folder_ + "/outside.pbtxt")));
  EXPECT_TRUE(absl::IsNotFound(Error(shelf, "none")));
  EXPECT_TRUE(
      absl::IsNotFound(Error(shelf, std::string("run/a.pbtxt\0x", 13))));
  EXPECT_TRUE(absl::IsInvalidArgument(Error(shelf, "")));
}

TEST_F(ProfileShelfTest, NoFolderLeadsOutOfTheFolder) {
  namespace fs = std::filesystem;
  fs::create_directories(folder_ + "/secret");
  Write("secret/metadata", "S");
  ProfileShelf shelf = ProfileShelf::Below(folder_ + "/in");
  // Links within the folder are fine.
  fs::create_symlink(folder_ + "/in/run/a.pbtxt", folder_ + "/in/run/b.pbtxt");
  EXPECT_TRUE(Error(shelf, "run").ok());
  fs::create_directories(folder_ + "/in/evil/deep");
  fs::create_symlink(folder_ + "/outside.pbtxt",
                     folder_ + "/in/evil/deep/x.pbtxt");
  for (const char* name : {"evil", "evil/deep", "."}) {
    EXPECT_THAT(Error(shelf, name),
                AllOf(ResultOf(absl::IsPermissionDenied, true),
                      ResultOf([](const auto& s) { return s.message(); },
                               HasSubstr("evil/deep/x.pbtxt is a link"))))
        << name;
  }
  // A link to a folder, and a shard of a checkpoint beside its index.
  fs::create_directories(folder_ + "/in/ctf");
  fs::create_directory_symlink(folder_ + "/secret", folder_ + "/in/ctf/trace");
  EXPECT_TRUE(absl::IsPermissionDenied(Error(shelf, "ctf")));
  fs::create_directories(folder_ + "/in/ckpt");
  Write("in/ckpt/model.index", "I");
  fs::create_symlink(folder_ + "/outside.pbtxt",
                     folder_ + "/in/ckpt/model.data-00000-of-00001");
  EXPECT_TRUE(absl::IsPermissionDenied(Error(shelf, "ckpt/model.index")));
  // Other links beside a file do not matter.
  fs::create_directories(folder_ + "/in/plain");
  Write("in/plain/b.pbtxt", "B");
  fs::create_symlink(folder_ + "/outside.pbtxt", folder_ + "/in/plain/z");
  EXPECT_TRUE(Error(shelf, "plain/b.pbtxt").ok());
  // They are not listed either.
  size_t more = 0;
  for (const auto& listed : shelf.List(100, more)) {
    EXPECT_NE(listed.name, "evil/deep/x.pbtxt");
  }
}

TEST_F(ProfileShelfTest, OneFileNeedsNoName) {
  ProfileShelf shelf = ProfileShelf::Below(folder_ + "/outside.pbtxt");
  EXPECT_TRUE(shelf.one_profile());
  EXPECT_TRUE(Error(shelf, "").ok());
  EXPECT_TRUE(Error(shelf, "outside.pbtxt").ok());
  EXPECT_THAT(std::string(Error(shelf, "x").message()),
              HasSubstr("there is one profile: outside.pbtxt"));
}

TEST_F(ProfileShelfTest, NamedProfilesAndNoOthers) {
  loaders::LoadRequest a, b;
  a.files.push_back(folder_ + "/in/run/a.pbtxt");
  b.files.push_back(folder_ + "/outside.pbtxt");
  ProfileShelf shelf({{"new", a}, {"old", b}});
  EXPECT_FALSE(shelf.one_profile());
  const auto base = shelf.OpenBase("old", {}, {}, notes_);
  ASSERT_TRUE(base.ok()) << base.status();
  EXPECT_EQ((*base)->name, "old");
  EXPECT_TRUE(Error(shelf, "").ok());
  EXPECT_THAT(shelf.OpenNames(), ElementsAre("new", "old"));
  EXPECT_TRUE(absl::IsNotFound(Error(shelf, "run/a.pbtxt")));
}

TEST_F(ProfileShelfTest, KeepsTheLastFewOpen) {
  ProfileShelf shelf = ProfileShelf::Below(folder_ + "/in");
  for (int i = 0; i < 6; ++i) {
    const std::string name = std::to_string(i) + ".pbtxt";
    Write("in/" + name, "n");
    EXPECT_TRUE(Error(shelf, name).ok());
  }
  EXPECT_THAT(shelf.OpenNames(),
              ElementsAre("5.pbtxt", "4.pbtxt", "3.pbtxt", "2.pbtxt"));
  EXPECT_TRUE(shelf.Forget("4.pbtxt"));
  EXPECT_FALSE(shelf.Forget("0.pbtxt"));
  EXPECT_THAT(shelf.OpenNames(), ElementsAre("5.pbtxt", "3.pbtxt", "2.pbtxt"));
}

}  // namespace
}  // namespace tfprof::commands
