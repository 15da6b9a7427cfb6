#include "record/process_state.h"

#include <errno.h>
#include <sys/auxv.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "record/metadata.h"
#include "record/system.h"

namespace tfprof::record {
namespace {

constexpr uint32_t kMaxSameName = 100000;
constexpr char kBootId[] = "/proc/sys/kernel/random/boot_id";
constexpr char kRandomUuid[] = "/proc/sys/kernel/random/uuid";
constexpr uint32_t kUuidText = 36;

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

// A random number of the kernel. Without /proc, the process id and the time,
// which together identify a process of this machine.
void MakeUuid(uint32_t process, uint8_t* uuid) {
  char text[kUuidText];
  uint32_t n = 0;
  if (ReadFile(kRandomUuid, text, sizeof(text)) == kUuidText) {
    for (uint32_t i = 0; i + 1 < kUuidText && n < kUuidBytes; ++i) {
      if (text[i] == '-') continue;
      uuid[n++] =
          static_cast<uint8_t>(HexDigit(text[i]) << 4 | HexDigit(text[i + 1]));
      ++i;
    }
  }
  if (n == kUuidBytes) return;
  const uint64_t now = ReadClock(CLOCK_REALTIME);
  const uint64_t rest = uint64_t{process} << 32 | (now >> 60);
  memcpy(uuid, &now, sizeof(now));
  memcpy(uuid + sizeof(now), &rest, sizeof(rest));
}

// Appends the name of a program with all special characters replaced by "_".
void AppendName(const char* name, Path& out) {
  for (; *name != 0; ++name) {
    const char c = *name;
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '.' || c == '_' ||
                          c == '+';
    out << (is_plain ? c : '_');
  }
}

// Reads the name of the process, not of the calling thread.
void ReadProgramName(char (&name)[kNameBytes]) {
  const int64_t n = ReadFile("/proc/self/comm", name, kNameBytes);
  int64_t size = n > 0 ? n : 0;
  if (size == kNameBytes) --size;
  if (size > 0 && name[size - 1] == '\n') --size;
  name[size] = 0;
  if (size == 0) memcpy(name, "program", sizeof("program"));
}

}  // namespace

ProcessState& TheProcess() {
  // This is zeroed and needs no constructor, because events may come before our
  // constructors have run.
  static constinit ProcessState recording;
  return recording;
}

void Lock(Shared& shared) {
  while (__atomic_exchange_n(&shared.lock, 1, __ATOMIC_ACQUIRE) != 0) {
    YieldProcessor();
  }
}
void Unlock(Shared& shared) {
  __atomic_store_n(&shared.lock, 0, __ATOMIC_RELEASE);
}

bool OpenProcess(ProcessState& recording) {
  Shared& shared = *recording.shared;
  if (shared.has_failed) return false;
  shared.has_failed = true;
  shared.process = CurrentProcess();
  char program[kNameBytes];
  ReadProgramName(program);
  // The same id may occur twice: a process may replace its program (exec), and
  // containers number their processes separately.
  int made = -EEXIST;
  for (uint32_t i = 1; made == -EEXIST && i < kMaxSameName; ++i) {
    recording.trace.Clear();
    recording.trace << recording.folder.view() << '/';
    AppendName(program, recording.trace);
    recording.trace << '-' << shared.process;
    if (i > 1) recording.trace << '-' << i;
    made = MakeFolder(recording.trace.c_str());
  }
  if (made != 0) return false;
  recording.trace << '/';
  MakeUuid(shared.process, shared.uuid);
  char boot_id[kUuidText];
  struct utsname system;
  if (uname(&system) != 0) system.nodename[0] = 0;
  TraceDescription description;
  description.uuid = shared.uuid;
  description.host = system.nodename;
  description.program = program;
  description.process = shared.process;
  description.clock_offset = recording.clock_offset;
  if (ReadFile(kBootId, boot_id, sizeof(boot_id)) == kUuidText) {
    description.boot_id = std::string_view(boot_id, kUuidText);
  }
  MetadataText text;
  PrintMetadata(description, text);
  Path path;
  path << recording.trace.view() << "metadata";
  if (!text.ok() || !path.ok() ||
      WriteNewFile(path.c_str(), text.view()) != 0) {
    return false;
  }
  shared.has_failed = false;
  return true;
}

}  // namespace tfprof::record
