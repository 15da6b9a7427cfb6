// The OpenCL commands that are under way, from enqueueing to completion, and
// the numbers and names of devices.
//
// Memory comes from the system in pages and is reused. All of it belongs to one
// process: a child made by fork begins with nothing.

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

// A function of OpenCL that enqueues a command.
struct Api {
  const char* name;  // "clEnqueueReadBuffer"
  const char* kind;  // "read"
  tfprof_work_kind work;
};

struct Command {
  const Api* api;
  std::string_view name;  // of the kernel; kept forever
  cl_event event;
  uint64_t correlation;
  uint64_t bytes;
  uint64_t entry, exit;
  uint64_t queue, context;
  uint32_t thread;
  uint32_t device;         // DeviceNumber()
  Command *next, *before;  // in the ring under way, or unused
};

// A new command, which is under way until EndCommand(). Null if there is no
// memory.
Command* BeginCommand();
void EndCommand(Command* command);

// Takes over one reference to the command's event, waits asynchronously until
// the command completes, and then reports it.
void AwaitCommand(Command* command);

// Reports the commands that have not ended, after a short wait for them. To be
// called when the process ends.
void TellUnfinished();

// Numbers the devices of this process in the order in which they are first
// seen.
uint32_t DeviceNumber(cl_device_id device);
// "opencl:0".
std::string_view DeviceName(uint32_t number);

// A copy of a text that stays valid; "" if there is no memory.
std::string_view KeepText(std::string_view text);

}  // namespace tfprof::record::opencl

#endif  // TFPROF_RECORD_OPENCL_COMMANDS_H_
