// ProcessTrace: the folder of the recorded process, and what its threads share.
//
// Everything that a child made by fork must not have lies in pages that the
// kernel zeroes for it: `generation` 0 means that this process has no folder
// yet, and the lock is open.

#ifndef TFPROF_RECORD_PROCESS_TRACE_H_
#define TFPROF_RECORD_PROCESS_TRACE_H_

#include <cstdint>

#include "record/packet.h"
#include "record/text_buffer.h"
#include "record/thread_trace.h"

namespace tfprof::record {

// Zero in a new child.
struct Shared {
  uint32_t generation;  // not 0: the process has a folder
  uint32_t lock;
  bool has_failed;  // there is no folder, and there will be none
  uint64_t reserved_bytes;
  uint64_t next_id;
  uint64_t clocks_at;  // when the clocks were last recorded
  uint32_t num_streams;
  uint32_t process;
  // Events that no stream has counted yet.
  uint64_t discarded;
  ThreadTrace* free_threads;
  uint8_t uuid[kUuidBytes];
};

// What the environment says, and what is the same in a child.
struct Recording {
  bool is_recorded = false;
  volatile bool is_paused = false;
  Shared* shared = nullptr;
  Path folder;                  // of the recording: that of TFPROF_RECORD
  Path trace;                   // of this process, with a "/" at its end
  EmitFunction emit = nullptr;  // of LTTng: there are no files then
  uint64_t clock_offset = 0;
  uint64_t max_bytes = 0;     // of a process
  uint32_t packet_bytes = 0;  // of a large packet
  uint32_t last_generation = 0;
};

Recording& TheRecording();

// Takes and gives back the lock of `shared`. It is held while files are made.
void Lock(Shared& shared);
void Unlock(Shared& shared);

// Makes the folder and the metadata of this process; with the lock. False: it
// cannot be done, and is not tried again.
bool OpenProcess(Recording& recording);

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_PROCESS_TRACE_H_
