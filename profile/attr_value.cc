#include "profile/attr_value.h"

#include "util/files/wire.h"

namespace tfprof::profile {
namespace {

// Fields of AttrValue.
constexpr uint32_t kList = 1;
constexpr uint32_t kString = 2;
constexpr uint32_t kBool = 5;
constexpr uint32_t kShape = 7;
constexpr uint32_t kTensor = 8;
constexpr uint32_t kFunction = 10;
// Fields of AttrValue.ListValue.
constexpr uint32_t kListInt = 3;
constexpr uint32_t kListShape = util::LengthTag(7);
constexpr uint32_t kListFunction = util::LengthTag(9);
// Fields of TensorProto and NameAttrList.
constexpr uint32_t kTensorShape = util::LengthTag(2);
constexpr uint32_t kFunctionName = util::LengthTag(1);

std::string_view FunctionName(std::string_view name_attr_list) {
  std::string_view name;
  util::WireReader r(name_attr_list);
  while (r.Next()) {
    if (r.tag() == kFunctionName) name = r.view();
  }
  return name;
}

}  // namespace

std::string_view FindAttribute(const AttributeList& attributes,
                               std::string_view key) {
  for (const auto& [name, value] : attributes) {
    if (name == key) return value;
  }
  return {};
}

bool ReadShape(std::string_view bytes, std::vector<int64_t>& dims) {
  dims.clear();
  bool unknown_rank = false;
  util::WireReader shape(bytes);
  while (shape.Next()) {
    if (shape.tag() == util::VarintTag(3)) {
      unknown_rank = shape.value() != 0;
    } else if (shape.tag() == util::LengthTag(2)) {
      int64_t size = 0;
      util::WireReader dim(shape.view());
      while (dim.Next()) {
        if (dim.tag() == util::VarintTag(1)) size = dim.int64();
      }
      if (dim.damaged()) return false;
      dims.push_back(size);
    }
  }
  if (unknown_rank) {
    dims.clear();
  } else if (dims.empty()) {
    dims.push_back(1);
  }
  return !shape.damaged();
}

std::optional<std::string_view> AttrMember(std::string_view attr_value,
                                           uint32_t number) {
  std::optional<std::string_view> member;
  util::WireReader r(attr_value);
  while (r.Next()) {
    // Fields 1 to 10 are a oneof, so the last one counts.
    if (r.number() == number && r.is_length()) {
      member = r.view();
    } else if (r.number() <= 10) {
      member.reset();
    }
  }
  if (r.damaged()) return std::nullopt;
  return member;
}

std::optional<std::string_view> AttrString(std::string_view attr_value) {
  return AttrMember(attr_value, kString);
}

bool AttrBool(std::string_view attr_value) {
  bool value = false;
  util::WireReader r(attr_value);
  while (r.Next()) {
    if (r.number() <= 10)
      value = r.tag() == util::VarintTag(kBool) && r.value() != 0;
  }
  return value && !r.damaged();
}

std::vector<int64_t> AttrShape(std::string_view attr_value) {
  std::vector<int64_t> dims;
  const auto shape = AttrMember(attr_value, kShape);
  if (!shape || !ReadShape(*shape, dims)) return {};
  return dims;
}

std::vector<int64_t> AttrInts(std::string_view attr_value) {
  std::vector<int64_t> ints;
  util::WireReader list(AttrMember(attr_value, kList).value_or(""));
  while (list.Next()) {
    if (list.number() == kListInt && !util::AppendInts(list, ints)) return {};
  }
  return list.damaged() ? std::vector<int64_t>() : ints;
}

std::vector<std::vector<int64_t>> AttrShapes(std::string_view attr_value) {
  std::vector<std::vector<int64_t>> shapes;
  util::WireReader list(AttrMember(attr_value, kList).value_or(""));
  while (list.Next()) {
    if (list.tag() != kListShape) continue;
    shapes.emplace_back();
    if (!ReadShape(list.view(), shapes.back())) shapes.back().clear();
  }
  if (list.damaged()) return {};
  return shapes;
}

std::vector<int64_t> AttrTensorShape(std::string_view attr_value) {
  std::vector<int64_t> dims;
  util::WireReader tensor(AttrMember(attr_value, kTensor).value_or(""));
  while (tensor.Next()) {
    if (tensor.tag() == kTensorShape && !ReadShape(tensor.view(), dims)) {
      return {};
    }
  }
  return tensor.damaged() ? std::vector<int64_t>() : dims;
}

std::vector<std::string_view> AttrFunctions(std::string_view attr_value) {
  if (const auto function = AttrMember(attr_value, kFunction)) {
    return {FunctionName(*function)};
  }
  std::vector<std::string_view> names;
  util::WireReader list(AttrMember(attr_value, kList).value_or(""));
  while (list.Next()) {
    if (list.tag() == kListFunction) names.push_back(FunctionName(list.view()));
  }
  if (list.damaged()) return {};
  return names;
}

}  // namespace tfprof::profile
