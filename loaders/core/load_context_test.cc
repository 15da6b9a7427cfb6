#include "loaders/core/load_context.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::loaders {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

TEST(LoadContextTest, EmptyFilesAreNoted) {
  ImportLog log;
  LogIfEmpty(*InputFile::FromBytes("full", "x"), "GraphDef", log);
  EXPECT_THAT(log.entries(), SizeIs(0));
  LogIfEmpty(*InputFile::FromBytes("none", ""), "GraphDef", log);
  ASSERT_THAT(log.entries(), SizeIs(1));
  EXPECT_THAT(
      log.entries()[0].texts,
      ElementsAre("none: the file is empty, a GraphDef without content"));
  EXPECT_FALSE(log.damaged());
}

TEST(LoadContextTest, DamageHasItsPlaceInTheFile) {
  // A field of one byte, then one that ends after the end of the file.
  const auto file = InputFile::FromBytes("f", "head\x08\x01\x12\x7fxy");
  const std::string_view message = file->bytes().substr(4);
  util::WireReader r(message);
  while (r.Next()) {
  }
  ASSERT_TRUE(r.damaged());
  ImportLog log;
  LogDamage(*file, r, message, "Thing", /*kept=*/true, log);
  LogDamage(*file, r, message, "Thing", /*kept=*/false, log);
  ASSERT_THAT(log.entries(), SizeIs(2));
  EXPECT_EQ(log.entries()[0].kind, "Thing cut short");
  EXPECT_THAT(
      log.entries()[0].texts,
      ElementsAre("f: byte 6: field 2: length 127 exceeds the 2 bytes "
                  "left: Thing cut short; kept the first 2 of 6 bytes"));
  EXPECT_EQ(log.entries()[1].kind, "Thing dropped");
  EXPECT_TRUE(log.damaged());
}

}  // namespace
}  // namespace tfprof::loaders
