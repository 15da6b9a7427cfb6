#include "loaders/ctf/language/ctf2_json.h"

#include <bit>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "util/json_reader.h"

namespace tfprof::ctf {
namespace {

constexpr char kRecordSeparator = '\x1e';

// All members that a field class may have.
struct ClassMembers {
  std::string type;
  std::optional<uint64_t> length;
  uint64_t alignment = 1;
  bool big_endian = false;
  FieldRole role = FieldRole::kNone;
  std::vector<FieldType::Range> ranges;
  std::vector<FieldType::Field> fields;
  std::vector<FieldType::Option> options;
  TypeId element = kNoType;
  FieldPath path;
};

FieldRole RoleOf(std::string_view role) {
  struct Row {
    std::string_view name;
    FieldRole role;
  };
  static constexpr Row kRows[] = {
      {"event-record-class-id", FieldRole::kEventId},
      {"default-clock-timestamp", FieldRole::kTimestamp},
      {"packet-magic-number", FieldRole::kMagic},
      {"metadata-stream-uuid", FieldRole::kUuid},
      {"trace-class-uuid", FieldRole::kUuid},
      {"data-stream-class-id", FieldRole::kStreamId},
      {"data-stream-id", FieldRole::kStreamInstance},
      {"packet-end-default-clock-timestamp", FieldRole::kPacketEnd},
      {"packet-content-length", FieldRole::kContentSize},
      {"packet-total-length", FieldRole::kPacketSize},
      {"packet-sequence-number", FieldRole::kPacketNumber},
      {"discarded-event-record-counter-snapshot", FieldRole::kDiscarded},
  };
  for (const Row& row : kRows) {
    if (row.name == role) return row.role;
  }
  return FieldRole::kNone;
}

std::optional<Scope> ScopeOf(std::string_view origin) {
  struct Row {
    std::string_view name;
    Scope scope;
  };
  static constexpr Row kRows[] = {
      {"packet-header", Scope::kPacketHeader},
      {"packet-context", Scope::kPacketContext},
      {"event-record-header", Scope::kEventHeader},
      {"event-record-common-context", Scope::kStreamContext},
      {"event-record-specific-context", Scope::kEventContext},
      {"event-record-payload", Scope::kPayload},
  };
  for (const Row& row : kRows) {
    if (row.name == origin) return row.scope;
  }
  return std::nullopt;
}

class Parser {
 public:
  Parser(std::string_view text, TraceTypes& types)
      : text_(text), types_(types) {}

  std::string Run() {
    size_t at = 0;
    while (error_.empty()) {
      at = text_.find_first_not_of("\x1e \t\r\n", at);
      if (at == text_.npos) break;
      size_t end = text_.find(kRecordSeparator, at);
      if (end == text_.npos) end = text_.size();
      base_ = at;
      JsonReader r(text_.substr(at, end - at));
      Fragment(r);
      if (r.damaged() && error_.empty()) {
        error_ = fmt::format("{} of the text", r.Describe(at));
      }
      at = end;
    }
    return error_;
  }

 private:
  bool Fail(const JsonReader& r, std::string_view expected) {
    if (error_.empty()) {
      error_ = fmt::format("byte {} of the text: expected {}",
                           base_ + r.offset(), expected);
    }
    return false;
  }

  std::string String(JsonReader& r) {
    std::string_view raw;
    if (!r.ReadString(raw)) {
      Fail(r, "a string");
      return {};
    }
    return std::string(DecodeJsonString(raw, buffer_));
  }
  // Negative numbers are in two's complement.
  uint64_t Number(JsonReader& r) {
    std::string_view text;
    if (!r.ReadNumber(text)) {
      Fail(r, "a number");
      return 0;
    }
    const char* const end = text.data() + text.size();
    int64_t negative = 0;
    uint64_t number = 0;
    const auto result = text.starts_with('-')
                            ? std::from_chars(text.data(), end, negative)
                            : std::from_chars(text.data(), end, number);
    if (result.ec != std::errc() || result.ptr != end) {
      Fail(r, "an integer of 64 bits");
    }
    return text.starts_with('-') ? static_cast<uint64_t>(negative) : number;
  }
  // A number, string or word as text.
  std::string Scalar(JsonReader& r) {
    std::string_view raw;
    if (!r.ReadScalar(raw)) {
      r.Skip();
      return {};
    }
    return std::string(DecodeJsonString(raw, buffer_));
  }

  // ---- Fragments

  // The value of "type", which may come at any place.
  std::string TypeOf(JsonReader r) {
    std::string_view key;
    if (!r.EnterObject()) return {};
    while (r.NextMember(key)) {
      if (key == "type") return Scalar(r);
      r.Skip();
    }
    return {};
  }

  void Fragment(JsonReader& r) {
    const std::string type = TypeOf(r);
    std::string_view key;
    if (!r.EnterObject()) {
      Fail(r, "a fragment, which is an object");
      return;
    }
    if (type == "preamble") return Preamble(r);
    if (type == "field-class-alias") return Alias(r);
    if (type == "trace-class") return Trace(r);
    if (type == "clock-class") return Clock(r);
    if (type == "data-stream-class") return Stream(r);
    if (type == "event-record-class") return Event(r);
    if (type.empty()) {
      Fail(r, "a fragment with a type");
      return;
    }
    while (r.NextMember(key)) r.Skip();  // of a later version
  }

  void Preamble(JsonReader& r) {
    std::string_view key;
    while (error_.empty() && r.NextMember(key)) {
      if (key == "version") {
        if (Number(r) != 2) Fail(r, "version 2 of CTF");
      } else if (key == "uuid" && r.EnterArray()) {
        size_t i = 0;
        while (r.NextElement()) {
          const uint64_t byte = Number(r);
          if (i < 16) types_.uuid[i] = static_cast<uint8_t>(byte);
          ++i;
        }
        types_.has_uuid = i == 16;
      } else {
        r.Skip();
      }
    }
  }

  void Alias(JsonReader& r) {
    std::string_view key;
    std::string name;
    TypeId type = kNoType;
    while (error_.empty() && r.NextMember(key)) {
      if (key == "name") {
        name = String(r);
      } else if (key == "field-class") {
        type = Class(r);
      } else {
        r.Skip();
      }
    }
    if (type != kNoType) aliases_[name] = type;
  }

  void Trace(JsonReader& r) {
    std::string_view key;
    while (error_.empty() && r.NextMember(key)) {
      if (key == "packet-header-field-class") {
        types_.packet_header = Class(r);
      } else if (key == "environment" && r.EnterObject()) {
        while (r.NextMember(key)) {
          std::string name(DecodeJsonString(key, buffer_));
          std::string value = Scalar(r);
          types_.environment.emplace_back(std::move(name), std::move(value));
        }
      } else {
        r.Skip();
      }
    }
  }

  void Clock(JsonReader& r) {
    std::string_view key;
    ClockClass clock;
    std::string id;
    while (error_.empty() && r.NextMember(key)) {
      if (key == "name") {
        clock.name = String(r);
      } else if (key == "id") {
        id = String(r);
      } else if (key == "frequency") {
        clock.frequency = Number(r);
        if (clock.frequency == 0) Fail(r, "a frequency above 0 before this");
      } else if (key == "offset-from-origin" && r.EnterObject()) {
        while (r.NextMember(key)) {
          const auto value = static_cast<int64_t>(Number(r));
          if (key == "seconds") clock.offset_seconds = value;
          if (key == "cycles") clock.offset_cycles = value;
        }
      } else {
        r.Skip();
      }
    }
    if (!id.empty()) clock.name = id;
    if (error_.empty()) types_.clocks.push_back(std::move(clock));
  }

  void Stream(JsonReader& r) {
    std::string_view key;
    StreamClass stream;
    while (error_.empty() && r.NextMember(key)) {
      if (key == "id") {
        stream.id = Number(r);
      } else if (key == "default-clock-class-id" ||
                 key == "default-clock-class-name") {
        stream.clock = String(r);
      } else if (key == "event-record-header-field-class") {
        stream.event_header = Class(r);
      } else if (key == "packet-context-field-class") {
        stream.packet_context = Class(r);
      } else if (key == "event-record-common-context-field-class") {
        stream.event_context = Class(r);
      } else {
        r.Skip();
      }
    }
    if (error_.empty() && !r.damaged()) {
      types_.streams.push_back(std::move(stream));
    }
  }

  void Event(JsonReader& r) {
    std::string_view key;
    EventClass event;
    while (error_.empty() && r.NextMember(key)) {
      if (key == "id") {
        event.id = Number(r);
      } else if (key == "data-stream-class-id") {
        event.stream = Number(r);
      } else if (key == "name") {
        event.name = String(r);
      } else if (key == "payload-field-class") {
        event.payload = Class(r);
      } else if (key == "specific-context-field-class") {
        event.context = Class(r);
      } else {
        r.Skip();
      }
    }
    if (error_.empty() && !r.damaged()) {
      types_.events.push_back(std::move(event));
    }
  }

  // ---- Field classes

  TypeId Class(JsonReader& r) {
    if (depth_ >= kMaxTypeDepth) {
      Fail(r, fmt::format("field classes at most {} deep", kMaxTypeDepth));
      return kNoType;
    }
    if (r.Peek() == JsonReader::Kind::kString) {
      const auto it = aliases_.find(String(r));
      if (it != aliases_.end()) return it->second;
      Fail(r, "the name of a field class before this");
      return kNoType;
    }
    if (!r.EnterObject()) {
      Fail(r, "a field class");
      return kNoType;
    }
    ++depth_;
    ClassMembers members;
    std::string_view key;
    while (error_.empty() && r.NextMember(key)) Member(r, key, members);
    --depth_;
    if (!error_.empty() || r.damaged()) return kNoType;
    return Make(r, members);
  }

  void Member(JsonReader& r, std::string_view key, ClassMembers& members) {
    if (key == "type") {
      members.type = String(r);
    } else if (key == "length") {
      members.length = Number(r);
    } else if (key == "alignment" || key == "minimum-alignment") {
      members.alignment = Number(r);
      if (!std::has_single_bit(members.alignment) ||
          members.alignment > (1 << 20)) {
        Fail(r, "an alignment that is a power of 2 before this");
      }
    } else if (key == "byte-order") {
      const std::string order = String(r);
      members.big_endian = order == "big-endian";
      if (!members.big_endian && order != "little-endian") {
        Fail(r, "\"little-endian\" or \"big-endian\" before this");
      }
    } else if (key == "roles" && r.EnterArray()) {
      while (error_.empty() && r.NextElement()) {
        const FieldRole role = RoleOf(String(r));
        if (role != FieldRole::kNone) members.role = role;
      }
    } else if (key == "mappings" && r.EnterObject()) {
      while (error_.empty() && r.NextMember(key)) {
        Ranges(r, std::string(DecodeJsonString(key, buffer_)), members.ranges);
      }
    } else if (key == "selector-field-ranges") {
      Ranges(r, {}, members.ranges);
    } else if (key == "member-classes" && r.EnterArray()) {
      while (error_.empty() && r.NextElement()) NamedMember(r, members);
    } else if (key == "options" && r.EnterArray()) {
      while (error_.empty() && r.NextElement()) OptionMember(r, members);
    } else if (key == "element-field-class" || key == "field-class") {
      members.element = Class(r);
    } else if (key == "length-field-location" ||
               key == "selector-field-location") {
      Location(r, members.path);
    } else {
      r.Skip();
    }
  }

  // [[0, 30], 31, …]
  void Ranges(JsonReader& r, const std::string& label,
              std::vector<FieldType::Range>& ranges) {
    if (!r.EnterArray()) {
      Fail(r, "an array of ranges");
      return;
    }
    while (error_.empty() && r.NextElement()) {
      FieldType::Range range;
      range.label = label;
      if (r.EnterArray()) {
        int i = 0;
        while (error_.empty() && r.NextElement()) {
          (i++ == 0 ? range.first : range.last) =
              static_cast<int64_t>(Number(r));
        }
        if (i == 1) range.last = range.first;
      } else {
        range.first = range.last = static_cast<int64_t>(Number(r));
      }
      ranges.push_back(std::move(range));
    }
  }

  void NamedMember(JsonReader& r, ClassMembers& members) {
    std::string_view key;
    FieldType::Field field;
    if (!r.EnterObject()) {
      Fail(r, "a member of a structure");
      return;
    }
    while (error_.empty() && r.NextMember(key)) {
      if (key == "name") {
        field.name = String(r);
      } else if (key == "field-class") {
        field.type = Class(r);
      } else {
        r.Skip();
      }
    }
    if (field.type == kNoType) {
      Fail(r, "a member with a field class before this");
      return;
    }
    members.fields.push_back(std::move(field));
  }

  void OptionMember(JsonReader& r, ClassMembers& members) {
    std::string_view key;
    FieldType::Option option;
    if (!r.EnterObject()) {
      Fail(r, "an option of a variant");
      return;
    }
    while (error_.empty() && r.NextMember(key)) {
      if (key == "name") {
        option.name = String(r);
      } else if (key == "field-class") {
        option.type = Class(r);
      } else if (key == "selector-field-ranges") {
        Ranges(r, {}, option.ranges);
      } else {
        r.Skip();
      }
    }
    if (option.type == kNoType || option.ranges.empty()) {
      Fail(r, "an option with a field class and ranges before this");
      return;
    }
    members.options.push_back(std::move(option));
  }

  void Location(JsonReader& r, FieldPath& path) {
    std::string_view key;
    const auto names = [&] {
      while (error_.empty() && r.NextElement()) {
        // null is the structure around.
        const std::string name = Scalar(r);
        if (name != "null") path.names.push_back(name);
      }
    };
    if (r.EnterArray()) return names();
    if (!r.EnterObject()) {
      Fail(r, "the location of a field");
      return;
    }
    while (error_.empty() && r.NextMember(key)) {
      if (key == "path" && r.EnterArray()) {
        names();
      } else if (key == "origin") {
        const std::optional<Scope> scope = ScopeOf(String(r));
        if (!scope) {
          Fail(r, "a known origin before this");
          return;
        }
        path.absolute = true;
        path.scope = *scope;
      } else {
        r.Skip();
      }
    }
  }

  TypeId Make(const JsonReader& r, ClassMembers& members) {
    const std::string& name = members.type;
    FieldType type;
    type.role = members.role;
    type.alignment = members.alignment;
    type.big_endian = members.big_endian;
    type.ranges = std::move(members.ranges);
    type.path = std::move(members.path);
    const bool fixed = name.starts_with("fixed-length-");
    const bool variable = name.starts_with("variable-length-");
    if (fixed || variable) {
      const bool real = name == "fixed-length-floating-point-number";
      type.kind = variable ? FieldType::kVariableInteger
                  : real   ? FieldType::kReal
                           : FieldType::kInteger;
      type.is_signed = name.find("-signed-") != name.npos;
      if (variable) {
        type.alignment = std::max<uint64_t>(type.alignment, 8);
        return types_.Add(std::move(type));
      }
      const uint64_t size = members.length.value_or(0);
      if (size == 0 || size > 64 || (real && size != 32 && size != 64)) {
        Fail(r, "a number of 1 to 64 bits, or a real of 32 or 64, before this");
        return kNoType;
      }
      type.size = static_cast<uint32_t>(size);
      return types_.Add(std::move(type));
    }
    if (name == "null-terminated-string") {
      type.kind = FieldType::kString;
      type.alignment = 8;
      return types_.Add(std::move(type));
    }
    if (name == "structure") {
      type.kind = FieldType::kStruct;
      type.fields = std::move(members.fields);
      return types_.Add(std::move(type));
    }
    if (name == "variant") {
      type.kind = FieldType::kVariant;
      type.options = std::move(members.options);
      return types_.Add(std::move(type));
    }
    if (name == "optional") {
      type.kind = FieldType::kOptional;
      type.element = members.element;
      if (type.element == kNoType) {
        Fail(r, "an optional with a field class before this");
        return kNoType;
      }
      return types_.Add(std::move(type));
    }
    const bool is_static = name.starts_with("static-length-");
    if (!is_static && !name.starts_with("dynamic-length-")) {
      Fail(r, fmt::format("a field class that is known, not '{}', before this",
                          name));
      return kNoType;
    }
    type.kind = is_static ? FieldType::kArray : FieldType::kSequence;
    if (is_static && !members.length) {
      Fail(r, "a static length before this");
      return kNoType;
    }
    type.count = members.length.value_or(0);
    type.element = members.element;
    type.is_text = name.ends_with("string");
    if (type.is_text || name.ends_with("blob")) {
      FieldType byte;
      byte.size = 8;
      byte.alignment = 8;
      type.element = types_.Add(std::move(byte));
    }
    if (type.element == kNoType) {
      Fail(r, "an array with a class of elements before this");
      return kNoType;
    }
    return types_.Add(std::move(type));
  }

  const std::string_view text_;
  TraceTypes& types_;
  std::map<std::string, TypeId> aliases_;
  std::string error_;
  std::string buffer_;
  size_t base_ = 0;  // of the fragment
  int depth_ = 0;
};

}  // namespace

std::string ParseCtf2(std::string_view text, TraceTypes& types) {
  return Parser(text, types).Run();
}

}  // namespace tfprof::ctf
