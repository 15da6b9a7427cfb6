#include "loaders/xplane/format.h"

#include <string>

#include "gtest/gtest.h"
#include "loaders/core/load_testing.h"
#include "loaders/core/registry.h"
#include "loaders/xplane/xplane_testing.h"
#include "proto/graph.pb.h"
#include "proto/run_metadata.pb.h"
#include "proto/tfprof_log.pb.h"

namespace tfprof::xplane {
namespace {

class XPlaneFormatTest : public loaders::FolderTest {
 protected:
  static std::string Space(std::string_view event) {
    XPlaneMaker plane("/host:CPU");
    plane.Line("python", 10, {plane.Event(event, 0, 5)});
    return XSpaceOf({plane.Bytes()});
  }
};

TEST_F(XPlaneFormatTest, ContentIsRecognised) {
  EXPECT_EQ(loaders::SniffFormat(Space("work"), loaders::Formats()).format,
            &kXPlaneFormat);
  XPlaneMaker metadata("/host:metadata");
  metadata.Metadata("jit_f(7)", "", {metadata.Bytes("Hlo Proto", "\x0a\x01x")});
  metadata.Event("jit_f(7)", 0, 0);
  EXPECT_EQ(
      loaders::SniffFormat(XSpaceOf({metadata.Bytes()}), loaders::Formats())
          .format,
      &kXPlaneFormat);
}

TEST_F(XPlaneFormatTest, ACutFileIsRecognised) {
  const std::string whole = Space("a name that is long enough to be cut");
  EXPECT_EQ(
      loaders::SniffFormat(whole.substr(0, 40), loaders::Formats()).format,
      &kXPlaneFormat);
}

TEST_F(XPlaneFormatTest, OtherFilesAreNot) {
  EXPECT_NE(
      loaders::SniffFormat(loaders::Binary<proto::GraphDef>(loaders::kGraph),
                           loaders::Formats())
          .format,
      &kXPlaneFormat);
  EXPECT_NE(loaders::SniffFormat(
                loaders::Binary<proto::RunMetadata>(loaders::kRunMeta),
                loaders::Formats())
                .format,
            &kXPlaneFormat);
  EXPECT_NE(
      loaders::SniffFormat(loaders::Binary<proto::OpLogProto>(loaders::kOpLog),
                           loaders::Formats())
          .format,
      &kXPlaneFormat);
  EXPECT_NE(loaders::SniffFormat(
                loaders::Binary<proto::ProfileProto>(loaders::kProfile),
                loaders::Formats())
                .format,
            &kXPlaneFormat);
}

TEST_F(XPlaneFormatTest, FilesOfAFolderAreHosts) {
  Write("a.xplane.pb", Space("work"));
  Write("b.xplane.pb", Space("work"));
  const auto loaded = loaders::LoadFiles({PathOf("")});
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(loaded->profile.lanes().num_processes(), 2u);
}

TEST_F(XPlaneFormatTest, ATensorBoardFolderOpensItsNewestRun) {
  Write("plugins/profile/2026_01_01_10_00_00/vm.xplane.pb", Space("old"));
  Write("plugins/profile/2026_11_02_09_00_00/vm.xplane.pb", Space("new"));
  Write("plugins/profile/2026_11_02_09_00_00/vm2.xplane.pb", Space("new"));
  Write("events.out.tfevents.1", "something else");
  const auto loaded = loaders::LoadFiles({PathOf("")});
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(loaded->profile.lanes().num_processes(), 2u);
  const profile::StringPool& strings = loaded->profile.strings();
  EXPECT_NE(loaded->profile.nodes().Find(strings.Find("new")), profile::kNone);
  EXPECT_EQ(loaded->profile.nodes().Find(strings.Find("old")), profile::kNone);
  EXPECT_EQ(Count(*loaded, "newest run of several opened"), 1);
}

TEST_F(XPlaneFormatTest, OneRunNeedsNoWords) {
  Write("plugins/profile/2026_01_01_10_00_00/vm.xplane.pb", Space("old"));
  const auto loaded = loaders::LoadFiles({PathOf("")});
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  EXPECT_EQ(Count(*loaded, "newest run of several opened"), 0);
}

TEST_F(XPlaneFormatTest, OtherRulesAreNotMixed) {
  const auto loaded = loaders::LoadFiles(
      {Write("a", Space("work")),
       Write("b", loaders::Binary<proto::ProfileProto>(loaders::kProfile))});
  EXPECT_FALSE(loaded.ok());
}

}  // namespace
}  // namespace tfprof::xplane
