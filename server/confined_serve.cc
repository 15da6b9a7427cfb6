#include "server/confined_serve.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "loaders/core/reached_files.h"
#include "loaders/core/registry.h"
#include "server/live/unpacked_session.h"
#include "util/run/memory_limit.h"
#include "util/sandbox/confined_child.h"

namespace tfprof::server {
namespace {

using util::FileUse;

// The exit status of a process without memory, which is not one of RunServer().
constexpr int kOutOfMemory = 3;
// That of one that goes on with a question after its time.
constexpr int kStuck = 4;

// A server that ends so often is not started again.
constexpr int kMostRestarts = 5;
constexpr auto kRestartsIn = std::chrono::minutes(1);

bool IsFile(const std::string& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

// Whether the request may name a session in one file, which is unpacked.
bool MayBePacked(const ServeRequest& request) {
  return request.options.session.empty() && request.base.empty() &&
         request.inputs.flagged.empty() && request.inputs.files.size() == 1 &&
         IsFile(request.inputs.files[0]);
}

util::Confinement ConfinementOf(const ServeRequest& request,
                                const std::string& unpack_in) {
  util::Confinement confinement;
  std::vector<util::UsedFile>& files = confinement.files;
  loaders::LoadRequest base;
  base.files = request.base;
  const loaders::LoadRequest* const requests[] = {&request.inputs, &base};
  for (const loaders::LoadRequest* inputs : requests) {
    loaders::ReachedFiles reached =
        loaders::ReachedBy(*inputs, loaders::Formats());
    for (std::string& path : reached.paths) files.push_back({std::move(path)});
    for (std::string& path : reached.listed) {
      files.push_back({std::move(path), FileUse::kList});
    }
  }
  for (const std::string& path : request.source_paths) files.push_back({path});
  const options::ServeOptions& options = request.options;
  for (const std::string& path :
       {options.tls_certificate, options.tls_key,
        // With which a session tells the processes of this machine apart.
        std::string("/proc/sys/kernel/random/boot_id")}) {
    if (!path.empty()) files.push_back({path});
  }
  confinement.calls.serve = true;
  // Pages name, keep and delete the traces of a session.
  for (const std::string& folder : {SessionOf(request), unpack_in}) {
    if (folder.empty()) continue;
    files.push_back({folder, FileUse::kChange});
    confinement.calls.change_files = true;
  }
  return confinement;
}

std::string ReasonOf(const util::ChildEnd& end) {
  if (end.status == kStuck) return "went on after the time of a question";
  if (end.signal == 0) return "had no more memory";
  return fmt::format("ended with signal {} ({})", end.signal,
                     strsignal(end.signal));
}

}  // namespace

absl::StatusOr<bool> ServeConfined(const ServeRequest& request, bool must,
                                   const ServeMessages& messages) {
  absl::StatusOr<ServerParts> parts = OpenServer(request);
  if (!parts.ok()) return parts.status();
  std::vector<std::chrono::steady_clock::time_point> ends;
  for (;;) {
    std::unique_ptr<TemporaryFolder> unpack_in;
    if (MayBePacked(request)) {
      auto folder = TemporaryFolder::Make();
      if (!folder.ok()) return folder.status();
      unpack_in = *std::move(folder);
      parts->unpack_in = unpack_in->path();
    }
    util::ConfinedChild child;
    child.confinement = ConfinementOf(request, parts->unpack_in);
    child.descriptors = {parts->listener.socket.get()};
    child.before = [&parts] {
      if (parts->session.has_value()) parts->session->LeaveLock();
    };
    child.passes_stop_signals = true;
    child.say = messages.warn;
    child.may_make = [](const std::string&) { return false; };
    const absl::StatusOr<util::ChildEnd> end = util::RunConfined(child, [&] {
      util::EndWithoutMemory(kOutOfMemory);
      parts->stuck = [] { _exit(kStuck); };
      const absl::Status served =
          RunServer(request, *std::move(parts), messages.print);
      if (!served.ok()) messages.fail(served);
      return served.ok() ? 0 : 1;
    });
    if (absl::IsFailedPrecondition(end.status()) && !must) {
      messages.warn(
          fmt::format("the server reads profiles in its own process, without a "
                      "sandbox: {}",
                      std::string(end.status().message())));
      parts->unpack_in.clear();
      absl::Status served =
          RunServer(request, *std::move(parts), messages.print);
      if (!served.ok()) return served;
      return true;
    }
    if (!end.ok()) return end.status();
    const bool crashed = end->signal != 0 || end->status == kOutOfMemory ||
                         end->status == kStuck;
    if (end->stopped || !crashed) return end->status == 0;
    const std::string reason = ReasonOf(*end);
    parts->restarted = fmt::format(
        "The server was started again: its process {} while it read a profile "
        "or answered. A file may have been made to attack it.",
        reason);
    const auto now = std::chrono::steady_clock::now();
    std::erase_if(ends, [&](auto then) { return now - then > kRestartsIn; });
    ends.push_back(now);
    if (ends.size() > kMostRestarts) {
      return absl::InternalError(
          fmt::format("the server's process {}, {} times in a minute: it is "
                      "not started again; a page may ask for the same again "
                      "and again",
                      reason, ends.size()));
    }
    messages.warn(parts->restarted);
  }
}

}  // namespace tfprof::server
