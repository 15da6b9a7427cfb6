// The members beside the events of a Kineto file: which rank recorded it, on
// which devices, when, and what went wrong.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_ENVELOPE_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_ENVELOPE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "loaders/chrome_json/event_scanner.h"

namespace tfprof::kineto {

struct KinetoDevice {
  int64_t id = -1;
  std::string name;  // "NVIDIA H100 80GB HBM3"
  int64_t memory_bytes = 0;
};

// A group of processes that communicate: "pg_config" of torch.distributed.
struct KinetoGroup {
  std::string name;         // "0"
  std::string description;  // "default_pg"
  std::string backend;      // "cuda:nccl"
  int64_t size = -1;        // -1: not given
  std::vector<int64_t> ranks;
};

struct KinetoEnvelope {
  // Nanoseconds to add to the times of events to get nanoseconds since 1970. 0:
  // the times are absolute already, or the file does not give it.
  int64_t base_nanos = 0;
  int64_t rank = -1;  // -1: not given
  int64_t world_size = -1;
  std::string host;
  std::vector<KinetoDevice> devices;
  std::vector<KinetoGroup> groups;  // at most 256
  int64_t more_groups = 0;          // groups that are not kept
  // The errors that the recorder reported.
  std::vector<std::string> errors;
};

KinetoEnvelope ReadKinetoEnvelope(
    std::span<const chrome_json::TopMember> members);

// Returns "process group 0 (default_pg): 8 ranks: 0-7, cuda:nccl".
std::string GroupText(const KinetoGroup& group);

// Returns the device with this number. If the file lists only other numbers,
// but all of one model, returns a device with that model and without number and
// memory.
KinetoDevice FindKinetoDevice(const KinetoEnvelope& envelope, int64_t id);

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_ENVELOPE_H_
