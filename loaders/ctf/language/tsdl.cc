#include "loaders/ctf/language/tsdl.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "loaders/ctf/language/tsdl_types.h"

namespace tfprof::ctf {
namespace {

bool ParseUuid(std::string_view text, std::array<uint8_t, 16>& uuid) {
  size_t digits = 0;
  uuid = {};
  for (const char c : text) {
    if (c == '-') continue;
    int value = 0;
    const auto [end, error] = std::from_chars(&c, &c + 1, value, 16);
    if (error != std::errc() || end == &c || digits == 32) return false;
    uuid[digits / 2] = static_cast<uint8_t>(uuid[digits / 2] << 4 | value);
    ++digits;
  }
  return digits == 32;
}

// Parses declarations: the trace, its environment, clocks, streams and events.
class TsdlParser : public TsdlTypeParser {
 public:
  using TsdlTypeParser::TsdlTypeParser;

  std::string Run() {
    while (!failed() && token().kind != TsdlToken::kEnd) Declaration();
    SetNativeOrder(types().big_endian);
    FindClocks();
    types().roles_by_name = true;
    return error();
  }

 private:
  // A time of a clock that is not declared would be in cycles of no clock.
  void FindClocks() {
    for (const FieldType& type : types().types) {
      if (!type.clock.empty() &&
          std::ranges::find(types().clocks, type.clock, &ClockClass::name) ==
              types().clocks.end()) {
        Unknown("map = clock." + type.clock);
      }
    }
  }

  void Declaration() {
    if (TakeIf(";")) return;
    if (Is("typealias") || Is("typedef")) {
      Alias();
      return;
    }
    if (TakeIf("trace")) return Block([&] { return TraceEntry(); });
    if (TakeIf("env")) return Block([&] { return EnvironmentEntry(); });
    if (TakeIf("clock")) return ClockBlock();
    if (TakeIf("stream")) return StreamBlock();
    if (TakeIf("event")) return EventBlock();
    if (TakeIf("callsite")) return Block([&] { return Ignored(); });
    if (Is("struct") || Is("enum") || Is("variant") || Is("integer") ||
        Is("floating_point") || Is("string")) {
      Specifier(/*in_field=*/false);
      Expect(";");
      return;
    }
    Fail("a declaration");
  }

  // Parses "{ entry … };". Types declared inside belong to the block.
  template <typename Entry>
  void Block(Entry entry) {
    if (!Expect("{")) return;
    OpenBlock();
    while (!failed() && !Is("}")) {
      if (Is("typealias") || Is("typedef")) {
        Alias();
      } else if (!TakeIf(";") && !entry()) {
        break;
      }
    }
    CloseBlock();
    if (Expect("}")) Expect(";");
  }

  // Parses ":= TYPE;".
  bool AssignedType(TypeId& type) {
    if (!Expect(":=")) return false;
    type = Specifier(/*in_field=*/false);
    return type != kNoType && Expect(";");
  }

  bool TraceEntry() {
    const std::string name = EntryName();
    if (name == "packet.header") return AssignedType(types().packet_header);
    TsdlValue value;
    if (!AssignedEnd(value)) return false;
    if (name == "byte_order") {
      bool big = false;
      if (!ByteOrder(value.text, big)) return false;
      types().big_endian = big;
    } else if (name == "uuid") {
      if (!ParseUuid(value.text, types().uuid)) {
        return Fail("a uuid of 32 hexadecimal digits before this");
      }
      types().has_uuid = true;
    } else if (name == "major" && value.text != "1") {
      return Fail("the major version 1 before this");
    } else {
      return Unknown(name, {"major", "minor"});
    }
    return true;
  }

  bool EnvironmentEntry() {
    std::string name = EntryName();
    TsdlValue value;
    if (!AssignedEnd(value)) return false;
    types().environment.emplace_back(std::move(name), std::move(value.text));
    return true;
  }

  void ClockBlock() {
    ClockClass clock;
    Block([&] {
      const std::string name = EntryName();
      TsdlValue value;
      if (!AssignedEnd(value)) return false;
      if (name == "name") clock.name = value.text;
      if (name == "freq") {
        if (!value.is_number || value.negative || value.number == 0) {
          return Fail("a frequency above 0 before this");
        }
        clock.frequency = value.number;
      }
      if (name == "offset_s") clock.offset_seconds = value.Signed();
      if (name == "offset") clock.offset_cycles = value.Signed();
      return Unknown(name, {"name", "freq", "offset_s", "offset", "uuid",
                            "description", "precision", "absolute"});
    });
    if (!failed()) types().clocks.push_back(std::move(clock));
  }

  void StreamBlock() {
    StreamClass stream;
    Block([&] {
      const std::string name = EntryName();
      if (name == "id") return AssignedNumber(stream.id);
      if (name == "event.header") return AssignedType(stream.event_header);
      if (name == "event.context") return AssignedType(stream.event_context);
      if (name == "packet.context") return AssignedType(stream.packet_context);
      TsdlValue value;
      return AssignedEnd(value) && Unknown(name);
    });
    if (!failed()) types().streams.push_back(std::move(stream));
  }

  void EventBlock() {
    EventClass event;
    Block([&] {
      const std::string name = EntryName();
      if (name == "id") return AssignedNumber(event.id);
      if (name == "stream_id") return AssignedNumber(event.stream);
      if (name == "fields") return AssignedType(event.payload);
      if (name == "context") return AssignedType(event.context);
      TsdlValue value;
      if (!AssignedEnd(value)) return false;
      if (name == "name") event.name = value.text;
      return Unknown(name, {"name", "loglevel", "model.emf.uri"});
    });
    if (!failed()) types().events.push_back(std::move(event));
  }
};

}  // namespace

std::string ParseTsdl(std::string_view text, TraceTypes& types) {
  return TsdlParser(text, types).Run();
}

}  // namespace tfprof::ctf
