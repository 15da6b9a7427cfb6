#include "loaders/ctf/language/ctf2_json.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "util/json/json_tree.h"

namespace tfprof::ctf {
namespace {

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

// Returns a string, number or word as text; "" for an object or array.
std::string TextOf(util::JsonValue value) {
  if (value.IsObject() || value.IsArray()) return {};
  return value.String().value_or(std::string(value.raw()));
}

class Ctf2Parser {
 public:
  Ctf2Parser(std::string_view text, TraceTypes& types)
      : text_(text), types_(types) {}

  std::string Run() {
    while (error_.empty()) {
      base_ = text_.find_first_not_of("\x1e \t\r\n", base_);
      if (base_ == text_.npos) break;
      const size_t end =
          std::min(text_.find(kCtf2RecordSeparator, base_), text_.size());
      const auto tree =
          util::JsonTree::Parse(text_.substr(base_, end - base_), base_);
      if (!tree.ok()) {
        return fmt::format("text, {}", std::string(tree.status().message()));
      }
      Fragment(tree->root());
      base_ = end;
    }
    return error_;
  }

 private:
  // Notes the first error: `value` is wrong, or is the object that lacks it.
  TypeId Fail(util::JsonValue value, std::string_view expected) {
    if (error_.empty()) {
      error_ = fmt::format("byte {} of the text: expected {}, found {}",
                           base_ + value.offset(), expected,
                           value.raw().substr(0, 60));
    }
    return kNoType;
  }

  std::string String(util::JsonValue value) {
    const std::optional<std::string> text = value.String();
    if (!text.has_value()) Fail(value, "a string");
    return text.value_or("");
  }
  // Reads an integer. Negative numbers are in two's complement.
  uint64_t Number(util::JsonValue value) {
    const std::optional<int64_t> number = value.Int();
    if (number.has_value()) return static_cast<uint64_t>(*number);
    if (!value.Uint().has_value()) Fail(value, "an integer of 64 bits");
    return value.Uint().value_or(0);
  }

  // Reads an optional member; `result` is unchanged without it.
  void Read(util::JsonValue value, std::string& result) {
    if (value.Exists()) result = String(value);
  }
  void Read(util::JsonValue value, uint64_t& result) {
    if (value.Exists()) result = Number(value);
  }
  void Read(util::JsonValue value, int64_t& result) {
    if (!value.Exists()) return;
    result = static_cast<int64_t>(Number(value));
  }
  TypeId ReadClass(util::JsonValue value) {
    return value.Exists() ? Class(value) : kNoType;
  }

  // ---- Fragments

  void Fragment(util::JsonValue fragment) {
    const std::string type = TextOf(fragment["type"]);
    if (!fragment.IsObject()) {
      Fail(fragment, "a fragment, which is an object");
    } else if (type.empty()) {
      Fail(fragment, "a fragment with a type");
    } else if (type == "preamble") {
      Preamble(fragment);
    } else if (type == "field-class-alias") {
      std::string name;
      Read(fragment["name"], name);
      const TypeId alias = ReadClass(fragment["field-class"]);
      if (alias != kNoType) aliases_[name] = alias;
    } else if (type == "trace-class") {
      Trace(fragment);
    } else if (type == "clock-class") {
      Clock(fragment);
    } else if (type == "data-stream-class") {
      Stream(fragment);
    } else if (type == "event-record-class") {
      Event(fragment);
    }  // else: from a later version
  }

  void Preamble(util::JsonValue fragment) {
    uint64_t version = 2;
    Read(fragment["version"], version);
    if (version != 2) Fail(fragment["version"], "version 2 of CTF");
    const util::JsonValue uuid = fragment["uuid"];
    types_.has_uuid = uuid.size() == types_.uuid.size();
    if (!types_.has_uuid) return;
    size_t i = 0;
    for (const util::JsonValue byte : uuid) {
      types_.uuid[i++] = static_cast<uint8_t>(Number(byte));
    }
  }

  void Trace(util::JsonValue fragment) {
    types_.packet_header = ReadClass(fragment["packet-header-field-class"]);
    const util::JsonValue environment = fragment["environment"];
    if (!environment.IsObject()) return;
    for (const util::JsonValue value : environment) {
      types_.environment.emplace_back(value.Key(), TextOf(value));
    }
  }

  void Clock(util::JsonValue fragment) {
    ClockClass clock;
    Read(fragment["name"], clock.name);
    std::string id;
    Read(fragment["id"], id);
    if (!id.empty()) clock.name = id;
    const util::JsonValue frequency = fragment["frequency"];
    Read(frequency, clock.frequency);
    if (clock.frequency == 0) Fail(frequency, "a frequency above 0");
    const util::JsonValue offset = fragment["offset-from-origin"];
    Read(offset["seconds"], clock.offset_seconds);
    Read(offset["cycles"], clock.offset_cycles);
    if (error_.empty()) types_.clocks.push_back(std::move(clock));
  }

  void Stream(util::JsonValue fragment) {
    StreamClass stream;
    Read(fragment["id"], stream.id);
    Read(fragment["default-clock-class-name"], stream.clock);
    Read(fragment["default-clock-class-id"], stream.clock);
    stream.event_header =
        ReadClass(fragment["event-record-header-field-class"]);
    stream.packet_context = ReadClass(fragment["packet-context-field-class"]);
    stream.event_context =
        ReadClass(fragment["event-record-common-context-field-class"]);
    if (error_.empty()) types_.streams.push_back(std::move(stream));
  }

  void Event(util::JsonValue fragment) {
    EventClass event;
    Read(fragment["id"], event.id);
    Read(fragment["data-stream-class-id"], event.stream);
    Read(fragment["name"], event.name);
    event.payload = ReadClass(fragment["payload-field-class"]);
    event.context = ReadClass(fragment["specific-context-field-class"]);
    if (error_.empty()) types_.events.push_back(std::move(event));
  }

  // ---- Field classes

  TypeId Class(util::JsonValue value) {
    if (depth_ >= kMaxTypeDepth) {
      return Fail(value,
                  fmt::format("field classes at most {} deep", kMaxTypeDepth));
    }
    if (const std::optional<std::string> name = value.String()) {
      const auto it = aliases_.find(*name);
      if (it != aliases_.end()) return it->second;
      return Fail(value, "the name of a field class before this");
    }
    if (!value.IsObject()) return Fail(value, "a field class");
    ++depth_;
    FieldType type;
    std::string name;
    Read(value["type"], name);
    Common(value, type);
    Kind(value, name, type);
    --depth_;
    return error_.empty() ? types_.Add(std::move(type)) : kNoType;
  }

  // Reads the members that several kinds of classes have.
  void Common(util::JsonValue value, FieldType& type) {
    for (const char* const name : {"alignment", "minimum-alignment"}) {
      Read(value[name], type.alignment);
      if (!std::has_single_bit(type.alignment) || type.alignment > (1 << 20)) {
        Fail(value[name], "an alignment that is a power of 2");
      }
    }
    const util::JsonValue order = value["byte-order"];
    type.big_endian = order.String() == "big-endian";
    if (order.IsGiven() && !type.big_endian &&
        order.String() != "little-endian") {
      Fail(order, "\"little-endian\" or \"big-endian\"");
    }
    for (const util::JsonValue word : value["roles"]) {
      const FieldRole role = RoleOf(String(word));
      if (role != FieldRole::kNone) type.role = role;
    }
    for (const util::JsonValue ranges : value["mappings"]) {
      Ranges(ranges, ranges.Key(), type.ranges);
    }
    Ranges(value["selector-field-ranges"], {}, type.ranges);
    Location(value["length-field-location"], type.path);
    Location(value["selector-field-location"], type.path);
  }

  // Reads "[[0, 30], 31, …]".
  void Ranges(util::JsonValue list, const std::string& label,
              std::vector<FieldType::Range>& ranges) {
    if (!list.Exists()) return;
    if (!list.IsArray()) {
      Fail(list, "an array of ranges");
      return;
    }
    for (const util::JsonValue element : list) {
      std::vector<int64_t> ends;
      if (element.IsArray()) {
        for (const util::JsonValue end : element) {
          ends.push_back(static_cast<int64_t>(Number(end)));
        }
      } else {
        ends.push_back(static_cast<int64_t>(Number(element)));
      }
      if (ends.empty()) ends.push_back(0);
      ranges.push_back({ends.front(), ends.back(), label});
    }
  }

  void Location(util::JsonValue value, FieldPath& path) {
    if (!value.Exists()) return;
    if (!value.IsArray() && !value.IsObject()) {
      Fail(value, "the location of a field");
      return;
    }
    for (const util::JsonValue name : value.IsArray() ? value : value["path"]) {
      // null is the structure around the field.
      if (name.IsGiven()) path.names.push_back(TextOf(name));
    }
    const util::JsonValue origin = value["origin"];
    if (!origin.Exists()) return;
    const std::optional<Scope> scope = ScopeOf(String(origin));
    if (!scope) {
      Fail(origin, "a known origin");
      return;
    }
    path.absolute = true;
    path.scope = *scope;
  }

  // Reads the members that only this kind of class has; `name` is the kind.
  void Kind(util::JsonValue value, std::string_view name, FieldType& type) {
    if (name.starts_with("fixed-length-")) {
      FixedLength(value, name, type);
    } else if (name.starts_with("variable-length-")) {
      type.kind = FieldType::kVariableInteger;
      type.is_signed = IsSigned(name);
      type.alignment = std::max<uint64_t>(type.alignment, 8);
    } else if (name == "null-terminated-string") {
      type.kind = FieldType::kString;
      type.alignment = 8;
    } else if (name == "structure") {
      type.kind = FieldType::kStruct;
      for (const util::JsonValue member : value["member-classes"]) {
        FieldType::Field field;
        Read(member["name"], field.name);
        field.type = ReadClass(member["field-class"]);
        if (field.type == kNoType) Fail(member, "a member with a field class");
        type.fields.push_back(std::move(field));
      }
    } else if (name == "variant") {
      type.kind = FieldType::kVariant;
      for (const util::JsonValue part : value["options"]) {
        FieldType::Option option;
        Read(part["name"], option.name);
        option.type = ReadClass(part["field-class"]);
        Ranges(part["selector-field-ranges"], {}, option.ranges);
        if (option.type == kNoType || option.ranges.empty()) {
          Fail(part, "an option with a field class and ranges");
        }
        type.options.push_back(std::move(option));
      }
    } else if (name == "optional") {
      type.kind = FieldType::kOptional;
      type.element = ReadClass(value["field-class"]);
      if (type.element == kNoType)
        Fail(value, "an optional with a field class");
    } else if (name.starts_with("static-length-") ||
               name.starts_with("dynamic-length-")) {
      Elements(value, name, type);
    } else {
      Fail(value, fmt::format("a field class that is known, not '{}'", name));
    }
  }

  static bool IsSigned(std::string_view name) {
    return name.find("-signed-") != name.npos;
  }

  // Reads integers, booleans, bit maps and real numbers.
  void FixedLength(util::JsonValue value, std::string_view name,
                   FieldType& type) {
    const bool real = name == "fixed-length-floating-point-number";
    type.kind = real ? FieldType::kReal : FieldType::kInteger;
    type.is_signed = IsSigned(name);
    uint64_t size = 0;
    Read(value["length"], size);
    if (size == 0 || size > 64 || (real && size != 32 && size != 64)) {
      Fail(value, "a number of 1 to 64 bits, or a real of 32 or 64");
    }
    type.size = static_cast<uint32_t>(size);
  }

  // Reads arrays, texts and blobs.
  void Elements(util::JsonValue value, std::string_view name, FieldType& type) {
    const bool is_static = name.starts_with("static-");
    type.kind = is_static ? FieldType::kArray : FieldType::kSequence;
    if (is_static && !value["length"].IsGiven()) Fail(value, "a static length");
    Read(value["length"], type.count);
    type.is_text = name.ends_with("string");
    if (type.is_text || name.ends_with("blob")) {
      FieldType byte;
      byte.size = 8;
      byte.alignment = 8;
      type.element = types_.Add(std::move(byte));
    } else {
      type.element = ReadClass(value["element-field-class"]);
    }
    if (type.element == kNoType)
      Fail(value, "an array with a class of elements");
  }

  const std::string_view text_;
  TraceTypes& types_;
  std::map<std::string, TypeId> aliases_;
  std::string error_;
  size_t base_ = 0;  // of the fragment
  int depth_ = 0;
};

}  // namespace

std::string ParseCtf2(std::string_view text, TraceTypes& types) {
  return Ctf2Parser(text, types).Run();
}

}  // namespace tfprof::ctf
