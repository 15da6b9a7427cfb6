#include "server/live/session_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include "fmt/format.h"
#include "loaders/session/trace_facts.h"
#include "server/live/live_json.h"
#include "util/files/errno_status.h"
#include "util/files/sink.h"
#include "util/json/json_writer.h"

namespace tfprof::server {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAbout = ".about.json";
constexpr const char* kOrdersFile = "/orders.json";
// A larger file of facts is not accepted.
constexpr uintmax_t kMaxFacts = 16 << 20;

// The file name suffix of a kind of trace, by which other programs recognize
// it.
std::string_view SuffixOf(std::string_view kind) {
  if (kind == "xspace") return ".xplane.pb";
  if (kind == "kineto") return ".pt.trace.json";
  return ".pb";
}

absl::Status WriteText(const std::string& path, std::string_view text) {
  return util::WriteFile(path, [&](util::Sink& sink) {
    sink.Write(text);
    return absl::OkStatus();
  });
}

// Reads a regular file; links are refused.
absl::StatusOr<std::string> ReadFacts(const fs::path& path,
                                      uintmax_t most = kMaxFacts) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (error || !fs::is_regular_file(status)) {
    return absl::NotFoundError("there is no such file");
  }
  if (fs::file_size(path, error) > most || error) {
    return absl::InvalidArgumentError("it is too large");
  }
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)),
                   std::istreambuf_iterator<char>());
  if (file.bad()) return absl::UnavailableError("it cannot be read");
  return text;
}

absl::Status CheckManifest(const std::string& folder) {
  const std::string path = folder + "/manifest.json";
  const absl::StatusOr<std::string> text = ReadFacts(path);
  if (!text.ok()) {
    return absl::NotFoundError(
        fmt::format("{}: {}", path, std::string(text.status().message())));
  }
  const std::optional<int64_t> version = session::SessionVersion(*text);
  if (!version.has_value()) {
    return absl::InvalidArgumentError(
        fmt::format("{}: expected {{\"format\":\"tfprof session\",…}}; this "
                    "folder is not a session",
                    path));
  }
  if (*version == 1) return absl::OkStatus();
  return absl::FailedPreconditionError(fmt::format(
      "{}: expected version 1; a newer tfprof wrote this session", path));
}

std::string Manifest(const LiveLimits& limits) {
  const int64_t now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                          std::chrono::system_clock::now().time_since_epoch())
                          .count();
  util::JsonWriter json;
  json.Object().Member("format", "tfprof session").Member("version", 1);
  json.Member("created_ns", now).Member("program", "tfprof");
  json.Key("limits").Object().Member("keep_traces", limits.keep_traces);
  json.Member("session_bytes", limits.session_bytes).End().End().Line();
  return json.Take();
}

// Creates a folder or accepts one of this user. A link and a folder of another
// user are refused: they lead this server to files that it did not write.
absl::Status MakeOwnFolder(const std::string& path) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return util::ErrnoStatus(errno, path);
  }
  struct stat info = {};
  if (lstat(path.c_str(), &info) != 0) return util::ErrnoStatus(errno, path);
  if (!S_ISDIR(info.st_mode)) {
    return absl::FailedPreconditionError(fmt::format(
        "{}: expected a folder, found a {}; remove it, or name another folder",
        path, S_ISLNK(info.st_mode) ? "link" : "file"));
  }
  if (info.st_uid != geteuid()) {
    return absl::FailedPreconditionError(fmt::format(
        "{}: this folder belongs to user {}, not to user {}, who starts the "
        "server; name a folder of your own",
        path, info.st_uid, geteuid()));
  }
  return absl::OkStatus();
}

// True for the name that AddTrace gives to a record: the digits of an id, then
// the suffix of a kind of trace.
bool IsRecordName(std::string_view name) {
  const size_t digits = std::min(name.find('.'), name.size());
  const std::string_view suffix = name.substr(digits);
  return digits >= 6 &&
         std::all_of(name.begin(), name.begin() + digits,
                     [](char c) { return c >= '0' && c <= '9'; }) &&
         (suffix == ".pb" || suffix == SuffixOf("xspace") ||
          suffix == SuffixOf("kineto"));
}

// The names of the files in a folder that end with `suffix`, sorted.
std::vector<std::string> FilesOf(const std::string& folder,
                                 std::string_view suffix) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto at = fs::directory_iterator(folder, error);
       !error && at != fs::directory_iterator(); at.increment(error)) {
    std::string name = at->path().filename().string();
    if (name.ends_with(suffix)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

bool IsSessionName(std::string_view name) {
  return !name.empty() && name.size() <= 40 &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

bool SessionFolder::IsSession(const std::string& path) {
  return CheckManifest(path).ok();
}

std::vector<std::string> SessionFolder::GraphsOf(const std::string& trace) {
  const fs::path path(trace);
  const std::string name = path.filename().string();
  const std::string id = name.substr(0, name.find('.'));
  const auto text = ReadFacts(path.parent_path() / (id + std::string(kAbout)));
  if (!text.ok()) return {};
  const absl::StatusOr<LiveTrace> facts = ParseLiveTrace(*text);
  if (!facts.ok() || !IsSessionName(facts->graph)) return {};
  const fs::path graph =
      path.parent_path().parent_path() / "graphs" / (facts->graph + ".pb");
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(graph, error))) return {};
  return {graph.string()};
}

SessionFolder::SessionFolder(SessionFolder&& other) noexcept
    : path_(std::move(other.path_)),
      lock_(std::exchange(other.lock_, -1)),
      served_(std::exchange(other.served_, false)) {}

SessionFolder::~SessionFolder() {
  if (served_) unlink((path_ + "/server.json").c_str());
  if (lock_ >= 0) close(lock_);
}

void SessionFolder::LeaveLock() {
  if (lock_ >= 0) close(std::exchange(lock_, -1));
}

absl::StatusOr<SessionFolder> SessionFolder::Open(const std::string& path) {
  absl::Status manifest = CheckManifest(path);
  if (!manifest.ok()) return manifest;
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) return util::ErrnoStatus(error.value(), path);
  return SessionFolder(real.string());
}

absl::StatusOr<SessionFolder> SessionFolder::Create(const std::string& path,
                                                    const LiveLimits& limits) {
  // A link that the user names is followed; links inside of a session are not.
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  if (error) return util::ErrnoStatus(error.value(), path);
  absl::Status made = MakeOwnFolder(real.string());
  if (!made.ok()) return made;
  SessionFolder folder(real.string());
  const std::string manifest = folder.path_ + "/manifest.json";
  if (access(manifest.c_str(), F_OK) != 0) {
    if (!fs::is_empty(real, error)) {
      return absl::FailedPreconditionError(
          fmt::format("{}: this folder is neither a session nor empty; name a "
                      "new or an empty folder",
                      path));
    }
    made = WriteText(manifest, Manifest(limits));
  } else {
    made = CheckManifest(folder.path_);
  }
  for (const std::string_view name : {"clients", "traces", "graphs"}) {
    made.Update(MakeOwnFolder(fmt::format("{}/{}", folder.path_, name)));
  }
  if (!made.ok()) return made;
  folder.lock_ = open(manifest.c_str(), O_RDONLY | O_CLOEXEC);
  if (folder.lock_ < 0) return util::ErrnoStatus(errno, manifest);
  if (flock(folder.lock_, LOCK_EX | LOCK_NB) != 0) {
    return absl::FailedPreconditionError(fmt::format(
        "{}: another tfprof serves this session; {}/server.json says where",
        path, folder.path_));
  }
  return folder;
}

SessionFolder::Content SessionFolder::Read() const {
  Content content;
  const auto damaged = [&](const std::string& name,
                           const absl::Status& status) {
    content.damaged.push_back(
        fmt::format("{}: {}", name, std::string(status.message())));
  };
  for (const std::string& name : FilesOf(path_ + "/clients", ".json")) {
    const auto text = ReadFacts(path_ + "/clients/" + name);
    auto client = text.ok() ? ParseLiveClient(*text)
                            : absl::StatusOr<LiveClient>(text.status());
    if (client.ok() &&
        (client->client + ".json" != name || !IsSessionName(client->client))) {
      client = absl::InvalidArgumentError(
          "client: expected the name of the file, 1 to 40 characters of a-z, "
          "0-9 and '-'");
    }
    if (!client.ok()) {
      damaged("clients/" + name, client.status());
      continue;
    }
    content.clients.push_back(*std::move(client));
  }
  for (const std::string& name : FilesOf(path_ + "/traces", kAbout)) {
    const auto text = ReadFacts(path_ + "/traces/" + name);
    auto trace = text.ok() ? ParseLiveTrace(*text)
                           : absl::StatusOr<LiveTrace>(text.status());
    std::string id = name.substr(0, name.size() - kAbout.size());
    if (trace.ok()) {
      const std::string file = id + std::string(SuffixOf(trace->kind));
      struct stat info = {};
      if (trace->id != id || !IsSessionName(id) || trace->file != file) {
        trace = absl::InvalidArgumentError(fmt::format(
            "expected \"id\":\"{}\" and \"file\":\"{}\"", id, file));
      } else if (lstat((path_ + "/traces/" + file).c_str(), &info) != 0 ||
                 !S_ISREG(info.st_mode)) {
        trace = absl::NotFoundError(fmt::format("{} is missing", file));
      } else {
        trace->bytes = info.st_size;
      }
    }
    if (!trace.ok()) {
      damaged("traces/" + name, trace.status());
      continue;
    }
    content.traces.push_back(*std::move(trace));
  }
  constexpr std::string_view kGraph = ".pb";
  for (std::string& name : FilesOf(path_ + "/graphs", kGraph)) {
    struct stat info = {};
    const std::string path = fmt::format("{}/graphs/{}", path_, name);
    name.resize(name.size() - kGraph.size());
    if (IsSessionName(name) && lstat(path.c_str(), &info) == 0 &&
        S_ISREG(info.st_mode)) {
      content.graphs.emplace(std::move(name), info.st_size);
    }
  }
  ReadOrders(content);
  return content;
}

void SessionFolder::ReadOrders(Content& content) const {
  constexpr uintmax_t kMost = 64 << 20;
  const auto text = ReadFacts(path_ + kOrdersFile, kMost);
  if (absl::IsNotFound(text.status())) return;
  auto orders = text.ok()
                    ? ParseLiveOrders(*text)
                    : absl::StatusOr<std::vector<LiveOrder>>(text.status());
  if (!orders.ok()) {
    content.damaged.push_back(
        fmt::format("orders.json: {}", std::string(orders.status().message())));
    return;
  }
  for (LiveOrder& order : *orders) {
    const bool known = std::any_of(
        content.clients.begin(), content.clients.end(),
        [&](const LiveClient& client) {
          return client.client == order.client && client.end.empty();
        });
    if (known) content.orders.push_back(std::move(order));
  }
}

absl::Status SessionFolder::SaveOrders(
    const std::map<uint64_t, LiveOrder>& orders) {
  return WriteText(path_ + kOrdersFile, LiveOrdersFile(orders));
}

absl::Status SessionFolder::SaveClient(const LiveClient& client) {
  return WriteText(fmt::format("{}/clients/{}.json", path_, client.client),
                   LiveClientFile(client));
}

void SessionFolder::RemoveOrphans() {
  const std::string folder = path_ + "/traces";
  // Deletes relative to the opened folder, so that nobody can put a link to
  // another folder in its place meanwhile.
  const int fd =
      open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return;
  std::vector<std::string> abouts = FilesOf(folder, kAbout);
  for (const std::string& name : FilesOf(folder, "")) {
    if (!IsRecordName(name)) continue;
    const std::string about =
        name.substr(0, name.find('.')) + std::string(kAbout);
    if (!std::binary_search(abouts.begin(), abouts.end(), about)) {
      unlinkat(fd, name.c_str(), 0);
    }
  }
  close(fd);
}

absl::Status SessionFolder::AddTrace(LiveTrace& trace, std::string_view data) {
  trace.file = trace.id + std::string(SuffixOf(trace.kind));
  trace.bytes = static_cast<int64_t>(data.size());
  const std::string path = fmt::format("{}/traces/{}", path_, trace.file);
  absl::Status written = WriteText(path, data);
  if (written.ok()) written = SaveAbout(trace);
  if (!written.ok()) unlink(path.c_str());
  return written;
}

absl::Status SessionFolder::SaveAbout(const LiveTrace& trace) {
  return WriteText(fmt::format("{}/traces/{}{}", path_, trace.id, kAbout),
                   LiveTraceJson(trace) + "\n");
}

absl::Status SessionFolder::RemoveTrace(const LiveTrace& trace) {
  // The facts are deleted first: a trace exists only with its facts.
  for (const std::string& name : {trace.id + std::string(kAbout), trace.file}) {
    const std::string path = fmt::format("{}/traces/{}", path_, name);
    if (unlink(path.c_str()) != 0 && errno != ENOENT) {
      return util::ErrnoStatus(errno, path);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> SessionFolder::ReadTrace(
    const LiveTrace& trace) const {
  return ReadFacts(fmt::format("{}/traces/{}", path_, trace.file),
                   std::numeric_limits<uintmax_t>::max());
}

absl::Status SessionFolder::AddGraph(const std::string& name,
                                     std::string_view data) {
  if (!IsSessionName(name)) {
    return absl::InvalidArgumentError(
        "name: expected 1 to 40 characters of a-z, 0-9 and '-'");
  }
  return WriteText(fmt::format("{}/graphs/{}.pb", path_, name), data);
}

absl::Status SessionFolder::RemoveGraph(const std::string& name) {
  const std::string path = fmt::format("{}/graphs/{}.pb", path_, name);
  return unlink(path.c_str()) == 0 || errno == ENOENT
             ? absl::OkStatus()
             : util::ErrnoStatus(errno, path);
}

absl::Status SessionFolder::SaveServer(std::string_view json) {
  const std::string path = path_ + "/server.json";
  const std::string other = path + ".new";
  unlink(other.c_str());
  const int fd =
      open(other.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return util::ErrnoStatus(errno, other);
  const ssize_t written = write(fd, json.data(), json.size());
  const int error = written == static_cast<ssize_t>(json.size()) ? 0 : ENOSPC;
  close(fd);
  if (error != 0 || rename(other.c_str(), path.c_str()) != 0) {
    absl::Status status = util::ErrnoStatus(error != 0 ? error : errno, path);
    unlink(other.c_str());
    return status;
  }
  served_ = true;
  return absl::OkStatus();
}

}  // namespace tfprof::server
