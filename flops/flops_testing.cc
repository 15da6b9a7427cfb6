#include "flops/flops_testing.h"

#include <google/protobuf/text_format.h>

#include <utility>

#include "fmt/format.h"
#include "gtest/gtest.h"
#include "loaders/core/input_file.h"
#include "loaders/core/load_context.h"
#include "loaders/tensorflow/graph_def/graph_def.h"
#include "loaders/tensorflow/run_metadata/run_metadata.h"
#include "proto/graph.pb.h"
#include "proto/run_metadata.pb.h"

namespace tfprof::flops {
namespace {

template <typename Message>
std::string Bytes(std::string_view text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(std::string(text),
                                                            &message))
      << text;
  return message.SerializeAsString();
}

}  // namespace

std::string AttrBytes(std::string_view text) {
  return Bytes<proto::AttrValue>(text);
}

std::string OutputShapesAttr(
    std::initializer_list<std::vector<int64_t>> shapes) {
  std::string text = "attr { key: '_output_shapes' value { list {";
  for (const std::vector<int64_t>& shape : shapes) {
    text += " shape {";
    for (const int64_t dim : shape) {
      text += fmt::format(" dim {{ size: {} }}", dim);
    }
    text += " }";
  }
  return text + " } } } ";
}

profile::Profile ProfileOfGraph(std::string_view graph, std::string_view run) {
  loaders::LoadContext context;
  EXPECT_TRUE(
      tensorflow::LoadGraphDef(
          loaders::InputFile::FromBytes("graph", Bytes<proto::GraphDef>(graph)),
          context)
          .ok());
  if (!run.empty()) {
    EXPECT_TRUE(
        tensorflow::LoadRunMetadata(loaders::InputFile::FromBytes(
                                        "run", Bytes<proto::RunMetadata>(run)),
                                    0, context)
            .ok());
  }
  EXPECT_FALSE(context.log.damaged());
  return std::move(context.builder).Build();
}

profile::NodeId NodeNamed(const profile::Profile& profile,
                          std::string_view name) {
  const profile::NodeId n = profile.nodes().Find(profile.strings().Find(name));
  EXPECT_NE(n, profile::kNone) << name;
  return n;
}

}  // namespace tfprof::flops
