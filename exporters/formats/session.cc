#include "exporters/formats/session.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "fmt/format.h"
#include "loaders/session/session_files.h"
#include "loaders/session/trace_facts.h"
#include "util/files/zip_writer.h"
#include "util/json/json_writer.h"

namespace tfprof::exporters {
namespace {

constexpr std::string_view kManifest =
    "{\"format\":\"tfprof session\",\"version\":1,\"created_ns\":0,"
    "\"program\":\"tfprof\"}\n";
constexpr std::string_view kGraph = "graph";

SessionPart Text(std::string name, std::string text) {
  auto file = loaders::InputFile::FromBytes(name, std::move(text));
  return {std::move(name), std::move(file)};
}

// The number as JSON, or nullopt if it is unknown.
std::optional<int64_t> Known(int64_t number) {
  return number < 0 ? std::nullopt : std::optional(number);
}

std::string AboutOf(const NewTrace& run, const std::string& id,
                    const std::string& client, std::string_view fetches,
                    bool has_graph) {
  util::JsonWriter json;
  json.Object().Member("id", id).Member("file", id + ".pb");
  json.Member("client", client).Member("row", run.row);
  json.Member("fetches", fetches).Key("feeds").Array().End();
  json.Member("options", "None").Member("number", run.number);
  json.Member("count", 0).Member("step", Known(run.step));
  json.Member("start_ns", std::max<int64_t>(0, run.start_ns));
  json.Member("duration_ns", Known(run.duration_ns));
  json.Member("asked_by", "program").Member("kind", "run_metadata");
  json.Member("bytes", run.file->bytes().size());
  json.Member("rank", Known(run.rank)).Member("host", "").Member("pid", 0);
  json.Member("graph", has_graph ? kGraph : "").Member("pinned", true);
  json.Member("name", "").End().Line();
  return json.Take();
}

std::string ClientOf(const std::string& client, int64_t rank, size_t number,
                     const std::vector<NewRow>& rows,
                     const std::map<int64_t, int64_t>& traces) {
  util::JsonWriter json;
  json.Object().Member("client", client);
  json.Member("key", fmt::format("{:032x}", number)).Member("name", "");
  json.Member("rank", Known(rank)).Member("host", "").Member("pid", 0);
  json.Member("framework", "TensorFlow").Member("started_ns", 0);
  json.Member("end", "ok").Key("rows").Array();
  for (const NewRow& row : rows) {
    if (row.rank != rank) continue;
    const auto it = traces.find(row.row);
    json.Line().Object().Member("row", row.row);
    json.Member("fetches", row.fetches).Key("feeds").Array().End();
    json.Member("options", "None").Member("kind", "session.run");
    json.Member("runs", row.runs).Member("failed", 0);
    json.Member("traces", it == traces.end() ? 0 : it->second).End();
  }
  json.End().End().Line();
  return json.Take();
}

void Sort(SessionParts& parts) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const SessionPart& a, const SessionPart& b) {
                     return a.name < b.name;
                   });
}

absl::StatusOr<SessionParts> PartsOf(session::SessionFiles& files) {
  SessionParts parts;
  const auto add = [&](std::string_view folder, const std::string& name) {
    auto file = files.Open(folder, name);
    // Damaged files of an archive would be written as if they were intact.
    if (!file.ok() || !(*file)->damage().empty()) return false;
    parts.push_back({folder.empty() ? name : fmt::format("{}/{}", folder, name),
                     *std::move(file)});
    return true;
  };
  if (!add("", std::string(session::kManifestName))) {
    parts.push_back(
        Text(std::string(session::kManifestName), std::string(kManifest)));
  }
  for (const std::string_view folder : {"clients", "graphs"}) {
    for (const std::string& name : files.List(folder)) add(folder, name);
  }
  bool any = false;
  for (const std::string& name : files.List("traces")) {
    if (!name.ends_with(session::kAboutSuffix) || !add("traces", name))
      continue;
    const auto facts = session::ParseSessionTrace(parts.back().file->bytes());
    if (!facts.ok() || !add("traces", facts->file)) {
      parts.pop_back();
      continue;
    }
    any = true;
  }
  if (!any) {
    return absl::NotFoundError(files.path() +
                               ": the session has no trace that can be read");
  }
  Sort(parts);
  return parts;
}

}  // namespace

SessionParts MakeSession(const NewSession& session) {
  SessionParts parts;
  parts.push_back(
      Text(std::string(session::kManifestName), std::string(kManifest)));
  std::set<int64_t> ranks;
  for (const NewTrace& run : session.runs) ranks.insert(run.rank);
  for (const NewRow& row : session.rows) ranks.insert(row.rank);
  std::map<int64_t, std::string> clients;
  for (const int64_t rank : ranks) {
    clients.emplace(rank, fmt::format("c{}", clients.size() + 1));
  }
  std::map<int64_t, std::map<int64_t, int64_t>> traces;  // by rank and row
  const bool has_graph = session.graph != nullptr;
  for (size_t i = 0; i < session.runs.size(); ++i) {
    const NewTrace& run = session.runs[i];
    ++traces[run.rank][run.row];
    const std::string id = fmt::format("{:06}", i + 1);
    std::string_view fetches;
    for (const NewRow& row : session.rows) {
      if (row.rank == run.rank && row.row == run.row) fetches = row.fetches;
    }
    parts.push_back(
        Text(fmt::format("traces/{}{}", id, session::kAboutSuffix),
             AboutOf(run, id, clients[run.rank], fetches, has_graph)));
    parts.push_back({fmt::format("traces/{}.pb", id), run.file});
  }
  size_t number = 0;
  for (const auto& [rank, client] : clients) {
    parts.push_back(
        Text(fmt::format("clients/{}.json", client),
             ClientOf(client, rank, ++number, session.rows, traces[rank])));
  }
  if (has_graph) {
    parts.push_back({fmt::format("graphs/{}.pb", kGraph), session.graph});
  }
  Sort(parts);
  return parts;
}

absl::StatusOr<SessionParts> ReadSession(const std::string& path,
                                         loaders::ImportLog& log) {
  const auto file = loaders::InputFile::Open(path);
  if (!file.ok()) return file.status();
  return PartsOf(*session::SessionFiles::Of(*file, log));
}

absl::Status WriteZip(std::span<const SessionPart> parts, util::Sink& sink) {
  util::ZipWriter zip(sink);
  for (const SessionPart& part : parts) {
    zip.Add(part.name, part.file->bytes());
    absl::Status unchanged = part.file->CheckUnchanged("while it was packed");
    if (!unchanged.ok()) return unchanged;
  }
  return zip.Finish();
}

absl::Status WriteSessionZip(const std::string& folder, util::Sink& sink) {
  loaders::ImportLog log;
  const absl::StatusOr<SessionParts> parts =
      ReadSession(fmt::format("{}/{}", folder, session::kManifestName), log);
  if (!parts.ok()) return parts.status();
  return WriteZip(*parts, sink);
}

}  // namespace tfprof::exporters
