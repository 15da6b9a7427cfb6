#include "server/api.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "exporters/formats/session.h"
#include "fmt/format.h"
#include "inspect/nodes/scope_graph.h"
#include "profiler/commands/parse.h"
#include "server/question.h"
#include "tables/writers/answer_writer.h"
#include "tables/writers/json_writer.h"
#include "util/files/sink.h"
#include "util/json/json_string.h"
#include "util/json/json_writer.h"
#include "web/app_files.h"
#include "web/page_files.h"

namespace tfprof::server {
namespace {

constexpr size_t kMaxListed = 1000;
// Notes that do not fit into a header are left out.
constexpr size_t kMaxNotes = 4096;
constexpr size_t kMaxTitles = 8192;

// Errors whose code does not blame the question are errors of the profile
// (422).
HttpReply Failed(const absl::Status& status) { return HttpError(status, 422); }

// Collects the body of a reply; output for a cancelled question is dropped.
class BodySink : public util::Sink {
 public:
  explicit BodySink(const util::Cancellation* cancellation)
      : cancellation_(cancellation) {}
  void Write(std::string_view bytes) override {
    if (wanted()) body_ += bytes;
  }
  bool wanted() const override { return !util::IsCancelled(cancellation_); }
  std::string Take() { return std::move(body_); }

 private:
  const util::Cancellation* cancellation_;
  std::string body_;
};

void AddNotes(const std::vector<std::string>& notes, HttpReply& reply) {
  std::string list;
  for (const std::string& note : notes) {
    // JsonString() returns ASCII only, so a header can hold it.
    const std::string text = util::JsonString(note);
    if (list.size() + text.size() > kMaxNotes) break;
    list += list.empty() ? "" : ",";
    list += text;
  }
  if (!list.empty()) {
    reply.headers.emplace_back("X-Tfprof-Notes", fmt::format("[{}]", list));
  }
}

// The headings that the terminal prints, for columns whose name is another
// word: {"ops":{"op_micros":"sum of op times"}}.
void AddTitles(const tfprof::tables::Answer& answer, HttpReply& reply) {
  util::JsonWriter json;
  json.Object();
  for (const tables::DataDocument::Part& part : answer.data.parts) {
    json.Key(part.table.kind).Object();
    for (const tables::DataColumn& column : part.table.columns) {
      if (!column.title.empty() && column.title != column.name) {
        json.Member(column.name, column.title);
      }
    }
    json.End();
  }
  json.End();
  // Names of devices may be in it, and a header is ASCII.
  const std::string titles = json.Take();
  const bool ascii = std::all_of(titles.begin(), titles.end(),
                                 [](char c) { return c >= ' ' && c <= '~'; });
  if (ascii && titles.size() <= kMaxTitles) {
    reply.headers.emplace_back("X-Tfprof-Titles", titles);
  }
}

}  // namespace

HttpReply Api::Answer(const HttpRequest& request) {
  constexpr std::string_view kApi = "/api/";
  const bool changes = request.method != "GET" && request.method != "HEAD";
  if (request.path == "/timeline" && !changes) {
    return ErrorFor(request, Timeline(request));
  }
  if (!request.path.starts_with(kApi)) {
    return HttpError(404, "there is nothing at this address");
  }
  const std::string name = request.path.substr(kApi.size());
  if (name == "reload") {
    if (request.method == "POST") return Reload(request);
    HttpReply reply = HttpError(405, "reload needs POST");
    reply.headers.emplace_back("Allow", "POST");
    return reply;
  }
  const bool archive = name == "session.zip" && !options_.session.empty();
  const bool known = archive || name == "state" || name == "options" ||
                     name == "drawing" ||
                     (commands::FindCommand(name) != nullptr &&
                      IsServed(*commands::FindCommand(name)));
  if (!known) {
    return HttpError(404, fmt::format("there is no command '{}' here", name));
  }
  if (changes) {
    HttpReply reply =
        HttpError(405, fmt::format("{} is a question: GET", name));
    reply.headers.emplace_back("Allow", "GET, HEAD");
    return reply;
  }
  if (archive) return Archive();
  if (name == "state") return State();
  if (name == "options") return HttpJson(ServedCatalogJson());
  if (name == "drawing") return Drawing(request);
  return Ask(name, request);
}

HttpReply Api::State() const {
  size_t more = 0;
  std::vector<std::string> profiles;
  for (const commands::ProfileShelf::Listed& listed :
       shelf_.List(kMaxListed, more)) {
    // Skip the files of facts next to traces (session_folder.h).
    if (!options_.session.empty() && listed.name.ends_with(".about.json"))
      continue;
    util::JsonWriter json;
    json.Object().Member("name", listed.name).Key("bytes");
    (listed.bytes < 0 ? json.Null() : json.Value(listed.bytes)).End();
    profiles.push_back(json.Take());
  }
  util::JsonWriter json;
  json.Object().Member("program", "tfprof");
  json.Member("read_only", options_.read_only);
  json.Member("session", !options_.session.empty());
  json.Member("last_event", events_.last());
  json.Member("restarted", options_.restarted).Line();
  json.RawMember("profiles",
                 fmt::format("[\n{}\n]", fmt::join(profiles, ",\n")));
  json.Member("more", more).Member("open", shelf_.OpenNames()).Line();
  json.Member("newest", shelf_.Newest());
  json.Key("limits").Object().Member("rows", kMaxPageRows).End();
  json.End().Line();
  return HttpJson(json.Take());
}

absl::StatusOr<commands::Workspace*> Api::Open(
    const std::string& profile, const std::string& base,
    std::vector<std::string>& notes) {
  std::shared_ptr<const commands::Base> compared;
  if (!base.empty()) {
    auto opened =
        shelf_.OpenBase(base, options::Options(), options_.work, notes);
    if (!opened.ok()) return opened.status();
    compared = *std::move(opened);
  }
  const std::vector<std::string> before = shelf_.OpenNames();
  absl::StatusOr<commands::Workspace*> workspace =
      shelf_.Open(profile, options::Options(), options_.work, notes);
  if (!workspace.ok()) return workspace;
  (*workspace)->base = std::move(compared);
  const std::string name = shelf_.OpenNames().front();
  if (std::find(before.begin(), before.end(), name) == before.end()) {
    events_.Publish("opened", util::OneMember("profile", name));
  }
  return workspace;
}

HttpReply Api::Ask(const std::string& name, const HttpRequest& request) {
  absl::StatusOr<Question> question = ParseQuestion(name, request);
  if (!question.ok()) return Failed(question.status());
  question->command.options.source_paths = options_.source_paths;
  std::vector<std::string> notes;
  const absl::StatusOr<commands::Workspace*> workspace =
      Open(question->profile, question->base, notes);
  if (!workspace.ok()) return Failed(workspace.status());
  const commands::IntactFiles intact(question->command, **workspace);
  tfprof::tables::Answer answer = Run(question->command, **workspace);
  std::move(answer.notes.begin(), answer.notes.end(),
            std::back_inserter(notes));
  if (answer.data.kind.empty() || !answer.files.empty()) {
    return Failed(answer.status.ok()
                      ? absl::FailedPreconditionError(
                            fmt::format("{} has no table to show", name))
                      : answer.status);
  }
  const absl::StatusOr<size_t> rows =
      CutTables(question->page, options_.work.cancellation, answer);
  if (!rows.ok()) return Failed(rows.status());
  BodySink sink(options_.work.cancellation);
  absl::Status written = tables::WriteAnswer(answer, "json", {}, sink);
  const absl::Status files = intact();
  if (!files.ok()) written = files;
  if (options_.work.cancelled()) written = absl::CancelledError("cancelled");
  if (!written.ok()) return Failed(written);
  if (answer.met) {
    for (std::string& note : answer.met()) notes.push_back(std::move(note));
  }
  HttpReply reply = HttpJson(sink.Take());
  reply.headers.emplace_back("X-Tfprof-Rows", fmt::format("{}", *rows));
  AddTitles(answer, reply);
  AddNotes(notes, reply);
  return reply;
}

HttpReply Api::Drawing(const HttpRequest& request) {
  std::string profile;
  std::vector<std::string> open;
  std::vector<std::string> words = {"./profile", "scope"};
  for (const auto& [name, value] : request.query) {
    if (name == "profile") {
      profile = value;
    } else if (name == "open") {
      open.push_back(value);
    } else if (name == "step") {
      words.push_back(fmt::format("-step={}", value));
    } else {
      return HttpError(400, fmt::format("drawing has no option '{}'", name));
    }
  }
  const absl::StatusOr<commands::CommandLine> line =
      commands::ParseCommandLine(words);
  if (!line.ok()) return Failed(line.status());
  std::vector<std::string> notes;
  const absl::StatusOr<commands::Workspace*> workspace =
      Open(profile, "", notes);
  if (!workspace.ok()) return Failed(workspace.status());
  const int64_t step = line->command.options.view.step;
  const absl::Status found = commands::CheckStep((*workspace)->profile(), step);
  if (!found.ok()) return Failed(found);
  const commands::IntactFiles intact(line->command, **workspace);
  auto drawing = inspect::ScopeGraph((*workspace)->views(), step, open);
  if (!drawing.ok()) return Failed(drawing.status());
  const absl::Status files = intact();
  if (!files.ok()) return Failed(files);
  util::StringSink sink;
  tables::WriteJson(*drawing, sink);
  HttpReply reply = HttpJson(sink.text());
  AddNotes(notes, reply);
  return reply;
}

HttpReply Api::Timeline(const HttpRequest& request) {
  std::vector<std::string> words = {"./profile", "timeline",
                                    "-output=html:outfile=timeline.html"};
  std::string profile;
  for (const auto& [name, value] : request.query) {
    if (name == "profile") {
      profile = value;
    } else if (name == "step") {
      words.push_back(fmt::format("-step={}", value));
    } else {
      return HttpError(400, fmt::format("timeline has no option '{}'", name));
    }
  }
  // A person who types the address means what the other pages show.
  if (profile.empty()) profile = shelf_.Newest();
  if (profile.empty()) return HttpError(400, "there is no profile yet");
  const absl::StatusOr<commands::CommandLine> line =
      commands::ParseCommandLine(words);
  if (!line.ok()) return Failed(line.status());
  std::vector<std::string> notes;
  const absl::StatusOr<commands::Workspace*> workspace =
      Open(profile, "", notes);
  if (!workspace.ok()) return Failed(workspace.status());
  const commands::IntactFiles intact(line->command, **workspace);
  const tfprof::tables::Answer answer = Run(line->command, **workspace);
  if (answer.files.size() != 1) {
    return Failed(answer.status.ok()
                      ? absl::FailedPreconditionError("there is no timeline")
                      : answer.status);
  }
  BodySink sink(options_.work.cancellation);
  absl::Status written = answer.files[0].write(sink);
  const absl::Status files = intact();
  if (!files.ok()) written = files;
  if (options_.work.cancelled()) written = absl::CancelledError("cancelled");
  if (!written.ok()) return Failed(written);
  HttpReply reply;
  reply.type = "text/html; charset=utf-8";
  reply.body = sink.Take();
  const PageFiles& page = GetPageFiles();
  reply.content_policy = fmt::format(
      "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; "
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      page.script_hash, page.style_hash);
  return reply;
}

HttpReply Api::Archive() {
  BodySink sink(options_.work.cancellation);
  const absl::Status written =
      exporters::WriteSessionZip(options_.session, sink);
  if (!written.ok()) return Failed(written);
  HttpReply reply;
  reply.type = "application/zip";
  reply.body = sink.Take();
  reply.headers.emplace_back("Content-Disposition",
                             "attachment; filename=\"session.zip\"");
  return reply;
}

HttpReply Api::Reload(const HttpRequest& request) {
  const std::string* profile = request.Parameter("profile");
  const std::string name = profile == nullptr ? "" : *profile;
  const bool was_open = shelf_.Forget(name);
  if (was_open) {
    events_.Publish("reloaded", util::OneMember("profile", name));
  }
  return HttpJson(util::OneMember("reloaded", was_open) + "\n");
}

std::optional<HttpReply> PageReply(const std::string& path) {
  constexpr std::string_view kPages[] = {
      "/",        "/live",     "/overview",      "/op",          "/scope",
      "/code",    "/graph",    "/steps",         "/advice",      "/compare",
      "/average", "/ranks",    "/explain",       "/devices",     "/kernels",
      "/memory",  "/roofline", "/critical_path", "/collectives", "/compiles",
      "/flame",   "/source"};
  if (std::find(std::begin(kPages), std::end(kPages), path) ==
      std::end(kPages)) {
    return std::nullopt;
  }
  const AppFiles& files = GetAppFiles();
  HttpReply reply;
  reply.type = "text/html; charset=utf-8";
  reply.body = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, "
      "initial-scale=1\">\n<title>tfprof</title>\n<link rel=\"icon\" "
      "href=\"data:,\">\n<style>{}</style>\n</head>\n<body>\n{}"
      "<script>{}</script>\n</body>\n</html>\n",
      files.style, files.body, files.script);
  reply.content_policy = fmt::format(
      "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; "
      "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
      "frame-ancestors 'none'",
      files.script_hash, files.style_hash);
  return reply;
}

}  // namespace tfprof::server
