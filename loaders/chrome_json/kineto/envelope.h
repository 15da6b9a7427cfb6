// What a Kineto file says beside its events: which rank recorded it, on which
// devices, when, and what went wrong.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_ENVELOPE_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_ENVELOPE_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "loaders/chrome_json/event_scanner.h"

namespace tfprof {

struct KinetoDevice {
  int64_t id = -1;
  std::string name;  // "NVIDIA H100 80GB HBM3"
  int64_t memory_bytes = 0;
};

// Processes that communicate: "pg_config" of torch.distributed.
struct KinetoGroup {
  std::string name;         // "0"
  std::string description;  // "default_pg"
  std::string backend;      // "cuda:nccl"
  int64_t size = -1;        // -1: not given
  std::vector<int64_t> ranks;
};

struct KinetoEnvelope {
  // To be added to the times of events for nanoseconds since 1970; 0: they are
  // that already, or the file does not say it.
  int64_t base_nanos = 0;
  int64_t rank = -1;  // -1: not given
  int64_t world_size = -1;
  std::string host;
  std::vector<KinetoDevice> devices;
  std::vector<KinetoGroup> groups;  // at most 256
  int64_t more_groups = 0;          // those that are not kept
  // What the recorder reported as errors.
  std::vector<std::string> errors;
};

KinetoEnvelope ReadKinetoEnvelope(std::span<const TopMember> members);

// "process group 0 (default_pg): 8 ranks: 0-7, cuda:nccl".
std::string GroupText(const KinetoGroup& group);

// The device with this number. If the file lists devices under other numbers
// but all of one model, a device without number and memory but that model.
KinetoDevice FindKinetoDevice(const KinetoEnvelope& envelope, int64_t id);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_ENVELOPE_H_
