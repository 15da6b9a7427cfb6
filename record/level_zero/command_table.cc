#include "record/level_zero/command_table.h"

#include <atomic>

#include "record/level_zero/device_time.h"
#include "record/level_zero/own_events.h"
#include "record/plugins/kept_texts.h"
#include "record/plugins/real_symbol.h"
#include "record/plugins/spin_lock.h"
#include "record/system.h"
#include "record/text_buffer.h"

namespace tfprof::record::level_zero {
namespace {

constinit RealSymbol get_properties("zeDeviceGetProperties", TFPROF_LEVEL_ZERO);
constinit RealSymbol get_timestamps("zeDeviceGetGlobalTimestamps",
                                    TFPROF_LEVEL_ZERO);
constinit RealSymbol query_status("zeEventQueryStatus", TFPROF_LEVEL_ZERO);
constinit RealSymbol query_timestamp("zeEventQueryKernelTimestamp",
                                     TFPROF_LEVEL_ZERO);

struct Device {
  Handle handle = nullptr;
  TextBuffer<20> name;
  DeviceTime time;
  // The host times before and after the last reading of the ticks.
  uint64_t before = 0, after = 0;
};

struct List {
  Handle context, device;
  bool is_immediate;
};

enum class State : uint8_t { kFree, kAppended, kSubmitted, kDone };

struct Command {
  State state;
  bool is_own_event;
  uint32_t num_submits;
  tfprof_work_kind kind;
  uint32_t device;
  const char* operation;
  const char* name;
  size_t name_size;
  uint64_t bytes, correlation;
  Handle list, context, queue, event;
};

constexpr uint32_t kMaxDevices = 64;
constexpr size_t kMaxCommands = 16'384;

// The lock protects everything below.
constinit SpinLock lock;
constinit Device devices[kMaxDevices];
constinit uint32_t num_devices = 0;
constinit AddressMap lists;
constinit Command* commands = nullptr;
constinit size_t num_commands = 0;  // later slots were never used
constinit bool has_noted_full = false;

const List* FindList(Handle list) {
  return static_cast<const List*>(lists.Find(list));
}

// Returns kMaxDevices if there are too many devices.
uint32_t DeviceOf(Handle handle) {
  for (uint32_t i = 0; i < num_devices; ++i) {
    if (devices[i].handle == handle) return i;
  }
  if (num_devices == kMaxDevices) return kMaxDevices;
  Device& device = devices[num_devices];
  device.handle = handle;
  device.name << "LevelZero:" << num_devices;
  const auto ask = get_properties.As<GetDeviceProperties>();
  DeviceProperties properties;
  if (ask != nullptr && ask(handle, &properties) == kSuccess) {
    device.time.Set(properties.timer_hertz, properties.timestamp_bits,
                    properties.kernel_timestamp_bits);
  }
  return num_devices++;
}

void ReadTime(Device& device) {
  const auto ask = get_timestamps.As<GetGlobalTimestamps>();
  if (ask == nullptr || !device.time.is_known()) return;
  uint64_t host = 0, ticks = 0;
  const uint64_t before = Now();
  if (ask(device.handle, &host, &ticks) != kSuccess) return;
  device.before = before;
  device.after = Now();
  device.time.Read(ticks);
}

Command* TakeCommand() {
  if (commands == nullptr) {
    commands =
        static_cast<Command*>(AllocatePages(kMaxCommands * sizeof(Command)));
    if (commands == nullptr) return nullptr;
  }
  for (size_t i = 0; i < num_commands; ++i) {
    if (commands[i].state == State::kFree) return &commands[i];
  }
  if (num_commands < kMaxCommands) return &commands[num_commands++];
  if (!has_noted_full) {
    Note("level_zero", "too many commands are open: some are not recorded");
  }
  has_noted_full = true;
  return nullptr;
}

void Free(Command& command) {
  if (command.is_own_event) GiveBackEvent(command.event);
  command.state = State::kFree;
}

void Tell(const Command& command, const Device& device) {
  KernelTimestamp times = {};
  const auto ask = query_timestamp.As<QueryKernelTimestamp>();
  const bool is_timed = device.time.is_known() && device.after != 0 &&
                        ask != nullptr &&
                        ask(command.event, &times) == kSuccess;
  FinishedWork work{.name = {command.name, command.name_size},
                    .device = device.name.view(),
                    .operation = command.operation,
                    .kind = command.kind,
                    .clock = TFPROF_CLOCK_DEVICE,
                    .queue = reinterpret_cast<uint64_t>(command.queue),
                    .context = reinterpret_cast<uint64_t>(command.context),
                    .correlation = command.correlation,
                    .bytes = command.bytes,
                    .is_timed = is_timed};
  if (is_timed) {
    work.start = device.time.OfKernel(times.global_start);
    work.end = device.time.OfKernel(times.global_end);
  }
  DeviceWork(work);
}

// Reports to the sink the commands that have ended and for which `is_asked` is
// true.
template <typename IsAsked>
void Ask(IsAsked is_asked) {
  const auto status = query_status.As<OfEvent>();
  if (status == nullptr) return;
  uint64_t read = 0;  // a bit for each device whose clock was read
  for (size_t i = 0; i < num_commands; ++i) {
    Command& command = commands[i];
    if (command.state != State::kSubmitted || !is_asked(command) ||
        status(command.event) != kSuccess) {
      continue;
    }
    Device& device = devices[command.device];
    if ((read >> command.device & 1) == 0) ReadTime(device);
    read |= uint64_t{1} << command.device;
    Tell(command, device);
    command.state = State::kDone;
    const List* const list = FindList(command.list);
    if (list == nullptr || list->is_immediate) Free(command);
  }
  for (uint32_t i = 0; i < num_devices; ++i) {
    const Device& device = devices[i];
    if ((read >> i & 1) == 0 || device.after == 0) continue;
    ClockPair(device.name.view(), device.before - device.time.resolution(),
              device.time.now(), device.after);
  }
}

}  // namespace

void AddList(Handle list, Handle context, Handle device, bool is_immediate) {
  auto* const kept = static_cast<List*>(KeepBytes(sizeof(List)));
  if (kept == nullptr) return;
  *kept = {context, device, is_immediate};
  const SpinLocked locked(lock);
  lists.Erase(list);
  lists.Insert(list, kept);
}

void ClearList(Handle list, bool is_destroyed) {
  const SpinLocked locked(lock);
  Ask([list](const Command& command) { return command.list == list; });
  for (size_t i = 0; i < num_commands; ++i) {
    Command& command = commands[i];
    if (command.state != State::kFree && command.list == list) Free(command);
  }
  if (is_destroyed) lists.Erase(list);
}

Handle AddCommand(Handle list, const NewCommand& added, Handle event) {
  const SpinLocked locked(lock);
  const List* const found = FindList(list);
  if (found == nullptr) return event;
  const uint32_t device = DeviceOf(found->device);
  if (device == kMaxDevices) return event;
  Command* const command = TakeCommand();
  if (command == nullptr) return event;
  *command = {.state = State::kFree,
              .is_own_event = event == nullptr,
              .num_submits = 0,
              .kind = added.kind,
              .device = device,
              .operation = added.operation,
              .name = added.name.data(),
              .name_size = added.name.size(),
              .bytes = added.bytes,
              .correlation = added.correlation,
              .list = list,
              .context = found->context,
              .queue = list,
              .event = event};
  if (event == nullptr) {
    command->event = TakeEvent(found->context);
    if (command->event == nullptr) return nullptr;
  }
  command->state = found->is_immediate ? State::kSubmitted : State::kAppended;
  return command->event;
}

void SubmitLists(Handle queue, uint32_t num_lists, const Handle* submitted,
                 uint64_t correlation) {
  const SpinLocked locked(lock);
  for (uint32_t l = 0; l < num_lists; ++l) {
    const Handle list = submitted[l];
    Ask([list](const Command& command) { return command.list == list; });
    for (size_t i = 0; i < num_commands; ++i) {
      Command& command = commands[i];
      if (command.state == State::kFree || command.list != list) continue;
      command.queue = queue;
      // The first run belongs to the call that appended the command, later runs
      // to this call.
      if (command.num_submits++ > 0) command.correlation = correlation;
      if (command.is_own_event && command.state == State::kDone) {
        ResetEvent(command.event);
      }
      command.state = State::kSubmitted;
    }
  }
}

void AskAll() {
  const SpinLocked locked(lock);
  Ask([](const Command&) { return true; });
}

void AskBeforeReset(Handle event) {
  const SpinLocked locked(lock);
  Ask([event](const Command& command) { return command.event == event; });
}

}  // namespace tfprof::record::level_zero
