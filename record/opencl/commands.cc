#include "record/opencl/commands.h"

#include <cstring>
#include <new>

#include "record/system.h"
#include "record/text_buffer.h"

namespace tfprof::record::opencl {
namespace {

constexpr uint32_t kPoolBytes = 64 << 10;
// Room for the names of kernels, most of which are short.
constexpr uint32_t kTextBytes = 256 << 10;
constexpr uint32_t kTextSlots = 4096;
constexpr uint32_t kMaxDevices = 64;
// The longest time that the end of the process waits for commands.
constexpr uint64_t kMaxWaitNanos = 1'000'000'000;
constexpr uint64_t kWaitNanos = 1'000'000;

// This lies in pages that are zeroed in a child process.
struct State {
  uint32_t lock;
  Command under_way;  // the head of a ring; next == nullptr: it is empty
  Command* unused;
  cl_device_id devices[kMaxDevices];
  uint32_t num_devices;
  char* texts;  // kTextBytes
  uint32_t text_bytes;
  uint32_t num_texts;
  struct {
    uint32_t at, size;  // in `texts`; size 0: free
  } slots[kTextSlots];
};

State* TheState() {
  static State* state;
  State* known = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
  if (known != nullptr) return known;
  void* const pages = AllocatePages(sizeof(State));
  if (pages == nullptr || !WipeOnFork(pages, sizeof(State))) return nullptr;
  auto* const made = static_cast<State*>(pages);
  if (__atomic_compare_exchange_n(&state, &known, made, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE)) {
    return made;
  }
  Unmap(pages, sizeof(State));
  return known;
}

class Locked {
 public:
  explicit Locked(State& state) : state_(state) {
    while (__atomic_exchange_n(&state_.lock, 1, __ATOMIC_ACQUIRE) != 0) {
      YieldProcessor();
    }
  }
  ~Locked() { __atomic_store_n(&state_.lock, 0, __ATOMIC_RELEASE); }

 private:
  State& state_;
};

void AddUnused(State& state) {
  void* const pages = AllocatePages(kPoolBytes);
  if (pages == nullptr) return;
  auto* const commands = static_cast<Command*>(pages);
  for (uint32_t i = 0; i < kPoolBytes / sizeof(Command); ++i) {
    commands[i].next = state.unused;
    state.unused = &commands[i];
  }
}

uint32_t Hash(std::string_view text) {
  uint32_t hash = 2166136261;
  for (const char c : text) {
    hash = (hash ^ static_cast<uint8_t>(c)) * 16777619;
  }
  return hash;
}

// A profiling time of the command, or 0 if the driver does not report it.
uint64_t Profiled(cl_event event, cl_profiling_info what) {
  cl_ulong time = 0;
  if (Target().clGetEventProfilingInfo == nullptr ||
      Target().clGetEventProfilingInfo(event, what, sizeof(time), &time,
                                       nullptr) != CL_SUCCESS) {
    return 0;
  }
  return time;
}

void Tell(const Command& command, cl_int status) {
  const bool is_complete = status == CL_COMPLETE;
  FinishedWork work = {.name = command.name,
                       .device = DeviceName(command.device),
                       .operation = command.api->kind,
                       .kind = command.api->work,
                       .clock = TFPROF_CLOCK_DEVICE,
                       .queue = command.queue,
                       .context = command.context,
                       .correlation = command.correlation,
                       .bytes = command.bytes,
                       .thread = command.thread,
                       .status = status,
                       .entry = command.entry,
                       .exit = command.exit,
                       .is_timed = false};
  if (work.name.empty()) work.name = command.api->kind;
  if (is_complete) {
    work.queued = Profiled(command.event, CL_PROFILING_COMMAND_QUEUED);
    work.submitted = Profiled(command.event, CL_PROFILING_COMMAND_SUBMIT);
    work.start = Profiled(command.event, CL_PROFILING_COMMAND_START);
    work.end = Profiled(command.event, CL_PROFILING_COMMAND_END);
    work.is_timed = work.end != 0;
  }
  DeviceWork(work);
}

void CL_CALLBACK Completed(cl_event event, cl_int status, void* pointer) {
  auto* const command = static_cast<Command*>(pointer);
  Tell(*command, status);
  EndCommand(command);
  Target().clReleaseEvent(event);
}

}  // namespace

Command* BeginCommand() {
  State* const state = TheState();
  if (state == nullptr) return nullptr;
  const Locked locked(*state);
  if (state->unused == nullptr) AddUnused(*state);
  Command* const command = state->unused;
  if (command == nullptr) return nullptr;
  state->unused = command->next;
  Command& head = state->under_way;
  if (head.next == nullptr) head.next = head.before = &head;
  *command = {};
  command->next = head.next;
  command->before = &head;
  command->next->before = command;
  head.next = command;
  return command;
}

void EndCommand(Command* command) {
  State& state = *TheState();
  const Locked locked(state);
  if (command->before == nullptr) return;  // from before a fork
  command->before->next = command->next;
  command->next->before = command->before;
  command->before = nullptr;
  command->next = state.unused;
  state.unused = command;
}

void AwaitCommand(Command* command) {
  const cl_event event = command->event;
  if (Target().clSetEventCallback != nullptr &&
      Target().clSetEventCallback(event, CL_COMPLETE, Completed, command) ==
          CL_SUCCESS) {
    return;
  }
  Tell(*command, CL_QUEUED);
  EndCommand(command);
  Target().clReleaseEvent(event);
}

void TellUnfinished() {
  State* const state = TheState();
  if (state == nullptr) return;
  const auto is_done = [&] {
    const Locked locked(*state);
    const Command& head = state->under_way;
    return head.next == nullptr || head.next == &head;
  };
  // Waiting changes no command, but the process must still end soon.
  const uint64_t give_up = Now() + kMaxWaitNanos;
  while (!is_done() && Now() < give_up) Sleep(kWaitNanos);
  const Locked locked(*state);
  const Command& head = state->under_way;
  if (head.next == nullptr) return;
  for (const Command* c = head.next; c != &head; c = c->next) {
    // Without an event, the command may not have reached the queue yet.
    if (c->event != nullptr) Tell(*c, CL_SUBMITTED);
  }
}

uint32_t DeviceNumber(cl_device_id device) {
  State* const state = TheState();
  if (state == nullptr) return 0;
  const Locked locked(*state);
  for (uint32_t i = 0; i < state->num_devices; ++i) {
    if (state->devices[i] == device) return i;
  }
  if (state->num_devices == kMaxDevices) return kMaxDevices;
  state->devices[state->num_devices] = device;
  return state->num_devices++;
}

std::string_view DeviceName(uint32_t number) {
  TextBuffer<20> name;
  name << "opencl:" << number;
  return KeepText(name.view());
}

std::string_view KeepText(std::string_view text) {
  State* const state = TheState();
  if (state == nullptr || text.empty()) return {};
  if (text.size() > kMaxText) text = {text.data(), kMaxText};
  const auto size = static_cast<uint32_t>(text.size());
  const Locked locked(*state);
  if (state->texts == nullptr) {
    state->texts = static_cast<char*>(AllocatePages(kTextBytes));
    if (state->texts == nullptr) return {};
  }
  uint32_t slot = Hash(text) % kTextSlots;
  while (state->slots[slot].size != 0) {
    const auto& kept = state->slots[slot];
    if (kept.size == size &&
        memcmp(state->texts + kept.at, text.data(), size) == 0) {
      return {state->texts + kept.at, size};
    }
    slot = (slot + 1) % kTextSlots;
  }
  // One slot always stays free, so that every search ends.
  if (state->num_texts + 1 == kTextSlots ||
      size > kTextBytes - state->text_bytes) {
    return {};
  }
  char* const copy = state->texts + state->text_bytes;
  memcpy(copy, text.data(), size);
  state->slots[slot].at = state->text_bytes;
  state->slots[slot].size = size;
  state->text_bytes += size;
  ++state->num_texts;
  return {copy, size};
}

}  // namespace tfprof::record::opencl
