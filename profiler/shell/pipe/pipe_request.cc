#include "profiler/shell/pipe/pipe_request.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "fmt/format.h"
#include "util/json/json_reader.h"
#include "util/json/json_string.h"
#include "util/text/safe_text.h"
#include "util/text/text_layout.h"

namespace tfprof::shell {
namespace {

using Kind = util::JsonReader::Kind;

// The output that is the default.
constexpr std::string_view kText = "text";

absl::Status Invalid(const std::string& text) {
  return absl::InvalidArgumentError(text);
}

std::string_view NameOf(Kind kind) {
  switch (kind) {
    case Kind::kObject:
      return "an object";
    case Kind::kArray:
      return "an array";
    case Kind::kString:
      return "a string";
    case Kind::kNumber:
      return "a number";
    case Kind::kWord:
      return "a word";
    case Kind::kNone:
      break;
  }
  return "no JSON";
}

Kind KindOf(std::string_view json) { return util::JsonReader(json).Peek(); }

std::string Decode(std::string_view raw) {
  std::string buffer;
  return std::string(util::DecodeJsonString(raw, buffer));
}

// A name of the caller for a message.
std::string Quoted(std::string_view name) {
  return fmt::format("\"{}\"", util::Shortened(util::SafeText(name), 60, "…"));
}

absl::StatusOr<std::string> ReadString(std::string_view name,
                                       std::string_view json) {
  util::JsonReader reader(json);
  std::string_view raw;
  if (reader.ReadString(raw)) return Decode(raw);
  return Invalid(
      fmt::format("\"{}\" is a string; found {}", name, NameOf(KindOf(json))));
}

absl::Status ReadOptions(std::string_view json,
                         std::vector<commands::GivenOption>& options) {
  util::JsonReader reader(json);
  if (!reader.EnterObject()) {
    return Invalid(fmt::format("\"options\" is an object; found {}",
                               NameOf(KindOf(json))));
  }
  std::set<std::string> names;
  for (std::string_view raw; reader.NextMember(raw);) {
    std::string name = Decode(raw);
    auto values = commands::ReadTexts(name, reader.Skip());
    if (!values.ok()) return values.status();
    if (!names.insert(name).second) {
      return Invalid(fmt::format("the option {} is given twice", Quoted(name)));
    }
    options.push_back({std::move(name), *std::move(values)});
  }
  return absl::OkStatus();
}

// The id as JSON again.
absl::StatusOr<std::string> ReadId(std::string_view json) {
  if (json.size() > kMaxIdBytes) {
    return Invalid(fmt::format("the id has {} bytes, at most {} are repeated",
                               json.size(), kMaxIdBytes));
  }
  util::JsonReader reader(json);
  std::string_view raw;
  if (reader.ReadString(raw)) return util::JsonString(Decode(raw));
  if (json == "true" || json == "false" || json == "null" ||
      util::IsJsonNumber(json)) {
    return std::string(json);
  }
  return Invalid(
      fmt::format("an id is a string, a number, true, false or null; found {}",
                  NameOf(KindOf(json))));
}

// Reads the member `key`. `output` is kept for the end: it may come before
// "options".
absl::Status ReadMember(std::string_view key, std::string_view value,
                        PipeRequest& request,
                        std::optional<std::string>& output) {
  if (key == "command") {
    auto command = ReadString(key, value);
    if (!command.ok()) return command.status();
    request.command = *std::move(command);
  } else if (key == "arguments") {
    if (KindOf(value) != Kind::kArray) {
      return Invalid(fmt::format("\"arguments\" is an array; found {}",
                                 NameOf(KindOf(value))));
    }
    auto arguments = commands::ReadTexts(key, value);
    if (!arguments.ok()) return arguments.status();
    request.arguments = *std::move(arguments);
  } else if (key == "options") {
    return ReadOptions(value, request.options);
  } else if (key == "output") {
    auto word = ReadString(key, value);
    if (!word.ok()) return word.status();
    output = *std::move(word);
  } else if (key == "id") {
    auto id = ReadId(value);
    if (!id.ok()) return id.status();
    request.id = *std::move(id);
  } else {
    return Invalid(fmt::format(
        "a request has no {}; it has \"id\", \"command\", \"arguments\", "
        "\"options\" and \"output\"",
        Quoted(key)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ParsePipeRequest(std::string_view line, PipeRequest& request) {
  util::JsonReader reader(line);
  if (!reader.EnterObject()) {
    return Invalid(fmt::format(
        "a request is an object of JSON in one line, as {{\"command\": "
        "\"op\"}}; found {}",
        NameOf(reader.Peek())));
  }
  absl::Status status;
  std::set<std::string> keys;
  std::optional<std::string> output;
  for (std::string_view raw; reader.NextMember(raw);) {
    const std::string key = Decode(raw);
    const std::string_view value = reader.Skip();
    if (reader.damaged()) break;
    absl::Status member =
        keys.insert(key).second
            ? ReadMember(key, value, request, output)
            : Invalid(fmt::format("{} is given twice", Quoted(key)));
    // The first error counts; the id may follow.
    if (status.ok()) status = std::move(member);
  }
  if (reader.damaged()) {
    return Invalid(
        fmt::format("the request is not JSON: {}", reader.Describe()));
  }
  if (reader.Peek() != Kind::kNone || reader.offset() != line.size()) {
    return Invalid(
        fmt::format("byte {}: found more after the request", reader.offset()));
  }
  if (!status.ok()) return status;
  if (request.command.empty()) {
    return Invalid("the request has no \"command\"");
  }
  if (output.has_value() && *output != kText) {
    request.options.push_back({"output", {*std::move(output)}});
  }
  return absl::OkStatus();
}

}  // namespace tfprof::shell
