#include "util/wire_writer.h"

#include <cstdint>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/tfprof_log.pb.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;

// Protobuf reads the same, also for messages around the sizes at which the
// length takes one byte more.
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
    ProfileProto proto;
    ASSERT_TRUE(proto.ParseFromString(std::string(w.bytes())));
    ASSERT_TRUE(proto.nodes().contains(-7));
    const ProfileNode& node = proto.nodes().at(-7);
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

}  // namespace
}  // namespace tfprof
