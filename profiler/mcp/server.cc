#include "profiler/mcp/server.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "tables/numbers.h"
#include "tables/writers/answer_writer.h"
#include "util/files/sink.h"
#include "util/json/json_reader.h"
#include "util/json/json_string.h"
#include "util/text/counted.h"
#include "util/text/safe_text.h"
#include "util/version.h"

namespace tfprof::mcp {
namespace {

constexpr std::string_view kRevision = "2025-06-18";
constexpr std::string_view kOlder[] = {"2025-03-26", "2024-11-05"};
constexpr size_t kMaxListed = 500;
constexpr size_t kMaxLine = 4 << 20;

constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParams = -32602;

std::string Error(std::string_view id, int code, std::string_view message) {
  return fmt::format(
      R"({{"jsonrpc":"2.0","id":{},"error":{{"code":{},"message":{}}}}})", id,
      code, util::JsonString(message));
}

std::string Result(std::string_view id, std::string_view result) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{}}})", id, result);
}

std::string TextResult(std::string_view text, bool is_error) {
  return fmt::format(
      R"({{"content":[{{"type":"text","text":{}}}],"isError":{}}})",
      util::JsonString(text), is_error);
}

std::string Decode(std::string_view raw) {
  std::string buffer;
  return std::string(util::DecodeJsonString(raw, buffer));
}

// The id of a request as JSON again; "": it is neither a string nor a number.
std::string IdOf(std::string_view json) {
  util::JsonReader reader(json);
  std::string_view raw;
  switch (reader.Peek()) {
    case util::JsonReader::Kind::kString:
      return reader.ReadString(raw) ? util::JsonString(Decode(raw)) : "";
    case util::JsonReader::Kind::kNumber:
      return reader.ReadNumber(raw) ? std::string(raw) : "";
    default:
      return "";
  }
}

struct Request {
  bool is_call = false;  // has an id: wants a reply
  std::string id = "null";
  std::string method;
  std::string_view params;
};

// False: `error` is the reply.
bool ParseRequest(std::string_view line, Request& request, std::string& error) {
  util::JsonReader reader(line);
  if (!reader.EnterObject()) {
    const bool other = reader.Peek() != util::JsonReader::Kind::kNone;
    error = other ? Error("null", kInvalidRequest, "a request is one object")
                  : Error("null", kParseError, "no JSON");
    return false;
  }
  bool good_id = true;
  for (std::string_view raw; reader.NextMember(raw);) {
    const std::string key = Decode(raw);
    if (key == "id") {
      request.is_call = true;
      const std::string id = IdOf(reader.Skip());
      good_id = !id.empty();
      if (good_id) request.id = id;
    } else if (key == "method") {
      std::string_view method;
      if (reader.ReadString(method)) {
        request.method = Decode(method);
      } else {
        reader.Skip();
      }
    } else if (key == "params") {
      request.params = reader.Skip();
    } else {
      reader.Skip();
    }
  }
  if (reader.damaged()) {
    error = Error("null", kParseError, reader.Describe());
  } else if (!good_id || request.method.empty()) {
    error = Error(request.id, kInvalidRequest,
                  "a request has a method and an id, a string or a number");
  }
  return error.empty();
}

// The text of a member of an object; "": it is not there.
std::string_view Member(std::string_view object, std::string_view name) {
  util::JsonReader reader(object);
  if (!reader.EnterObject()) return "";
  for (std::string_view raw; reader.NextMember(raw);) {
    const bool found = Decode(raw) == name;
    const std::string_view value = reader.Skip();
    if (found) return value;
  }
  return "";
}

std::string StringMember(std::string_view object, std::string_view name) {
  util::JsonReader reader(Member(object, name));
  std::string_view raw;
  return reader.ReadString(raw) ? Decode(raw) : "";
}

std::string Initialize(std::string_view params) {
  const std::string wanted = StringMember(params, "protocolVersion");
  const bool known = std::find(std::begin(kOlder), std::end(kOlder), wanted) !=
                     std::end(kOlder);
  return fmt::format(
      R"({{"protocolVersion":{},"capabilities":{{"tools":{{}}}},)"
      R"("serverInfo":{{"name":"tfprof","version":{}}},"instructions":{}}})",
      util::JsonString(known ? std::string_view(wanted) : kRevision),
      util::JsonString(util::kVersion),
      util::JsonString(
          "Profiles of machine-learning programs. Begin with `profiles`, then "
          "`overview`, and `advise` with arguments [\"all\"]. Times are sums "
          "over "
          "operations unless a column says busy or span."));
}

}  // namespace

McpServer::McpServer(std::string root, std::vector<std::string> source_paths)
    : shelf_(commands::ProfileShelf::Below(std::move(root))),
      source_paths_(std::move(source_paths)) {}

std::string McpServer::Handle(std::string_view line) {
  Request request;
  std::string error;
  if (!ParseRequest(line, request, error)) return error;
  if (!request.is_call) return "";
  if (request.method == "initialize") {
    return Result(request.id, Initialize(request.params));
  }
  if (request.method == "ping") return Result(request.id, "{}");
  if (request.method == "tools/list") {
    return Result(request.id, fmt::format(R"({{"tools":{}}})",
                                          ToolsJson(shelf_.one_profile())));
  }
  if (request.method == "tools/call") {
    bool invalid = false;
    const std::string result = Call(request.params, invalid);
    return invalid ? Error(request.id, kInvalidParams, result)
                   : Result(request.id, result);
  }
  return Error(request.id, kMethodNotFound,
               fmt::format("there is no method {}", request.method));
}

// `invalid`: the result is the message of a protocol error.
std::string McpServer::Call(std::string_view params, bool& invalid) {
  const std::string name = StringMember(params, "name");
  if (name == "profiles") return TextResult(ListProfiles(), false);
  auto call = ParseToolCall(name, Member(params, "arguments"));
  if (!call.ok()) {
    invalid = true;
    return std::string(call.status().message());
  }
  call->command.options.source_paths = source_paths_;
  std::string text;
  options::Options defaults;
  defaults.agent = true;
  std::vector<std::string> loading;
  const absl::StatusOr<commands::Workspace*> workspace =
      shelf_.Open(call->profile, defaults, util::TaskOptions(), loading);
  for (const std::string& note : loading) {
    text += fmt::format("Note: {}\n", note);
  }
  if (!workspace.ok()) {
    return TextResult(std::string(workspace.status().message()), true);
  }
  const commands::IntactFiles intact(call->command, **workspace);
  tables::Answer answer = commands::Run(call->command, **workspace);
  for (const std::string& note : answer.notes) {
    text += fmt::format("Note: {}\n", note);
  }
  absl::Status status = answer.status;
  if (!answer.data.kind.empty() || !answer.forms.empty()) {
    tables::WriteOptions write;
    write.line = commands::SpellCommand(call->command);
    write.narrowing = commands::NarrowingOptions(*call->command.info);
    write.budget = static_cast<size_t>(call->command.options.budget);
    util::StringSink sink;
    const absl::Status written = tables::WriteForAgent(answer, write, sink);
    // The text may come from a file that has changed meanwhile.
    const absl::Status files = intact();
    if (!files.ok()) return TextResult(std::string(files.message()), true);
    text += sink.text();
    if (status.ok()) status = written;
    if (answer.met) {
      for (const std::string& note : answer.met()) {
        text += fmt::format("Note: {}\n", note);
      }
    }
  }
  if (!status.ok()) {
    text += fmt::format("Error: {}\n", std::string(status.message()));
  }
  return TextResult(text, !status.ok());
}

std::string McpServer::ListProfiles() const {
  size_t more = 0;
  std::string text;
  const bool one = shelf_.one_profile();
  for (const commands::ProfileShelf::Listed& listed :
       shelf_.List(kMaxListed, more)) {
    // A name with a line feed would be two names.
    text += util::SafeText(listed.name);
    if (!one) text += fmt::format("  {}", tables::BytesText(listed.bytes));
    text += '\n';
  }
  if (more > 0)
    text += fmt::format("… and {}\n", util::Counted(more, "more file"));
  return text.empty() ? "There are no files.\n" : text;
}

void ServeMcp(McpServer& server, std::FILE* in, std::FILE* out) {
  std::string line;
  bool too_long = false;
  for (int c = 0; (c = getc(in)) != EOF;) {
    if (c != '\n') {
      too_long |= line.size() == kMaxLine;
      if (!too_long) line.push_back(static_cast<char>(c));
      continue;
    }
    std::string reply;
    if (too_long) {
      reply = Error("null", kInvalidRequest, "the line is longer than 4 MB");
    } else if (!line.empty()) {
      reply = server.Handle(line);
    }
    line.clear();
    too_long = false;
    if (reply.empty()) continue;
    reply += '\n';
    if (fwrite(reply.data(), 1, reply.size(), out) != reply.size() ||
        fflush(out) != 0) {
      return;
    }
  }
}

}  // namespace tfprof::mcp
