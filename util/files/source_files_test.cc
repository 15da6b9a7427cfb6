#include "util/files/source_files.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

namespace fs = std::filesystem;

// Two allowed folders and a third that is not allowed.
class SourceFilesTest : public ::testing::Test {
 protected:
  SourceFilesTest() {
    fs::remove_all(top_);
    for (const char* name : {"one/sub", "two", "secret"}) {
      fs::create_directories(top_ / name);
    }
    Write("one/a.py", "first\n\nlast");
    Write("one/sub/b.py", "b\n");
    Write("two/a.py", "of two\n");
    Write("two/c.py", "c\n");
    Write("secret/key", "key\n");
  }
  ~SourceFilesTest() override { fs::remove_all(top_); }

  void Write(std::string_view name, std::string_view text) {
    std::ofstream(top_ / name) << text;
  }
  std::string At(std::string_view name) { return (top_ / name).string(); }
  // Returns the code of the status, or "ok: " and the path below the top
  // folder.
  std::string Outcome(std::string_view path) {
    const absl::StatusOr<SourceFile> file = files_.Read(path);
    if (!file.ok()) return absl::StatusCodeToString(file.status().code());
    return "ok: " + file->path.substr(top_.string().size() + 1);
  }
  std::string Message(std::string_view path) {
    return std::string(files_.Read(path).status().message());
  }

  const fs::path top_ = fs::canonical(::testing::TempDir()) / "source_files";
  const SourceFiles files_{{At("one"), At("two")}};
};

TEST_F(SourceFilesTest, LinesOfAFile) {
  const auto file = files_.Read(At("one/a.py"));
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->path, At("one/a.py"));
  EXPECT_THAT(file->lines, ElementsAre("first", "", "last"));
  Write("one/empty.py", "");
  const auto empty = files_.Read("empty.py");
  ASSERT_TRUE(empty.ok()) << empty.status();
  EXPECT_THAT(empty->lines, IsEmpty());
}

TEST_F(SourceFilesTest, RelativePathsAreTriedInEachFolder) {
  EXPECT_EQ(Outcome("a.py"), "ok: one/a.py");
  EXPECT_EQ(Outcome("sub/b.py"), "ok: one/sub/b.py");
  EXPECT_EQ(Outcome("c.py"), "ok: two/c.py");
  EXPECT_EQ(Outcome("b.py"), "NOT_FOUND");
  EXPECT_EQ(Message("b.py"), At("one/b.py") + " is missing");
}

TEST_F(SourceFilesTest, TheCurrentFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(top_ / "one");
  const SourceFiles files({"."});
  const auto file = files.Read("sub/b.py");
  const auto absolute = files.Read(At("one/a.py"));
  const auto missing = files.Read("x.py");
  const auto above = files.Read("../secret/key");
  const auto missing_above = files.Read("../secret/no_key");
  fs::current_path(before);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->path, "sub/b.py");
  EXPECT_TRUE(absolute.ok()) << absolute.status();
  EXPECT_EQ(missing.status().message(), "x.py is missing");
  EXPECT_EQ(above.status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(missing_above.status().code(), absl::StatusCode::kPermissionDenied);
}

TEST_F(SourceFilesTest, OutsideIsOutsideWhetherItIsThereOrNot) {
  for (const char* path : {"secret/key", "secret/no_key", "one/../secret/key",
                           "one/../secret/no_key", "one", "two"}) {
    EXPECT_EQ(Outcome(At(path)), "PERMISSION_DENIED") << path;
  }
  EXPECT_EQ(Outcome("../secret/key"), "PERMISSION_DENIED");
  EXPECT_EQ(Outcome("../secret/no_key"), "PERMISSION_DENIED");
  EXPECT_EQ(Outcome("/etc/passwd"), "PERMISSION_DENIED");
  EXPECT_EQ(Message("/etc/passwd"),
            "/etc/passwd is outside of the folders with source files");
  // A path that only begins with the name of a folder is not below the folder.
  fs::create_directories(top_ / "one_more");
  Write("one_more/d.py", "d\n");
  EXPECT_EQ(Outcome(At("one_more/d.py")), "PERMISSION_DENIED");
}

TEST_F(SourceFilesTest, DotsThatStayInsideAreFine) {
  EXPECT_EQ(Outcome("sub/../a.py"), "ok: one/sub/../a.py");
  EXPECT_EQ(Outcome("../two/c.py"), "ok: one/../two/c.py");
}

TEST_F(SourceFilesTest, LinksThatLeadOut) {
  fs::create_symlink(At("secret/key"), At("one/link.py"));
  fs::create_directory_symlink(At("secret"), At("one/folder"));
  fs::create_symlink("/dev/zero", At("one/zero.py"));
  for (const char* path : {"link.py", "folder/key", "zero.py"}) {
    EXPECT_EQ(Outcome(path), "PERMISSION_DENIED") << path;
    EXPECT_EQ(Outcome(At("one/" + std::string(path))), "PERMISSION_DENIED")
        << path;
  }
}

TEST_F(SourceFilesTest, LinksThatStayInside) {
  fs::create_symlink(At("two/c.py"), At("one/link.py"));
  fs::create_directory_symlink(At("one"), At("way_in"));
  EXPECT_EQ(Outcome("link.py"), "ok: one/link.py");
  // The location of the target of a link counts.
  EXPECT_EQ(Outcome(At("way_in/a.py")), "ok: way_in/a.py");
  // A folder may be a link itself.
  EXPECT_TRUE(SourceFiles({At("way_in")}).Read(At("one/a.py")).ok());
  fs::create_symlink(At("one/nothing"), At("one/dangling.py"));
  fs::create_symlink(At("one/loop.py"), At("one/loop.py"));
  EXPECT_EQ(Outcome("dangling.py"), "NOT_FOUND");
  EXPECT_EQ(Outcome("loop.py"), "UNAVAILABLE");
}

TEST_F(SourceFilesTest, OnlyRegularFiles) {
  // A fifo without a writer would block.
  ASSERT_EQ(mkfifo(At("one/fifo.py").c_str(), 0600), 0);
  EXPECT_EQ(Outcome("fifo.py"), "FAILED_PRECONDITION");
  EXPECT_EQ(Outcome("sub"), "FAILED_PRECONDITION");
  EXPECT_EQ(Message("sub"), At("one/sub") + " is not a regular file");
}

TEST_F(SourceFilesTest, FilesOfTheSystem) {
  const SourceFiles all({"/", "/proc", "/sys", "/dev"});
  for (const char* path :
       {"/proc/self/environ", "/proc/../proc/version", "proc/version",
        "self/environ", "/dev/null", "zero", "/sys/kernel/notes"}) {
    EXPECT_EQ(all.Read(path).status().code(),
              absl::StatusCode::kFailedPrecondition)
        << path;
  }
  EXPECT_TRUE(all.Read(At("two/a.py")).ok());
  fs::create_symlink("/proc/self", top_ / "one/link");
  EXPECT_EQ(Outcome("link/environ"), "PERMISSION_DENIED");
}

TEST_F(SourceFilesTest, LargeFiles) {
  Write("one/large.py", "x\n");
  fs::resize_file(top_ / "one/large.py", kMaxSourceBytes);
  EXPECT_EQ(Outcome("large.py"), "ok: one/large.py");
  fs::resize_file(top_ / "one/large.py", 11'000'000);
  EXPECT_EQ(Outcome("large.py"), "RESOURCE_EXHAUSTED");
  EXPECT_EQ(Message("large.py"), At("one/large.py") + " is larger than 10 MB");
}

TEST_F(SourceFilesTest, PathsThatAreNone) {
  EXPECT_EQ(Outcome(""), "NOT_FOUND");
  EXPECT_EQ(Outcome(std::string_view("a.py\0.txt", 9)), "NOT_FOUND");
  EXPECT_EQ(Outcome("a.py/"), "NOT_FOUND");
  EXPECT_EQ(Outcome("a.py/b"), "NOT_FOUND");
  EXPECT_EQ(Outcome("/"), "PERMISSION_DENIED");
  EXPECT_EQ(Outcome(std::string(5000, 'x')), "UNAVAILABLE");
}

TEST_F(SourceFilesTest, WithoutFoldersNothingIsAllowed) {
  const SourceFiles none;
  EXPECT_EQ(none.Read("a.py").status().code(),
            absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(none.Read(At("one/a.py")).status().code(),
            absl::StatusCode::kPermissionDenied);
  const SourceFiles gone({At("gone")});
  EXPECT_EQ(gone.Read("a.py").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(gone.Read(At("one/a.py")).status().code(),
            absl::StatusCode::kPermissionDenied);
}

}  // namespace
}  // namespace tfprof::util
