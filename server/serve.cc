#include "server/serve.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "fmt/format.h"
#include "profiler/commands/files/profile_shelf.h"
#include "profiler/options/words.h"
#include "server/api.h"
#include "server/event_log.h"
#include "server/http/guard.h"
#include "server/http/http_server.h"
#include "server/http/tls.h"
#include "server/live/live_api.h"
#include "server/live/live_session.h"
#include "server/live/priority.h"
#include "server/live/session_folder.h"
#include "server/live/unpacked_session.h"
#include "util/json/json_writer.h"
#include "util/run/cancellation.h"

namespace tfprof::server {
namespace {

constexpr int kUsualPort = 8008;

bool IsFolder(const std::string& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

std::string FileName(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path.substr(path.rfind('/') + 1);
}

// For example "run_meta_0 and 2 more".
std::string NameOf(const loaders::LoadRequest& request) {
  const size_t count = request.files.size() + request.flagged.size();
  std::string name = FileName(request.files.empty() ? request.flagged[0].path
                                                    : request.files[0]);
  if (count > 1) name += fmt::format(" and {} more", count - 1);
  return name;
}

LiveLimits LimitsOf(const options::ServeOptions& options) {
  LiveLimits limits;
  limits.keep_traces = options.keep_traces;
  size_t bytes = 0;
  if (options::ParseByteCount(options.session_bytes, bytes)) {
    limits.session_bytes = static_cast<int64_t>(bytes);
  }
  return limits;
}

// Opens the served session; returns nullptr if none is served. `opened` is the
// folder of a live one.
absl::StatusOr<std::unique_ptr<LiveApi>> OpenSession(
    const ServeRequest& request, std::optional<SessionFolder> opened,
    EventLog& events) {
  const std::string path = SessionOf(request);
  if (path.empty()) return nullptr;
  const bool live = opened.has_value();
  absl::StatusOr<SessionFolder> folder =
      live ? *std::move(opened) : SessionFolder::Open(path);
  if (!folder.ok()) return folder.status();
  return std::make_unique<LiveApi>(
      LiveSession(*std::move(folder), LimitsOf(request.options),
                  live ? LiveSession::Mode::kLive : LiveSession::Mode::kSaved),
      request.options.read_only, events);
}

// Returns the token in the file of -token_file, or a new one.
absl::StatusOr<std::string> TokenOf(const options::ServeOptions& options) {
  constexpr size_t kLeast = 32, kMost = 1024;
  if (options.token_file.empty()) {
    std::string made = RandomSecret();
    if (made.empty()) {
      return absl::UnavailableError("the system gives no random bytes");
    }
    return made;
  }
  std::ifstream file(options.token_file);
  if (!file) {
    return absl::NotFoundError(
        fmt::format("{}: {}", options.token_file, std::strerror(errno)));
  }
  std::string token;
  file >> token;
  const bool plain = std::all_of(token.begin(), token.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  });
  if (token.size() >= kLeast && token.size() <= kMost && plain) {
    return absl::StatusOr<std::string>(absl::in_place, token);
  }
  return absl::InvalidArgumentError(fmt::format(
      "{}: expected a word of {} to {} letters, digits, '-' and '_'",
      options.token_file, kLeast, kMost));
}

commands::ProfileShelf MakeFullShelf(const ServeRequest& request) {
  const std::string session = SessionOf(request);
  if (!session.empty()) {
    return commands::ProfileShelf::Below(session, "traces",
                                         SessionFolder::GraphsOf);
  }
  const loaders::LoadRequest& inputs = request.inputs;
  if (request.base.empty() && inputs.flagged.empty() &&
      inputs.files.size() == 1 && IsFolder(inputs.files[0])) {
    return commands::ProfileShelf::Below(inputs.files[0]);
  }
  std::vector<commands::ProfileShelf::Named> named;
  named.push_back({NameOf(inputs), inputs});
  if (!request.base.empty()) {
    loaders::LoadRequest base;
    base.files = request.base;
    base.max_memory = inputs.max_memory;
    std::string name = NameOf(base);
    if (name == named[0].name) name += " (base)";
    named.push_back({std::move(name), std::move(base)});
  }
  return commands::ProfileShelf(std::move(named));
}

commands::ProfileShelf MakeShelf(const ServeRequest& request) {
  commands::ProfileShelf shelf = MakeFullShelf(request);
  // Files of source code are found by the paths in the profile.
  if (!request.keep_environment && request.source_paths.empty()) {
    shelf.HideEnvironment();
  }
  return shelf;
}

// Reports missing files at once, not only when the first page is opened.
absl::Status CheckFiles(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    struct stat info = {};
    if (stat(file.c_str(), &info) == 0) continue;
    return absl::NotFoundError(
        fmt::format("{}: {}", file, std::strerror(errno)));
  }
  return absl::OkStatus();
}

// Returns nullptr if TLS is not used.
absl::StatusOr<std::unique_ptr<TlsServer>> TlsOf(
    const options::ServeOptions& options) {
  if (options.tls_certificate.empty() && options.tls_key.empty()) {
    return std::unique_ptr<TlsServer>();
  }
  if (options.tls_certificate.empty() || options.tls_key.empty()) {
    return absl::InvalidArgumentError(
        "-tls_certificate and -tls_key belong together: give both");
  }
  return TlsServer::Create(options.tls_certificate, options.tls_key);
}

bool IsLoopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1";
}

// Listens on the port that was asked for. The reader of a server that was
// killed has it for some milliseconds more.
absl::StatusOr<Listener> ListenWhereAsked(
    const options::ServeOptions& options) {
  constexpr int kMostTries = 50;
  constexpr auto kPause = std::chrono::milliseconds(20);
  absl::StatusOr<Listener> listener = Listen(options.address, options.port);
  for (int i = 1; i < kMostTries && absl::IsAlreadyExists(listener.status());
       ++i) {
    std::this_thread::sleep_for(kPause);
    listener = Listen(options.address, options.port);
  }
  return listener;
}

absl::StatusOr<Listener> ListenSomewhere(const options::ServeOptions& options) {
  if (options.port != 0) return ListenWhereAsked(options);
  absl::StatusOr<Listener> usual = Listen(options.address, kUsualPort);
  if (!absl::IsAlreadyExists(usual.status())) return usual;
  return Listen(options.address, 0);
}

GuardOptions GuardFor(const ServeRequest& request, int port,
                      const std::string& token) {
  const options::ServeOptions& options = request.options;
  return {.address = options.address,
          .port = port,
          .token = token,
          .cookie = CookieOf(token),
          .read_only = options.read_only,
          .tls = !options.tls_certificate.empty()};
}

// The address for a browser.
std::string UrlOf(const ServeRequest& request, const GuardOptions& guard) {
  const std::string& address = request.options.address;
  const std::string shown = address == "0.0.0.0" || address == "::"
                                ? fmt::format("localhost:{}", guard.port)
                                : Guard(guard).host();
  return fmt::format("{}://{}/?token={}", guard.tls ? "https" : "http", shown,
                     guard.token);
}

// Says in the session where it is served.
absl::Status SaveServer(const ServeRequest& request, const ServerParts& parts,
                        const TlsServer* tls, SessionFolder& session) {
  const int port = parts.listener.port;
  util::JsonWriter json;
  json.Object().Member("address", request.options.address).Member("port", port);
  json.Member("pid", getpid()).Member("token", parts.token);
  json.Member("url", UrlOf(request, GuardFor(request, port, parts.token)));
  json.Key("certificate_sha256");
  (tls != nullptr ? json.Value(tls->Fingerprint()) : json.Null()).End();
  return session.SaveServer(json.Line().Take());
}

}  // namespace

std::string SessionOf(const ServeRequest& request) {
  if (!request.options.session.empty()) return request.options.session;
  const loaders::LoadRequest& inputs = request.inputs;
  const bool alone = request.base.empty() && inputs.flagged.empty() &&
                     inputs.files.size() == 1;
  return alone && SessionFolder::IsSession(inputs.files[0]) ? inputs.files[0]
                                                            : "";
}

absl::StatusOr<ServerParts> OpenServer(const ServeRequest& request) {
  const options::ServeOptions& options = request.options;
  absl::Status there = CheckFiles(request.inputs.files);
  there.Update(CheckFiles(request.base));
  if (!there.ok()) return there;
  const absl::StatusOr<std::unique_ptr<TlsServer>> tls = TlsOf(options);
  if (!tls.ok()) return tls.status();
  ServerParts parts;
  absl::StatusOr<Listener> listener = ListenSomewhere(options);
  if (!listener.ok()) return listener.status();
  parts.listener = *std::move(listener);
  absl::StatusOr<std::string> token = TokenOf(options);
  if (!token.ok()) return token.status();
  parts.token = *std::move(token);
  if (options.session.empty()) return parts;
  absl::StatusOr<SessionFolder> session =
      SessionFolder::Create(options.session, LimitsOf(options));
  if (!session.ok()) return session.status();
  parts.session.emplace(*std::move(session));
  LowerOwnGroup();
  absl::Status said = SaveServer(request, parts, tls->get(), *parts.session);
  if (!said.ok()) return said;
  return parts;
}

absl::Status RunServer(const ServeRequest& given, ServerParts parts,
                       const std::function<void(std::string_view)>& print) {
  const options::ServeOptions& options = given.options;
  std::unique_ptr<UnpackedSession> unpacked;
  ServeRequest request = given;
  if (request.base.empty() && request.options.session.empty()) {
    auto session = UnpackedSession::Of(request.inputs, parts.unpack_in);
    if (!session.ok()) return session.status();
    unpacked = *std::move(session);
    if (unpacked != nullptr) request.inputs.files = {unpacked->folder()};
  }
  // Not a part of the parts: a server that is started again needs random
  // numbers of its own.
  absl::StatusOr<std::unique_ptr<TlsServer>> tls = TlsOf(options);
  if (!tls.ok()) return tls.status();
  const int port = parts.listener.port;
  const GuardOptions guard_options = GuardFor(request, port, parts.token);
  const Guard guard(guard_options);
  // This must come before the threads of workers and loaders start.
  StopSignals signals;
  EventLog events;
  absl::StatusOr<std::unique_ptr<LiveApi>> live =
      OpenSession(request, std::move(parts.session), events);
  if (!live.ok()) return live.status();
  ServerLimits limits;
  if (*live != nullptr) {
    // Programs send several requests a second, and one machine may run many.
    limits.connections = 1024;
    limits.requests_per_second = 5000;
    limits.requests_burst = 10'000;
    // Only requests with the token may have the large body of a trace.
    limits.http.body_of = [&guard](const HttpRequest& head) -> size_t {
      return guard.Check(head).has_value() ? 0 : LiveApi::BodyLimit(head);
    };
  }
  limits.question = {.time = std::chrono::seconds(request.question_seconds > 0
                                                      ? request.question_seconds
                                                      : kQuestionSeconds),
                     .stuck = parts.stuck};
  util::Cancellation cancellation;
  util::TaskOptions work = request.inputs.work;
  work.cancellation = &cancellation;
  Api api(MakeShelf(request),
          {.read_only = options.read_only,
           .session = SessionOf(request),
           .source_paths = request.source_paths,
           .restarted = parts.restarted,
           .work = work},
          events);
  HttpServer server(
      std::move(parts.listener), guard, events,
      [&api](const HttpRequest& asked) { return api.Answer(asked); },
      cancellation, live->get(), limits);
  if (parts.restarted.empty()) {
    if (options.port == 0 && port != kUsualPort) {
      print(fmt::format("Port {} is taken; another port is used instead.\n",
                        kUsualPort));
    }
    print(UrlOf(request, guard_options) + "\n");
    print("Open this address in a browser. Ctrl-C ends the server.\n");
    if (unpacked != nullptr) {
      for (const std::string& line : unpacked->damage()) print(line + "\n");
    }
    if (!IsLoopback(options.address) && *tls == nullptr) {
      print(
          "Other machines can reach this server, and connections are not "
          "encrypted: use -tls_certificate and -tls_key.\n");
    }
  }
  server.UseTls(tls->get());
  server.Run(signals);
  return absl::OkStatus();
}

absl::Status Serve(const ServeRequest& request,
                   const std::function<void(std::string_view)>& print) {
  absl::StatusOr<ServerParts> parts = OpenServer(request);
  if (!parts.ok()) return parts.status();
  return RunServer(request, *std::move(parts), print);
}

}  // namespace tfprof::server
