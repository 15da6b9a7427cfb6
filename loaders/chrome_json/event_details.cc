#include "loaders/chrome_json/event_details.h"

#include <optional>

#include "loaders/chrome_json/event_repair.h"
#include "loaders/chrome_json/unitrace_name.h"
#include "loaders/nodes/copy_details.h"
#include "util/files/wire_writer.h"
#include "util/json/json_reader.h"
#include "util/text/decimal.h"

namespace tfprof::chrome_json {
namespace {

constexpr std::string_view kInputShapes = "input_shapes";

// Field numbers of AttrValue, its ListValue and TensorShapeProto.
constexpr uint32_t kAttrList = 1;
constexpr uint32_t kListShape = 7;
constexpr uint32_t kShapeDim = 2;
constexpr uint32_t kDimSize = 1;

// Returns the value of an argument; empty if there is none.
std::string_view ArgumentOf(const TraceEvent& event, std::string_view name) {
  util::JsonReader r(event.args);
  std::string_view key;
  for (bool in = r.EnterObject(); in && r.NextDecodedMember(key);) {
    const bool found = key == name;
    const std::string_view value = r.Skip();
    if (found) return value;
  }
  return {};
}

// Writes "[[64, 128], [], 3]" as the value of an attribute, one shape for each
// element. An element that is not a list of numbers becomes a shape without
// dimensions.
std::string ShapesAttribute(std::string_view dims) {
  util::WireWriter w;
  util::JsonReader r(dims);
  {
    const util::WireMessage list(w, kAttrList);
    for (bool in = r.EnterArray(); in && r.NextElement();) {
      const util::WireMessage shape(w, kListShape);
      util::JsonReader sizes(r.Skip());
      for (bool inside = sizes.EnterArray(); inside && sizes.NextElement();) {
        const std::optional<int64_t> size = util::ParseDecimal(sizes.Skip());
        const util::WireMessage dim(w, kShapeDim);
        w.Int64(kDimSize, size.value_or(-1));
      }
    }
  }
  return std::string(w.bytes());
}

// A list or an object on one line, if it is on several: "[1, 2]".
std::string OnOneLine(std::string_view value) {
  if (value.find('\n') == value.npos) return std::string(value);
  std::string line;
  bool in_string = false;
  for (size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (in_string) {
      line += c;
      if (c == '\\' && i + 1 < value.size()) line += value[++i];
      in_string = c != '"';
    } else if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
      line += c;
      in_string = c == '"';
      if (c == ',' || c == ':') line += ' ';
    }
  }
  return line;
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != text.npos;
}

// Returns the recorded name of an event of a timeline that tfprof wrote, in
// which events are called as their operations; "" for others.
std::string_view NameInTimeline(const TraceEvent& event) {
  std::string_view key, name;
  if (!Contains(event.args, "\"node\"") || !Contains(event.args, "\"event\"")) {
    return {};
  }
  util::JsonReader r(event.args);
  for (bool in = r.EnterObject(); in && r.NextDecodedMember(key);) {
    if (key == "event" && r.ReadScalar(name)) return name;
    if (key != "event") r.Skip();
  }
  return {};
}

// Names look like "Memcpy HtoD (Pageable -> Device)".
profile::CopyKind KindOfCopy(std::string_view name) {
  if (name.starts_with("Memset")) return profile::CopyKind::kOnDevice;
  if (Contains(name, "HtoD") || Contains(name, "H2D") ||
      Contains(name, "HostToDevice")) {
    return profile::CopyKind::kToDevice;
  }
  if (Contains(name, "DtoH") || Contains(name, "D2H") ||
      Contains(name, "DeviceToHost")) {
    return profile::CopyKind::kToHost;
  }
  if (Contains(name, "PtoP") || Contains(name, "P2P") ||
      Contains(name, "Peer")) {
    return profile::CopyKind::kToPeer;
  }
  if (Contains(name, "DtoD") || Contains(name, "D2D") ||
      Contains(name, "DeviceToDevice")) {
    return profile::CopyKind::kOnDevice;
  }
  return profile::CopyKind::kUnknown;
}

}  // namespace

bool ReadTraceEvent(std::string_view text, uint64_t offset, TraceEvent& event) {
  if (offset >= text.size()) return false;
  event = {};
  util::JsonReader r(text, offset);
  std::string_view key, value;
  for (bool in = r.EnterObject(); in && r.NextDecodedMember(key);) {
    const std::string_view name = key;
    if (!r.ReadScalar(value)) value = r.Skip();
    SetEventMember(name, value, event);
  }
  event.text = text.substr(offset, r.offset() - offset);
  event.offset = offset;
  const bool cut =
      event.phase != 0 && event.phase != 'M' && event.timestamp.empty();
  if (!r.damaged() && !cut) return true;
  TraceEvent repaired;
  const size_t next = FindNextEvent(text, offset + 1);
  bool has_args = true;
  const size_t end = RepairEvent(text, offset, next, repaired, has_args);
  const bool longer = repaired.text.size() > event.text.size();
  if (end == text.npos || (!r.damaged() && !longer)) return !r.damaged();
  event = repaired;
  return true;
}

profile::ArgumentList ReadArguments(const TraceEvent& event) {
  profile::ArgumentList arguments;
  util::JsonReader r(event.args);
  std::string_view key, value;
  std::string buffer;
  for (bool in = r.EnterObject(); in && r.NextDecodedMember(key);) {
    std::string name(key);
    if (r.ReadScalar(value)) {
      arguments.emplace_back(std::move(name),
                             util::DecodeJsonString(value, buffer));
    } else if (value = r.Skip(); !r.damaged()) {
      arguments.emplace_back(std::move(name), OnOneLine(value));
    }
  }
  return arguments;
}

bool EventDetails::ReadEvent(uint64_t offset, std::string&,
                             TraceEvent& event) const {
  return file_ != nullptr && ReadTraceEvent(file_->bytes(), offset, event);
}

std::string_view EventDetails::Keep(uint64_t offset,
                                    const std::string& text) const {
  const std::lock_guard lock(mutex_);
  auto& kept = kept_[offset];
  if (kept == nullptr) kept = std::make_unique<const std::string>(text);
  return *kept;
}

profile::AttributeList EventDetails::Attributes(uint64_t offset) const {
  TraceEvent event;
  std::string text_of_event;
  if (!ReadEvent(offset, text_of_event, event)) return {};
  const std::string_view dims = ArgumentOf(event, "Input Dims");
  if (dims.empty()) return {};
  return {{kInputShapes, Keep(offset, ShapesAttribute(dims))}};
}

profile::RecordText EventDetails::Text(uint64_t offset) const {
  TraceEvent event;
  std::string text_of_event;
  if (!ReadEvent(offset, text_of_event, event)) return {};
  const std::string_view recorded = NameInTimeline(event);
  if (!recorded.empty()) event.name = recorded;
  profile::RecordText text;
  text.name = event.name;
  if (Contains(event.name, "\\")) {
    std::string buffer;
    // An offset inside the event; no attribute is kept under it.
    text.name = Keep(offset + 1,
                     std::string(util::DecodeJsonString(event.name, buffer)));
  }
  if (event.category == kUnitraceWork) {
    text.name = ReadUnitraceName(text.name).name;
  }
  return text;
}

profile::Transfer EventDetails::TransferOf(uint64_t offset) const {
  TraceEvent event;
  std::string text_of_event;
  if (!ReadEvent(offset, text_of_event, event)) return {};
  if (event.category == kUnitraceWork) {
    const UnitraceName name = ReadUnitraceName(event.name);
    return {.kind = name.copy, .bytes = name.bytes};
  }
  if (!event.name.starts_with("Memcpy") && !event.name.starts_with("Memset") &&
      !event.name.starts_with("Copy")) {
    return {};
  }
  profile::Transfer transfer;
  // JAX has all of it in one argument.
  if (std::string_view details = ArgumentOf(event, "memcpy_details");
      !details.empty()) {
    if (!text_of_event.empty()) {
      details = Keep(offset, std::string(details));
    }
    loaders::ReadCopyDetails(details, transfer);
  }
  transfer.kind = KindOfCopy(event.name);
  if (const auto bytes = util::ParseDecimal(ArgumentOf(event, "bytes"))) {
    transfer.bytes = *bytes;
  }
  // The name has the two memories in parentheses: "(Pageable -> Device)".
  const size_t open = event.name.find('('), close = event.name.rfind(')');
  const size_t arrow = event.name.find(" -> ");
  if (open < arrow && arrow < close && close != event.name.npos) {
    transfer.from = event.name.substr(open + 1, arrow - open - 1);
    transfer.to = event.name.substr(arrow + 4, close - arrow - 4);
  }
  return transfer;
}

profile::ArgumentList EventDetails::Arguments(uint64_t offset) const {
  TraceEvent event;
  std::string text_of_event;
  if (!ReadEvent(offset, text_of_event, event)) return {};
  profile::ArgumentList arguments = ReadArguments(event);
  if (event.category == kUnitraceWork) {
    const std::string_view how = ReadUnitraceName(event.name).how;
    if (!how.empty()) arguments.emplace_back("launch", how);
  }
  return arguments;
}

}  // namespace tfprof::chrome_json
