// The state of the recorded process: its folder, and everything that its
// threads share.
//
// Whatever a child made by fork must not inherit lies in pages that the kernel
// zeroes for it. A `generation` of 0 then means that the process has no folder
// yet; a `lock` of 0 is open.

#ifndef TFPROF_RECORD_PROCESS_STATE_H_
#define TFPROF_RECORD_PROCESS_STATE_H_

#include <cstdint>

#include "record/packet.h"
#include "record/text_buffer.h"
#include "record/thread_stream.h"

namespace tfprof::record {

// The state that is zeroed in a new child.
struct Shared {
  uint32_t generation;  // not 0: the process has a folder
  uint32_t lock;
  bool has_failed;  // there is no folder, and there will be none
  uint64_t reserved_bytes;
  uint64_t next_id;
  uint64_t clocks_at;  // when the clocks were last recorded
  uint32_t num_streams;
  uint32_t process;
  // Dropped events that are not yet counted in any stream.
  uint64_t discarded;
  ThreadStream* free_threads;
  uint8_t uuid[kUuidBytes];
};

// Settings from the environment, and other state that a child inherits.
struct ProcessState {
  bool is_recorded = false;
  volatile bool is_paused = false;
  Shared* shared = nullptr;
  Path folder;                  // of the recording, from TFPROF_RECORD
  Path trace;                   // of this process, ends with "/"
  EmitFunction emit = nullptr;  // set for LTTng: no files then
  uint64_t clock_offset = 0;
  uint64_t max_bytes = 0;     // of a process
  uint32_t packet_bytes = 0;  // of a large packet
  uint32_t last_generation = 0;
};

ProcessState& TheProcess();

// Lock and unlock `shared`. The lock is held while files are created.
void Lock(Shared& shared);
void Unlock(Shared& shared);

// Creates the folder and the metadata of this process. The caller holds the
// lock. Returns false if it fails; it is not tried again.
bool OpenProcess(ProcessState& recording);

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_PROCESS_STATE_H_
