#include "util/sandbox/file_gate.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include "fmt/format.h"

namespace tfprof::util {
namespace {

// The requests. All but kTemporary have an id: kMake gets it, and the others
// name the file by it.
constexpr char kMake = 'M';
constexpr char kCommit = 'C';
constexpr char kDiscard = 'D';
constexpr char kTemporary = 'T';

// What the process behind the gate may have open at a time.
constexpr size_t kMaxFiles = 64;
// A path of the longest length, or a message with one, and the fields.
constexpr size_t kMaxMessage = 16 << 10;

struct Message {
  // A request, or 0; of a reply, a status code.
  int32_t kind = 0;
  uint32_t id = 0;
  std::string text;
  int fd = -1;  // travels with it
};

constexpr size_t kFieldBytes = sizeof(int32_t) + sizeof(uint32_t);

bool SendMessage(int socket, const Message& message) {
  std::string bytes(kFieldBytes, '\0');
  std::memcpy(bytes.data(), &message.kind, sizeof(message.kind));
  std::memcpy(bytes.data() + sizeof(message.kind), &message.id,
              sizeof(message.id));
  bytes += message.text;
  bytes.resize(std::min(bytes.size(), kMaxMessage));
  iovec part = {.iov_base = bytes.data(), .iov_len = bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (message.fd >= 0) {
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    cmsghdr* const rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(rights), &message.fd, sizeof(int));
  }
  for (;;) {
    const ssize_t sent = sendmsg(socket, &header, MSG_NOSIGNAL);
    if (sent >= 0) return true;
    if (errno != EINTR) return false;
  }
}

// nullopt: the other process has ended, or sends something else. At most one
// descriptor is taken; the system closes others.
std::optional<Message> ReceiveMessage(int socket) {
  std::string bytes(kMaxMessage, '\0');
  iovec part = {.iov_base = bytes.data(), .iov_len = bytes.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  ssize_t size = -1;
  do {
    size = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  Message message;
  const cmsghdr* const rights = size < 0 ? nullptr : CMSG_FIRSTHDR(&header);
  if (rights != nullptr && rights->cmsg_type == SCM_RIGHTS &&
      rights->cmsg_len >= CMSG_LEN(sizeof(int))) {
    std::memcpy(&message.fd, CMSG_DATA(rights), sizeof(int));
  }
  if (size < static_cast<ssize_t>(kFieldBytes)) {
    if (message.fd >= 0) close(message.fd);
    return std::nullopt;
  }
  bytes.resize(static_cast<size_t>(size));
  std::memcpy(&message.kind, bytes.data(), sizeof(message.kind));
  std::memcpy(&message.id, bytes.data() + sizeof(message.kind),
              sizeof(message.id));
  message.text = bytes.substr(kFieldBytes);
  return message;
}

Message ReplyOf(const absl::Status& status) {
  return {.kind = static_cast<int32_t>(status.code()),
          .text = std::string(status.message())};
}

// The files that the process behind the gate has open.
class OpenFiles {
 public:
  OpenFiles(const std::function<bool(const std::string& path)>& allows,
            const Cancellation& cancellation)
      : allows_(allows), cancellation_(cancellation) {}

  // The descriptor of the reply stays open here if it has an id.
  Message Make(const std::string& path) {
    if (path.find('\0') != path.npos || !allows_(path)) {
      return ReplyOf(absl::PermissionDeniedError(fmt::format(
          "{}; with -untrusted only the files that the command names are "
          "written",
          path)));
    }
    if (files_.size() >= kMaxFiles) {
      return ReplyOf(absl::ResourceExhaustedError("too many open files"));
    }
    absl::StatusOr<std::unique_ptr<NewFile>> made =
        SystemFiles().Make(path, &cancellation_);
    if (!made.ok()) return ReplyOf(made.status());
    const int fd = (*made)->fd();
    files_[++last_id_] = *std::move(made);
    return {.id = last_id_, .fd = fd};
  }
  Message Commit(uint32_t id) {
    const std::unique_ptr<NewFile> file = Take(id);
    if (file == nullptr) return ReplyOf(absl::NotFoundError("no such file"));
    return ReplyOf(file->Commit());
  }
  Message Discard(uint32_t id) {
    Take(id);
    return {};
  }

 private:
  std::unique_ptr<NewFile> Take(uint32_t id) {
    const auto at = files_.find(id);
    if (at == files_.end()) return nullptr;
    std::unique_ptr<NewFile> file = std::move(at->second);
    files_.erase(at);
    return file;
  }

  const std::function<bool(const std::string& path)>& allows_;
  const Cancellation& cancellation_;
  std::map<uint32_t, std::unique_ptr<NewFile>> files_;
  uint32_t last_id_ = 0;
};

// False: the other process is gone.
bool AnswerTemporary(int socket) {
  const int fd = SystemFiles().MakeTemporary();
  // The text is the error of the system.
  const bool sent = SendMessage(
      socket, fd >= 0 ? Message{.fd = fd}
                      : Message{.kind = static_cast<int32_t>(
                                    absl::StatusCode::kUnavailable),
                                .id = static_cast<uint32_t>(errno)});
  if (fd >= 0) close(fd);
  return sent;
}

}  // namespace

class FileBehindGate : public NewFile {
 public:
  FileBehindGate(FileGate& gate, uint32_t id, int fd)
      : gate_(gate), id_(id), fd_(fd) {}
  ~FileBehindGate() override {
    if (fd_ < 0) return;
    close(fd_);
    gate_.Ask(kDiscard, id_, "");
  }
  int fd() const override { return fd_; }
  absl::Status Commit() override {
    close(std::exchange(fd_, -1));
    return gate_.Ask(kCommit, id_, "").status;
  }

 private:
  FileGate& gate_;
  const uint32_t id_;
  int fd_;
};

FileGate::Reply FileGate::Ask(char request, uint32_t id,
                              std::string_view path) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::optional<Message> reply;
  if (SendMessage(socket_,
                  {.kind = request, .id = id, .text = std::string(path)})) {
    reply = ReceiveMessage(socket_);
  }
  if (!reply.has_value()) {
    return {absl::UnavailableError("the process that makes the files is gone")};
  }
  return {absl::Status(static_cast<absl::StatusCode>(reply->kind), reply->text),
          reply->id, reply->fd};
}

absl::StatusOr<std::unique_ptr<NewFile>> FileGate::Make(
    const std::string& path, const Cancellation* /*cancellation*/) {
  const Reply reply = Ask(kMake, 0, path);
  if (!reply.status.ok()) return reply.status;
  return std::make_unique<FileBehindGate>(*this, reply.id, reply.fd);
}

int FileGate::MakeTemporary() {
  const Reply reply = Ask(kTemporary, 0, "");
  if (!reply.status.ok()) errno = static_cast<int>(reply.id);
  return reply.fd;
}

void ServeFiles(int socket,
                const std::function<bool(const std::string& path)>& allows,
                const Cancellation& cancellation) {
  OpenFiles files(allows, cancellation);
  while (const std::optional<Message> asked = ReceiveMessage(socket)) {
    if (asked->fd >= 0) close(asked->fd);
    bool sent = false;
    switch (asked->kind) {
      case kMake:
        sent = SendMessage(socket, files.Make(asked->text));
        break;
      case kCommit:
        sent = SendMessage(socket, files.Commit(asked->id));
        break;
      case kDiscard:
        sent = SendMessage(socket, files.Discard(asked->id));
        break;
      case kTemporary:
        sent = AnswerTemporary(socket);
        break;
    }
    if (!sent) return;
  }
}

}  // namespace tfprof::util
