#include "loaders/session/trace_facts.h"

#include "util/json/json_reader.h"
#include "util/json/json_tree.h"
#include "util/text/decimal.h"

namespace tfprof::session {

absl::StatusOr<SessionTrace> ParseSessionTrace(std::string_view text) {
  const absl::StatusOr<util::JsonTree> tree = util::JsonTree::Parse(text);
  if (!tree.ok()) return tree.status();
  const util::JsonValue root = tree->root();
  if (!root.IsObject()) {
    return absl::InvalidArgumentError(
        "byte 0: expected a JSON object with the facts of a trace");
  }
  const auto text_of = [&](std::string_view name) {
    return root[name].String().value_or("").substr(0, SessionTrace::kMaxText);
  };
  const auto number_of = [&](std::string_view name) {
    return util::ParseDecimal(root[name].raw()).value_or(-1);
  };
  SessionTrace trace;
  trace.id = text_of("id");
  trace.file = text_of("file");
  trace.kind = text_of("kind");
  trace.client = text_of("client");
  trace.fetches = text_of("fetches");
  trace.graph = text_of("graph");
  trace.host = text_of("host");
  trace.row = number_of("row");
  trace.count = number_of("count");
  trace.number = number_of("number");
  trace.rank = number_of("rank");
  trace.start_ns = number_of("start_ns");
  return trace;
}

std::optional<int64_t> SessionVersion(std::string_view text) {
  constexpr size_t kLookedAt = 4096;
  util::JsonReader reader(text.substr(0, kLookedAt));
  if (!reader.EnterObject()) return std::nullopt;
  bool is_session = false;
  int64_t version = 0;
  std::string_view key;
  while (reader.NextDecodedMember(key)) {
    std::string_view value;
    if (key == "format" && reader.ReadString(value)) {
      is_session = value == "tfprof session";
    } else if (key == "version" && reader.ReadNumber(value)) {
      version = util::ParseDecimal(value).value_or(0);
    } else {
      reader.Skip();
    }
  }
  return is_session ? std::optional<int64_t>(version) : std::nullopt;
}

}  // namespace tfprof::session
