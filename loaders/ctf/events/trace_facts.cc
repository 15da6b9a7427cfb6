#include "loaders/ctf/events/trace_facts.h"

#include <utility>

#include "fmt/format.h"
#include "loaders/ctf/events/activity_collector.h"
#include "loaders/ctf/events/bound_event.h"
#include "loaders/ctf/events/counter_collector.h"
#include "loaders/ctf/events/fact_context.h"
#include "loaders/ctf/events/interval_collector.h"
#include "loaders/ctf/packets/event_stream.h"

namespace tfprof::ctf {
namespace {

constexpr uint64_t kEventsBetweenChecks = 1 << 16;

class Collector {
 public:
  Collector(const TraceFiles& files, loaders::ImportLog& log)
      : files_(files), log_(log) {}

  TraceFacts Run(const util::Cancellation* cancellation) {
    EventStream events(files_, log_);
    const EventPlan* last_plan = nullptr;
    BoundEvent* bound = nullptr;
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
    for (const BoundEvent& one : binder_.all()) {
      facts_.events[one.event] += one.count;
      if (one.row == nullptr) facts_.unknown[one.event] += one.count;
    }
    intervals_.Finish();
    activities_.Finish(intervals_.correlated_calls());
    counters_.Finish();
    return std::move(facts_);
  }

 private:
  void Add(const Event& event, const BoundEvent& bound) {
    const ThreadId thread = context_.ThreadOf(event, bound);
    if (intervals_.Add(event, bound, thread)) {
      if (bound.row->role == EventRole::kCallBegin) {
        activities_.NoteInit(event, bound);
      }
    } else if (!activities_.Add(event, bound, thread) &&
               !counters_.Add(event, bound, thread)) {
      AddOther(event, bound, thread);
    }
  }

  void AddOther(const Event& event, const BoundEvent& bound, ThreadId thread) {
    const auto text = [&](const BoundEvent::Field& field) {
      return context_.Text(event, field);
    };
    const uint32_t process = context_.ProcessOf(thread);
    const EventRole role = bound.row->role;
    switch (role) {
      case EventRole::kRequestBegin:
      case EventRole::kRequestEnd:
      case EventRole::kRequestSeen:
      case EventRole::kPrepareBegin:
      case EventRole::kPrepareEnd:
        transfers_.Add(role, text(bound.place), process, event.time,
                       FactContext::Number(event, "step_id", Request::kNoStep));
        break;
      case EventRole::kTransfer:
        AddTransfer(event, bound, process);
        break;
      case EventRole::kSend:
      case EventRole::kReceive:
        transfers_.AddLocal(role == EventRole::kSend, process,
                            text(bound.place), event.time);
        break;
      case EventRole::kRemoteCall:
        ++facts_.transfers.calls[text(bound.name)].sent;
        break;
      case EventRole::kRemoteCallSeen:
        ++facts_.transfers.calls[text(bound.name)].seen;
        break;
      case EventRole::kEncode:
        ++facts_.transfers.encodes;
        facts_.transfers.encoded_bytes += IntegerOf(event, bound.value, 0);
        break;
      case EventRole::kThreadName:
        facts_.threads[thread].program = text(bound.name);
        break;
      case EventRole::kNote:
        facts_.notes.push_back(fmt::format("{}: {}",
                                           context_.TextOf(text(bound.place)),
                                           context_.TextOf(text(bound.name))));
        break;
      case EventRole::kLog:
        facts_.logs.push_back({event.time, text(bound.name), thread,
                               text(bound.place),
                               IntegerOf(event, bound.value, 0)});
        break;
      default:
        break;  // only counted
    }
  }

  void AddTransfer(const Event& event, const BoundEvent& bound,
                   uint32_t process) {
    const auto number = [&](std::string_view field) {
      return FactContext::Number(event, field, 0);
    };
    transfers_.AddSide(context_.Text(event, bound.name), process,
                       number("server") != 0,
                       FactContext::ToNanos(event, number("begin")),
                       FactContext::ToNanos(event, number("end")));
  }

  const TraceFiles& files_;
  loaders::ImportLog& log_;
  TraceFacts facts_;
  EventBinder binder_{facts_.names};
  FactContext context_{facts_};
  IntervalCollector intervals_{context_};
  CounterCollector counters_{context_};
  ActivityCollector activities_{context_, counters_};
  TransferCollector transfers_{facts_.transfers};
};

}  // namespace

TraceFacts CollectFacts(const TraceFiles& files,
                        const util::Cancellation* cancellation,
                        loaders::ImportLog& log) {
  return Collector(files, log).Run(cancellation);
}

void NoteEvents(const PacketStream& stream,
                const util::Cancellation* cancellation, loaders::ImportLog& log,
                StreamNotes& notes) {
  profile::StringPool names;
  EventBinder binder(names);
  StreamReader reader(stream, log, &notes);
  for (uint64_t events = 0; reader.Next();) {
    if (++events % kEventsBetweenChecks == 0 &&
        util::IsCancelled(cancellation)) {
      return;
    }
    if (binder.Bind(reader.event()).row == nullptr) {
      reader.NoteEvent(loaders::ByteNotes::kUnused);
    } else if (reader.goes_back()) {
      reader.NoteEvent(loaders::ByteNotes::kRepaired);
    }
  }
}

}  // namespace tfprof::ctf
