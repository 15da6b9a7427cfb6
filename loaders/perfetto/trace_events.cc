#include "loaders/perfetto/trace_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "loaders/chrome_json/kineto/category.h"
#include "loaders/perfetto/annotations.h"
#include "loaders/perfetto/packet_log.h"
#include "loaders/perfetto/places.h"
#include "loaders/perfetto/recordings.h"
#include "loaders/perfetto/records.h"
#include "loaders/perfetto/work_kinds.h"

namespace tfprof::perfetto {
namespace {

using Add = std::function<void(const chrome_json::TraceEvent&)>;

constexpr size_t kCheckedEvents = 4096;  // between two looks at cancellation

// What the recordings of a trace share until all of them are read.
class Trace {
 public:
  Trace(TraceTables tables, loaders::LoadContext& context)
      : tables_(std::move(tables)),
        context_(context),
        places_(tables_),
        log_(*tables_.state, context.log),
        arguments_left_(std::max(
            kMinArguments,
            tables_.state->file->bytes().size() * kMaxArgumentGrowth)) {
    WorkKinds kinds(tables_, places_);
    is_kineto_ = SetKinds(kinds, tables_);
    if (!is_kineto_) return;
    made_ = JoinLaunches(tables_, places_, groups_);
    if (JoinByOrder(tables_, places_, groups_)) {
      log_.Notice("devices by their order", tables_.state->file->bytes(),
                  "several processes count their launches from the same "
                  "number on, so the first process is taken to use the first "
                  "device, and so on");
    }
    recordings_ = FindRecordings(tables_, places_, groups_);
    if (recordings_.size() == 1) return;
    slices_of_.resize(recordings_.size());
    for (uint32_t i = 0; i < tables_.slices.size(); ++i) {
      const Place& place = places_.Of(tables_.slices[i].track);
      slices_of_[recordings_.Of(place.root)].push_back(i);
    }
  }

  const TraceTables& tables() const { return tables_; }
  bool is_kineto() const { return is_kineto_; }
  size_t num_recordings() const { return recordings_.size(); }

  void Visit(size_t recording, const Add& add) {
    const bool all = slices_of_.empty();
    const size_t num =
        all ? tables_.slices.size() : slices_of_[recording].size();
    for (size_t i = 0; i < num; ++i) {
      if (i % kCheckedEvents == 0 && context_.work.cancelled()) return;
      VisitSlice(all ? static_cast<uint32_t>(i) : slices_of_[recording][i],
                 add);
    }
    if (!is_kineto_) VisitFlows(add);
    for (const CounterValue& counter : tables_.counters) {
      const Place& place = places_.Of(counter.track);
      if (recordings_.Of(place.root) == recording) {
        VisitCounter(counter, place, add);
      }
    }
    for (const std::unique_ptr<Place>& place : places_.used()) {
      if (place == nullptr || recordings_.Of(place->root) != recording) {
        continue;
      }
      VisitName("process_name", place->process, *place, add);
      VisitName("thread_name", place->thread, *place, add);
    }
  }

 private:
  void VisitSlice(uint32_t i, const Add& add) {
    const Slice& slice = tables_.slices[i];
    const Place& place = places_.Of(slice.track);
    chrome_json::TraceEvent event;
    event.phase = slice.is_instant ? 'i' : 'X';
    event.category = tables_.categories[slice.category];
    const bool is_own_call = tables_.state->is_own && is_kineto_ &&
                             event.category == "python_function";
    event.name = JsonContent(
        is_own_call ? TorchFunctionName(slice.name, function_) : slice.name,
        name_);
    event.pid = place.pid;
    event.tid = place.tid;
    event.nanos = {.start = slice.time,
                   .duration = std::max<int64_t>(0, slice.duration)};
    args_.assign(1, '{');
    if (HasOnlyNumbers(slice)) {
      SetNumbers(slice, event.numbers);
    } else if (slice.has_annotations) {
      AddArguments(slice);
    }
    if (const auto made = made_.find(i); made != made_.end()) {
      AppendNumber("correlation", made->second, args_);
    }
    if (place.device >= 0 && slice.device < 0) {
      AppendNumber("device", place.device, args_);
    }
    args_ += '}';
    event.args = args_;
    event.offset = i + 1;
    add(event);
  }

  // The loader of Kineto reads few arguments. The others are only decoded to
  // count what they lose.
  bool NeedsOnlyFacts(const Slice& slice) const {
    return is_kineto_ && slice.is_whole && slice.record.size <= kMaxArguments;
  }

  // The loader needs nothing but numbers that the slice has.
  bool HasOnlyNumbers(const Slice& slice) const {
    return NeedsOnlyFacts(slice) && slice.has_facts && !slice.has_more_facts &&
           slice.record.is_work == 0;
  }

  static void SetNumbers(const Slice& slice,
                         chrome_json::TraceEvent::Numbers& numbers) {
    if (slice.correlation != 0) numbers.correlation = slice.correlation;
    if (slice.device >= 0) numbers.device = slice.device;
    if (slice.stream >= 0) numbers.stream = slice.stream;
  }

  void AddArguments(const Slice& slice) {
    const bool only_facts = NeedsOnlyFacts(slice);
    if (only_facts && !slice.has_facts) return;
    if (arguments_left_ == 0) {
      return log_.Damage(
          "annotations too large", slice.record.bytes(),
          fmt::format("the annotations of the trace have more than {} times "
                      "its bytes; the rest is left out",
                      kMaxArgumentGrowth));
    }
    AppendArguments(slice.record, *tables_.state, only_facts, &log_, args_);
    arguments_left_ -= std::min(arguments_left_, args_.size());
  }

  // Arrows go to the slice that begins at their time.
  void VisitFlows(const Add& add) {
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < tables_.slices.size(); ++i) {
      const Slice& slice = tables_.slices[i];
      if (slice.num_flows > 0 && !slice.is_instant) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return tables_.slices[a].time < tables_.slices[b].time;
    });
    absl::flat_hash_map<uint64_t, bool> seen;
    std::string id;
    for (const uint32_t i : order) {
      const Slice& slice = tables_.slices[i];
      const Place& place = places_.Of(slice.track);
      for (const uint64_t flow : FlowsOf(tables_, slice)) {
        id = fmt::format("{}", flow);
        chrome_json::TraceEvent event;
        event.phase = std::exchange(seen[flow], true) ? 't' : 's';
        event.category = event.name = "flow";
        event.id = id;
        event.bind = "e";
        event.pid = place.pid;
        event.tid = place.tid;
        event.nanos = {.start = slice.time};
        add(event);
      }
    }
  }

  void VisitCounter(const CounterValue& counter, const Place& place,
                    const Add& add) {
    if (!std::isfinite(counter.value)) return;
    chrome_json::TraceEvent event;
    event.phase = 'C';
    std::string_view name = counter.name;
    std::string of_thread;
    if (name.empty()) {
      name = tables_.tracks[counter.track].name;
      // Several threads of a process may have counters of this name.
      if (!tables_.state->is_own && !name.empty() && name != place.thread &&
          !place.thread.empty()) {
        of_thread = fmt::format("{} ({})", name, place.thread);
        name = of_thread;
      }
      if (name.empty()) name = place.thread;
    }
    event.name = JsonContent(name, name_);
    event.in_bytes = counter.in_bytes;
    event.pid = place.pid;
    event.nanos = {.start = counter.time};
    args_ = fmt::format("{{\"\":{}}}", counter.value);
    event.args = args_;
    add(event);
  }

  void VisitName(std::string_view kind, std::string_view name,
                 const Place& place, const Add& add) {
    if (name.empty()) return;
    chrome_json::TraceEvent event;
    event.phase = 'M';
    event.name = kind;
    event.pid = place.pid;
    event.tid = place.tid;
    args_.assign(1, '{');
    AppendText("name", name, args_);
    args_ += '}';
    event.args = args_;
    add(event);
  }

  TraceTables tables_;
  loaders::LoadContext& context_;
  Places places_;
  PacketLog log_;
  size_t arguments_left_;
  bool is_kineto_ = false;
  TrackGroups groups_;
  absl::flat_hash_map<uint32_t, int64_t> made_;  // correlations, by slice
  Recordings recordings_;
  // By recording; empty if there is one.
  std::vector<std::vector<uint32_t>> slices_of_;
  // Texts of the current event.
  std::string function_, name_, args_;
};

// The events of one recording.
class Source : public chrome_json::EventSource {
 public:
  Source(std::shared_ptr<Trace> trace, size_t recording,
         std::shared_ptr<const RecordDetails> details)
      : trace_(std::move(trace)),
        recording_(recording),
        details_(std::move(details)) {}

  void Visit(const Add& add) override {
    // The last recording frees the tables.
    if (const auto trace = std::exchange(trace_, nullptr)) {
      trace->Visit(recording_, add);
    }
  }
  std::shared_ptr<const profile::DetailReader> Details() const override {
    return details_;
  }

 private:
  std::shared_ptr<Trace> trace_;
  const size_t recording_;
  const std::shared_ptr<const RecordDetails> details_;
};

}  // namespace

TraceInputs MakeTraceInputs(TraceTables tables, loaders::LoadContext& context) {
  const std::shared_ptr<TraceState> state = tables.state;
  const auto records = std::make_shared<std::vector<Record>>();
  records->reserve(tables.slices.size());
  for (const Slice& slice : tables.slices) records->push_back(slice.record);
  const auto details = std::make_shared<const RecordDetails>(state, records);
  const auto trace = std::make_shared<Trace>(std::move(tables), context);
  TraceInputs result = {.is_kineto = trace->is_kineto()};
  const size_t num = trace->num_recordings();
  for (size_t i = 0; i < num; ++i) {
    result.inputs.push_back(
        {.file =
             num == 1
                 ? state->file
                 : loaders::InputFile::FromBytes(
                       fmt::format("{}.rank{}", state->file->path(), i), {}),
         .source = std::make_shared<Source>(trace, i, details)});
  }
  return result;
}

}  // namespace tfprof::perfetto
