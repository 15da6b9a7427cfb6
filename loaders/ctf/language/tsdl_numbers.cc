// The part of TsdlTypeParser for types with attributes: integers, reals,
// strings and enumerations.

#include <algorithm>
#include <bit>
#include <utility>

#include "fmt/format.h"
#include "loaders/ctf/language/tsdl_types.h"

namespace tfprof::ctf {

template <typename Entry>
bool TsdlTypeParser::Attributes(Entry entry) {
  if (!Expect("{")) return false;
  while (!failed() && !Is("}")) {
    const std::string name = EntryName();
    TsdlValue value;
    if (!AssignedEnd(value) || !entry(name, value)) return false;
  }
  return Expect("}");
}

bool TsdlTypeParser::Unknown(
    const std::string& name,
    std::initializer_list<std::string_view> of_no_use) {
  if (std::ranges::find(of_no_use, name) == of_no_use.end()) {
    types_.unknown.push_back(name);
  }
  return true;
}

bool TsdlTypeParser::Alignment(const TsdlValue& value, uint64_t& alignment) {
  constexpr uint64_t kMaxAlignment = 1 << 20;
  if (!value.is_number || value.negative || value.number > kMaxAlignment ||
      !std::has_single_bit(value.number)) {
    return Fail("an alignment that is a power of 2 before this");
  }
  alignment = value.number;
  return true;
}

TypeId TsdlTypeParser::AddNumber(FieldType type, bool native) {
  const TypeId id = types_.Add(std::move(type));
  native_.resize(types_.types.size(), false);
  native_[id] = native;
  return id;
}

TypeId TsdlTypeParser::Integer() {
  FieldType type;
  uint64_t alignment = 0;
  bool native = true;
  const bool ok =
      Attributes([&](const std::string& name, const TsdlValue& value) {
        if (name == "size") {
          if (!value.is_number || value.negative || value.number == 0 ||
              value.number > 64) {
            return Fail("a size from 1 to 64 before this");
          }
          type.size = static_cast<uint32_t>(value.number);
        } else if (name == "align") {
          return Alignment(value, alignment);
        } else if (name == "signed") {
          const bool is_true = value.text == "true" || value.text == "TRUE";
          const bool is_false = value.text == "false" || value.text == "FALSE";
          if (!value.is_number && !is_true && !is_false) {
            return Fail("'true' or 'false' before this");
          }
          type.is_signed = value.is_number ? value.number != 0 : is_true;
        } else if (name == "byte_order") {
          if (value.text == "native") return true;
          native = false;
          return ByteOrder(value.text, type.big_endian);
        } else if (name == "encoding") {
          type.is_text = value.text != "none" && value.text != "NONE";
        } else if (name == "map") {
          type.clock = value.text;
          if (type.clock.starts_with("clock.")) type.clock.erase(0, 6);
          if (type.clock.ends_with(".value")) {
            type.clock.resize(type.clock.size() - 6);
          }
        } else {
          return Unknown(name, {"base"});
        }
        return true;
      });
  if (!ok) return kNoType;
  if (type.size == 0) {
    Fail("an integer with a size before this");
    return kNoType;
  }
  if (alignment == 0) alignment = type.size % 8 == 0 ? 8 : 1;
  type.alignment = alignment;
  return AddNumber(std::move(type), native);
}

TypeId TsdlTypeParser::Real() {
  FieldType type;
  type.kind = FieldType::kReal;
  uint64_t exponent = 0, mantissa = 0;
  bool native = true;
  const bool ok =
      Attributes([&](const std::string& name, const TsdlValue& value) {
        if (name == "exp_dig") {
          exponent = value.number;
        } else if (name == "mant_dig") {
          mantissa = value.number;
        } else if (name == "align") {
          return Alignment(value, type.alignment);
        } else if (name == "byte_order" && value.text != "native") {
          native = false;
          return ByteOrder(value.text, type.big_endian);
        } else {
          return Unknown(name, {"byte_order"});
        }
        return true;
      });
  if (!ok) return kNoType;
  const bool single = exponent == 8 && mantissa == 24;
  if (!single && (exponent != 11 || mantissa != 53)) {
    Fail("a floating point of 32 or 64 bits before this");
    return kNoType;
  }
  type.size = single ? 32 : 64;
  return AddNumber(std::move(type), native);
}

TypeId TsdlTypeParser::String() {
  if (Is("{") && !Attributes([&](const std::string& name, const TsdlValue&) {
        return Unknown(name, {"encoding"});
      })) {
    return kNoType;
  }
  FieldType type;
  type.kind = FieldType::kString;
  type.alignment = 8;
  return types_.Add(std::move(type));
}

TypeId TsdlTypeParser::Enumeration() {
  std::string name;
  if (token().kind == TsdlToken::kWord) {
    name = fmt::format("enum {}", token().text);
    Take();
  }
  TypeId container = kNoType;
  if (TakeIf(":")) {
    container = Specifier(/*in_field=*/false);
    if (container == kNoType) return kNoType;
  }
  if (!Is("{")) {
    if (container == kNoType && !name.empty()) return Named(name);
    Fail("'{'");
    return kNoType;
  }
  if (container == kNoType) container = Named("int");
  if (container == kNoType) return kNoType;
  FieldType type = types_.types[container];
  if (type.kind != FieldType::kInteger) {
    Fail("an enumeration of integers before this");
    return kNoType;
  }
  type.ranges.clear();
  Take();
  int64_t next = 0;
  while (!failed() && !Is("}")) {
    FieldType::Range range;
    if (token().kind == TsdlToken::kString) {
      range.label = UnescapeTsdl(token().text);
    } else if (token().kind == TsdlToken::kWord) {
      range.label = TsdlFieldName(token().text);
    } else {
      Fail("a label");
      return kNoType;
    }
    Take();
    range.first = range.last = next;
    if (TakeIf("=")) {
      if (!EnumValue(range.first)) return kNoType;
      range.last = range.first;
      if (TakeIf("...") && !EnumValue(range.last)) return kNoType;
    }
    next = static_cast<int64_t>(static_cast<uint64_t>(range.last) + 1);
    type.ranges.push_back(std::move(range));
    if (!TakeIf(",")) break;
  }
  if (!Expect("}")) return kNoType;
  const TypeId id = AddNumber(std::move(type), native_[container]);
  if (!name.empty()) scopes_.back()[name] = id;
  return id;
}

bool TsdlTypeParser::EnumValue(int64_t& value) {
  if (token().kind != TsdlToken::kNumber) return Fail("a number");
  value = static_cast<int64_t>(token().negative ? 0 - token().number
                                                : token().number);
  Take();
  return !failed();
}

}  // namespace tfprof::ctf
