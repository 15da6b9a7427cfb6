#include "loaders/tensorflow/graph_def/function_library.h"

#include <utility>
#include <vector>

#include "loaders/tensorflow/attributes.h"
#include "util/files/wire.h"

namespace tfprof::tensorflow {
namespace {

constexpr uint32_t kLibrary = util::LengthTag(2);   // of GraphDef
constexpr uint32_t kFunction = util::LengthTag(1);  // of FunctionDefLibrary
// FunctionDef.
constexpr uint32_t kSignature = util::LengthTag(1);
constexpr uint32_t kFunctionNode = util::LengthTag(3);
constexpr uint32_t kAttrField = 5;
constexpr uint32_t kArgAttr = util::LengthTag(7);
// OpDef, and OpDef.ArgDef.
constexpr uint32_t kName = util::LengthTag(1);
constexpr uint32_t kInputArg = util::LengthTag(2);
// ArgAttrs.
constexpr uint32_t kArgAttrField = 1;
// NodeDef.
constexpr uint32_t kInnerName = util::LengthTag(1);
constexpr uint32_t kInnerOp = util::LengthTag(2);
constexpr uint32_t kInnerInput = util::LengthTag(3);
constexpr uint32_t kInnerAttrField = 5;

std::string_view ReadName(std::string_view record) {
  std::string_view name;
  util::WireReader r(record);
  while (r.Next()) {
    if (r.tag() == kName) name = r.view();
  }
  return name;
}

std::string_view FunctionName(std::string_view function) {
  std::string_view name;
  util::WireReader r(function);
  while (r.Next()) {
    if (r.tag() == kSignature) name = ReadName(r.view());
  }
  return name;
}

profile::FunctionBody::Node ReadNode(std::string_view record) {
  profile::FunctionBody::Node node;
  util::WireReader r(record);
  while (r.Next()) {
    switch (r.tag()) {
      case kInnerName:
        node.name = r.view();
        break;
      case kInnerOp:
        node.op = r.view();
        break;
      case kInnerInput:
        node.inputs.push_back(r.view());
        break;
    }
  }
  node.attributes = ReadAttributes(record, kInnerAttrField);
  return node;
}

void ReadArguments(std::string_view signature, profile::FunctionBody& body) {
  util::WireReader r(signature);
  while (r.Next()) {
    if (r.tag() == kInputArg) {
      body.arguments.push_back({ReadName(r.view()), {}});
    }
  }
}

}  // namespace

void VisitFunctions(
    const loaders::InputFile& file,
    const std::function<void(std::string_view, uint64_t)>& visit) {
  util::WireReader graph(file.bytes());
  while (graph.Next()) {
    if (graph.tag() != kLibrary) continue;
    const uint64_t begin = file.OffsetOf(graph.view());
    uint64_t field = begin;
    util::WireReader library(graph.view());
    while (library.Next()) {
      if (library.tag() == kFunction) {
        visit(FunctionName(library.view()), field);
      }
      field = begin + library.good_bytes();
    }
  }
}

profile::FunctionBody ReadFunction(const loaders::InputFile& file,
                                   uint64_t offset) {
  profile::FunctionBody body;
  util::WireReader field(file.bytes().substr(offset));
  if (!field.Next()) return body;
  const std::string_view record = field.view();
  std::vector<std::pair<uint64_t, std::string_view>> argument_attributes;
  util::WireReader r(record);
  while (r.Next()) {
    util::MapEntry entry;
    switch (r.tag()) {
      case kSignature:
        ReadArguments(r.view(), body);
        break;
      case kFunctionNode:
        body.nodes.push_back(ReadNode(r.view()));
        break;
      case kArgAttr:
        if (util::ReadMapEntry(r.view(), entry)) {
          argument_attributes.push_back(
              {static_cast<uint64_t>(entry.int_key), entry.value});
        }
        break;
    }
  }
  // TensorFlow stores the shapes of arguments in one of two places.
  const auto all = profile::AttrShapes(profile::FindAttribute(
      ReadAttributes(record, kAttrField), "_input_shapes"));
  for (size_t i = 0; i < body.arguments.size() && i < all.size(); ++i) {
    body.arguments[i].shape = all[i];
  }
  for (const auto& [index, attributes] : argument_attributes) {
    if (index >= body.arguments.size()) continue;
    auto shapes = profile::AttrShapes(profile::FindAttribute(
        ReadAttributes(attributes, kArgAttrField), "_output_shapes"));
    if (!shapes.empty()) body.arguments[index].shape = std::move(shapes[0]);
  }
  return body;
}

}  // namespace tfprof::tensorflow
