#include "profiler/shell/pipe/pipe.h"

#include <errno.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/structured.h"
#include "profiler/shell/exit_status.h"
#include "profiler/shell/pipe/pipe_request.h"
#include "util/json/json_string.h"
#include "util/run/interrupt.h"

namespace tfprof::shell {
namespace {

constexpr std::string_view kPing = "ping";
constexpr std::string_view kNotePrefix = "Note: ";
// Facts about a profile or an answer: nothing is wrong.
constexpr std::string_view kFacts[] = {
    "run graph coverage: ", "The average over ", "The sum of op times, ",
    "widths are the time on "};

std::string_view NameOf(PipeUi::Level level) {
  switch (level) {
    case PipeUi::Level::kError:
      return "error";
    case PipeUi::Level::kWarning:
      return "warning";
    case PipeUi::Level::kNote:
      break;
  }
  return "note";
}

// Writes all of `bytes`. The errno if that fails.
int WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

// The lines of a file descriptor.
class LineReader {
 public:
  explicit LineReader(int fd) : fd_(fd) {}

  // The next line without its newline, valid until the next call; nullopt at
  // the end. The last line may lack its newline. If a line is too long,
  // `too_long` is the number of its bytes.
  std::optional<std::string_view> Next(size_t& too_long) {
    too_long = 0;
    text_.erase(0, std::exchange(used_, 0));
    size_t searched = 0;
    size_t dropped = 0;
    for (;;) {
      const size_t end = text_.find('\n', searched);
      if (end != text_.npos) {
        used_ = end + 1;
        if (dropped > 0) too_long = dropped + end;
        return std::string_view(text_).substr(0, end);
      }
      if (text_.size() > kMaxRequestBytes || dropped > 0) {
        dropped += text_.size();
        text_.clear();
      }
      searched = text_.size();
      if (!Read()) {
        used_ = text_.size();
        too_long = dropped;
        if (used_ == 0 && dropped == 0) return std::nullopt;
        return std::string_view(text_);
      }
    }
  }

 private:
  bool Read() {
    std::array<char, 1 << 16> piece;
    ssize_t size = 0;
    do {
      size = read(fd_, piece.data(), piece.size());
    } while (size < 0 && errno == EINTR);
    if (size <= 0) return false;
    text_.append(piece.data(), static_cast<size_t>(size));
    return true;
  }

  const int fd_;
  std::string text_;
  size_t used_ = 0;
};

}  // namespace

void PipeUi::Note(std::string_view text) {
  if (text.starts_with(kNotePrefix)) {
    return Add(Level::kNote, text.substr(kNotePrefix.size()));
  }
  const bool is_fact = std::ranges::any_of(
      kFacts, [&](std::string_view fact) { return text.starts_with(fact); });
  Add(is_fact ? Level::kNote : Level::kWarning, text);
}

void PipeUi::Add(Level level, std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  if (!text.empty()) messages_.push_back({level, std::string(text)});
}

absl::Status PipeUi::CanBrowse() const {
  return absl::InvalidArgumentError("tui needs a terminal; this is a pipe");
}

PipeServer::PipeServer(Shell& session, PipeUi& ui, absl::Status unopened)
    : session_(session),
      ui_(ui),
      unopened_(std::move(unopened)),
      state_(commands::CheckLoaded(session.workspace().inputs,
                                   session.workspace().opened->loaded)) {}

PipeReply PipeServer::Answer(std::string_view line) {
  std::string id = "null";
  const int exit_status = Run(line, id);
  return Reply(id, exit_status);
}

PipeReply PipeServer::Refuse(size_t bytes) {
  return Reply("null", Fail(absl::InvalidArgumentError(fmt::format(
                                "the request has {} bytes, at most {} are read",
                                bytes, kMaxRequestBytes)),
                            kUsage));
}

int PipeServer::Fail(const absl::Status& status, int exit_status) {
  ui_.Error(std::string(status.message()));
  return exit_status;
}

int PipeServer::Run(std::string_view line, std::string& id) {
  PipeRequest request;
  const absl::Status parsed = ParsePipeRequest(line, request);
  id = request.id;
  if (!parsed.ok()) return Fail(parsed, kUsage);
  if (request.command == kPing) return kOk;
  const absl::StatusOr<commands::Command> command =
      commands::MakeCommand(request.command, std::move(request.arguments),
                            request.options, session_.defaults());
  return command.ok() ? RunCommand(*command) : Fail(command.status(), kUsage);
}

int PipeServer::RunCommand(const commands::Command& command) {
  const commands::CommandInfo& info = *command.info;
  const bool about_profile =
      info.inputs == commands::CommandInfo::Inputs::kProfile && info.one_shot;
  const commands::Workspace& workspace = session_.workspace();
  if ((about_profile || info.name == "add") && !unopened_.ok()) {
    return Fail(unopened_, kFailed);
  }
  if (about_profile && workspace.inputs.empty()) {
    return Fail(
        absl::FailedPreconditionError(fmt::format(
            "{} of what? No profile is open; load opens one", info.name)),
        kUsage);
  }
  const std::shared_ptr<commands::OpenProfile> before = workspace.opened;
  absl::Status status = session_.Run(command);
  const bool loaded = workspace.opened != before;
  if (loaded) {
    std::string missing;
    state_ = commands::CheckLoaded(workspace.inputs, workspace.opened->loaded,
                                   &missing);
    unopened_ = absl::OkStatus();
    ui_.Note(missing);
  }
  if (ui_.cancellation().requested()) {
    ui_.TakeData();
    return Fail(absl::CancelledError("cancelled"), kFailed);
  }
  // This is like the empty line after it in a script.
  if (status.ok() && info.name == "set") {
    ui_.out().Write(options::FormatOptions(session_.defaults()));
  }
  if (status.ok() && (about_profile || loaded)) status = state_;
  if (status.ok()) return kOk;
  return info.is_verdict && !commands::IsNegativeVerdict(status) ? kUsage
                                                                 : kFailed;
}

PipeReply PipeServer::Reply(const std::string& id, int exit_status) {
  PipeReply reply;
  reply.data = ui_.TakeData();
  std::string messages;
  for (const PipeUi::Message& message : ui_.TakeMessages()) {
    messages += fmt::format("{}{{\"level\":\"{}\",\"text\":{}}}",
                            messages.empty() ? "" : ",", NameOf(message.level),
                            util::JsonString(message.text));
  }
  reply.header = fmt::format(
      "{{\"id\":{},\"status\":{},\"messages\":[{}],\"bytes\":{}}}\n", id,
      exit_status, messages, reply.data.size());
  return reply;
}

int ServePipe(PipeServer& server, Ui& ui, int in, int out) {
  const util::InterruptCancels interrupts(ui.cancellation());
  LineReader lines(in);
  size_t too_long = 0;
  while (!server.done()) {
    const std::optional<std::string_view> line = lines.Next(too_long);
    if (!line.has_value()) break;
    // A Ctrl-C between two requests cancels none.
    ui.cancellation().Reset();
    const PipeReply reply =
        too_long > 0 ? server.Refuse(too_long) : server.Answer(*line);
    int error = WriteAll(out, reply.header);
    if (error == 0) error = WriteAll(out, reply.data);
    if (error == EPIPE) return 0;
    if (error != 0) return error;
  }
  return 0;
}

}  // namespace tfprof::shell
