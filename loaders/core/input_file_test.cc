#include "loaders/core/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "util/files/gzip.h"
#include "util/files/sink.h"

namespace tfprof::loaders {
namespace {

using InputFileTest = FolderTest;

TEST_F(InputFileTest, AFileHasItsBytesAndItsPath) {
  const std::string path = Write("f", "0123456789");
  const auto file = InputFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->bytes(), "0123456789");
  EXPECT_EQ((*file)->OffsetOf((*file)->bytes().substr(4)), 4u);
  EXPECT_EQ((*file)->path(), path);
  EXPECT_EQ(InputFile::Open(dir_.string()).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ((*InputFile::Open(Write("empty", "")))->bytes(), "");
  EXPECT_EQ(InputFile::FromBytes("p", "abc")->bytes(), "abc");
}

TEST_F(InputFileTest, LargeFilesAreMapped) {
  std::string bytes;
  for (int i = 0; i < 100000; ++i) bytes += static_cast<char>(i);
  const auto file = InputFile::Open(Write("large", bytes));
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE((*file)->bytes() == bytes);
  // The mapped bytes outlive the name of the file.
  std::filesystem::remove(PathOf("large"));
  EXPECT_TRUE((*file)->bytes() == bytes);
}

TEST_F(InputFileTest, PipesAreReadToTheEnd) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "piped", 5), 5);
  close(ends[1]);
  int64_t done = 0;
  const auto file =
      InputFile::Open("/dev/fd/" + std::to_string(ends[0]),
                      [&](int64_t bytes, int64_t) { done = bytes; });
  close(ends[0]);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)->bytes(), "piped");
  EXPECT_EQ(done, 5);
}

TEST_F(InputFileTest, CompressedFilesAreUnpacked) {
  util::StringSink sink;
  ASSERT_TRUE(util::GzipCompress("plain text", sink).ok());
  const auto whole = InputFile::Open(Write("z", sink.text()));
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ((*whole)->bytes(), "plain text");
  EXPECT_EQ((*whole)->path(), PathOf("z"));
  EXPECT_EQ((*whole)->damage(), "");
  const auto odd = InputFile::Open(Write("odd", sink.text() + "tail"));
  ASSERT_TRUE(odd.ok()) << odd.status();
  EXPECT_EQ((*odd)->bytes(), "plain text");
  EXPECT_THAT((*odd)->damage(), ::testing::HasSubstr(PathOf("odd")));
}

TEST_F(InputFileTest, ErrorsNameThePath) {
  const auto missing = InputFile::Open(PathOf("missing"));
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(std::string(missing.status().message()),
            PathOf("missing") + "; No such file or directory");
}

TEST_F(InputFileTest, DevicesAreNoFiles) {
  const auto zero = InputFile::Open("/dev/zero");
  EXPECT_EQ(zero.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ((*InputFile::Open("/dev/null"))->bytes(), "");
}

TEST_F(InputFileTest, AMappedFileKnowsWhetherItChanged) {
  const std::string path = Write("f", std::string(100000, 'x'));
  const timespec times[] = {{1, 0}, {1, 0}};
  utimensat(AT_FDCWD, path.c_str(), times, 0);
  const auto file = *InputFile::Open(path);
  EXPECT_TRUE(file->mapped());
  EXPECT_TRUE(file->CheckUnchanged("now").ok());
  Write("f", "short");
  EXPECT_EQ(std::string(file->CheckUnchanged("now").message()),
            path + " changed now; load it again");
  EXPECT_EQ(file->bytes().back(), '\0');
}

TEST_F(InputFileTest, ReadsAreNoted) {
  const auto file = InputFile::FromBytes("f", "abc");
  EXPECT_FALSE(file->was_read());
  file->bytes();
  EXPECT_TRUE(file->was_read());
  file->ForgetReads();
  EXPECT_FALSE(file->was_read());
}

}  // namespace
}  // namespace tfprof::loaders
