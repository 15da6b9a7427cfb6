#include "exporters/page/columns.h"

#include <cstdint>
#include <limits>
#include <string>

#include "gtest/gtest.h"

namespace tfprof::exporters {
namespace {

std::string Base64(std::string_view bytes) {
  util::StringSink sink;
  WriteBase64(bytes, sink);
  return sink.text();
}

TEST(PageColumnsTest, Base64HasPadding) {
  EXPECT_EQ(Base64(""), "");
  EXPECT_EQ(Base64("f"), "Zg==");
  EXPECT_EQ(Base64("fo"), "Zm8=");
  EXPECT_EQ(Base64("foo"), "Zm9v");
  EXPECT_EQ(Base64("\xff\xfe\xfd"), "//79");
}

TEST(PageColumnsTest, Base64OfMoreThanOnePiece) {
  const std::string text = Base64(std::string(200'000, 'x'));
  EXPECT_EQ(text.size(), 266'668u);
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(PageColumnsTest, NumbersTakeAsManyBytesAsTheyNeed) {
  PageColumn column;
  column.Add(0);
  column.Add(127);
  EXPECT_EQ(column.size(), 2u);
  column.Add(128);
  EXPECT_EQ(column.size(), 4u);
  column.Add(std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(column.size(), 14u);
  column.AddSigned(-1);
  column.AddSigned(1);
  EXPECT_EQ(column.size(), 16u);
  column.AddId(0xffffffff);  // kNone is 0
  EXPECT_EQ(column.size(), 17u);
  column.AddDouble(0.5);
  EXPECT_EQ(column.size(), 25u);
}

TEST(PageColumnsTest, EqualColumnsHaveEqualText) {
  const auto encoded = [](int64_t number) {
    PageColumn column;
    column.AddSigned(number);
    util::StringSink sink;
    EXPECT_TRUE(column.Encode(sink).ok());
    return sink.text();
  };
  EXPECT_EQ(encoded(-5), encoded(-5));
  EXPECT_NE(encoded(-5), encoded(5));
  EXPECT_EQ(encoded(1).substr(0, 4), "H4sI");  // gzip
}

}  // namespace
}  // namespace tfprof::exporters
