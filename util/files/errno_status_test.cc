#include "util/files/errno_status.h"

#include <errno.h>

#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

TEST(ErrnoStatusTest, CodeAndMessage) {
  const absl::Status missing = ErrnoStatus(ENOENT, "a/b");
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(missing.message(), "a/b; No such file or directory");
  EXPECT_EQ(ErrnoStatus(EROFS, "x").code(),
            absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(ErrnoStatus(EISDIR, "x").code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ErrnoStatus(ENOSPC, "x").code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ErrnoStatus(EEXIST, "x").code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(ErrnoStatus(EIO, "x").code(), absl::StatusCode::kUnknown);
}

TEST(ErrnoStatusTest, ErrorsOfAccess) {
  for (const int error : {EACCES, EPERM, EROFS}) {
    EXPECT_EQ(ErrnoStatus(error, "x").code(),
              absl::StatusCode::kPermissionDenied)
        << error;
  }
}

TEST(ErrnoStatusTest, ErrorsOfThePath) {
  for (const int error : {EISDIR, ENOTDIR, ENAMETOOLONG, ELOOP}) {
    EXPECT_EQ(ErrnoStatus(error, "x").code(),
              absl::StatusCode::kFailedPrecondition)
        << error;
  }
}

TEST(ErrnoStatusTest, ExhaustedResources) {
  for (const int error : {ENOSPC, EDQUOT, EMFILE, ENFILE}) {
    EXPECT_EQ(ErrnoStatus(error, "x").code(),
              absl::StatusCode::kResourceExhausted)
        << error;
  }
}

TEST(ErrnoStatusTest, AnUnknownNumberStillHasAMessage) {
  const absl::Status status = ErrnoStatus(123456, "a/b");
  EXPECT_EQ(status.code(), absl::StatusCode::kUnknown);
  EXPECT_EQ(status.message(), "a/b; Unknown error 123456");
}

}  // namespace
}  // namespace tfprof::util
