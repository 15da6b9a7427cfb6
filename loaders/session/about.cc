#include "loaders/session/about.h"

#include "util/decimal.h"
#include "util/json_reader.h"

namespace tfprof {
namespace {

void ReadText(JsonReader& reader, std::string& text) {
  std::string_view raw;
  if (!reader.ReadString(raw)) {
    reader.Skip();
    return;
  }
  std::string buffer;
  text = DecodeJsonString(raw, buffer).substr(0, SessionTrace::kMaxText);
}

void ReadNumber(JsonReader& reader, int64_t& number) {
  std::string_view raw;
  if (!reader.ReadNumber(raw)) {
    reader.Skip();
    return;
  }
  number = ParseDecimal(raw).value_or(number);
}

}  // namespace

absl::StatusOr<SessionTrace> ParseSessionTrace(std::string_view text) {
  SessionTrace trace;
  JsonReader reader(text);
  if (!reader.EnterObject()) {
    return absl::InvalidArgumentError(
        "byte 0: expected a JSON object with the facts of a trace");
  }
  std::string_view key;
  while (reader.NextMember(key)) {
    if (key == "id") {
      ReadText(reader, trace.id);
    } else if (key == "file") {
      ReadText(reader, trace.file);
    } else if (key == "kind") {
      ReadText(reader, trace.kind);
    } else if (key == "client") {
      ReadText(reader, trace.client);
    } else if (key == "fetches") {
      ReadText(reader, trace.fetches);
    } else if (key == "graph") {
      ReadText(reader, trace.graph);
    } else if (key == "host") {
      ReadText(reader, trace.host);
    } else if (key == "row") {
      ReadNumber(reader, trace.row);
    } else if (key == "count") {
      ReadNumber(reader, trace.count);
    } else if (key == "number") {
      ReadNumber(reader, trace.number);
    } else if (key == "rank") {
      ReadNumber(reader, trace.rank);
    } else if (key == "start_ns") {
      ReadNumber(reader, trace.start_ns);
    } else {
      reader.Skip();
    }
  }
  if (reader.damaged()) {
    return absl::InvalidArgumentError(reader.Describe());
  }
  return trace;
}

std::optional<int64_t> SessionVersion(std::string_view text) {
  constexpr size_t kLookedAt = 4096;
  JsonReader reader(text.substr(0, kLookedAt));
  if (!reader.EnterObject()) return std::nullopt;
  bool is_session = false;
  int64_t version = 0;
  std::string_view key;
  while (reader.NextMember(key)) {
    std::string_view value;
    if (key == "format" && reader.ReadString(value)) {
      is_session = value == "tfprof session";
    } else if (key == "version" && reader.ReadNumber(value)) {
      version = ParseDecimal(value).value_or(0);
    } else {
      reader.Skip();
    }
  }
  return is_session ? std::optional<int64_t>(version) : std::nullopt;
}

}  // namespace tfprof
