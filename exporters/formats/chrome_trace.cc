#include "exporters/formats/chrome_trace.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "fmt/format.h"
#include "util/json_string.h"

namespace tfprof {
namespace {

constexpr size_t kFlushBytes = 1 << 16;

// "12.5": `ticks` in microseconds, exactly.
std::string Micros(int64_t ticks, int64_t ticks_per_micro) {
  const bool negative = ticks < 0;
  const uint64_t size = negative ? 0 - static_cast<uint64_t>(ticks)
                                 : static_cast<uint64_t>(ticks);
  const uint64_t per_micro = static_cast<uint64_t>(ticks_per_micro);
  std::string text = fmt::format("{}{}", negative ? "-" : "", size / per_micro);
  uint64_t rest = size % per_micro;
  if (rest == 0) return text;
  text += '.';
  for (uint64_t place = per_micro / 10; rest != 0; place /= 10) {
    text += static_cast<char>('0' + rest / place);
    rest %= place;
  }
  return text;
}

class Writer {
 public:
  Writer(const Profile& profile, int64_t step, Sink& sink)
      : profile_(profile), step_(step), sink_(sink) {}

  void Write() {
    text_ = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    WriteNames();
    for (const auto& step : profile_.steps()) {
      if (step_ < 0 || step->id == step_) WriteStep(*step);
    }
    WriteLinks();
    WriteCounters();
    text_ += "]}\n";
    sink_.Write(text_);
  }

 private:
  // Begins an event; the caller adds members and the brace.
  void Begin(std::string_view phase) {
    if (text_.size() > kFlushBytes) {
      sink_.Write(text_);
      text_.clear();
    }
    text_ += any_ ? ",\n{\"ph\":\"" : "\n{\"ph\":\"";
    any_ = true;
    text_ += phase;
    text_ += '"';
  }
  void Member(std::string_view key, std::string_view text) {
    Key(key);
    AppendJsonString(text, &text_);
  }
  void Number(std::string_view key, std::string_view number) {
    Key(key);
    text_ += number;
  }
  void Key(std::string_view key) {
    if (text_.back() != '{') text_ += ',';
    AppendJsonString(key, &text_);
    text_ += ':';
  }

  // Processes and threads from 1: some tools take 0 for the idle process.
  void Place(ProcessId process, LaneId lane) {
    Number("pid", fmt::format("{}", process == kNone ? 0 : process + 1));
    Number("tid", fmt::format("{}", lane == kNone ? 0 : lane + 1));
  }
  void PlaceOf(LaneId lane) {
    Place(lane == kNone ? kNone : profile_.lanes()[lane].process, lane);
  }

  void WriteName(std::string_view what, ProcessId process, LaneId lane,
                 std::string_view name) {
    Begin("M");
    Member("name", what);
    Place(process, lane);
    Key("args");
    text_ += '{';
    Member("name", name);
    text_ += "}}";
  }

  void WriteNames() {
    const LaneTable& lanes = profile_.lanes();
    for (ProcessId p = 0; p < lanes.num_processes(); ++p) {
      const Process& process = lanes.process(p);
      const std::string& name =
          process.label.empty() ? process.name : process.label;
      if (!name.empty()) WriteName("process_name", p, kNone, name);
    }
    for (LaneId l = 0; l < lanes.size(); ++l) {
      const Lane& lane = lanes[l];
      std::string name;
      if (lane.physical != kNone && lane.kind != LaneKind::kCompute) {
        name.append(lanes.physical(lane.physical).label).append(" ");
      }
      name.append(lane.name != kNone ? profile_.strings().Get(lane.name)
                                     : LaneKindName(lane.kind));
      WriteName("thread_name", lane.process, l, name);
    }
  }

  void WriteStep(const Step& step) {
    const NodeTable& nodes = profile_.nodes();
    for (size_t g = 0; g < step.num_groups(); ++g) {
      const auto n = static_cast<NodeId>(step.node[g]);
      for (size_t e = step.exec_begin(g); e < step.exec_end(g); ++e) {
        if (!step.HasStart(e)) continue;
        WriteExecution(step, e, profile_.strings().Get(nodes.op[n]), n);
      }
    }
    for (size_t e = step.num_executions(); e < step.num_records(); ++e) {
      if (!step.HasStart(e)) continue;
      WriteExecution(step, e, profile_.strings().Get(step.OutsideName(e)),
                     kNone);
    }
  }

  void WriteExecution(const Step& step, size_t e, std::string_view name,
                      NodeId n) {
    const int64_t ticks = step.exec_start.ticks_per_micro();
    const LaneId lane = step.LaneOf(e);
    // A moment is no slice.
    const bool is_moment = n == kNone && step.exec_duration.Ticks(e) == 0;
    Begin(is_moment ? "i" : "X");
    Member("name", name);
    Member("cat", LaneKindName(lane == kNone ? LaneKind::kOther
                                             : profile_.lanes()[lane].kind));
    PlaceOf(lane);
    Number("ts", Micros(step.exec_start.Ticks(e), ticks));
    if (!is_moment) {
      Number("dur", Micros(step.exec_duration.Ticks(e), ticks));
    }
    Key("args");
    text_ += '{';
    if (n != kNone) Member("node", profile_.node_name(n));
    if (step.id >= 0) Number("step", fmt::format("{}", step.id));
    const auto record = static_cast<RecordRef>(step.exec_record[e]);
    const RecordText text = profile_.Text(record);
    if (!text.name.empty() && text.name != name) Member("event", text.name);
    for (const auto& [key, value] : profile_.Arguments(record)) {
      Member(key, value);
    }
    text_ += "}}";
  }

  void WriteLinks() {
    const Links& links = profile_.links();
    for (size_t i = 0; i < links.size(); ++i) {
      const Link link = links[i];
      if (step_ >= 0 && (link.from.step != step_ || link.to.step != step_)) {
        continue;
      }
      WriteEnd("s", i, link, link.from);
      WriteEnd("f", i, link, link.to);
    }
  }

  void WriteEnd(std::string_view phase, size_t id, const Link& link,
                const ExecutionRef& at) {
    const auto& steps = profile_.steps();
    const auto found = std::lower_bound(
        steps.begin(), steps.end(), at.step,
        [](const auto& step, int64_t id) { return step->id < id; });
    if (found == steps.end() || (*found)->id != at.step) return;
    const Step* step = found->get();
    if (at.index >= step->num_records()) return;
    Begin(phase);
    Member("name", LinkKindName(link.kind));
    Member("cat", "link");
    Number("id", fmt::format("{}", id));
    if (phase == "f") Member("bp", "e");
    PlaceOf(step->LaneOf(at.index));
    Number("ts", Micros(step->exec_start.Ticks(at.index),
                        step->exec_start.ticks_per_micro()));
    text_ += '}';
  }

  // Counters belong to no step.
  void WriteCounters() {
    if (step_ >= 0) return;
    for (const Counter& counter : profile_.counters()) {
      double level = 0;
      for (size_t i = 0; i < counter.size(); ++i) {
        level = counter.kind == Counter::Kind::kChange
                    ? level + counter.value[i]
                    : counter.value[i];
        Begin("C");
        Member("name", counter.name == kNone
                           ? std::string_view("counter")
                           : profile_.strings().Get(counter.name));
        Place(counter.process, counter.lane);
        Number("ts", Micros(counter.time[i], 1000));
        Key("args");
        text_ += fmt::format("{{\"value\":{}}}}}", level);
      }
    }
  }

  const Profile& profile_;
  const int64_t step_;
  Sink& sink_;
  std::string text_;
  bool any_ = false;
};

}  // namespace

void WriteChromeTrace(const Profile& profile, int64_t step, Sink& sink) {
  Writer(profile, step, sink).Write();
}

}  // namespace tfprof
