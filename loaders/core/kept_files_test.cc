#include "loaders/core/kept_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"

namespace tfprof::loaders {
namespace {

class KeptFilesTest : public FolderTest {
 protected:
  KeptFilesTest() {
    path_ = Write("f", "0123456789");
    SetOldTime();
    file_ = *InputFile::OpenMapped(path_);
    files_.Add(file_);
  }

  void SetOldTime() {
    const timespec times[] = {{1, 0}, {1, 0}};
    utimensat(AT_FDCWD, path_.c_str(), times, 0);
  }

  std::string path_;
  std::shared_ptr<const InputFile> file_;
  KeptFiles files_;
};

TEST_F(KeptFilesTest, AFileThatStaysIsNoError) {
  files_.Begin();
  EXPECT_EQ(file_->bytes(), "0123456789");
  EXPECT_TRUE(files_.Check(/*all=*/false).ok());
  EXPECT_TRUE(files_.Check(/*all=*/true).ok());
}

TEST_F(KeptFilesTest, AChangeMattersToWhoReadTheFile) {
  Write("f", "abc");
  files_.Begin();
  EXPECT_TRUE(files_.Check(/*all=*/false).ok());
  EXPECT_EQ(std::string(files_.Check(/*all=*/true).message()),
            path_ + " changed after it was loaded; load it again");
  // Until here no changed byte was read.
  EXPECT_TRUE(files_.Check(/*all=*/false).ok());
  file_->bytes();
  EXPECT_FALSE(files_.Check(/*all=*/false).ok());
}

TEST_F(KeptFilesTest, WhatWasReadWronglyStaysAnError) {
  Write("f", "abc");
  files_.Begin();
  file_->bytes();
  EXPECT_FALSE(files_.Check(/*all=*/false).ok());
  Write("f", "0123456789");
  SetOldTime();
  files_.Begin();
  EXPECT_FALSE(files_.Check(/*all=*/false).ok());
}

TEST_F(KeptFilesTest, AFileThatNobodyReadsIsNotChecked) {
  Write("f", "abc");
  file_->bytes();
  file_.reset();
  EXPECT_TRUE(files_.Check(/*all=*/true).ok());
}

TEST_F(KeptFilesTest, BytesInMemoryCannotChange) {
  KeptFiles files;
  const std::string path = Write("small", "abc");
  const auto file = *InputFile::Open(path);
  files.Add(file);
  Write("small", "abcdef");
  EXPECT_EQ(file->bytes(), "abc");
  EXPECT_TRUE(files.Check(/*all=*/true).ok());
}

}  // namespace
}  // namespace tfprof::loaders
