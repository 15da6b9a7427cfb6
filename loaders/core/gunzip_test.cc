#include "loaders/core/gunzip.h"

#include <unistd.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "util/files/gzip.h"
#include "util/files/sink.h"
#include "util/run/cancellation.h"

namespace tfprof::loaders {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string Gzip(std::string_view bytes) {
  util::StringSink sink;
  EXPECT_TRUE(util::GzipCompress(bytes, sink).ok());
  return sink.text();
}

// Returns bytes that do not compress well.
std::string Noise(size_t size) {
  std::string bytes(size, '\0');
  uint32_t state = 1;
  for (char& c : bytes) {
    state = state * 1664525 + 1013904223;
    c = static_cast<char>(state >> 24);
  }
  return bytes;
}

struct Result {
  absl::Status status;
  std::string bytes;
  std::string damage;
};

Result Unpack(std::string_view bytes, const ReadProgress& progress = {},
              const util::Cancellation* cancellation = nullptr) {
  Result result;
  const absl::StatusOr<int> fd =
      Gunzip(bytes, "file", progress, cancellation, result.damage);
  result.status = fd.status();
  if (!fd.ok()) return result;
  lseek(*fd, 0, SEEK_SET);
  char buffer[4096];
  for (ssize_t n; (n = read(*fd, buffer, sizeof buffer)) > 0;) {
    result.bytes.append(buffer, static_cast<size_t>(n));
  }
  close(*fd);
  return result;
}

TEST(GunzipTest, KnownByItsFirstTwoBytes) {
  EXPECT_TRUE(IsGzip(Gzip("")));
  EXPECT_TRUE(IsGzip("\x1f\x8b"));
  EXPECT_FALSE(IsGzip("\x1f"));
  EXPECT_FALSE(IsGzip(""));
  EXPECT_FALSE(IsGzip("\x1f\x8a"));
}

TEST(GunzipTest, AllMembersOfAFile) {
  const std::string noise = Noise(1 << 20);
  for (const std::string& text : {std::string(), std::string("short"), noise}) {
    const Result one = Unpack(Gzip(text));
    EXPECT_TRUE(one.status.ok()) << one.status;
    EXPECT_TRUE(one.bytes == text);
    EXPECT_THAT(one.damage, IsEmpty());
    const Result three = Unpack(Gzip("a") + Gzip(text) + Gzip("z"));
    EXPECT_TRUE(three.bytes == "a" + text + "z");
  }
}

TEST(GunzipTest, ProgressRisesToTheSize) {
  const std::string noise = Noise(1 << 20);
  int64_t last = 0;
  Unpack(Gzip(noise), [&](int64_t done, int64_t total) {
    EXPECT_GE(done, last);
    EXPECT_GE(total, done);
    last = done;
  });
  EXPECT_EQ(last, static_cast<int64_t>(noise.size()));
}

TEST(GunzipTest, KeepsTheBytesBeforeTheDamage) {
  const std::string noise = Noise(1 << 20);
  const std::string whole = Gzip(noise);
  const Result cut =
      Unpack(std::string_view(whole).substr(0, whole.size() / 2));
  EXPECT_TRUE(cut.status.ok()) << cut.status;
  EXPECT_GT(cut.bytes.size(), noise.size() / 4);
  EXPECT_TRUE(noise.starts_with(cut.bytes));
  EXPECT_THAT(cut.damage, StartsWith("file: byte "));
  EXPECT_THAT(cut.damage, HasSubstr("the gzip stream is cut off"));
  EXPECT_THAT(cut.damage, HasSubstr("kept the first"));

  const Result tail = Unpack(Gzip("text") + "behind");
  EXPECT_EQ(tail.bytes, "text");
  EXPECT_THAT(tail.damage, HasSubstr("6 bytes behind the end"));
}

TEST(GunzipTest, NothingBeforeTheDamage) {
  EXPECT_EQ(Unpack(Gzip("text").substr(0, 5)).status.code(),
            absl::StatusCode::kDataLoss);
  EXPECT_EQ(Unpack("\x1f\x8bgarbage").status.code(),
            absl::StatusCode::kDataLoss);
}

TEST(GunzipTest, EndsWhenCancelled) {
  util::Cancellation cancellation;
  cancellation.Request();
  EXPECT_EQ(Unpack(Gzip("text"), {}, &cancellation).status.code(),
            absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace tfprof::loaders
