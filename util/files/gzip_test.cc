#include "util/files/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "util/files/sink.h"

namespace tfprof::util {
namespace {

std::string Gunzip(const std::string& bytes) {
  z_stream stream = {};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  std::string text(1 << 20, '\0');
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  EXPECT_EQ(stream.avail_in, 0u);  // one member
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

TEST(GzipTest, RoundTrip) {
  std::string noise;
  uint32_t x = 1;
  for (int i = 0; i < 300000; ++i) {
    noise.push_back(static_cast<char>((x = x * 1664525 + 1013904223) >> 24));
  }
  for (const std::string& text : {std::string(), std::string("abc"), noise}) {
    StringSink sink;
    ASSERT_TRUE(GzipCompress(text, sink).ok());
    const std::string& compressed = sink.text();
    EXPECT_EQ(compressed.substr(0, 2), "\x1f\x8b");
    EXPECT_EQ(compressed.substr(4, 4), std::string(4, '\0'));  // no time
    EXPECT_EQ(Gunzip(compressed), text);
  }
}

TEST(GzipTest, ReportsItsProgress) {
  class Shares : public NullSink {
   public:
    void Reached(double share) override { shares.push_back(share); }
    std::vector<double> shares;
  };
  std::string noise;
  uint32_t x = 1;
  for (int i = 0; i < 500000; ++i) {
    noise.push_back(static_cast<char>((x = x * 1664525 + 1013904223) >> 24));
  }
  Shares sink;
  ASSERT_TRUE(GzipCompress(noise, sink).ok());
  EXPECT_GT(sink.shares.size(), 4u);
  EXPECT_GT(sink.shares.front(), 0);
  EXPECT_LT(sink.shares.front(), 0.5);
  EXPECT_TRUE(std::is_sorted(sink.shares.begin(), sink.shares.end()));
  EXPECT_EQ(sink.shares.back(), 1);
}

TEST(GzipTest, EqualInputGivesEqualOutput) {
  const std::string text(100000, 'x');
  StringSink first, second;
  ASSERT_TRUE(GzipCompress(text, first).ok());
  ASSERT_TRUE(GzipCompress(text, second).ok());
  EXPECT_EQ(first.text(), second.text());
  EXPECT_LT(first.text().size(), 1000u);
}

TEST(GzipTest, TheHeaderHasNoName) {
  StringSink sink;
  ASSERT_TRUE(GzipCompress("abc", sink).ok());
  EXPECT_EQ(sink.text()[2], 8);  // deflate
  EXPECT_EQ(sink.text()[3], 0);  // no flag: no name, no comment
}

}  // namespace
}  // namespace tfprof::util
