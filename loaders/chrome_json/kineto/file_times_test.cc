#include "loaders/chrome_json/kineto/file_times.h"

#include "gtest/gtest.h"

namespace tfprof::kineto {
namespace {

constexpr int64_t k2025 = 1'750'000'000'000'000'000;

TEST(FileTimesTest, FilesThatCountFrom1970ShareAnAxis) {
  FileTimes a, b;
  a.first = k2025;
  b.first = 500;
  b.base = k2025 + 1000;
  FileTimes* const files[] = {&a, &b};
  SetShifts(files);
  EXPECT_TRUE(a.absolute);
  EXPECT_TRUE(b.absolute);
  EXPECT_EQ(a.first + a.shift, 0);
  EXPECT_EQ(b.first + b.shift, 1500);
}

TEST(FileTimesTest, OtherFilesBeginAt0Alone) {
  FileTimes a, b;
  a.first = 700;
  b.first = -40;
  FileTimes* const files[] = {&a, &b};
  SetShifts(files);
  EXPECT_FALSE(a.absolute);
  EXPECT_EQ(a.first + a.shift, 0);
  EXPECT_EQ(b.first + b.shift, 0);
}

TEST(FileTimesTest, AFileWithoutEventsBeginsAt0) {
  FileTimes empty;
  FileTimes* const files[] = {&empty};
  SetShifts(files);
  EXPECT_EQ(empty.first, 0);
  EXPECT_EQ(empty.shift, 0);
}

TEST(FileTimesTest, TheSmallestTimeDoesNotOverflow) {
  FileTimes file;
  file.first = std::numeric_limits<int64_t>::min();
  FileTimes* const files[] = {&file};
  SetShifts(files);
  EXPECT_EQ(file.shift, std::numeric_limits<int64_t>::max());
}

TEST(FileTimesTest, AbsoluteTimesMayStay) {
  constexpr int64_t kNow = 1'700'000'000'000'000'000;
  FileTimes absolute = {.first = 5, .base = kNow}, relative = {.first = 7};
  FileTimes* const files[] = {&absolute, &relative};
  SetShifts(files, /*keep=*/true);
  EXPECT_EQ(absolute.shift, kNow);
  EXPECT_EQ(relative.shift, -7);
}

}  // namespace
}  // namespace tfprof::kineto
