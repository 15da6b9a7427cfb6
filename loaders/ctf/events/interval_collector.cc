#include "loaders/ctf/events/interval_collector.h"

#include <algorithm>

namespace tfprof::ctf {
namespace {

// The most open begins of a thread, because each end searches them.
constexpr size_t kMaxOpen = 1024;

// Drops the oldest one if there are too many.
template <typename T>
void Push(std::vector<T>& open, T added) {
  if (open.size() == kMaxOpen) open.erase(open.begin());
  open.push_back(std::move(added));
}

}  // namespace

bool IntervalCollector::Add(const Event& event, const BoundEvent& bound,
                            ThreadId thread) {
  switch (bound.row->role) {
    case EventRole::kOpBegin:
      BeginOp(event, bound, thread);
      return true;
    case EventRole::kOpEnd:
      EndOp(event, bound, thread);
      return true;
    case EventRole::kAsyncBegin:
    case EventRole::kAsyncEnd:
      Async(event, bound, thread);
      return true;
    case EventRole::kSessionBegin:
    case EventRole::kSessionEnd:
      AddSession(event, bound, thread);
      return true;
    case EventRole::kCallBegin:
      Push(Own(thread).calls,
           {CallTime(event, bound), context_.Text(event, bound.name),
            Api(event, bound), thread, Depth(event, bound), profile::kNone, -1,
            IntegerOf(event, bound.correlation, 0)});
      return true;
    case EventRole::kCallEnd:
      if (bound.depth.slot != kNoSlot) {
        CloseAt(Own(thread).calls, event.time, Depth(event, bound),
                Kind::kCall);
      } else {
        Close(Own(thread).calls, CallTime(event, bound),
              context_.Text(event, bound.name), bound.provider, Kind::kCall);
      }
      return true;
    case EventRole::kCall:
      AddCall(event, bound);
      return true;
    case EventRole::kRangeBegin:
      SumOf(bound.range_kind).bytes += IntegerOf(event, bound.value, 0);
      Push(Own(thread).ranges, {event.time, context_.Text(event, bound.name),
                                bound.range_kind, thread, Depth(event, bound)});
      return true;
    case EventRole::kRangeEnd:
      if (bound.depth.slot != kNoSlot) {
        CloseAt(Own(thread).ranges, event.time, Depth(event, bound),
                Kind::kRange);
      } else {
        Close(Own(thread).ranges, event.time, context_.Text(event, bound.name),
              bound.range_kind, Kind::kRange);
      }
      return true;
    default:
      return false;
  }
}

void IntervalCollector::BeginOp(const Event& event, const BoundEvent& bound,
                                ThreadId thread) {
  std::vector<Open>& ops = Own(thread).ops;
  if (ops.size() == kMaxOpen) ++facts_.unfinished_ops[ops.front().name];
  const int64_t depth = Depth(event, bound);
  DropDeeper(ops, depth);
  Push(ops,
       {event.time, context_.Text(event, bound.name),
        context_.Text(event, bound.place), thread, depth,
        context_.Text(event, bound.type), IntegerOf(event, bound.step, -1)});
}

void IntervalCollector::Finish() {
  for (const PerThread& own : per_thread_) {
    for (const Open& op : own.ops) ++facts_.unfinished_ops[op.name];
  }
  for (const auto& [key, open] : async_) {
    facts_.unfinished_async += open.size();
  }
  for (const auto& [key, open] : numbered_) {
    facts_.unfinished_async += open.size();
  }
}

int64_t IntervalCollector::CallTime(const Event& event,
                                    const BoundEvent& bound) {
  return bound.row->clock == DeviceClock::kNanos
             ? IntegerOf(event, bound.time, event.time)
             : event.time;
}

int64_t IntervalCollector::Depth(const Event& event, const BoundEvent& bound) {
  return IntegerOf(event, bound.depth, -1);
}

profile::StringId IntervalCollector::Api(const Event& event,
                                         const BoundEvent& bound) {
  const profile::StringId domain = context_.Text(event, bound.place);
  return context_.TextOf(domain).empty() ? bound.provider : domain;
}

RangeSum& IntervalCollector::SumOf(profile::StringId kind) {
  for (RangeSum& sum : facts_.range_sums) {
    if (sum.kind == kind) return sum;
  }
  facts_.range_sums.push_back({kind, {}, 0});
  return facts_.range_sums.back();
}

void IntervalCollector::Keep(Kind kind, const Interval& interval) {
  if (kind == Kind::kRange) {
    SumOf(interval.place).sum.Add(interval.end - interval.begin);
    if (interval.place == inline_ready_) facts_.ranges.push_back(interval);
    return;
  }
  const std::pair key(interval.place, interval.name);
  if (last_call_ == nullptr || last_call_->first != key) {
    const auto it = facts_.call_sums.try_emplace(key).first;
    last_call_ = &*it;
    const std::string_view name = context_.TextOf(interval.name);
    last_call_launches_ = IsEnqueueCall(name) || IsKernelLaunchCall(name);
  }
  last_call_->second.Add(interval.end - interval.begin);
  if (last_call_launches_) facts_.calls.push_back(interval);
  facts_.host_calls.push_back(interval);
}

void IntervalCollector::DropDeeper(std::vector<Open>& ops, int64_t depth) {
  while (depth >= 0 && !ops.empty() && ops.back().depth >= depth) {
    ++facts_.unfinished_ops[ops.back().name];
    ops.pop_back();
  }
}

void IntervalCollector::CloseAt(std::vector<Open>& open, int64_t time,
                                int64_t depth, Kind kind) {
  while (!open.empty() && open.back().depth > depth) open.pop_back();
  if (open.empty() || open.back().depth != depth) return;
  const Open& begun = open.back();
  const Interval interval = {begun.begin, time, begun.name, begun.place,
                             begun.thread};
  Keep(kind, interval);
  if (kind == Kind::kRange) facts_.host_calls.push_back(interval);
  if (begun.correlation != 0) {
    const ThreadFacts& thread = facts_.threads[begun.thread];
    correlated_calls_[{thread.process_index, begun.correlation}] = {
        thread.thread, begun.begin, time};
  }
  open.pop_back();
}

void IntervalCollector::AddCall(const Event& event, const BoundEvent& bound) {
  const int64_t process = IntegerOf(event, bound.process, -1);
  const int64_t thread = FactContext::Number(event, "thread", -1);
  const ThreadId id = context_.FindThread(event, bound, process, thread);
  const int64_t begin =
      FactContext::ToNanos(event, FactContext::Number(event, "begin", 0));
  const int64_t end =
      FactContext::ToNanos(event, FactContext::Number(event, "end", 0));
  Keep(Kind::kCall, {begin, std::max(begin, end),
                     context_.Text(event, bound.name), Api(event, bound), id});
  if (const int64_t correlation = FactContext::Number(event, "correlation", 0);
      correlation != 0) {
    correlated_calls_[{facts_.threads[id].process_index, correlation}] = {
        thread, begin, std::max(begin, end)};
  }
}

void IntervalCollector::EndOp(const Event& event, const BoundEvent& bound,
                              ThreadId thread) {
  std::vector<Open>& open = Own(thread).ops;
  const int64_t depth = Depth(event, bound);
  const profile::StringId name =
      depth < 0 ? context_.Text(event, bound.name) : facts_.names.Intern("");
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

void IntervalCollector::Close(std::vector<Open>& open, int64_t time,
                              profile::StringId name, profile::StringId place,
                              Kind kind) {
  size_t at = open.size();
  while (at > 0 && (open[at - 1].name != name || open[at - 1].place != place))
    --at;
  if (at == 0) return;
  const Open& begun = open[at - 1];
  Keep(kind,
       {begun.begin, std::max(time, begun.begin), name, place, begun.thread});
  open.resize(at - 1);
}

void IntervalCollector::Async(const Event& event, const BoundEvent& bound,
                              ThreadId thread) {
  const uint32_t process = context_.ProcessOf(thread);
  const profile::StringId name = context_.Text(event, bound.name);
  const profile::StringId place = context_.Text(event, bound.place);
  // tfprof's own operations have numbers; others match by name and place.
  auto& open = bound.id.slot != kNoSlot
                   ? numbered_[{process, IntegerOf(event, bound.id, 0)}]
                   : async_[{process, place, name}];
  if (bound.row->role == EventRole::kAsyncBegin) {
    open.push_back({event.time, name, place, thread, -1,
                    context_.Text(event, bound.type),
                    IntegerOf(event, bound.step, -1)});
    return;
  }
  if (open.empty()) {
    ++facts_.async_ends_without_start;
    return;
  }
  const Open& begun = open.front();
  facts_.async_ops.push_back({begun.begin, event.time, begun.name, begun.place,
                              begun.thread, begun.type, begun.step});
  open.pop_front();
  if (bound.id.slot != kNoSlot && open.empty()) {
    numbered_.erase({process, IntegerOf(event, bound.id, 0)});
  }
}

void IntervalCollector::AddSession(const Event& event, const BoundEvent& bound,
                                   ThreadId thread) {
  const uint32_t process = context_.ProcessOf(thread);
  const int64_t count = IntegerOf(event, bound.value, 0);
  if (bound.row->role == EventRole::kSessionBegin) {
    Push(facts_.open_sessions, {process, count, event.time, event.time,
                                context_.Text(event, bound.name)});
    return;
  }
  auto& open = facts_.open_sessions;
  const auto it =
      std::find_if(open.rbegin(), open.rend(), [&](const SessionRun& session) {
        return session.process == process && session.count == count;
      });
  if (it == open.rend()) {
    ++facts_.session_ends_without_start;
    return;
  }
  SessionRun session = *it;
  session.end = event.time;
  facts_.sessions.push_back(session);
  open.erase(std::next(it).base());
}

}  // namespace tfprof::ctf
