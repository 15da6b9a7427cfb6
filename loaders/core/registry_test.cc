#include "loaders/core/registry.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "gtest/gtest.h"
#include "loaders/chrome_json/chrome/chrome_format.h"
#include "loaders/core/load_testing.h"
#include "loaders/tensorflow/checkpoint/format.h"
#include "loaders/tensorflow/graph_def/format.h"
#include "loaders/tensorflow/op_log/format.h"
#include "loaders/tensorflow/profile_proto/format.h"
#include "loaders/tensorflow/run_metadata/format.h"
#include "proto/graph.pb.h"
#include "proto/run_metadata.pb.h"
#include "proto/tfprof_log.pb.h"

namespace tfprof::loaders {
namespace {

TEST(RegistryTest, EachKindIsKnown) {
  const auto sniff = [](std::string_view bytes) {
    const Sniffed s = SniffFormat(bytes, Formats());
    return std::pair(s.format, s.text);
  };
  EXPECT_EQ(sniff(Binary<proto::GraphDef>(kGraph)),
            std::pair(&tensorflow::kGraphDefFormat, false));
  EXPECT_EQ(sniff(Binary<proto::RunMetadata>(kRunMeta)),
            std::pair(&tensorflow::kRunMetadataFormat, false));
  EXPECT_EQ(sniff(Binary<proto::OpLogProto>(kOpLog)),
            std::pair(&tensorflow::kOpLogFormat, false));
  EXPECT_EQ(sniff(Binary<proto::ProfileProto>(kProfile)),
            std::pair(&tensorflow::kProfileProtoFormat, false));
  EXPECT_EQ(sniff(kGraph), std::pair(&tensorflow::kGraphDefFormat, true));
  EXPECT_EQ(sniff(kRunMeta), std::pair(&tensorflow::kRunMetadataFormat, true));
  EXPECT_EQ(sniff(kOpLog), std::pair(&tensorflow::kOpLogFormat, true));
  EXPECT_EQ(sniff(kProfile), std::pair(&tensorflow::kProfileProtoFormat, true));
  EXPECT_EQ(sniff("# a comment\n\n  node {\n"),
            std::pair(&tensorflow::kGraphDefFormat, true));
  // The magic number of a checkpoint table is at its end.
  std::string checkpoint(60, '\0');
  checkpoint.append("\x57\xfb\x80\x8b\x24\x75\x47\xdb");
  EXPECT_EQ(sniff(checkpoint),
            std::pair(&tensorflow::kCheckpointFormat, false));
  EXPECT_EQ(sniff("{\"traceEvents\":[]}"),
            std::pair(&chrome_json::kChromeFormat, false));
}

TEST(RegistryTest, TinyAndForeignFiles) {
  for (const std::string& bytes :
       {std::string(), std::string("\0", 1), std::string("\xff"),
        std::string("hello world\n"), std::string("{\"events\":[]}"),
        std::string("\x7f"
                    "ELF\2\1\1"),
        std::string("\x1f\x8b\x08\0", 4), std::string("nodes"),
        std::string(1000, 'x'), std::string(1000, '\0')}) {
    EXPECT_EQ(SniffFormat(bytes, Formats()).format, nullptr) << bytes;
  }
}

TEST(RegistryTest, TruncatedFilesAreStillTheirKind) {
  // Each file is recognised from its first record on.
  const std::pair<std::string, const Format*> files[] = {
      {Binary<proto::GraphDef>(kGraph), &tensorflow::kGraphDefFormat},
      {Binary<proto::RunMetadata>(kRunMeta), &tensorflow::kRunMetadataFormat},
      {Binary<proto::ProfileProto>(kProfile),
       &tensorflow::kProfileProtoFormat}};
  for (const auto& [bytes, format] : files) {
    for (size_t n = 16; n < bytes.size(); ++n) {
      const Sniffed sniffed =
          SniffFormat(std::string_view(bytes).substr(0, n), Formats());
      EXPECT_EQ(sniffed.format, format) << n;
      EXPECT_FALSE(sniffed.text);
    }
  }
}

TEST(RegistryTest, NamesAndFlags) {
  EXPECT_EQ(tensorflow::kOpLogFormat.name, "OpLogProto");
  EXPECT_EQ(FindFormatByFlag(Formats(), "run_meta_path"),
            &tensorflow::kRunMetadataFormat);
  std::set<std::string_view> names, flags;
  std::set<int> orders;
  for (const Format* format : Formats()) {
    EXPECT_TRUE(names.insert(format->name).second) << format->name;
    EXPECT_TRUE(flags.insert(format->flag).second) << format->name;
    EXPECT_TRUE(orders.insert(format->order).second) << format->name;
    EXPECT_FALSE(format->value_name.empty()) << format->name;
    EXPECT_TRUE(format->help.ends_with('.')) << format->name;
    EXPECT_NE(format->sniff, nullptr) << format->name;
    EXPECT_NE(format->load, nullptr) << format->name;
  }
}

// If a message fits several formats equally well, the likelier one wins.
TEST(RegistryTest, AFileThatFitsSeveralFormats) {
  // Field 2 is the library of a GraphDef, or the cost graph of a RunMetadata.
  EXPECT_EQ(
      SniffFormat(std::string_view("\x12\x02\x0a\0", 4), Formats()).format,
      &tensorflow::kRunMetadataFormat);
  // Field 1 is a map entry, a node, the statistics of a step, or a log entry.
  EXPECT_EQ(SniffFormat(std::string_view("\x0a\0", 2), Formats()).format,
            &tensorflow::kProfileProtoFormat);
}

}  // namespace
}  // namespace tfprof::loaders
