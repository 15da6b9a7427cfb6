#include "util/files/wire_writer.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/tfprof_log.pb.h"
#include "util/files/wire.h"

namespace tfprof::util {
namespace {

using ::testing::ElementsAre;

// Protobuf must read the same values, also for messages around the sizes at
// which the length needs another byte.
TEST(WireWriterTest, NestedMessagesOfAllSizes) {
  for (const size_t size :
       {0, 1, 100, 120, 125, 126, 127, 128, 16380, 16384, 2097140, 2097152}) {
    SCOPED_TRACE(size);
    const std::string text(size, 'x');
    WireWriter w;
    {
      const WireMessage node(w, 1);  // ProfileProto.nodes
      w.Int64(1, -7);
      const WireMessage value(w, 2);
      w.Bytes(1, text);
      const int64_t shape[] = {1, -1, INT64_MAX};
      w.PackedInt64(4, shape);
      w.PackedInt64(4, {});
      const WireMessage exec(w, 12);
      w.Int64(1, 3);
      const WireMessage empty(w, 2);
    }
    w.Int64IfSet(2, 0);
    proto::ProfileProto proto;
    ASSERT_TRUE(proto.ParseFromString(std::string(w.bytes())));
    ASSERT_TRUE(proto.nodes().contains(-7));
    const proto::ProfileNode& node = proto.nodes().at(-7);
    EXPECT_EQ(node.name(), text);
    EXPECT_THAT(node.shape(), ElementsAre(1, -1, INT64_MAX));
    EXPECT_TRUE(node.execs().contains(3));
    EXPECT_FALSE(proto.has_trace());
  }
}

TEST(WireWriterTest, OpenIsBeginWithAKnownLength) {
  WireWriter known, unknown;
  const std::string content(300, 'c');
  known.Open(1000, content.size());
  known.Raw(content);
  {
    const WireMessage message(unknown, 1000);
    unknown.Raw(content);
  }
  EXPECT_EQ(known.bytes(), unknown.bytes());
  known.Truncate(0);
  EXPECT_EQ(known.bytes(), "");
}

TEST(WireWriterTest, VarintSizes) {
  EXPECT_EQ(VarintSize(0), 1u);
  for (size_t bytes = 1; bytes < 10; ++bytes) {
    const uint64_t first = uint64_t{1} << (7 * bytes);
    EXPECT_EQ(VarintSize(first - 1), bytes);
    EXPECT_EQ(VarintSize(first), bytes + 1);
  }
  EXPECT_EQ(VarintSize(~uint64_t{0}), 10u);
}

TEST(WireWriterTest, AnEmptyBufferHasNoBytes) {
  WireWriter w;
  EXPECT_EQ(w.bytes(), "");
  EXPECT_EQ(w.size(), 0u);
  w.Raw("");
  w.PackedInt64(1, {});
  w.Int64IfSet(1, 0);
  w.Uint64IfSet(1, 0);
  w.BytesIfSet(1, "");
  EXPECT_EQ(w.size(), 0u);
}

TEST(WireWriterTest, ValuesThatAreSetAreWritten) {
  WireWriter if_set, always;
  if_set.Int64IfSet(1, -1);
  if_set.Uint64IfSet(2, ~uint64_t{0});
  if_set.BytesIfSet(3, "x");
  always.Int64(1, -1);
  always.Uint64(2, ~uint64_t{0});
  always.Bytes(3, "x");
  EXPECT_EQ(if_set.bytes(), always.bytes());
  EXPECT_GT(if_set.size(), 0u);
}

TEST(WireWriterTest, BytesOfAField) {
  WireWriter w;
  w.Int64(1, 300);
  w.Bytes(2, "ab");
  EXPECT_EQ(w.bytes(),
            "\x08\xac\x02\x12\x02"
            "ab");
}

TEST(WireWriterTest, TheLargestFieldNumber) {
  WireWriter w;
  w.Int64((1u << 29) - 1, 1);
  WireReader r(w.bytes());
  ASSERT_TRUE(r.Next());
  EXPECT_EQ(r.number(), (1u << 29) - 1);
  EXPECT_EQ(r.int64(), 1);
}

TEST(WireWriterTest, TruncatingKeepsTheFirstFields) {
  WireWriter w;
  w.Int64(1, 7);
  const size_t size = w.size();
  const std::string before(w.bytes());
  w.Bytes(2, std::string(5000, 'x'));
  w.Truncate(size);
  EXPECT_EQ(w.bytes(), before);
  w.Int64(1, 7);
  EXPECT_EQ(w.bytes(), before + before);
}

TEST(WireWriterTest, ReservingDoesNotChangeTheBytes) {
  WireWriter w;
  w.Bytes(1, "kept");
  const std::string before(w.bytes());
  w.Reserve(1 << 20);
  EXPECT_EQ(w.bytes(), before);
}

// Deeply nested messages, each of which grows when it ends.
TEST(WireWriterTest, DeepMessages) {
  constexpr int kDepth = 200;
  WireWriter w;
  std::vector<size_t> begins;
  for (int i = 0; i < kDepth; ++i) {
    begins.push_back(w.Begin(1));
    w.Int64(2, i);
  }
  for (; !begins.empty(); begins.pop_back()) w.End(begins.back());
  std::string_view message = w.bytes();
  for (int i = 0; i < kDepth; ++i) {
    WireReader outer(message);
    ASSERT_TRUE(outer.Next()) << i;
    message = outer.view();
    EXPECT_FALSE(outer.Next());
    WireReader inner(message);
    ASSERT_TRUE(inner.Next()) << i;
    ASSERT_EQ(inner.int64(), i);
    message.remove_prefix(inner.good_bytes());
  }
  EXPECT_EQ(message, "");
}

}  // namespace
}  // namespace tfprof::util
