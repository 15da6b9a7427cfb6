// TraceTypes: the description of binary streams in the metadata of a CTF trace.
//
// Both metadata languages, the TSDL of CTF 1.8 (tsdl.h) and the JSON of CTF 2
// (ctf2_json.h), are parsed into these tables; decoding_plan.h compiles them.
// Types are in one vector and refer to each other by index. A type only refers
// to smaller indexes, so it never contains itself. LTTng puts an underscore
// before the names of fields in TSDL; the names here are without it.
//
// Sizes and alignments are in bits. The tables are plain values that are not
// checked against a stream.

#ifndef TFPROF_LOADERS_CTF_LANGUAGE_TRACE_TYPES_H_
#define TFPROF_LOADERS_CTF_LANGUAGE_TRACE_TYPES_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tfprof::ctf {

using TypeId = uint32_t;
inline constexpr TypeId kNoType = 0xffffffff;

// How deep types may be nested. Deeper nesting is damage.
inline constexpr int kMaxTypeDepth = 64;

// The meaning of a field for a reader.
enum class FieldRole : uint8_t {
  kNone,
  kEventId,
  kTimestamp,  // updates the clock of the stream
  kMagic,
  kUuid,
  kStreamId,
  kStreamInstance,
  kPacketBegin,  // updates the clock too
  kPacketEnd,
  kContentSize,
  kPacketSize,
  kPacketNumber,
  kDiscarded,
};

// The parts of a packet and of an event, in the order of the stream.
enum class Scope : uint8_t {
  kPacketHeader,
  kPacketContext,
  kEventHeader,
  kStreamContext,  // of all events of a stream
  kEventContext,   // of the events of a class
  kPayload,
};
inline constexpr int kNumScopes = 6;

// Names a field that comes earlier.
struct FieldPath {
  bool absolute = false;  // from the root of `scope`, else from inside out
  Scope scope = Scope::kPayload;
  std::vector<std::string> names;
};

struct FieldType {
  enum Kind : uint8_t {
    kInteger,
    kVariableInteger,  // LEB128
    kReal,
    kString,  // up to a zero byte
    kArray,   // of `count` elements
    kSequence,
    kStruct,
    kVariant,
    kOptional,
  };
  struct Range {
    int64_t first = 0, last = 0;  // as unsigned, if the tag is unsigned
    std::string label;            // of an enumeration
  };
  struct Field {
    std::string name;
    TypeId type = kNoType;
  };
  struct Option {
    std::string name;
    TypeId type = kNoType;
    std::vector<Range> ranges;  // empty: by the label of the tag
  };

  Kind kind = kInteger;
  bool is_signed = false;
  bool big_endian = false;
  bool is_text = false;  // elements of 8 bits: characters
  FieldRole role = FieldRole::kNone;
  uint32_t size = 0;       // of numbers
  uint64_t alignment = 1;  // also the least one of a kStruct
  uint64_t count = 0;      // of kArray
  TypeId element = kNoType;
  FieldPath path;               // of a length, a tag or a condition
  std::vector<Range> ranges;    // of an enumeration; or of a condition
  std::vector<Field> fields;    // of kStruct
  std::vector<Option> options;  // of kVariant
  // TSDL: the clock that an integer shows.
  std::string clock;
};

struct ClockClass {
  std::string name;
  uint64_t frequency = 1000000000;  // never 0
  int64_t offset_seconds = 0;
  int64_t offset_cycles = 0;
};

struct EventClass {
  uint64_t id = 0;
  uint64_t stream = 0;
  std::string name;
  TypeId context = kNoType;
  TypeId payload = kNoType;
};

struct StreamClass {
  uint64_t id = 0;
  std::string clock;  // empty: the clock of the trace, if it has one
  TypeId packet_context = kNoType;
  TypeId event_header = kNoType;
  TypeId event_context = kNoType;
};

struct TraceTypes {
  std::vector<FieldType> types;
  bool big_endian = false;
  // For TSDL: the names of header fields decide their meaning.
  bool roles_by_name = false;
  bool has_uuid = false;
  std::array<uint8_t, 16> uuid = {};
  TypeId packet_header = kNoType;
  std::vector<ClockClass> clocks;
  std::vector<StreamClass> streams;
  std::vector<EventClass> events;
  std::vector<std::pair<std::string, std::string>> environment;
  // Entries of TSDL that nobody knows, which were skipped.
  std::vector<std::string> unknown;

  // The value of an environment entry; empty if there is none.
  std::string Environment(std::string_view key) const {
    for (const auto& [name, value] : environment) {
      if (name == key) return value;
    }
    return {};
  }
  TypeId Add(FieldType type) {
    types.push_back(std::move(type));
    return static_cast<TypeId>(types.size() - 1);
  }
};

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_LANGUAGE_TRACE_TYPES_H_
