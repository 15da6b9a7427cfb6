// The tables of executions and links (rows.h).

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/lane_time.h"
#include "inspect/devices/device_labels.h"
#include "inspect/devices/lane_chart.h"
#include "inspect/rows/row_table.h"
#include "loaders/nodes/nesting.h"
#include "profile/steps/time_column.h"
#include "timeline/activity.h"
#include "timeline/tracks.h"
#include "util/arithmetic.h"

namespace tfprof::inspect {
namespace {

using accounting::TimeKind;
using profile::LaneKind;

// The part of an execution in the sums is not known.
constexpr int64_t kUnknown = std::numeric_limits<int64_t>::min();

// Numbers all executions of a profile: step by step, and in a step by their
// places.
class Numbers {
 public:
  explicit Numbers(const profile::Profile& profile) : profile_(profile) {
    for (const auto& step : profile.steps()) {
      first_.push_back(first_.back() + step->num_records());
    }
  }

  size_t size() const { return first_.back(); }
  size_t FirstOf(size_t place) const { return first_[place]; }
  // The place of the step of an execution.
  size_t PlaceOf(size_t number) const {
    return static_cast<size_t>(std::ranges::upper_bound(first_, number) -
                               first_.begin()) -
           1;
  }
  // An end of a link, which is in the profile.
  size_t Of(const profile::ExecutionRef& at) const {
    const auto step = std::ranges::lower_bound(
        profile_.steps(), at.step, {}, [](const auto& of) { return of->id; });
    return first_[static_cast<size_t>(step - profile_.steps().begin())] +
           at.index;
  }

 private:
  const profile::Profile& profile_;
  std::vector<size_t> first_ = {0};  // one more than there are steps
};

// Which calls contain each other.
struct Calls {
  // By number; kNone: none. Only calls that are recorded as nested have one.
  std::vector<uint32_t> parent;
  // The time without the calls inside, in ticks of the profile: without those
  // of Python functions, and with them. Empty if the sums have whole times.
  std::vector<int64_t> self_of_ops;
  std::vector<int64_t> self_of_all;
};

class CallFinder {
 public:
  CallFinder(const profile::Profile& profile, const Numbers& numbers)
      : profile_(profile), numbers_(numbers) {}

  Calls Find() && {
    calls_.parent.assign(numbers_.size(), profile::kNone);
    if (profile_.graph().self_times) {
      calls_.self_of_ops.assign(numbers_.size(), kUnknown);
      calls_.self_of_all.assign(numbers_.size(), kUnknown);
    }
    // The lanes of a thread have its calls; other lanes stand alone.
    std::map<std::pair<profile::ProcessId, int64_t>, std::vector<uint32_t>>
        of_thread;
    std::map<profile::LaneId, std::vector<uint32_t>> of_lane;
    for (size_t place = 0; place < profile_.steps().size(); ++place) {
      const profile::Step& step = *profile_.steps()[place];
      for (size_t e = 0; e < step.num_records(); ++e) {
        const profile::LaneId id = step.LaneOf(e);
        if (id == profile::kNone || !step.HasStart(e)) continue;
        const profile::Lane& lane = profile_.lanes()[id];
        if (!lane.calls_nest || lane.repeats != profile::kNone) continue;
        const auto number = static_cast<uint32_t>(numbers_.FirstOf(place) + e);
        switch (lane.kind) {
          case LaneKind::kCompute:
          case LaneKind::kLaunches:
          case LaneKind::kPython:
            if (lane.thread >= 0) {
              of_thread[{lane.process, lane.thread}].push_back(number);
            } else {
              of_lane[id].push_back(number);
            }
            break;
          case LaneKind::kKernels:
          case LaneKind::kCopies:
          case LaneKind::kCommunication:
            of_lane[id].push_back(number);
            break;
          // Ranges that do not follow the calls of a thread.
          case LaneKind::kAnnotation:
          case LaneKind::kOther:
            break;
        }
      }
    }
    for (const auto& [thread, numbers] : of_thread) AddCalls(numbers);
    for (const auto& [lane, numbers] : of_lane) AddCalls(numbers);
    return std::move(calls_);
  }

 private:
  LaneKind KindOf(uint32_t number) const {
    const size_t place = numbers_.PlaceOf(number);
    const profile::LaneId lane =
        profile_.steps()[place]->LaneOf(number - numbers_.FirstOf(place));
    return profile_.lanes()[lane].kind;
  }

  loaders::Span SpanOf(uint32_t number) const {
    const size_t place = numbers_.PlaceOf(number);
    const timeline::TrackEvent event =
        timeline::EventOf(profile_, place, number - numbers_.FirstOf(place));
    return {event.start, event.end - event.start};
  }

  void AddCalls(const std::vector<uint32_t>& numbers) {
    std::vector<loaders::Span> spans;
    std::vector<uint32_t> ops;  // indexes in `numbers`
    std::vector<loaders::Span> op_spans;
    spans.reserve(numbers.size());
    bool any_python = false;
    bool is_device = false;
    for (uint32_t i = 0; i < numbers.size(); ++i) {
      spans.push_back(SpanOf(numbers[i]));
      const LaneKind kind = KindOf(numbers[i]);
      is_device |= kind != LaneKind::kCompute && kind != LaneKind::kLaunches &&
                   kind != LaneKind::kPython;
      if (kind == LaneKind::kPython) {
        any_python = true;
        continue;
      }
      ops.push_back(i);
      op_spans.push_back(spans.back());
    }
    const loaders::Nesting all = loaders::Nest(spans);
    // Kernels that overlap on a stream do so by chance.
    if (!is_device || Contain(spans, all)) {
      for (size_t i = 0; i < numbers.size(); ++i) {
        if (all.parent[i] == profile::kNone) continue;
        calls_.parent[numbers[i]] = numbers[all.parent[i]];
      }
    }
    if (calls_.self_of_all.empty()) return;
    for (size_t i = 0; i < numbers.size(); ++i) {
      calls_.self_of_all[numbers[i]] = calls_.self_of_ops[numbers[i]] =
          all.self[i];
    }
    if (!any_python) return;
    const loaders::Nesting of_ops = loaders::Nest(op_spans);
    for (size_t i = 0; i < ops.size(); ++i) {
      calls_.self_of_ops[numbers[ops[i]]] = of_ops.self[i];
    }
  }

  // Whether of each two spans that overlap one contains the other.
  static bool Contain(const std::vector<loaders::Span>& spans,
                      const loaders::Nesting& nesting) {
    std::vector<int64_t> open;  // ends, outer ones first
    for (const uint32_t i : nesting.order) {
      const int64_t end =
          util::SaturatingAdd(spans[i].start, spans[i].duration);
      while (!open.empty() && open.back() <= spans[i].start) open.pop_back();
      if (!open.empty() && open.back() < end) return false;
      open.push_back(end);
    }
    return true;
  }

  const profile::Profile& profile_;
  const Numbers& numbers_;
  Calls calls_;
};

// What executions add to the sums of their nodes, in ticks of the profile. The
// sums are from the loader, which knows more than the columns of executions. So
// the times of a node in a step are only given if they have its sum.
class SelfTimes {
 public:
  SelfTimes(const profile::Profile& profile, const Numbers& numbers,
            const Calls& calls)
      : profile_(profile), numbers_(numbers), calls_(calls) {
    const profile::GraphTables& graph = profile.graph();
    for (profile::LaneId id = 0; id < graph.lanes.size(); ++id) {
      kind_.push_back(accounting::TimeKindOf(graph, id));
    }
    self_.assign(numbers.size(), 0);
    for (size_t place = 0; place < profile.steps().size(); ++place) {
      const profile::Step& step = *profile.steps()[place];
      if (step.num_records() == 0) continue;
      for (size_t g = 0; g < step.num_groups(); ++g) {
        Divide(place, g, TimeKind::kAccelerator, step.sums.accelerator_time[g]);
        Divide(place, g, TimeKind::kCpu, step.sums.cpu_time[g]);
      }
    }
  }

  std::vector<int64_t> Take() && { return std::move(self_); }
  // The executions without a known time, and their time together.
  int64_t unknown_executions() const { return unknown_executions_; }
  int64_t unknown_ticks() const { return unknown_ticks_; }

 private:
  // The whole time of an execution, as the rules count it.
  int64_t WholeTime(const profile::Step& step, size_t e) const {
    const int64_t of_profile = profile_.ticks_per_micro();
    const int64_t of_step = step.exec_duration.ticks_per_micro();
    const int64_t ticks = step.exec_duration.Ticks(e);
    if (profile_.graph().self_times) {
      return util::SaturatingMul(std::max<int64_t>(0, ticks),
                                 std::max<int64_t>(1, of_profile / of_step));
    }
    const int64_t counted = util::SaturatingMul(
        profile::FloorDiv(ticks, std::max<int64_t>(1, of_step / of_profile)),
        std::max<int64_t>(1, of_profile / of_step));
    return counted == 0 ? of_profile : counted;
  }

  void Divide(size_t place, size_t group, TimeKind kind, int64_t sum) {
    const profile::Step& step = *profile_.steps()[place];
    const size_t first = numbers_.FirstOf(place);
    of_kind_.clear();
    for (size_t e = step.exec_begin(group); e < step.exec_end(group); ++e) {
      const profile::LaneId lane = step.LaneOf(e);
      if (lane != profile::kNone && step.HasStart(e) && kind_[lane] == kind) {
        of_kind_.push_back(e);
      }
    }
    if (of_kind_.size() == 1) {
      self_[first + of_kind_[0]] = sum;
      return;
    }
    if (Fits(
            sum, [&](size_t e) { return WholeTime(step, e); }, first))
      return;
    if (!calls_.self_of_all.empty()) {
      for (const std::vector<int64_t>* self :
           {&calls_.self_of_ops, &calls_.self_of_all}) {
        const auto own = [&](size_t e) {
          const int64_t ticks = (*self)[first + e];
          return ticks == kUnknown ? WholeTime(step, e) : ticks;
        };
        if (Fits(sum, own, first)) return;
      }
    }
    // Also those without a start, such as samples, whose time is only in sums.
    for (size_t e = step.exec_begin(group); e < step.exec_end(group); ++e) {
      const profile::LaneId lane = step.LaneOf(e);
      if (lane == profile::kNone || kind_[lane] != kind) continue;
      self_[first + e] = kUnknown;
      ++unknown_executions_;
    }
    unknown_ticks_ = util::WrapAdd(unknown_ticks_, sum);
  }

  // Takes the times of the executions if they have this sum.
  template <typename Time>
  bool Fits(int64_t sum, Time time, size_t first) {
    int64_t all = 0;
    for (const size_t e : of_kind_) all = util::WrapAdd(all, time(e));
    if (all != sum) return false;
    for (const size_t e : of_kind_) self_[first + e] = time(e);
    return true;
  }

  const profile::Profile& profile_;
  const Numbers& numbers_;
  const Calls& calls_;
  std::vector<TimeKind> kind_;  // by lane
  std::vector<int64_t> self_;   // by number
  std::vector<size_t> of_kind_;
  int64_t unknown_executions_ = 0;
  int64_t unknown_ticks_ = 0;
};

// The rows of executions, made one by one from the columns of the steps.
class Executions {
 public:
  Executions(timeline::Activities& activities, ExecutionSums& sums)
      : activities_(activities),
        profile_(activities.profile()),
        numbers_(profile_),
        launched_by_(numbers_.size(), profile::kNone) {
    Calls calls = CallFinder(profile_, numbers_).Find();
    SelfTimes self(profile_, numbers_, calls);
    sums.without_self = self.unknown_executions();
    sums.nanos_without_self =
        profile::TicksToNanos(self.unknown_ticks(), profile_.ticks_per_micro());
    for (const auto& step : profile_.steps()) {
      sums.aggregated_steps += step->aggregated;
    }
    self_ = std::move(self).Take();
    parent_ = std::move(calls.parent);
    const profile::Links& links = profile_.links();
    for (size_t i = 0; i < links.size(); ++i) {
      const profile::Link link = links[i];
      if (link.kind != profile::LinkKind::kLaunch) continue;
      launched_by_[numbers_.Of(link.to)] =
          static_cast<uint32_t>(numbers_.Of(link.from));
    }
    std::vector<uint32_t> units(activities.units().size());
    for (uint32_t u = 0; u < units.size(); ++u) units[u] = u;
    const std::vector<std::string> labels = DeviceLabels(activities, units);
    const profile::LaneTable& lanes = profile_.lanes();
    for (profile::LaneId id = 0; id < lanes.size(); ++id) {
      lane_name_.push_back(LaneName(profile_, id));
      lane_device_.push_back(labels[activities.unit_of(id)]);
      const profile::ProcessId process = lanes[id].process;
      lane_rank_.push_back(
          process == profile::kNone ? -1 : lanes.process(process).rank);
    }
    NameNodes();
  }

  const Numbers& numbers() const { return numbers_; }

  void Fill(size_t number, std::vector<tables::DataCell>& cells) const {
    const size_t place = numbers_.PlaceOf(number);
    const size_t e = number - numbers_.FirstOf(place);
    const profile::Step& step = *profile_.steps()[place];
    const timeline::TrackEvent event = timeline::EventOf(profile_, place, e);
    const profile::LaneId lane = step.LaneOf(e);
    const bool has_lane = lane != profile::kNone;
    const bool has_start = step.HasStart(e);
    const int64_t ticks = profile_.ticks_per_micro();
    const bool has_node = event.node != profile::kNone;
    const profile::NodeTable& nodes = profile_.nodes();
    const int64_t rank = has_lane ? lane_rank_[lane] : -1;
    RowCells row(cells);
    row.Number(static_cast<int64_t>(number))
        .Number(step.id, step.id != profile::kOutsideSteps)
        .Word(NameOf(event));
    if (has_node) {
      row.Text(profile_.strings().Get(nodes.op[event.node]))
          .Text(profile_.node_name(event.node));
    } else {
      row.Nothing().Nothing();
    }
    if (has_lane) {
      row.Text(profile::LaneKindName(profile_.lanes()[lane].kind))
          .Word(lane_device_[lane])
          .Word(lane_name_[lane]);
    } else {
      row.Nothing().Nothing().Nothing();
    }
    row.Known(rank)
        .Number(profile::TicksToNanos(event.start, ticks), has_start)
        .Number(profile::TicksToNanos(event.end, ticks), has_start)
        .Number(profile::TicksToNanos(self_[number], ticks),
                self_[number] != kUnknown)
        .Number(parent_[number], parent_[number] != profile::kNone)
        .Number(launched_by_[number], launched_by_[number] != profile::kNone)
        .Number(int64_t{has_lane &&
                        profile_.lanes()[lane].repeats != profile::kNone});
  }

 private:
  // Names of nodes whose executions all have the same texts are read once.
  void NameNodes() {
    const profile::NodeTable& nodes = profile_.nodes();
    node_name_.resize(nodes.same_texts.size());
    for (size_t place = 0; place < profile_.steps().size(); ++place) {
      const profile::Step& step = *profile_.steps()[place];
      if (step.num_records() == 0) continue;
      for (size_t g = 0; g < step.num_groups(); ++g) {
        const auto node = static_cast<profile::NodeId>(step.node[g]);
        if (!nodes.HasSameTexts(node) || !node_name_[node].empty() ||
            step.exec_begin(g) == step.exec_end(g)) {
          continue;
        }
        node_name_[node] =
            Read({.step = static_cast<uint32_t>(place),
                  .record = static_cast<uint32_t>(step.exec_begin(g)),
                  .node = node});
      }
    }
  }

  std::string_view NameOf(const timeline::TrackEvent& event) const {
    if (event.node < node_name_.size() && !node_name_[event.node].empty()) {
      return node_name_[event.node];
    }
    return Read(event);
  }

  std::string_view Read(const timeline::TrackEvent& event) const {
    return activities_.Name(
        {.step = event.step, .record = event.record, .node = event.node});
  }

  timeline::Activities& activities_;
  const profile::Profile& profile_;
  const Numbers numbers_;
  std::vector<uint32_t> launched_by_;  // by number, as the next two
  std::vector<uint32_t> parent_;
  std::vector<int64_t> self_;
  std::vector<std::string> lane_name_;  // by lane, as the next two
  std::vector<std::string> lane_device_;
  std::vector<int64_t> lane_rank_;
  std::vector<std::string_view> node_name_;  // by node; "": read each one
};

struct LinkRow {
  size_t from = 0;
  size_t to = 0;
  profile::LinkKind kind = profile::LinkKind::kLaunch;
};

}  // namespace

tables::DataTable ExecutionRowsTable(views::Views& views, int64_t step,
                                     ExecutionSums& sums) {
  const auto rows = std::make_shared<const Executions>(
      views.Kept<timeline::Activities>(), sums);
  const profile::Profile& profile = views.profile();
  // The rows of a step are next to each other.
  size_t first = 0, end = rows->numbers().size();
  if (step >= 0) {
    end = 0;
    for (const size_t place : timeline::PlacesOfSteps(profile, step)) {
      first = rows->numbers().FirstOf(place);
      end = first + profile.steps()[place]->num_records();
    }
  }
  tables::DataTable table;
  table.kind = "executions";
  table.columns = {NumberColumn("id"),        NumberColumn("step"),
                   WordColumn("name"),        WordColumn("op"),
                   WordColumn("node"),        WordColumn("kind"),
                   WordColumn("device"),      WordColumn("lane"),
                   NumberColumn("rank"),      NumberColumn("start_nanos"),
                   NumberColumn("end_nanos"), NumberColumn("self_nanos"),
                   NumberColumn("parent"),    NumberColumn("launched_by"),
                   CountColumn("repeated")};
  table.num_rows = table.total_rows = end - first;
  table.cells = [rows, first](size_t row,
                              std::vector<tables::DataCell>& cells) {
    rows->Fill(first + row, cells);
  };
  return table;
}

tables::DataTable LinkRowsTable(views::Views& views, int64_t step) {
  const profile::Profile& profile = views.profile();
  const Numbers numbers(profile);
  const profile::Links& links = profile.links();
  std::vector<LinkRow> rows;
  for (size_t i = 0; i < links.size(); ++i) {
    const profile::Link link = links[i];
    if (step >= 0 && link.from.step != step && link.to.step != step) continue;
    rows.push_back({numbers.Of(link.from), numbers.Of(link.to), link.kind});
  }
  return TableOf(
      "links",
      {WordColumn("kind"), NumberColumn("from_id"), NumberColumn("to_id")},
      std::move(rows), [](const LinkRow& row, RowCells cells) {
        cells.Text(profile::LinkKindName(row.kind))
            .Number(static_cast<int64_t>(row.from))
            .Number(static_cast<int64_t>(row.to));
      });
}

}  // namespace tfprof::inspect
