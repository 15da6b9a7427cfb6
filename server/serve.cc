#include "server/serve.h"

#include <errno.h>
#include <sys/stat.h>

#include <cstring>
#include <utility>

#include "fmt/format.h"
#include "profiler/commands/profile_shelf.h"
#include "server/api.h"
#include "server/event_log.h"
#include "server/guard.h"
#include "server/http_server.h"
#include "util/cancellation.h"

namespace tfprof {
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

// "run_meta_0 and 2 more".
std::string NameOf(const LoadRequest& request) {
  const size_t count = request.files.size() + request.flagged.size();
  std::string name = FileName(request.files.empty() ? request.flagged[0].path
                                                    : request.files[0]);
  if (count > 1) name += fmt::format(" and {} more", count - 1);
  return name;
}

ProfileShelf MakeShelf(const ServeRequest& request) {
  const LoadRequest& inputs = request.inputs;
  if (request.base.empty() && inputs.flagged.empty() &&
      inputs.files.size() == 1 && IsFolder(inputs.files[0])) {
    return ProfileShelf::Below(inputs.files[0]);
  }
  std::vector<ProfileShelf::Named> named;
  named.push_back({NameOf(inputs), inputs});
  if (!request.base.empty()) {
    LoadRequest base;
    base.files = request.base;
    base.max_memory = inputs.max_memory;
    std::string name = NameOf(base);
    if (name == named[0].name) name += " (base)";
    named.push_back({std::move(name), std::move(base)});
  }
  return ProfileShelf(std::move(named));
}

// What is not there is said at once, and not by the first page.
absl::Status CheckFiles(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    struct stat info = {};
    if (stat(file.c_str(), &info) == 0) continue;
    return absl::NotFoundError(
        fmt::format("{}: {}", file, std::strerror(errno)));
  }
  return absl::OkStatus();
}

absl::StatusOr<Listener> ListenSomewhere(const ServeOptions& options) {
  if (options.port != 0) return Listen(options.address, options.port);
  absl::StatusOr<Listener> usual = Listen(options.address, kUsualPort);
  if (!absl::IsAlreadyExists(usual.status())) return usual;
  return Listen(options.address, 0);
}

}  // namespace

absl::Status Serve(const ServeRequest& request,
                   const std::function<void(std::string_view)>& print) {
  const ServeOptions& options = request.options;
  absl::Status there = CheckFiles(request.inputs.files);
  there.Update(CheckFiles(request.base));
  if (!there.ok()) return there;
  absl::StatusOr<Listener> listener = ListenSomewhere(options);
  if (!listener.ok()) return listener.status();
  const int port = listener->port;
  GuardOptions guard_options = {.address = options.address,
                                .port = port,
                                .token = RandomSecret(),
                                .cookie = RandomSecret(),
                                .read_only = options.read_only};
  if (guard_options.token.empty() || guard_options.cookie.empty()) {
    return absl::UnavailableError("the system gives no random bytes");
  }
  const Guard guard(guard_options);
  if (options.port == 0 && port != kUsualPort) {
    print(fmt::format("Port {} is taken; this is another one.\n", kUsualPort));
  }
  std::string shown = guard.host();
  if (options.address == "0.0.0.0" || options.address == "::") {
    shown = fmt::format("localhost:{}", port);
  }
  // Before the threads of the worker and of loaders.
  StopSignals signals;
  EventLog events;
  Cancellation cancellation;
  Work work = request.inputs.work;
  work.cancellation = &cancellation;
  Api api(MakeShelf(request), {.read_only = options.read_only, .work = work},
          events);
  HttpServer server(
      *std::move(listener), guard, events,
      [&api](const HttpRequest& asked) { return api.Answer(asked); },
      cancellation, ServerLimits());
  print(fmt::format("http://{}/?token={}\n", shown, guard_options.token));
  print("Open this address in a browser. Ctrl-C ends the server.\n");
  server.Run(signals);
  return absl::OkStatus();
}

}  // namespace tfprof
