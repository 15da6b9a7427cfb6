#include "loaders/tensorflow/checkpoint/format.h"

#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::tensorflow {
namespace {

constexpr std::string_view kMagic("\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8);
const char* const kData = "loaders/tensorflow/checkpoint/testdata/";

TEST(CheckpointFormatTest, TheMagicNumberIsAtTheEnd) {
  std::string table(40, 'x');
  table += kMagic;
  EXPECT_EQ(kCheckpointFormat.sniff(table).score, loaders::Fit::kMagic);
  EXPECT_EQ(kCheckpointFormat.sniff(table.substr(1)).score, 0);
  EXPECT_EQ(kCheckpointFormat.sniff(table + "x").score, 0);
  EXPECT_EQ(kCheckpointFormat.sniff("").score, 0);
  for (const char* name : {"v1", "v2.index"}) {
    const auto file = loaders::InputFile::Open(std::string(kData) + name);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(kCheckpointFormat.sniff((*file)->bytes()).score,
              loaders::Fit::kMagic);
  }
}

TEST(CheckpointFormatTest, MarksTheNodesOfAGraph) {
  for (const bool has_profile : {false, true}) {
    loaders::LoadContext context;
    context.has_profile = has_profile;
    const std::vector<loaders::FormatFile> files = {
        {"loaders/tensorflow/checkpoint/testdata/v2"}};
    // The checkpoint has one of the two tensors.
    loaders::LoadContext names;
    ASSERT_TRUE(kCheckpointFormat.load(files, names).ok());
    ASSERT_FALSE(names.tensors->tensors().empty());
    const profile::NodeId known = context.builder.AddNode(
        names.tensors->tensors()[0].name, "Op", profile::kNoRecord);
    const profile::NodeId other =
        context.builder.AddNode("no tensor", "Op", profile::kNoRecord);
    ASSERT_TRUE(kCheckpointFormat.load(files, context).ok());
    ASSERT_NE(context.tensors, nullptr);
    const profile::Profile profile = std::move(context.builder).Build();
    const auto marked = [&](profile::NodeId n) {
      for (const profile::StringId type :
           profile.graph().type_sets[profile.nodes().types[n]]) {
        if (profile.strings().Get(type) == "_checkpoint_variables") return true;
      }
      return false;
    };
    EXPECT_EQ(marked(known), !has_profile);
    EXPECT_FALSE(marked(other));
  }
}

TEST(CheckpointFormatTest, ErrorsAreThoseOfTheReader) {
  loaders::LoadContext context;
  const std::vector<loaders::FormatFile> files = {{"no/such/checkpoint"}};
  const absl::Status status = kCheckpointFormat.load(files, context);
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(context.tensors, nullptr);
}

}  // namespace
}  // namespace tfprof::tensorflow
