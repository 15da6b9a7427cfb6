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

namespace tfprof {
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

std::string AttrBytes(std::string_view text) { return Bytes<AttrValue>(text); }

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

Profile ProfileOfGraph(std::string_view graph, std::string_view run) {
  LoadContext context;
  EXPECT_TRUE(
      LoadGraphDef(InputFile::FromBytes("graph", Bytes<GraphDef>(graph)),
                   context)
          .ok());
  if (!run.empty()) {
    EXPECT_TRUE(
        LoadRunMetadata(InputFile::FromBytes("run", Bytes<RunMetadata>(run)), 0,
                        context)
            .ok());
  }
  EXPECT_FALSE(context.log.damaged());
  return std::move(context.builder).Build();
}

NodeId NodeNamed(const Profile& profile, std::string_view name) {
  const NodeId n = profile.nodes().Find(profile.strings().Find(name));
  EXPECT_NE(n, kNone) << name;
  return n;
}

}  // namespace tfprof
