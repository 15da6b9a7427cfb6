// Commands of OpenCL that are under way, from their enqueue to their
// completion, and what is known of devices.
//
// Memory comes from the system in pages and is used again. All of it belongs to
// one process: a child made by fork begins with nothing.

#ifndef TFPROF_RECORD_OPENCL_COMMANDS_H_
#define TFPROF_RECORD_OPENCL_COMMANDS_H_

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_icd.h>

#include <cstdint>
#include <string_view>

#include "record/sink.h"

namespace tfprof::record::opencl {

// The functions of the layer below, or of the driver.
const cl_icd_dispatch& Target();

// What one function enqueues.
struct Api {
  const char* name;  // "clEnqueueReadBuffer"
  const char* kind;  // "read"
  tfprof_work_kind work;
};

struct Command {
  const Api* api;
  std::string_view name;  // of the kernel; it stays
  cl_event event;
  uint64_t correlation;
  uint64_t bytes;
  uint64_t entry, exit;
  uint64_t queue, context;
  uint32_t thread;
  uint32_t device;         // DeviceNumber()
  Command *next, *before;  // of those under way, or unused
};

// A new command, which is under way until EndCommand(). Null: no memory.
Command* BeginCommand();
void EndCommand(Command* command);

// Begins to wait for the completion of `command`, which has an event of which
// this owns a reference, and tells of it then.
void AwaitCommand(Command* command);

// Tells of what has not ended; it waits for it for a short time. For the end of
// the process.
void TellUnfinished();

// A number for a device of this process, in the order in which they are met.
uint32_t DeviceNumber(cl_device_id device);
// "opencl:0".
std::string_view DeviceName(uint32_t number);

// A copy of a text that stays. "": no memory.
std::string_view KeepText(std::string_view text);

}  // namespace tfprof::record::opencl

#endif  // TFPROF_RECORD_OPENCL_COMMANDS_H_
