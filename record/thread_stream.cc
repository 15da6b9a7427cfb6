#include "record/thread_stream.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#include <new>

#include "record/emit.h"
#include "record/process_state.h"
#include "record/system.h"

// These functions are in libc, or in libpthread before glibc 2.34; a program
// without threads does not have them then.
extern "C" {
__attribute__((weak)) int pthread_key_create(pthread_key_t*,
                                             void (*)(void*)) noexcept;
__attribute__((weak)) int pthread_setspecific(pthread_key_t,
                                              const void*) noexcept;
// The same holds for libdl.
__attribute__((weak)) void* dlopen(const char*, int) noexcept;
}

namespace tfprof::record {
namespace {

// Small enough for the cache of a core.
constexpr uint32_t kPacketBytes = 64 << 10;
constexpr uint64_t kDefaultMaxBytes = uint64_t{8} << 30;
// After a failed write of a packet, nothing is tried for this time.
constexpr uint64_t kRetryNanos = 10'000'000;
constexpr uint64_t kClocksNanos = 1'000'000'000;

// Small, and in the static TLS block: nothing is allocated for it, even if the
// library is loaded late.
__attribute__((tls_model("initial-exec"))) thread_local ThreadStream* t_trace;
// Set while the thread attaches. A signal handler would otherwise wait for a
// lock that its own thread holds.
__attribute__((
    tls_model("initial-exec"))) thread_local volatile bool t_attaching;

enum Start : uint32_t { kUnknown, kStarting, kStarted };
uint32_t g_start = kUnknown;
bool g_has_key = false;
pthread_key_t g_key;

uint64_t Number(const char* text, uint64_t otherwise) {
  if (text == nullptr || *text < '0' || *text > '9') return otherwise;
  uint64_t number = 0;
  for (; *text >= '0' && *text <= '9'; ++text) {
    number = number * 10 + static_cast<uint64_t>(*text - '0');
  }
  return number;
}

bool IsCurrent(const ThreadStream& trace) {
  return trace.generation ==
         __atomic_load_n(&TheProcess().shared->generation, __ATOMIC_ACQUIRE);
}

// ---- Packets

Path FileOf(const ThreadStream& trace, const char* kind) {
  Path path;
  path << TheProcess().trace.view() << kind << trace.stream;
  return path;
}

bool Take(uint64_t bytes) {
  const ProcessState& recording = TheProcess();
  Shared& shared = *recording.shared;
  if (__atomic_add_fetch(&shared.reserved_bytes, bytes, __ATOMIC_RELAXED) <=
      recording.max_bytes) {
    return true;
  }
  __atomic_sub_fetch(&shared.reserved_bytes, bytes, __ATOMIC_RELAXED);
  return false;
}
void GiveBack(uint64_t bytes) {
  __atomic_sub_fetch(&TheProcess().shared->reserved_bytes, bytes,
                     __ATOMIC_RELAXED);
}

// Turns the mapped packet into an empty one of this thread.
void BeginPacket(ThreadStream& trace) {
  Shared& shared = *TheProcess().shared;
  trace.discarded +=
      __atomic_exchange_n(&shared.discarded, 0, __ATOMIC_RELAXED);
  PacketHead head = {};
  head.magic = kPacketMagic;
  memcpy(head.uuid, shared.uuid, sizeof(head.uuid));
  head.stream_instance_id = trace.stream;
  head.timestamp_begin = head.timestamp_end = Now();
  head.content_size = sizeof(PacketHead) * 8;
  head.packet_size = uint64_t{TheProcess().packet_bytes} * 8;
  head.packet_seq_num = trace.next_packet;
  head.events_discarded = trace.discarded;
  head.vpid = shared.process;
  head.vtid = trace.thread;
  prctl(PR_GET_NAME, head.procname);
  // One store publishes the new head; until then readers see the previous
  // packet.
  memcpy(trace.head, &head, sizeof(head));
  trace.cursor = reinterpret_cast<char*>(trace.head) + sizeof(head);
  trace.limit = reinterpret_cast<char*>(trace.head) + TheProcess().packet_bytes;
}

// Appends the packet to its stream. Returns false, and changes nothing, if that
// fails.
bool WritePacket(ThreadStream& trace) {
  PacketHead& head = *trace.head;
  const uint64_t bytes = head.content_size / 8;
  if (!Take(bytes)) return false;
  // Packets in a stream have no unused rest.
  const uint64_t mapped_size = head.packet_size;
  head.packet_size = head.content_size;
  const bool written =
      AppendToFile(FileOf(trace, "stream_").c_str(), trace.file_bytes,
                   {reinterpret_cast<const char*>(&head), bytes}) == 0;
  head.packet_size = mapped_size;
  if (!written) {
    GiveBack(bytes);
    return false;
  }
  trace.file_bytes += bytes;
  ++trace.next_packet;
  return true;
}

bool MapPacket(ThreadStream& trace) {
  const uint32_t bytes = TheProcess().packet_bytes;
  if (!Take(bytes)) return false;
  void* const mapped = MapNewFile(FileOf(trace, "tail_").c_str(), bytes);
  if (mapped == nullptr) {
    GiveBack(bytes);
    return false;
  }
  trace.head = static_cast<PacketHead*>(mapped);
  return true;
}

bool NextPacket(ThreadStream& trace) {
  if (trace.head == nullptr ? !MapPacket(trace) : !WritePacket(trace)) {
    return false;
  }
  BeginPacket(trace);
  return true;
}

// Records the clocks at most once a second, and only if there are events.
void RecordClocks(ThreadStream& trace, uint64_t now) {
  Shared& shared = *TheProcess().shared;
  uint64_t last = __atomic_load_n(&shared.clocks_at, __ATOMIC_RELAXED);
  if (last != 0 && now - last < kClocksNanos) return;
  if (!__atomic_compare_exchange_n(&shared.clocks_at, &last, now, false,
                                   __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    return;
  }
  Emit<kClocks>(trace, ReadClock(CLOCK_MONOTONIC),
                ReadClock(CLOCK_MONOTONIC_RAW), ReadClock(CLOCK_REALTIME),
                ReadClock(CLOCK_BOOTTIME));
}

// ---- The end of a thread

// Leaves the files of the ended thread to another thread.
void EndThread(void* pointer) {
  ThreadStream& trace = *static_cast<ThreadStream*>(pointer);
  if (t_trace != &trace) return;
  t_trace = nullptr;
  if (!IsCurrent(trace)) return;
  Shared& shared = *TheProcess().shared;
  // A packet that cannot be written stays in its file, which then cannot be
  // reused.
  if (trace.head != nullptr) {
    if (!WritePacket(trace)) return;
    BeginPacket(trace);
  }
  Lock(shared);
  trace.next_free = shared.free_threads;
  shared.free_threads = &trace;
  Unlock(shared);
}

// ---- The beginning of a process

bool MakeShared() {
  void* const pages = AllocatePages(PageBytes());
  TheProcess().shared = static_cast<Shared*>(pages);
  // Without this, a parent and its child would write to the same files.
  if (pages == nullptr || !WipeOnFork(pages, PageBytes())) return false;
  if (!g_has_key && pthread_key_create != nullptr &&
      pthread_setspecific != nullptr) {
    g_has_key = pthread_key_create(&g_key, EndThread) == 0;
  }
  return true;
}

void Initialize(const char* folder, uint64_t packet_bytes, uint64_t max_bytes) {
  ProcessState& recording = TheProcess();
  recording.folder.Clear();
  recording.folder << folder;
  recording.packet_bytes =
      packet_bytes > 0 ? static_cast<uint32_t>(packet_bytes) : kPacketBytes;
  recording.max_bytes = max_bytes > 0 ? max_bytes : kDefaultMaxBytes;
  recording.clock_offset =
      Number(getenv("TFPROF_RECORD_CLOCK"),
             ReadClock(CLOCK_REALTIME) - ReadClock(CLOCK_MONOTONIC));
  if (!recording.folder.ok() || folder[0] != '/') return;
  recording.is_recorded = MakeShared();
}

// Sends events to the running LTTng sessions. The library `provider` defines
// the tracepoints and loads LTTng's own library.
void JoinLttng(const char* provider) {
  if (dlopen == nullptr) return;
  void* const library = dlopen(provider, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;
  ProcessState& recording = TheProcess();
  recording.emit =
      reinterpret_cast<EmitFunction>(dlsym(library, "tfprof_lttng_emit"));
  recording.is_recorded = recording.emit != nullptr && MakeShared();
}

// Starts once for each process image, on the first call of any thread.
bool IsStarted() {
  uint32_t start = __atomic_load_n(&g_start, __ATOMIC_ACQUIRE);
  if (start == kStarted) return true;
  if (start == kUnknown &&
      __atomic_compare_exchange_n(&g_start, &start, kStarting, false,
                                  __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
    if (const char* provider = getenv("TFPROF_RECORD_LTTNG");
        provider != nullptr) {
      JoinLttng(provider);
    } else if (const char* folder = getenv("TFPROF_RECORD");
               folder != nullptr) {
      Initialize(folder, 0, Number(getenv("TFPROF_RECORD_MAX_MIB"), 0) << 20);
    }
    __atomic_store_n(&g_start, kStarted, __ATOMIC_RELEASE);
    return true;
  }
  return false;  // another thread is starting; drop this event
}

__attribute__((constructor)) void StartWithProgram() { IsStarted(); }

// This runs after main or exit(). Other threads and later destructors may still
// record.
__attribute__((destructor)) void EndWithProgram() {
  if (t_trace != nullptr) EndThread(t_trace);
}

// ---- The beginning of a thread

ThreadStream* NewTrace(Shared& shared) {
  if (ThreadStream* trace = shared.free_threads; trace != nullptr) {
    shared.free_threads = trace->next_free;
    for (int i = 0; i < kNumNested; ++i) {
      trace->depth[i] = 0;
      trace->is_written[i] = 0;
    }
    return trace;
  }
  void* const pages = AllocatePages(PageBytes());
  if (pages == nullptr) return nullptr;
  auto* const trace = new (pages) ThreadStream;
  trace->stream = shared.num_streams++;
  return trace;
}

// Gives the thread a stream, also the first thread of a child.
ThreadStream* Attach() {
  ProcessState& recording = TheProcess();
  Shared& shared = *recording.shared;
  Lock(shared);
  ThreadStream* trace = nullptr;
  if (shared.generation != 0 || recording.emit != nullptr ||
      OpenProcess(recording)) {
    trace = NewTrace(shared);
    if (trace != nullptr && shared.generation == 0) {
      __atomic_store_n(&shared.generation, ++recording.last_generation,
                       __ATOMIC_RELEASE);
    }
  }
  Unlock(shared);
  if (trace == nullptr) return nullptr;
  trace->generation = shared.generation;
  trace->thread = CurrentThread();
  trace->emit = recording.emit;
  if (trace->head != nullptr) BeginPacket(*trace);
  t_trace = trace;
  if (g_has_key) pthread_setspecific(g_key, trace);
  return trace;
}

}  // namespace

bool IsOn() {
  const ProcessState& recording = TheProcess();
  return IsRecordedProcess() && !recording.is_paused &&
         !recording.shared->has_failed;
}
bool IsRecordedProcess() {
  return TheProcess().is_recorded || (IsStarted() && TheProcess().is_recorded);
}
void SetPaused(bool paused) { TheProcess().is_paused = paused; }

uint32_t KnownThreadId() {
  const ThreadStream* trace = t_trace;
  return trace != nullptr && TheProcess().is_recorded && IsCurrent(*trace)
             ? trace->thread
             : CurrentThread();
}

void StartRecording(const char* folder, uint64_t packet_bytes,
                    uint64_t max_bytes) {
  IsStarted();
  TheProcess().is_recorded = false;
  Initialize(folder, packet_bytes, max_bytes);
}

ThreadStream* Enter(bool is_nested) {
  const ProcessState& recording = TheProcess();
  if (!recording.is_recorded) {
    if (!IsRecordedProcess()) return nullptr;
  }
  if (recording.is_paused && !is_nested) return nullptr;
  ThreadStream* trace = t_trace;
  if (trace != nullptr && IsCurrent(*trace)) [[likely]] {
    if (trace->is_busy) {
      // A signal handler has interrupted the recorder on this thread.
      __atomic_fetch_add(&recording.shared->discarded, 1, __ATOMIC_RELAXED);
      return nullptr;
    }
    trace->is_busy = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return trace;
  }
  // A new thread has no open event that could end during a pause.
  if (t_attaching || recording.is_paused || recording.shared->has_failed) {
    return nullptr;
  }
  t_attaching = true;
  trace = Attach();
  if (trace != nullptr) trace->is_busy = true;
  t_attaching = false;
  return trace;
}

bool MakeRoom(ThreadStream& trace, uint32_t bytes) {
  const uint64_t now = ReadClock(CLOCK_MONOTONIC);
  if (now >= trace.retry_at) {
    if (NextPacket(trace)) {
      trace.retry_at = 0;
      RecordClocks(trace, now);
      if (trace.limit - trace.cursor >= static_cast<ptrdiff_t>(bytes)) {
        return true;
      }
    }
    trace.retry_at = now + kRetryNanos;
  }
  if (trace.head != nullptr) {
    trace.head->events_discarded = ++trace.discarded;
  } else {
    __atomic_fetch_add(&TheProcess().shared->discarded, 1, __ATOMIC_RELAXED);
  }
  return false;
}

}  // namespace tfprof::record
