#include "inspect/nodes/attribute_text.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "fmt/format.h"
#include "profile/tables/device_table.h"
#include "proto/graph.pb.h"
#include "util/files/wire.h"
#include "util/json/json_string.h"
#include "util/text/ascii.h"

namespace tfprof::inspect {
namespace {

constexpr size_t kMaxString = 60;
constexpr size_t kMaxElements = 16;
constexpr std::string_view kDamaged = "(damaged)";
// A reference type is the type plus this number.
constexpr uint64_t kRef = 100;

// Field numbers of AttrValue.value. A ListValue uses the same for its elements,
// except for functions.
enum Member {
  kList = 1,
  kString = 2,
  kInt = 3,
  kFloat = 4,
  kBool = 5,
  kType = 6,
  kShape = 7,
  kTensor = 8,
  kPlaceholder = 9,
  kFunction = 10,
};
constexpr uint32_t kFunctionInList = 9;

// The first kMaxString bytes at most, cut between two UTF-8 characters.
std::string StringText(std::string_view text) {
  if (text.size() <= kMaxString) return util::JsonString(text);
  const auto continues = [&](size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  };
  size_t end = kMaxString;
  while (end > kMaxString - 3 && continues(end)) --end;
  // Invalid UTF-8 is cut anywhere.
  if (continues(end)) end = kMaxString;
  return util::JsonString(text.substr(0, end)) + "…";
}

std::string ShapeMessageText(std::string_view bytes) {
  // ReadShape is not used, because it returns [1] for a scalar.
  std::vector<int64_t> dims;
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() == util::VarintTag(3) && r.value() != 0) return "?";
    if (r.tag() != util::LengthTag(2)) continue;
    int64_t size = 0;
    util::WireReader dim(r.view());
    while (dim.Next()) {
      if (dim.tag() == util::VarintTag(1)) size = dim.int64();
    }
    dims.push_back(size);
  }
  if (r.damaged()) return std::string(kDamaged);
  return dims.empty() ? "[]" : ShapeText(dims);
}

std::string TensorText(std::string_view bytes) {
  uint64_t type = 0;
  std::string shape = "[]";
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() == util::VarintTag(1)) type = r.value();
    if (r.tag() == util::LengthTag(2)) shape = ShapeMessageText(r.view());
  }
  return fmt::format("{} {}", DataTypeText(type), shape);
}

std::string FunctionText(std::string_view bytes) {
  std::string_view name;
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() == util::LengthTag(1)) name = r.view();
  }
  return StringText(name);
}

float FloatOf(uint64_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits));
}

std::string NumberText(uint32_t member, uint64_t value) {
  switch (member) {
    case kInt:
      return fmt::format("{}", static_cast<int64_t>(value));
    case kFloat:
      return fmt::format("{}", FloatOf(value));
    case kBool:
      return value != 0 ? "true" : "false";
    default:
      return DataTypeText(value);
  }
}

std::string BytesText(uint32_t member, std::string_view bytes) {
  switch (member) {
    case kString:
      return StringText(bytes);
    case kShape:
      return ShapeMessageText(bytes);
    case kTensor:
      return TensorText(bytes);
    case kPlaceholder:
      return StringText(bytes);
    default:
      return FunctionText(bytes);
  }
}

std::string_view MemberName(uint32_t member, bool in_list) {
  switch (member) {
    case kString:
      return in_list ? "list(string)" : "string";
    case kInt:
      return in_list ? "list(int)" : "int";
    case kFloat:
      return in_list ? "list(float)" : "float";
    case kBool:
      return in_list ? "list(bool)" : "bool";
    case kType:
      return in_list ? "list(type)" : "type";
    case kShape:
      return in_list ? "list(shape)" : "shape";
    case kTensor:
      return in_list ? "list(tensor)" : "tensor";
    case kPlaceholder:
      return "placeholder";
    case kFunction:
      return in_list ? "list(func)" : "func";
    default:
      return in_list ? "list" : "";
  }
}

class ListText {
 public:
  AttributeText Describe(std::string_view bytes) {
    util::WireReader r(bytes);
    uint32_t member = 0;
    while (r.Next()) {
      const uint32_t number = r.number();
      if (number < kString || number > kFunctionInList) continue;
      member = number == kFunctionInList ? uint32_t{kFunction} : number;
      const bool is_number = number >= kInt && number <= kType;
      if (!is_number) {
        if (r.is_length()) Add([&] { return BytesText(member, r.view()); });
      } else if (r.is_length()) {
        AddPacked(member, r.view());
      } else {
        Add([&] { return NumberText(member, r.value()); });
      }
    }
    if (r.damaged()) return {"", std::string(kDamaged)};
    std::string text = fmt::format("[{}", fmt::join(elements_, ", "));
    if (count_ > elements_.size()) {
      text += fmt::format(", … {} in all", count_);
    }
    return {MemberName(member, /*in_list=*/true), text + "]"};
  }

 private:
  template <typename Make>
  void Add(Make make) {
    if (count_++ < kMaxElements) elements_.push_back(make());
  }

  void AddPacked(uint32_t member, std::string_view bytes) {
    if (member == kFloat) {
      for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
        Add([&] {
          uint32_t bits = 0;
          std::memcpy(&bits, bytes.data() + i, 4);
          return NumberText(member, bits);
        });
      }
      return;
    }
    for (size_t at = 0; at < bytes.size();) {
      uint64_t value = 0;
      int shift = 0;
      while (at < bytes.size() && shift < 64) {
        const auto byte = static_cast<unsigned char>(bytes[at++]);
        value |= static_cast<uint64_t>(byte & 0x7f) << shift;
        shift += 7;
        if (byte < 0x80) break;
      }
      Add([&] { return NumberText(member, value); });
    }
  }

  std::vector<std::string> elements_;
  size_t count_ = 0;
};

}  // namespace

std::string DataTypeText(uint64_t type) {
  const bool is_ref = type > kRef && type < 2 * kRef;
  const uint64_t base = is_ref ? type - kRef : type;
  constexpr std::string_view kPrefix = "DT_";
  std::string name;
  if (base < kRef && proto::DataType_IsValid(static_cast<int>(base))) {
    name = DataType_Name(static_cast<proto::DataType>(static_cast<int>(base)));
    if (name.starts_with(kPrefix)) name = util::LowerCase(name.substr(3));
  } else {
    name = fmt::format("type {}", base);
  }
  return is_ref ? name + "_ref" : name;
}

std::string ShapeText(std::span<const int64_t> dims) {
  if (dims.empty()) return "?";
  std::vector<std::string> texts;
  for (size_t i = 0; i < std::min(dims.size(), kMaxElements); ++i) {
    texts.push_back(dims[i] < 0 ? "?" : fmt::format("{}", dims[i]));
  }
  if (dims.size() > kMaxElements) texts.push_back("…");
  return fmt::format("[{}]", fmt::join(texts, ","));
}

AttributeText DescribeAttribute(std::string_view attr_value) {
  AttributeText text;
  util::WireReader r(attr_value);
  // The last member of a oneof counts.
  while (r.Next()) {
    const uint32_t number = r.number();
    if (number < kList || number > kFunction) continue;
    const bool is_number = number >= kInt && number <= kType;
    if (number == kList && r.is_length()) {
      text = ListText().Describe(r.view());
    } else if (is_number && !r.is_length()) {
      text = {MemberName(number, false), NumberText(number, r.value())};
    } else if (!is_number && r.is_length()) {
      text = {MemberName(number, false), BytesText(number, r.view())};
    }
  }
  if (r.damaged()) return {"", std::string(kDamaged)};
  return text;
}

}  // namespace tfprof::inspect
