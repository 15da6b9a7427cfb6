#include "loaders/nodes/copy_details.h"

#include "gtest/gtest.h"

namespace tfprof::loaders {
namespace {

profile::Transfer Read(std::string_view details) {
  profile::Transfer transfer;
  ReadCopyDetails(details, transfer);
  return transfer;
}

TEST(CopyDetailsTest, BytesAndMemories) {
  const profile::Transfer copy =
      Read("kind_src:pageable kind_dst:device size:6144 dest:4 async:1");
  EXPECT_EQ(copy.bytes, 6144);
  EXPECT_EQ(copy.from, "pageable");
  EXPECT_EQ(copy.to, "device");
}

TEST(CopyDetailsTest, OlderFilesHaveNoMemories) {
  const profile::Transfer copy = Read("size:64 dest:3 async:1");
  EXPECT_EQ(copy.bytes, 64);
  EXPECT_EQ(copy.from, "");
  EXPECT_EQ(copy.to, "");
}

TEST(CopyDetailsTest, TextThatIsNone) {
  EXPECT_EQ(Read("").bytes, -1);
  EXPECT_EQ(Read("size:").bytes, -1);
  EXPECT_EQ(Read("size:x kind_src:").bytes, -1);
}

}  // namespace
}  // namespace tfprof::loaders
