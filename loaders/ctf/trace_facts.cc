#include "loaders/ctf/trace_facts.h"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "fmt/format.h"
#include "loaders/ctf/bound_event.h"
#include "loaders/ctf/event_stream.h"

namespace tfprof::ctf {
namespace {

constexpr uint64_t kEventsBetweenChecks = 1 << 16;
// How many begins of one thread may be open: an end looks through them.
constexpr size_t kMaxOpen = 1024;

// By tfprof_work_kind of record/tfprof_record.h: kernel, copy, fill, other.
constexpr std::array<Work, 4> kWorkOfEvent = {Work::kKernel, Work::kCopy,
                                              Work::kCopy, Work::kOther};

using Bound = BoundEvent;

class Collector {
 public:
  Collector(const TraceFiles& files, ImportLog& log)
      : files_(files), log_(log) {}

  TraceFacts Run(const Cancellation* cancellation) {
    EventStream events(files_, log_);
    const EventPlan* last_plan = nullptr;
    Bound* bound = nullptr;
    while (events.Next()) {
      const Event& event = events.event();
      if (facts_.num_events == 0) facts_.first = event.time;
      facts_.last = event.time;
      if (++facts_.num_events % kEventsBetweenChecks == 0 &&
          cancellation != nullptr && cancellation->requested()) {
        break;
      }
      if (event.plan != last_plan) {
        last_plan = event.plan;
        bound = &binder_.Bind(event);
      }
      ++bound->count;
      if (bound->row != nullptr) Add(event, *bound);
    }
    Finish();
    return std::move(facts_);
  }

 private:
  // What an end closes.
  enum class Kind { kCall, kRange };
  struct Open {
    int64_t begin;
    StringId name;
    StringId place;
    ThreadId thread;
    int64_t depth = -1;  // -1: the trace does not say it
    StringId type = kNone;
    int64_t step = -1;
    int64_t correlation = 0;
  };
  // A call that launches work with a correlation.
  struct Launch {
    int64_t thread;  // of the operating system
    int64_t begin, end;
  };
  struct PerThread {
    std::vector<Open> ops, calls, ranges;
    uint32_t set = kNone;  // the last of its counter sets
    // The activity that the thread tells of, by the kind of work.
    std::map<std::pair<StringId, Work>, Activity> telling;
  };

  StringId Text(const Event& event, const BoundEvent::Field& field) {
    if (field.slot == kNoSlot || field.type->kind != Slot::kText) {
      return FieldText(event, field, facts_.names);
    }
    // An op's name comes in each of its events; a look is less than a hash.
    const std::string_view text = event.values[field.slot].text();
    const size_t size = text.size();
    StringId& recent =
        recent_names_[size < 2
                          ? size
                          : (size + 31 * static_cast<uint8_t>(text.back()) +
                             7 * static_cast<uint8_t>(text[size - 2])) %
                                recent_names_.size()];
    if (recent == kNone || facts_.names.Get(recent) != text) {
      recent = facts_.names.Intern(text);
    }
    return recent;
  }

  ThreadId ThreadOf(const Event& event, const Bound& bound) {
    return FindThread(event, bound, IntegerOf(event, bound.process, -1),
                      IntegerOf(event, bound.thread, -1));
  }
  ThreadId FindThread(const Event& event, const Bound& bound, int64_t process,
                      int64_t thread) {
    // Events of several streams alternate between their threads.
    const auto key = std::tuple(bound.host, process, thread);
    Recent& recent = recent_[static_cast<uint64_t>(thread) % recent_.size()];
    if (recent.id != kNone && key == recent.key) return recent.id;
    const auto [it, is_new] =
        threads_.try_emplace(key, static_cast<ThreadId>(facts_.threads.size()));
    if (is_new) {
      const auto [in, new_process] = processes_.try_emplace(
          std::pair(bound.host, process),
          static_cast<uint32_t>(facts_.processes.size()));
      if (new_process) {
        facts_.processes.push_back(
            {bound.host, process, Text(event, bound.program)});
      }
      facts_.threads.push_back({bound.host, process, thread,
                                Text(event, bound.program), in->second});
      per_thread_.emplace_back();
    }
    recent = {key, it->second};
    return it->second;
  }

  // ---- Events

  void Add(const Event& event, const Bound& bound) {
    const ThreadId thread = ThreadOf(event, bound);
    PerThread& own = per_thread_[thread];
    const EventRow& row = *bound.row;
    switch (row.role) {
      case EventRole::kOpBegin:
        if (own.ops.size() == kMaxOpen) {
          ++facts_.unfinished_ops[own.ops.front().name];
        }
        DropDeeper(own.ops, Depth(event, bound));
        Push(own.ops,
             {event.time, Text(event, bound.name), Text(event, bound.place),
              thread, Depth(event, bound), Text(event, bound.type),
              IntegerOf(event, bound.step, -1)});
        break;
      case EventRole::kOpEnd:
        EndOp(event, bound, thread);
        break;
      case EventRole::kAsyncBegin:
      case EventRole::kAsyncEnd:
        Async(event, bound, thread);
        break;
      case EventRole::kSessionBegin:
      case EventRole::kSessionEnd:
        AddSession(event, bound, thread);
        break;
      case EventRole::kCallBegin:
        Push(own.calls, {CallTime(event, bound), Text(event, bound.name),
                         Api(event, bound), thread, Depth(event, bound), kNone,
                         -1, IntegerOf(event, bound.correlation, 0)});
        NoteInit(event, bound);
        break;
      case EventRole::kCallEnd:
        if (bound.depth.slot != kNoSlot) {
          CloseAt(own.calls, event.time, Depth(event, bound), Kind::kCall);
          break;
        }
        Close(own.calls, CallTime(event, bound), Text(event, bound.name),
              bound.provider, Kind::kCall);
        break;
      case EventRole::kCall:
        AddCall(event, bound);
        break;
      case EventRole::kRangeBegin:
        SumOf(RangeKind(bound)).bytes += IntegerOf(event, bound.value, 0);
        Push(own.ranges, {event.time, Text(event, bound.name), RangeKind(bound),
                          thread, Depth(event, bound)});
        break;
      case EventRole::kRangeEnd:
        if (bound.depth.slot != kNoSlot) {
          CloseAt(own.ranges, event.time, Depth(event, bound), Kind::kRange);
          break;
        }
        Close(own.ranges, event.time, Text(event, bound.name), RangeKind(bound),
              Kind::kRange);
        break;
      case EventRole::kQueued:
      case EventRole::kSubmitted:
      case EventRole::kBegin:
      case EventRole::kEnd:
        Tell(event, bound, thread);
        break;
      case EventRole::kLaunch:
        facts_.launches.push_back({event.time, event.time,
                                   Text(event, bound.name),
                                   Text(event, bound.place), thread});
        NoteObject(event, bound, thread);
        break;
      case EventRole::kCallback:
        facts_.callbacks.push_back(event.time);
        break;
      case EventRole::kAllocator:
      case EventRole::kCounter:
        AddSample(event, bound, thread, RealOf(event, bound.value), false);
        AddCount(event, bound, thread);
        if (row.role == EventRole::kAllocator) AddState(event, bound, thread);
        break;
      case EventRole::kGeometry:
        AddGeometry(event, thread);
        break;
      case EventRole::kAllocate:
      case EventRole::kFree:
        Memory(event, bound, thread);
        break;
      case EventRole::kRequestBegin:
      case EventRole::kRequestEnd:
      case EventRole::kRequestSeen:
      case EventRole::kPrepareBegin:
      case EventRole::kPrepareEnd:
        transfers_.Add(bound.row->role, Text(event, bound.place),
                       facts_.threads[thread].process_index, event.time,
                       Number(event, "step_id", Request::kNoStep));
        break;
      case EventRole::kSend:
      case EventRole::kReceive:
        transfers_.AddLocal(bound.row->role == EventRole::kSend,
                            facts_.threads[thread].process_index,
                            Text(event, bound.place), event.time);
        break;
      case EventRole::kRemoteCall:
        ++facts_.transfers.calls[Text(event, bound.name)].sent;
        break;
      case EventRole::kRemoteCallSeen:
        ++facts_.transfers.calls[Text(event, bound.name)].seen;
        break;
      case EventRole::kEncode:
        ++facts_.transfers.encodes;
        facts_.transfers.encoded_bytes += IntegerOf(event, bound.value, 0);
        break;
      case EventRole::kState:
        AddState(event, bound, thread);
        break;
      case EventRole::kCommand:
        AddCommand(event, bound, thread);
        break;
      case EventRole::kTransfer:
        AddTransfer(event, bound, thread);
        break;
      case EventRole::kClockPair:
        AddClockPair(event, bound, thread);
        break;
      case EventRole::kThreadName:
        facts_.threads[thread].program = Text(event, bound.name);
        break;
      case EventRole::kNote:
        facts_.notes.push_back(fmt::format("{}: {}",
                                           TextOf(Text(event, bound.place)),
                                           TextOf(Text(event, bound.name))));
        break;
      case EventRole::kLog:
        facts_.logs.push_back({event.time, Text(event, bound.name), thread,
                               Text(event, bound.place),
                               IntegerOf(event, bound.value, 0)});
        break;
      case EventRole::kKnown:
        break;
    }
  }

  // The oldest one goes when there are too many.
  template <typename T>
  static void Push(std::vector<T>& open, T added) {
    if (open.size() == kMaxOpen) open.erase(open.begin());
    open.push_back(std::move(added));
  }

  static StringId RangeKind(const Bound& bound) { return bound.range_kind; }

  static int64_t CallTime(const Event& event, const Bound& bound) {
    return bound.row->clock == DeviceClock::kNanos
               ? IntegerOf(event, bound.time, event.time)
               : event.time;
  }

  // ---- Depths: where events between were dropped, an end still finds its
  // begin.

  int64_t Number(const Event& event, std::string_view field,
                 int64_t otherwise) const {
    return IntegerOf(event, FieldOf(event, field, Scope::kPayload), otherwise);
  }
  int64_t Depth(const Event& event, const Bound& bound) const {
    return IntegerOf(event, bound.depth, -1);
  }
  std::string_view TextOf(StringId id) const {
    return id == kNone ? std::string_view() : facts_.names.Get(id);
  }
  // "opencl", as the event says; else its provider.
  StringId Api(const Event& event, const Bound& bound) {
    const StringId domain = Text(event, bound.place);
    return TextOf(domain).empty() ? bound.provider : domain;
  }

  // There are few kinds of ranges.
  RangeSum& SumOf(StringId kind) {
    for (RangeSum& sum : facts_.range_sums) {
      if (sum.kind == kind) return sum;
    }
    facts_.range_sums.push_back({kind, {}, 0});
    return facts_.range_sums.back();
  }

  // Sums a call, and keeps what the attribution or the model needs.
  void Keep(Kind kind, const Interval& interval) {
    if (kind == Kind::kRange) {
      SumOf(interval.place).sum.Add(interval.end - interval.begin);
      if (interval.place == inline_ready_) facts_.ranges.push_back(interval);
      return;
    }
    const std::pair key(interval.place, interval.name);
    if (last_call_ == nullptr || last_call_->first != key) {
      const auto it = facts_.call_sums.try_emplace(key).first;
      last_call_ = &*it;
      const std::string_view name = TextOf(interval.name);
      last_call_launches_ = IsEnqueueCall(name) || IsKernelLaunchCall(name);
    }
    last_call_->second.Add(interval.end - interval.begin);
    if (last_call_launches_) facts_.calls.push_back(interval);
  }

  // What is open at this depth, or deeper, when another one begins there has
  // never ended.
  void DropDeeper(std::vector<Open>& ops, int64_t depth) {
    while (depth >= 0 && !ops.empty() && ops.back().depth >= depth) {
      ++facts_.unfinished_ops[ops.back().name];
      ops.pop_back();
    }
  }

  void CloseAt(std::vector<Open>& open, int64_t time, int64_t depth,
               Kind kind) {
    while (!open.empty() && open.back().depth > depth) open.pop_back();
    if (open.empty() || open.back().depth != depth) return;
    const Open& begun = open.back();
    Keep(kind, {begun.begin, time, begun.name, begun.place, begun.thread});
    if (begun.correlation != 0) {
      const ThreadFacts& thread = facts_.threads[begun.thread];
      launches_[{thread.process_index, begun.correlation}] = {
          thread.thread, begun.begin, time};
    }
    open.pop_back();
  }

  // A call that another thread tells of.
  void AddCall(const Event& event, const Bound& bound) {
    const int64_t process = IntegerOf(event, bound.process, -1);
    const int64_t thread = Number(event, "thread", -1);
    const ThreadId id = FindThread(event, bound, process, thread);
    const int64_t begin = ToNanos(event, Number(event, "begin", 0));
    const int64_t end = ToNanos(event, Number(event, "end", 0));
    Keep(Kind::kCall, {begin, std::max(begin, end), Text(event, bound.name),
                       Api(event, bound), id});
    if (const int64_t correlation = Number(event, "correlation", 0);
        correlation != 0) {
      launches_[{facts_.threads[id].process_index, correlation}] = {
          thread, begin, std::max(begin, end)};
    }
  }

  void AddClockPair(const Event& event, const Bound& bound, ThreadId thread) {
    facts_.clock_pairs.push_back(
        {facts_.threads[thread].process_index, Text(event, bound.place),
         ToNanos(event, Number(event, "host_before", 0)),
         Number(event, "device_time", 0),
         ToNanos(event, Number(event, "host_after", 0))});
  }

  void AddTransfer(const Event& event, const Bound& bound, ThreadId thread) {
    transfers_.AddSide(Text(event, bound.name),
                       facts_.threads[thread].process_index,
                       Number(event, "server", 0) != 0,
                       ToNanos(event, Number(event, "begin", 0)),
                       ToNanos(event, Number(event, "end", 0)));
  }

  void EndOp(const Event& event, const Bound& bound, ThreadId thread) {
    std::vector<Open>& open = per_thread_[thread].ops;
    const int64_t depth = Depth(event, bound);
    const StringId name =
        depth < 0 ? Text(event, bound.name) : facts_.names.Intern("");
    size_t at = open.size();
    while (at > 0 && (depth < 0 ? open[at - 1].name != name
                                : open[at - 1].depth != depth)) {
      --at;
    }
    if (at == 0) {
      ++facts_.op_ends_without_start[name];
      return;
    }
    for (size_t i = at; i < open.size(); ++i) {
      ++facts_.unfinished_ops[open[i].name];
    }
    const Open& op = open[at - 1];
    facts_.ops.push_back(
        {op.begin, event.time, op.name, op.place, thread, op.type, op.step});
    open.resize(at - 1);
  }

  // Closes the topmost open range of this name and place; others above it are
  // dropped.
  void Close(std::vector<Open>& open, int64_t time, StringId name,
             StringId place, Kind kind) {
    size_t at = open.size();
    while (at > 0 && (open[at - 1].name != name || open[at - 1].place != place))
      --at;
    if (at == 0) return;
    const Open& begun = open[at - 1];
    Keep(kind,
         {begun.begin, std::max(time, begun.begin), name, place, begun.thread});
    open.resize(at - 1);
  }

  void Async(const Event& event, const Bound& bound, ThreadId thread) {
    const uint32_t process = facts_.threads[thread].process_index;
    const StringId name = Text(event, bound.name);
    const StringId place = Text(event, bound.place);
    // Our own have a number; others are told apart by what they are.
    auto& open = bound.id.slot != kNoSlot
                     ? numbered_[{process, IntegerOf(event, bound.id, 0)}]
                     : async_[{process, place, name}];
    if (bound.row->role == EventRole::kAsyncBegin) {
      open.push_back({event.time, name, place, thread, -1,
                      Text(event, bound.type),
                      IntegerOf(event, bound.step, -1)});
      return;
    }
    if (open.empty()) {
      ++facts_.async_ends_without_start;
      return;
    }
    const Open& begun = open.front();
    facts_.async_ops.push_back({begun.begin, event.time, begun.name,
                                begun.place, begun.thread, begun.type,
                                begun.step});
    open.pop_front();
    if (bound.id.slot != kNoSlot && open.empty()) {
      numbered_.erase({process, IntegerOf(event, bound.id, 0)});
    }
  }

  void AddSession(const Event& event, const Bound& bound, ThreadId thread) {
    const uint32_t process = facts_.threads[thread].process_index;
    const int64_t count = IntegerOf(event, bound.value, 0);
    if (bound.row->role == EventRole::kSessionBegin) {
      Push(facts_.open_sessions,
           {process, count, event.time, event.time, Text(event, bound.name)});
      return;
    }
    auto& open = facts_.open_sessions;
    const auto it =
        std::find_if(open.rbegin(), open.rend(), [&](const Session& session) {
          return session.process == process && session.count == count;
        });
    if (it == open.rend()) {
      ++facts_.session_ends_without_start;
      return;
    }
    Session session = *it;
    session.end = event.time;
    facts_.sessions.push_back(session);
    open.erase(std::next(it).base());
  }

  // ---- Devices

  // The first event that mentions hsa_init is the origin of its ticks.
  void NoteInit(const Event& event, const Bound& bound) {
    if (init_known_ || bound.name.slot == kNoSlot ||
        bound.name.type->kind != Slot::kText) {
      return;
    }
    if (event.values[bound.name.slot].text() == "hsa_init") {
      init_ = event.time;
      init_known_ = true;
    }
  }

  int64_t ActivityTime(const Event& event, const Bound& bound) const {
    const int64_t time = IntegerOf(event, bound.time, event.time);
    switch (bound.row->clock) {
      case DeviceClock::kEvent:
        return event.time;
      case DeviceClock::kMicros: {
        int64_t nanos = 0;
        return __builtin_mul_overflow(time, int64_t{1000}, &nanos) ? event.time
                                                                   : nanos;
      }
      case DeviceClock::kMonotonic:
        return event.trace->ToNanos(event.stream->clock,
                                    static_cast<uint64_t>(time));
      case DeviceClock::kSinceInit: {
        int64_t nanos = 0;
        return __builtin_add_overflow(time, init_, &nanos) ? event.time : nanos;
      }
      case DeviceClock::kUnknown:
      case DeviceClock::kNanos:
        return time;
    }
    return time;
  }

  // The events of one activity come together, in any order, but for its end.
  void Tell(const Event& event, const Bound& bound, ThreadId thread) {
    const EventRow& row = *bound.row;
    auto& telling = per_thread_[thread].telling;
    const std::pair key(RangeKindOfDevice(bound), row.work);
    const auto [it, is_new] = telling.try_emplace(key);
    Activity& activity = it->second;
    const StringId name = Text(event, bound.name);
    int64_t& time = row.role == EventRole::kQueued      ? activity.queued
                    : row.role == EventRole::kSubmitted ? activity.submitted
                    : row.role == EventRole::kBegin     ? activity.begin
                                                        : activity.end;
    const bool fits =
        !is_new && activity.name == name && time == Activity::kNoTime;
    if (!fits) {
      if (!is_new) Drop(activity);
      activity = {};
      activity.name = name;
      activity.provider = bound.provider;
      activity.thread = thread;
      activity.work = row.work;
      activity.clock = row.clock;
      activity.queue = Text(event, bound.queue);
      NoteObject(event, bound, thread);
    }
    time = ActivityTime(event, bound);
    if (row.place != row.name || row.clock == DeviceClock::kMicros) {
      const StringId annotation = Text(event, bound.place);
      if (annotation != kNone && !facts_.names.Get(annotation).empty()) {
        activity.annotation = annotation;
      }
    }
    if (bound.value.slot != kNoSlot) {
      activity.bytes = IntegerOf(event, bound.value, 0);
    }
    if (row.role != EventRole::kEnd) return;
    if (activity.begin != Activity::kNoTime) {
      if (activity.end < activity.begin) activity.end = activity.begin;
      facts_.activities.push_back(activity);
    } else {
      ++facts_.unpaired_activity_events;
    }
    telling.erase(it);
  }
  void Drop(const Activity& activity) {
    for (const int64_t time :
         {activity.queued, activity.submitted, activity.begin}) {
      facts_.unpaired_activity_events += time != Activity::kNoTime;
    }
  }
  // Events of one family, such as hcTracer:async_memcpyslo_*.
  static StringId RangeKindOfDevice(const Bound& bound) { return bound.family; }

  void AddCommand(const Event& event, const Bound& bound, ThreadId thread) {
    const auto integer = [&](std::string_view name) {
      return IntegerOf(event, FieldOf(event, name, Scope::kPayload),
                       Activity::kNoTime);
    };
    Activity command;
    command.name = Text(event, bound.name);
    command.provider = bound.provider;
    command.thread = thread;
    const StringId kind = Text(event, bound.place);
    const int64_t work = integer("work");
    command.work =
        work >= 0 ? kWorkOfEvent[std::min<size_t>(static_cast<size_t>(work),
                                                  kWorkOfEvent.size() - 1)]
        : TextOf(kind) == "ndrange" ? Work::kKernel
                                    : Work::kCopy;
    const bool on_host = integer("clock") == 0;
    command.clock = on_host ? DeviceClock::kNanos : DeviceClock::kUnknown;
    // An address in older traces.
    if (const Bound::Field device = FieldOf(event, "device", Scope::kPayload);
        device.slot != kNoSlot && device.type->kind == Slot::kText) {
      command.device = Text(event, device);
    }
    command.correlation = Number(event, "correlation", 0);
    command.bytes = IntegerOf(event, bound.value, 0);
    command.launch_thread = integer("launch_tid");
    command.queue = Text(event, FieldOf(event, "queue", Scope::kPayload));
    command.entry = ToNanos(event, KnownTime(integer("entry")));
    command.exit = ToNanos(event, KnownTime(integer("exit")));
    if (integer("profiled") == 0) {
      ++facts_.untimed_commands;
    } else {
      command.queued = KnownTime(integer("queued"));
      command.submitted = KnownTime(integer("submit"));
      command.begin = integer("start");
      command.end = integer("end");
      if (on_host) {
        for (int64_t* time : {&command.queued, &command.submitted,
                              &command.begin, &command.end}) {
          *time = ToNanos(event, *time);
        }
      }
    }
    facts_.commands.push_back(command);
  }
  // 0 is what the recorder does not know.
  static int64_t KnownTime(int64_t time) {
    return time == 0 ? Activity::kNoTime : time;
  }
  // Gives work the call that launched it.
  void JoinLaunches() {
    for (Activity& command : facts_.commands) {
      if (command.entry != Activity::kNoTime || command.correlation == 0) {
        continue;
      }
      const auto it = launches_.find(
          {facts_.threads[command.thread].process_index, command.correlation});
      if (it == launches_.end()) continue;
      command.launch_thread = it->second.thread;
      command.entry = it->second.begin;
      command.exit = it->second.end;
    }
  }
  // Host times of our own events are cycles of the clock of the trace.
  static int64_t ToNanos(const Event& event, int64_t cycles) {
    return cycles == Activity::kNoTime
               ? cycles
               : event.trace->ToNanos(event.stream->clock,
                                      static_cast<uint64_t>(cycles));
  }

  // ---- Counters and requests

  // A kernel's object has the name that this event has.
  void NoteObject(const Event& event, const Bound& bound, ThreadId thread) {
    if (bound.object.slot == kNoSlot) return;
    facts_.object_names.insert_or_assign(
        {facts_.threads[thread].process_index, Text(event, bound.object)},
        Text(event, bound.name));
  }

  CounterSet& NewSet(const Event& event, ThreadId thread) {
    per_thread_[thread].set = static_cast<uint32_t>(facts_.counter_sets.size());
    CounterSet& set = facts_.counter_sets.emplace_back();
    set.time = event.time;
    set.process = facts_.threads[thread].process_index;
    return set;
  }

  // The geometry of a kernel begins its set.
  void AddGeometry(const Event& event, ThreadId thread) {
    CounterSet& set = NewSet(event, thread);
    const auto sizes = [&](std::string_view name, std::array<int64_t, 3>& to) {
      const BoundEvent::Field of = FieldOf(event, name, Scope::kPayload);
      if (of.slot == kNoSlot) return;
      for (size_t i = 0; i < to.size(); ++i) {
        to[i] = NumberAt(event.values[of.slot], *of.type, i);
      }
    };
    sizes("workgroup_size", set.workgroup);
    sizes("grid_size", set.grid);
    set.group_segment = Number(event, "static_group_segment_size", 0);
    set.private_segment = Number(event, "private_segment_size", 0);
  }

  // A set ends where another object or a counter again begins the next one.
  void AddCount(const Event& event, const Bound& bound, ThreadId thread) {
    if (bound.object.slot == kNoSlot) return;
    const StringId object = Text(event, bound.object);
    const StringId counter = Text(event, bound.place);
    const uint32_t at = per_thread_[thread].set;
    CounterSet* set = at == kNone ? nullptr : &facts_.counter_sets[at];
    if (set == nullptr || (set->object != kNone && set->object != object) ||
        std::any_of(set->counts.begin(), set->counts.end(),
                    [&](const auto& c) { return c.counter == counter; })) {
      set = &NewSet(event, thread);
    }
    if (set->object == kNone) {
      set->object = object;
      const auto it = facts_.object_names.find({set->process, object});
      if (it != facts_.object_names.end()) set->name = it->second;
    }
    set->counts.push_back(
        {counter, RealOf(event, bound.value),
         bound.value.slot != kNoSlot && bound.value.type->kind == Slot::kReal});
  }

  void AddSample(const Event& event, const Bound& bound, ThreadId thread,
                 double value, bool is_change) {
    const StringId place =
        bound.place.slot != kNoSlot ? Text(event, bound.place) : bound.provider;
    const uint32_t process = facts_.threads[thread].process_index;
    const auto [it, is_new] = series_.try_emplace(
        std::tuple(bound.row->role == EventRole::kFree ? EventRole::kAllocate
                                                       : bound.row->role,
                   process, place),
        facts_.series.size());
    if (is_new) {
      facts_.series.push_back({place,
                               bound.row->role == EventRole::kCounter
                                   ? kNone
                                   : facts_.names.Intern("bytes"),
                               process,
                               is_change,
                               {}});
    }
    Series& series = facts_.series[it->second];
    series.samples.push_back({event.time, value});
    series.releases += bound.row->role == EventRole::kFree;
  }

  void AddState(const Event& event, const Bound& bound, ThreadId thread) {
    const std::tuple key(bound.row, facts_.threads[thread].process_index,
                         Text(event, bound.place));
    const auto [it, is_new] =
        states_.try_emplace(key, facts_.allocator_states.size());
    if (is_new) {
      facts_.allocator_states.push_back({facts_.names.Intern(bound.event),
                                         std::get<2>(key), std::get<1>(key)});
    }
    AllocatorState& state = facts_.allocator_states[it->second];
    ++state.samples;
    size_t f = 0;
    const std::vector<Slot>& slots = event.plan->slots;
    for (size_t i = 0; i < slots.size(); ++i) {
      if (slots[i].scope != Scope::kPayload ||
          (slots[i].kind != Slot::kUnsigned &&
           slots[i].kind != Slot::kSigned)) {
        continue;
      }
      const int64_t value = event.values[event.plan->first_slot + i].i;
      if (f == state.fields.size()) {
        state.fields.push_back(
            {facts_.names.Intern(slots[i].path), value, value});
      }
      state.fields[f].last = value;
      state.fields[f].most = std::max(state.fields[f].most, value);
      ++f;
    }
  }

  void Memory(const Event& event, const Bound& bound, ThreadId thread) {
    const std::tuple key(facts_.threads[thread].process_index,
                         Text(event, bound.place), Text(event, bound.name));
    double bytes = RealOf(event, bound.value);
    if (bound.row->role == EventRole::kAllocate) {
      allocated_[key] = bytes;
    } else {
      // Some tracers do not say what a free releases.
      const auto it = allocated_.find(key);
      if (it != allocated_.end()) {
        if (bytes == 0) bytes = it->second;
        allocated_.erase(it);
      }
      bytes = -std::abs(bytes);
    }
    AddSample(event, bound, thread, bytes, true);
  }

  void Finish() {
    std::erase_if(facts_.counter_sets,
                  [](const CounterSet& set) { return set.counts.empty(); });
    for (const Bound& bound : binder_.all()) {
      facts_.events[bound.event] += bound.count;
      if (bound.row == nullptr) facts_.unknown[bound.event] += bound.count;
    }
    for (const PerThread& own : per_thread_) {
      for (const Open& op : own.ops) ++facts_.unfinished_ops[op.name];
      for (const auto& [key, activity] : own.telling) Drop(activity);
    }
    for (const auto& [key, open] : async_) {
      facts_.unfinished_async += open.size();
    }
    for (const auto& [key, open] : numbered_) {
      facts_.unfinished_async += open.size();
    }
    JoinLaunches();
  }

  const TraceFiles& files_;
  ImportLog& log_;
  TraceFacts facts_;
  EventBinder binder_{facts_.names};
  std::map<std::tuple<StringId, int64_t, int64_t>, ThreadId> threads_;
  std::map<std::pair<StringId, int64_t>, uint32_t> processes_;
  struct Recent {
    std::tuple<StringId, int64_t, int64_t> key;
    ThreadId id = kNone;
  };
  std::array<Recent, 64> recent_;
  std::array<StringId, 256> recent_names_ = [] {
    std::array<StringId, 256> none;
    none.fill(kNone);
    return none;
  }();
  const StringId inline_ready_ = facts_.names.Intern("inline_ready");
  std::pair<const std::pair<StringId, StringId>, CallSum>* last_call_ = nullptr;
  bool last_call_launches_ = false;
  std::deque<PerThread> per_thread_;
  std::map<std::tuple<uint32_t, StringId, StringId>, std::deque<Open>> async_;
  std::map<std::pair<uint32_t, int64_t>, std::deque<Open>> numbered_;
  // By process and correlation.
  absl::flat_hash_map<std::pair<uint32_t, int64_t>, Launch> launches_;
  std::map<std::tuple<EventRole, uint32_t, StringId>, size_t> series_;
  std::map<std::tuple<uint32_t, StringId, StringId>, double> allocated_;
  std::map<std::tuple<const EventRow*, uint32_t, StringId>, size_t> states_;
  TransferCollector transfers_{facts_.transfers};
  int64_t init_ = 0;
  bool init_known_ = false;
};

}  // namespace

TraceFacts CollectFacts(const TraceFiles& files,
                        const Cancellation* cancellation, ImportLog& log) {
  return Collector(files, log).Run(cancellation);
}

}  // namespace tfprof::ctf
