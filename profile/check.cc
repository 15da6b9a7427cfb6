#include "profile/check.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "util/run/threads.h"

namespace tfprof::profile {
namespace {

// The first thing that is wrong with one table. Functions return whether all is
// well up to now.
class TableCheck {
 public:
  explicit TableCheck(std::string table) : table_(std::move(table)) {}

  bool ok() const { return !error_; }
  const std::optional<std::string>& error() const { return error_; }

  bool Fail(size_t row, std::string_view what) {
    if (ok()) error_ = fmt::format("{}, row {}: {}", table_, row, what);
    return false;
  }
  // An id is a row of a table with `size` rows.
  bool Id(size_t row, std::string_view what, uint64_t id, size_t size) {
    if (id < size) return true;
    return Fail(row, fmt::format("{} {} of {}", what, id, size));
  }
  // The same, or kNone.
  bool IdOrNone(size_t row, std::string_view what, uint64_t id, size_t size) {
    return id == kNone || Id(row, what, id, size);
  }
  // A column has a value for each row.
  bool Length(std::string_view column, size_t length, size_t rows) {
    if (length == rows) return ok();
    return Fail(0, fmt::format("the column {} has {} values for {} rows",
                               column, length, rows));
  }
  // The same for a column that may be empty.
  bool LengthOrEmpty(std::string_view column, size_t length, size_t rows) {
    return length == 0 || Length(column, length, rows);
  }
  template <typename Id>
  bool Ids(std::string_view column, const std::vector<Id>& ids, size_t rows,
           size_t size, bool may_be_none) {
    if (!Length(column, ids.size(), rows)) return false;
    for (size_t row = 0; row < rows; ++row) {
      if (may_be_none ? !IdOrNone(row, column, ids[row], size)
                      : !this->Id(row, column, ids[row], size)) {
        return false;
      }
    }
    return ok();
  }
  // Ids in a packed column, whose values may be out of the range of ids.
  bool Ids(std::string_view column, const IntColumn& ids, size_t rows,
           size_t size, bool may_be_none) {
    if (!Length(column, ids.size(), rows)) return false;
    const auto is_id = [&](int64_t id) {
      return (id >= 0 && static_cast<uint64_t>(id) < size) ||
             (may_be_none && id == int64_t{kNone});
    };
    const IntRange range = ids.Range();
    if (range.empty() ||
        (range.low >= 0 && is_id(range.high) && range.high != int64_t{kNone})) {
      return ok();
    }
    for (size_t row = 0; row < rows; ++row) {
      if (is_id(ids[row])) continue;
      return Fail(row, fmt::format("{} {} of {}", column, ids[row], size));
    }
    return ok();
  }
  // Rows of which row i has the values begin[i] … begin[i + 1] - 1.
  bool Ranges(std::string_view column, const std::vector<uint32_t>& begin,
              size_t rows, size_t values) {
    if (!Length(column, begin.size(), rows + 1)) return false;
    if (begin.front() != 0 || begin.back() != values) {
      return Fail(rows, fmt::format("{} covers {} to {} of {} values", column,
                                    begin.front(), begin.back(), values));
    }
    const auto at = std::is_sorted_until(begin.begin(), begin.end());
    if (at == begin.end()) return ok();
    return Fail(static_cast<size_t>(at - begin.begin()),
                fmt::format("{} is not ascending", column));
  }

 private:
  std::string table_;
  std::optional<std::string> error_;
};

class Checker {
 public:
  Checker(const Profile& profile, const util::TaskOptions& work)
      : profile_(profile),
        work_(work),
        strings_(profile.strings().size()),
        stacks_(profile.graph().stacks.size()) {}

  absl::Status Check() {
    Nodes();
    NodeLists();
    TypeSetTable();
    StackTable();
    ScopeTable();
    LaneRows();
    StepRows();
    // The other tables refer to steps.
    if (ok()) LinkRows();
    if (ok()) CounterRows();
    if (ok()) RowsOfSteps();
    if (ok()) PipelineRows();
    if (ok()) KernelCounterRows();
    if (ok()) AllocatorRows();
    if (ok()) CollectiveRows();
    if (ok()) CompileRows();
    return ok() ? absl::OkStatus() : absl::InternalError(*error_);
  }

 private:
  bool ok() const { return !error_; }
  void Note(const TableCheck& table) {
    const std::scoped_lock lock(mutex_);
    if (!error_) error_ = table.error();
  }

  // The input of a record.
  bool Record(TableCheck& table, size_t row, RecordRef record) const {
    return record == kNoRecord ||
           table.Id(row, "input", record >> kOffsetBits, profile_.num_inputs());
  }

  void Nodes() {
    const GraphTables& graph = profile_.graph();
    const NodeTable& nodes = graph.nodes;
    TableCheck table("nodes");
    const size_t n = nodes.size();
    table.Ids("name", nodes.name, n, strings_, false);
    table.Ids("op", nodes.op, n, strings_, false);
    table.Ids("types", nodes.types, n, graph.type_sets.size(), false);
    table.Ids("parameter shape", nodes.parameter_shape, n, graph.shapes.size(),
              false);
    table.Ids("device", nodes.device, n, graph.devices.size(), true);
    table.Ids("stack", nodes.stack, n, stacks_, false);
    table.LengthOrEmpty("float operations", nodes.float_ops.size(), n);
    if (table.Length("record", nodes.record.size(), n)) {
      for (size_t i = 0; i < n && Record(table, i, nodes.record[i]); ++i) {
      }
    }
    if (!nodes.module.empty()) {
      table.Ids("module", nodes.module, n, graph.modules.size(), false);
    }
    if (!nodes.scope.empty()) {
      table.Ids("scope", nodes.scope, n, graph.scopes.size(), false);
    }
    if (!nodes.forward_of.empty()) {
      table.Ids("forward node", nodes.forward_of, n, n, true);
    }
    if (!nodes.label.empty()) {
      table.Ids("label", nodes.label, n, strings_, false);
    }
    table.LengthOrEmpty("same texts", nodes.same_texts.size(), n);
    for (const NodeId node : nodes.by_name) {
      if (!table.IdOrNone(0, "node of a name", node, n)) break;
    }
    for (const auto& [name, node] : nodes.in_module) {
      if (!table.Id(0, "node of a name in a module", node, n)) break;
    }
    Note(table);
  }

  void NodeLists() {
    const NodeTable& nodes = profile_.nodes();
    TableCheck edges("edges");
    const size_t num_edges = nodes.edge_source.size();
    edges.Ranges("begin", nodes.edge_begin, nodes.size(), num_edges);
    edges.Ids("source", nodes.edge_source, num_edges, strings_, true);
    edges.LengthOrEmpty("seen output", nodes.edge_seen_output.size(),
                        num_edges);
    edges.LengthOrEmpty("output", nodes.edge_output.size(), num_edges);
    edges.LengthOrEmpty("position", nodes.edge_position.size(), num_edges);
    Note(edges);
    TableCheck shapes("output shapes");
    shapes.Ranges("begin", nodes.shape_begin, nodes.size(),
                  nodes.output_shape.size());
    for (size_t i = 0; i < nodes.output_shape.size(); ++i) {
      if (!shapes.Id(i, "shape", nodes.output_shape[i].shape,
                     profile_.graph().shapes.size())) {
        break;
      }
    }
    Note(shapes);
  }

  void TypeSetTable() {
    const TypeSets& sets = profile_.graph().type_sets;
    TableCheck table("type sets");
    for (TypeSetId id = 0; id < sets.size() && table.ok(); ++id) {
      for (const StringId type : sets[id]) {
        if (!table.Id(id, "type", type, strings_)) break;
      }
    }
    Note(table);
  }

  void StackTable() {
    const CallStacks& stacks = profile_.graph().stacks;
    TableCheck frames("frames");
    for (FrameId id = 0; id < stacks.num_frames(); ++id) {
      const Frame& frame = stacks.frame(id);
      if (!frames.IdOrNone(id, "file", frame.file, strings_) ||
          !frames.IdOrNone(id, "function", frame.function, strings_) ||
          !frames.IdOrNone(id, "source line", frame.line, strings_)) {
        break;
      }
    }
    Note(frames);
    TableCheck table("call stacks");
    for (StackId id = 1; id < stacks.size(); ++id) {
      if (!table.Id(id, "caller", stacks[id].parent, id) ||
          !table.Id(id, "frame", stacks[id].frame, stacks.num_frames())) {
        break;
      }
    }
    Note(table);
  }

  void ScopeTable() {
    const GraphTables& graph = profile_.graph();
    TableCheck scopes("scopes");
    for (ScopeId id = 1; id < graph.scopes.size(); ++id) {
      if (!scopes.Id(id, "parent", graph.scopes[id].parent, id) ||
          !scopes.Id(id, "name", graph.scopes[id].name, strings_)) {
        break;
      }
    }
    Note(scopes);
    TableCheck modules("modules");
    for (ModuleId id = 1; id < graph.modules.size(); ++id) {
      if (!modules.Id(id, "name", graph.modules.name(id), strings_)) break;
    }
    Note(modules);
  }

  void LaneRows() {
    const LaneTable& lanes = profile_.lanes();
    TableCheck devices("physical devices");
    for (PhysicalId id = 0; id < lanes.num_physical(); ++id) {
      if (!devices.IdOrNone(id, "process", lanes.physical(id).process,
                            lanes.num_processes())) {
        break;
      }
    }
    Note(devices);
    TableCheck table("lanes");
    for (LaneId id = 0; id < lanes.size(); ++id) {
      const Lane& lane = lanes[id];
      if (lane.repeats == id) {
        table.Fail(id, "the lane repeats itself");
        break;
      }
      if (!table.IdOrNone(id, "process", lane.process, lanes.num_processes()) ||
          !table.IdOrNone(id, "name", lane.name, strings_) ||
          !table.IdOrNone(id, "device", lane.device,
                          profile_.devices().size()) ||
          !table.IdOrNone(id, "physical device", lane.physical,
                          lanes.num_physical()) ||
          !table.IdOrNone(id, "repeated lane", lane.repeats, lanes.size())) {
        break;
      }
    }
    Note(table);
  }

  void StepRows() {
    const auto& steps = profile_.steps();
    for (size_t i = 1; i < steps.size(); ++i) {
      if (steps[i - 1]->id < steps[i]->id) continue;
      TableCheck table("steps");
      table.Fail(i, fmt::format("step {} after step {}", steps[i]->id,
                                steps[i - 1]->id));
      return Note(table);
    }
    size_t records = 0;
    for (const auto& step : steps) records += step->num_records();
    const size_t parts = util::NumRanges(work_, records + steps.size());
    util::ParallelFor(work_, parts, [&](size_t part) {
      for (size_t i = part; i < steps.size(); i += parts) {
        if (work_.cancelled()) return;
        TableCheck table(fmt::format("executions of step {}", steps[i]->id));
        OneStep(*steps[i], table);
        if (!table.ok()) return Note(table);
      }
    });
  }

  void OneStep(const Step& step, TableCheck& table) const {
    const size_t groups = step.num_groups();
    if (!table.Ids("node", step.node, groups, profile_.nodes().size(), false)) {
      return;
    }
    for (size_t g = 1; g < groups; ++g) {
      if (step.node[g - 1] < step.node[g]) continue;
      table.Fail(g, fmt::format("node {} after node {}", step.node[g],
                                step.node[g - 1]));
      return;
    }
    Sums(step.sums, groups, table);
    const size_t records = step.num_records();
    if (step.num_outside() > records) {
      table.Fail(0, fmt::format("{} executions of no node, of {}",
                                step.num_outside(), records));
      return;
    }
    table.Length("start", step.exec_start.size(), records);
    table.Length("duration", step.exec_duration.size(), records);
    table.Length("has start", step.exec_has_start.size(), records);
    table.Ids("lane", step.exec_lane, records, profile_.lanes().size(), true);
    table.Ids("name", step.outside_name, step.num_outside(), strings_, true);
    GroupsOfExecutions(step, table);
    if (!table.Length("record", step.exec_record.size(), records)) return;
    // One input has all records of most steps.
    const IntRange range = step.exec_record.Range();
    if (range.empty() || (range.low >= 0 && Record(table, 0, range.high))) {
      return;
    }
    for (size_t e = 0; e < records; ++e) {
      if (!Record(table, e, static_cast<RecordRef>(step.exec_record[e]))) {
        return;
      }
    }
  }

  static void Sums(const StepSums& sums, size_t groups, TableCheck& table) {
    for (const IntColumn* column :
         {&sums.run_count, &sums.accelerator_time, &sums.cpu_time,
          &sums.requested_bytes, &sums.peak_bytes, &sums.residual_bytes,
          &sums.output_bytes, &sums.has_span}) {
      table.Length("of a sum", column->size(), groups);
    }
    table.Length("first start", sums.start.size(), groups);
    table.Length("last end", sums.end.size(), groups);
  }

  // An aggregated step has dropped its executions.
  static void GroupsOfExecutions(const Step& step, TableCheck& table) {
    const size_t groups = step.num_groups(), rows = step.first_exec.size();
    if (rows == 0 && step.num_executions() == 0) return;
    if (!table.Length("first execution", rows, groups + 1)) return;
    for (size_t g = 0; g < rows; ++g) {
      const int64_t least = g == 0 ? 0 : step.first_exec[g - 1];
      if (step.first_exec[g] >= least) continue;
      table.Fail(g, fmt::format("first execution {} after {}",
                                step.first_exec[g], least));
      return;
    }
    if (static_cast<uint64_t>(step.first_exec[rows - 1]) !=
        step.num_executions()) {
      table.Fail(rows - 1,
                 fmt::format("{} of {} executions", step.first_exec[rows - 1],
                             step.num_executions()));
    }
  }

  // Finds steps by their numbers; the next one is often the last one.
  class StepFinder {
   public:
    explicit StepFinder(const Profile& profile) : steps_(profile.steps()) {}
    const Step* Find(int64_t id) {
      if (last_ != nullptr && last_->id == id) return last_;
      const auto step = std::ranges::lower_bound(
          steps_, id, {}, [](const auto& of) { return of->id; });
      if (step == steps_.end() || (*step)->id != id) return nullptr;
      return last_ = step->get();
    }

   private:
    const std::vector<std::shared_ptr<const Step>>& steps_;
    const Step* last_ = nullptr;
  };

  void LinkRows() {
    const Links& links = profile_.links();
    const size_t rows = links.size();
    {
      TableCheck table("links");
      table.Length("from step", links.from_step.size(), rows);
      table.Length("from", links.from_index.size(), rows);
      table.Length("to step", links.to_step.size(), rows);
      table.Length("to", links.to_index.size(), rows);
      table.Ids("kind", links.kind, rows,
                static_cast<size_t>(LinkKind::kData) + 1, false);
      if (!table.ok()) return Note(table);
    }
    util::ParallelRanges(work_, rows, [&](size_t begin, size_t end) {
      TableCheck table("links");
      StepFinder from(profile_), to(profile_);
      for (size_t i = begin; i < end; ++i) {
        if (!End(table, i, from, links.from_step[i], links.from_index[i]) ||
            !End(table, i, to, links.to_step[i], links.to_index[i])) {
          return Note(table);
        }
      }
    });
  }

  static bool End(TableCheck& table, size_t row, StepFinder& steps, int64_t id,
                  int64_t index) {
    const Step* step = steps.Find(id);
    if (step == nullptr) {
      return table.Fail(row, fmt::format("there is no step {}", id));
    }
    if (index >= 0 && static_cast<uint64_t>(index) < step->num_records()) {
      return true;
    }
    return table.Fail(row, fmt::format("step {} has {} executions, not {}", id,
                                       step->num_records(), index));
  }

  void CounterRows() {
    TableCheck table("counters");
    const Counters& counters = profile_.counters();
    const LaneTable& lanes = profile_.lanes();
    for (size_t i = 0; i < counters.size(); ++i) {
      const Counter& counter = counters[i];
      if (!table.Id(i, "name", counter.name, strings_) ||
          !table.IdOrNone(i, "unit", counter.unit, strings_) ||
          !table.Id(i, "process", counter.process, lanes.num_processes()) ||
          !table.IdOrNone(i, "lane", counter.lane, lanes.size()) ||
          !table.Length("time", counter.time.size(), counter.size())) {
        break;
      }
      for (size_t s = 0; s < counter.size(); ++s) {
        if (!std::isfinite(counter.value[s])) {
          table.Fail(i, fmt::format("sample {} is not finite", s));
          break;
        }
        if (s > 0 && counter.time[s] < counter.time[s - 1]) {
          table.Fail(i, fmt::format("sample {} is before sample {}", s, s - 1));
          break;
        }
      }
      if (!table.ok()) break;
    }
    Note(table);
  }

  // A row of a table names a step and a process.
  bool Place(TableCheck& table, size_t row, StepFinder& steps, int64_t step,
             ProcessId process) const {
    if (steps.Find(step) == nullptr) {
      return table.Fail(row, fmt::format("there is no step {}", step));
    }
    return table.Id(row, "process", process, profile_.lanes().num_processes());
  }

  void RowsOfSteps() {
    StepFinder steps(profile_);
    TableCheck intervals("step intervals");
    const StepIntervals& times = profile_.step_intervals();
    for (size_t i = 0; i < times.size(); ++i) {
      const StepInterval row = times[i];
      if (!Place(intervals, i, steps, row.step, row.process) ||
          !intervals.IdOrNone(i, "name", row.name, strings_)) {
        break;
      }
      if (row.end < row.start) {
        intervals.Fail(i, fmt::format("the end, {}, is before the start, {}",
                                      row.end, row.start));
        break;
      }
      if (i > 0 && row < times[i - 1]) {
        intervals.Fail(i, "the rows are not ascending");
        break;
      }
    }
    Note(intervals);
    TableCheck phases("step phases");
    for (size_t i = 0; i < profile_.step_phases().size(); ++i) {
      const StepPhase& row = profile_.step_phases()[i];
      if (!Place(phases, i, steps, row.step, row.process)) break;
    }
    Note(phases);
    TableCheck replays("graph replays");
    for (size_t i = 0; i < profile_.graph_replays().size(); ++i) {
      const GraphReplay& row = profile_.graph_replays()[i];
      if (!Place(replays, i, steps, row.step, row.process)) break;
    }
    Note(replays);
  }

  void PipelineRows() {
    TableCheck table("pipeline operations");
    const PipelineOps& ops = profile_.pipeline_ops();
    StepFinder steps(profile_);
    table.Ids("type", ops.type, ops.size(), strings_, false);
    for (size_t i = 0; i < ops.size() && table.ok(); ++i) {
      if (steps.Find(ops.step[i]) == nullptr) {
        table.Fail(i, fmt::format("there is no step {}", ops.step[i]));
      } else if (ops.dp[i] < 0 || ops.stage[i] < 0) {
        table.Fail(i,
                   fmt::format("rank {} of stage {}", ops.dp[i], ops.stage[i]));
      }
    }
    Note(table);
  }

  void KernelCounterRows() {
    const KernelCounters& counters = profile_.kernel_counters();
    TableCheck table("kernel counters");
    for (size_t i = 0; i < counters.counters.size(); ++i) {
      if (!table.Id(i, "name", counters.counters[i].name, strings_)) break;
    }
    table.Length("value", counters.values.size(),
                 counters.kernels.size() * counters.counters.size());
    for (size_t i = 0; i < counters.kernels.size(); ++i) {
      const KernelCounters::Kernel& kernel = counters.kernels[i];
      if (!table.IdOrNone(i, "name", kernel.name, strings_) ||
          !table.IdOrNone(i, "node", kernel.node, profile_.nodes().size()) ||
          !table.IdOrNone(i, "lane", kernel.lane, profile_.lanes().size())) {
        break;
      }
    }
    Note(table);
  }

  void AllocatorRows() {
    for (const AllocatorHistory& history : profile_.allocators()) {
      TableCheck events(fmt::format("allocator events of {}", history.name));
      for (size_t i = 0; i < history.events.size(); ++i) {
        const AllocatorEvent& event = history.events[i];
        if (!events.Id(i, "stack", event.stack, stacks_) ||
            !events.IdOrNone(i, "operator", event.op, strings_) ||
            !events.IdOrNone(i, "event", event.pair, history.events.size())) {
          break;
        }
      }
      Note(events);
      TableCheck blocks(fmt::format("blocks of {}", history.name));
      for (size_t i = 0; i < history.blocks.size(); ++i) {
        const AllocatorBlock& block = history.blocks[i];
        if (!blocks.Id(i, "stack", block.stack, stacks_) ||
            !blocks.IdOrNone(i, "operator", block.op, strings_)) {
          break;
        }
      }
      Note(blocks);
      TableCheck segments(fmt::format("segments of {}", history.name));
      for (size_t i = 0; i < history.segments.size(); ++i) {
        const AllocatorSegment& segment = history.segments[i];
        if (!segments.Id(i, "last block",
                         uint64_t{segment.first_block} + segment.num_blocks,
                         history.blocks.size() + 1)) {
          break;
        }
      }
      Note(segments);
      TableCheck ranges(fmt::format("ranges of {}", history.name));
      for (size_t i = 0; i < history.ranges.size(); ++i) {
        const AllocatorRange& range = history.ranges[i];
        if (!ranges.Id(i, "name", range.name, strings_)) break;
        if (range.end < range.start) {
          ranges.Fail(i, "the end is before the start");
          break;
        }
      }
      Note(ranges);
    }
  }

  void CollectiveRows() {
    const CollectiveRecords& records = profile_.collective_records();
    const size_t texts = records.texts.size(), dumps = records.dumps.size();
    TableCheck groups("groups of collectives");
    for (size_t i = 0; i < records.groups.size(); ++i) {
      if (!groups.IdOrNone(i, "name", records.groups[i].name, texts) ||
          !groups.IdOrNone(i, "description", records.groups[i].description,
                           texts)) {
        break;
      }
    }
    Note(groups);
    TableCheck calls("collective calls");
    for (size_t i = 0; i < records.calls.size(); ++i) {
      const CollectiveRecords::Call& call = records.calls[i];
      if (!calls.Id(i, "dump", call.dump, dumps) ||
          !calls.IdOrNone(i, "group", call.group, texts) ||
          !calls.IdOrNone(i, "operation", call.operation, texts) ||
          !calls.IdOrNone(i, "sizes", call.sizes, texts) ||
          !calls.IdOrNone(i, "types", call.types, texts) ||
          !calls.IdOrNone(i, "state", call.state, texts) ||
          !calls.IdOrNone(i, "line", call.line, texts)) {
        break;
      }
    }
    Note(calls);
    TableCheck progress("progress of collectives");
    for (size_t i = 0; i < records.progress.size(); ++i) {
      if (!progress.Id(i, "dump", records.progress[i].dump, dumps) ||
          !progress.IdOrNone(i, "group", records.progress[i].group, texts)) {
        break;
      }
    }
    Note(progress);
  }

  template <typename Row>
  void RowsOfLogs(std::string_view name, const std::vector<Row>& rows) {
    TableCheck table{std::string(name)};
    for (size_t i = 0; i < rows.size(); ++i) {
      if (!table.Id(i, "log", rows[i].log,
                    profile_.compile_logs().logs.size())) {
        break;
      }
    }
    Note(table);
  }

  void CompileRows() {
    const CompileLogs& logs = profile_.compile_logs();
    RowsOfLogs("compilations", logs.compilations);
    RowsOfLogs("graph breaks", logs.graph_breaks);
    RowsOfLogs("failed compilations", logs.failures);
    RowsOfLogs("events of compiler caches", logs.cache_events);
    RowsOfLogs("phases of compilers", logs.phases);
  }

  const Profile& profile_;
  const util::TaskOptions& work_;
  const size_t strings_;
  const size_t stacks_;
  std::mutex mutex_;
  std::optional<std::string> error_;
};

}  // namespace

absl::Status CheckProfile(const Profile& profile,
                          const util::TaskOptions& work) {
  return Checker(profile, work).Check();
}

}  // namespace tfprof::profile
