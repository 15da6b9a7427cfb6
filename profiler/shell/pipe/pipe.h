// The pipe: the program answers requests of another program, for one profile
// that stays loaded. `tfprof pipe` serves it; g3doc/pipe.md describes the
// bytes.
//
// A request is a line of JSON (pipe_request.h). The reply is a line of JSON
//
//   {"id":1,"status":0,"messages":[{"level":"note","text":"…"}],"bytes":212}
//
// and then exactly that many bytes, which the command would write to stdout.
// "status" is what the program returns for the same command: 0; 1, it failed or
// the verdict is negative; 2, the request is wrong. Messages are what would go
// to stderr. Every request gets one reply, in the order of the requests.

#ifndef TFPROF_PROFILER_SHELL_PIPE_PIPE_H_
#define TFPROF_PROFILER_SHELL_PIPE_PIPE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "profiler/commands/commands.h"
#include "profiler/shell/shell.h"
#include "profiler/shell/ui.h"
#include "util/files/sink.h"

namespace tfprof::shell {

// The longest line that is read.
inline constexpr size_t kMaxRequestBytes = size_t{256} << 20;

// Collects the output and the messages of a command.
class PipeUi : public Ui {
 public:
  enum class Level : uint8_t { kError, kWarning, kNote };
  struct Message {
    Level level = Level::kError;
    std::string text;  // without its last newline
  };

  bool ReadLine(std::string_view, std::string&) override { return false; }
  util::Sink& out() override { return sink_; }
  void Flush() override {}
  void Error(std::string_view text) override { Add(Level::kError, text); }
  void Note(std::string_view text) override;
  absl::Status CanBrowse() const override;
  bool interactive() const override { return false; }

  std::string TakeData() { return sink_.Take(); }
  std::vector<Message> TakeMessages() { return std::move(messages_); }

 private:
  class DataSink : public util::Sink {
   public:
    explicit DataSink(const util::Cancellation& cancellation)
        : cancellation_(cancellation) {}

    void Write(std::string_view bytes) override {
      if (wanted()) text_ += bytes;
    }
    bool wanted() const override { return !cancellation_.requested(); }
    std::string Take() { return std::exchange(text_, {}); }

   private:
    const util::Cancellation& cancellation_;
    std::string text_;
  };

  void Add(Level level, std::string_view text);

  DataSink sink_{Ui::cancellation()};
  std::vector<Message> messages_;
};

struct PipeReply {
  std::string header;  // with its newline
  std::string data;
};

class PipeServer {
 public:
  // Both must outlive the server. `unopened`: why the inputs of the session
  // could not be opened; commands that need a profile fail with it until one is
  // loaded. Messages that `ui` has already belong to the first reply.
  PipeServer(Shell& session, PipeUi& ui, absl::Status unopened = {});

  PipeReply Answer(std::string_view line);
  // The reply to a line of `bytes` bytes, which is too long.
  PipeReply Refuse(size_t bytes);
  bool done() const { return session_.done(); }

 private:
  int Run(std::string_view line, std::string& id);
  int RunCommand(const commands::Command& command);
  int Fail(const absl::Status& status, int exit_status);
  PipeReply Reply(const std::string& id, int exit_status);

  Shell& session_;
  PipeUi& ui_;
  absl::Status unopened_;
  // CheckLoaded() of the profile that is open, when it was opened: its files
  // may be gone.
  absl::Status state_;
};

// Answers the lines of the file descriptor `in` on `out` until one of them
// ends, or a request says exit. Ctrl-C cancels the request that is being
// answered, and nothing else. The result is the errno with which `out` could
// not be written; 0 also where nobody reads it any more.
int ServePipe(PipeServer& server, Ui& ui, int in, int out);

}  // namespace tfprof::shell

#endif  // TFPROF_PROFILER_SHELL_PIPE_PIPE_H_
