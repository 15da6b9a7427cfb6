#include "inspect/nodes/node.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "accounting/counted_memory.h"
#include "accounting/node_stats.h"
#include "fmt/format.h"
#include "inspect/nodes/attribute_text.h"
#include "inspect/nodes/fusion_table.h"
#include "inspect/nodes/neighbours.h"
#include "inspect/nodes/source.h"
#include "inspect/steps/step_facts.h"
#include "tables/stat_column.h"
#include "tables/stat_columns.h"
#include "tables/table_builder.h"

namespace tfprof::inspect {
namespace {

// The device of an execution: the name of the device, or of the physical device
// and the lane. Empty if both are unknown.
std::string LaneText(const profile::Profile& profile, profile::LaneId id) {
  if (id == profile::kNone) return "";
  const profile::LaneTable& lanes = profile.lanes();
  const profile::Lane& lane = lanes[id];
  if (lane.device != profile::kNone) {
    return std::string(profile.devices().name(lane.device));
  }
  std::string text =
      lane.physical == profile::kNone ? "" : lanes.physical(lane.physical).name;
  if (lane.name != profile::kNone) {
    if (!text.empty()) text += ' ';
    text += profile.strings().Get(lane.name);
  }
  return text;
}

// All statistics; the number of runs precedes the sums over them.
std::vector<accounting::Stat> RunsFirst() {
  std::vector<accounting::Stat> stats = {accounting::kRunCount};
  for (const accounting::Statistic& s : accounting::kStatistics) {
    if (s.stat != accounting::kRunCount) stats.push_back(s.stat);
  }
  return stats;
}

class NodeReport {
 public:
  NodeReport(views::Views& views, profile::NodeId node,
             const views::ViewOptions& options, size_t max_rows)
      : views_(views),
        profile_(views.profile()),
        nodes_(profile_.nodes()),
        node_(node),
        step_(options.step),
        flops_(options.flops),
        max_rows_(max_rows) {
    for (const auto& s : profile_.steps()) {
      if (step_ >= 0 && s->id != step_) continue;
      const uint32_t group = s->FindGroup(node);
      if (group != profile::kNone) runs_.push_back({s.get(), group});
    }
  }

  tables::DataDocument Make() {
    AddFacts();
    AddOutputs();
    AddAttributes();
    AddEdges("inputs", "Inputs", "from", InputsOf(profile_, node_));
    AddEdges("consumers", "Consumers", "to", ConsumersOf(profile_, node_));
    AddFused();
    AddSteps();
    AddExecutions();
    AddLinks();
    AddMemory();
    AddSource();
    return std::move(document_);
  }

 private:
  struct RunOfStep {
    const profile::Step* step;
    uint32_t group;
  };

  std::string_view String(profile::StringId id) const {
    return id == profile::kNone ? std::string_view()
                                : profile_.strings().Get(id);
  }

  bool IsFull(size_t rows) const { return max_rows_ > 0 && rows >= max_rows_; }

  void Finish(std::string title, tables::TableBuilder table) {
    document_.parts.push_back({std::move(title), std::move(table).Build()});
  }

  void AddFacts() {
    document_.kind = "show";
    const auto text = [&](std::string name, std::string title,
                          std::string_view value) {
      document_.facts.push_back(
          {{std::move(name), std::move(title), util::Unit::kText},
           tables::TextCell(value)});
    };
    text("name", "node", profile_.node_name(node_));
    if (nodes_.ModuleOf(node_) != profile::kUnnamedModule) {
      text("module", "module", profile_.module_name(nodes_.ModuleOf(node_)));
    }
    text("op", "op", String(nodes_.op[node_]));
    if (!nodes_.forward_of.empty() &&
        nodes_.forward_of[node_] != profile::kNone) {
      text("gradient_of", "gradient of",
           profile_.node_name(nodes_.forward_of[node_]));
    }
    std::vector<std::string_view> types;
    const profile::DeviceId device = nodes_.device[node_];
    for (const profile::StringId type :
         profile_.graph().type_sets[nodes_.types[node_]]) {
      const std::string_view name = String(type);
      if (type != nodes_.op[node_] &&
          (device == profile::kNone ||
           name != profile_.devices().name(device))) {
        types.push_back(name);
      }
    }
    if (!types.empty()) {
      text("types", "types", fmt::format("{}", fmt::join(types, ", ")));
    }
    const std::string where =
        device == profile::kNone ? Lanes()
                                 : std::string(profile_.devices().name(device));
    document_.facts.push_back(
        {{.name = "device", .title = "device", .nothing = "(did not run)"},
         where.empty() ? tables::DataCell() : tables::TextCell(where)});
    if (nodes_.parameter_shape[node_] != profile::kUnknownShape) {
      text("shape", "shape",
           ShapeText(profile_.graph().shapes[nodes_.parameter_shape[node_]]));
    }
    AddStepFacts("sums", step_, &document_.facts);
    const accounting::Stats& stats =
        (*views_.context().NodeStats(step_, flops_))[node_];
    const tables::StatColumns numbers(profile_, stats);
    for (const accounting::Stat stat : RunsFirst()) {
      document_.facts.push_back(
          {numbers.FactColumn(stat),
           tables::StatCell(profile_, stat, stats[stat])});
    }
  }

  // The lanes of the executions of a node without a device: the first few.
  std::string Lanes() const {
    if (!profile_.graph().self_times) return "";
    constexpr size_t kMaxLanes = 4;
    std::vector<profile::LaneId> lanes;
    bool more = false;
    for (const auto& [step, group] : runs_) {
      if (step->aggregated) continue;
      for (size_t e = step->exec_begin(group); e < step->exec_end(group); ++e) {
        const profile::LaneId lane = step->LaneOf(e);
        if (std::find(lanes.begin(), lanes.end(), lane) != lanes.end()) {
          continue;
        }
        if (lanes.size() < kMaxLanes) {
          lanes.push_back(lane);
        } else {
          more = true;
        }
      }
    }
    std::string text;
    for (const profile::LaneId lane : lanes) {
      text += fmt::format("{}{}", text.empty() ? "" : ", ",
                          LaneText(profile_, lane));
    }
    return more ? text + ", …" : text;
  }

  void AddOutputs() {
    const std::map<int32_t, int64_t> bytes =
        OutputBytes(profile_, StepOf(profile_, step_, node_), node_);
    std::set<int32_t> slots;
    for (const auto& [slot, size] : bytes) slots.insert(slot);
    for (uint32_t i = nodes_.shape_begin[node_];
         i < nodes_.shape_begin[node_ + 1]; ++i) {
      slots.insert(nodes_.output_shape[i].index);
    }
    tables::TableBuilder table("outputs",
                               {{"output", "output", util::Unit::kNumber},
                                {"shape", "shape", util::Unit::kText},
                                {"bytes", "bytes", util::Unit::kBytes}});
    for (const int32_t slot : slots) {
      if (IsFull(table.size())) break;
      const auto size = bytes.find(slot);
      const bool known = size != bytes.end();
      table.AddRow(
          {static_cast<int64_t>(slot),
           tables::TextCell(ShapeText(
               profile_.graph().shapes[nodes_.OutputShapeOf(node_, slot)])),
           tables::IntCell(known ? size->second : 0, known)});
    }
    table.SetTotalRows(slots.size());
    Finish("Outputs", std::move(table));
  }

  void AddAttributes() {
    tables::TableBuilder table("attributes",
                               {{"attribute", "attribute", util::Unit::kText},
                                {"type", "type", util::Unit::kText},
                                {"value", "value", util::Unit::kText}});
    const auto attributes = profile_.Attributes(node_);
    for (const auto& [key, value] : attributes) {
      if (IsFull(table.size())) break;
      const AttributeText text = DescribeAttribute(value);
      table.AddRow({tables::TextCell(key), tables::TextCell(text.type),
                    tables::TextCell(text.value)});
    }
    table.SetTotalRows(attributes.size());
    Finish("Attributes", std::move(table));
  }

  void AddEdges(std::string kind, std::string title, std::string end,
                const std::vector<Edge>& edges) {
    const bool inputs = kind == "inputs";
    tables::TableBuilder table(
        std::move(kind),
        {{"position", "input", util::Unit::kNumber},
         {"output", "output", util::Unit::kNumber},
         {"shape", "shape", util::Unit::kText},
         {.name = "op", .title = "op", .nothing = std::string(kNotInGraph)},
         {"name", std::move(end), util::Unit::kText}});
    for (const Edge& edge : edges) {
      if (IsFull(table.size())) break;
      const profile::NodeId source = inputs ? edge.node : node_;
      tables::DataCell shape;
      if (edge.control) {
        shape = tables::TextCell("control");
      } else if (source != profile::kNone) {
        shape = tables::TextCell(
            ShapeText(profile_.graph()
                          .shapes[nodes_.OutputShapeOf(source, edge.output)]));
      }
      table.AddRow({static_cast<int64_t>(edge.position),
                    tables::IntCell(edge.output, !edge.control),
                    std::move(shape),
                    edge.node == profile::kNone
                        ? tables::DataCell()
                        : tables::TextCell(String(nodes_.op[edge.node])),
                    tables::TextCell(edge.name)});
    }
    table.SetTotalRows(edges.size());
    Finish(std::move(title), std::move(table));
  }

  // Adds the fused instructions if the node is a fusion.
  void AddFused() {
    const accounting::Stats& stats =
        (*views_.context().NodeStats(step_, flops_))[node_];
    tables::DataTable table =
        FusedTable(profile_, node_, stats[accounting::kMicros], max_rows_);
    if (table.num_rows == 0) return;
    document_.parts.push_back(
        {"Fused instructions (times are estimated)", std::move(table)});
  }

  void AddSteps() {
    std::vector<tables::DataColumn> columns = {
        {"step", "step", util::Unit::kNumber}};
    std::vector<accounting::Stat> shown = RunsFirst();
    std::erase_if(shown, [](accounting::Stat stat) {
      return !accounting::IsOfExecutions(accounting::StatisticOf(stat).summing);
    });
    accounting::Stats whole = {};
    for (const auto& [step, group] : runs_) {
      accounting::AddStats(whole, accounting::StatsOfGroup(*step, group));
    }
    tables::StatColumns numbers(profile_, whole);
    for (const accounting::Stat stat : shown) numbers.Add(stat);
    numbers.Append(columns);
    tables::TableBuilder table("steps", std::move(columns));
    for (const auto& [step, group] : runs_) {
      if (IsFull(table.size())) break;
      std::vector<tables::DataCell> cells = {step->id};
      numbers.Append(accounting::StatsOfGroup(*step, group), cells);
      table.AddRow(std::move(cells));
    }
    table.SetTotalRows(runs_.size());
    Finish("Steps", std::move(table));
  }

  // The recorded arguments of an execution: "Group size: 8, dtype: Float".
  std::string ArgumentsText(const profile::Step& step, size_t e) const {
    std::string text;
    for (const auto& [key, value] : profile_.Arguments(
             static_cast<profile::RecordRef>(step.exec_record[e]))) {
      if (!text.empty()) text += ", ";
      text += key;
      text += ": ";
      text += value;
    }
    return text;
  }

  void AddExecutions() {
    std::vector<tables::DataColumn> columns = {
        {"step", "step", util::Unit::kNumber},
        {"start_micros", "after", util::Unit::kMicros},
        tables::StatColumn(accounting::kMicros),
        {"device", "device", util::Unit::kText}};
    std::vector<std::vector<tables::DataCell>> rows;
    bool has_arguments = false;
    size_t total = 0;
    for (const auto& [step, group] : runs_) {
      if (step->aggregated) continue;
      const int64_t first = FirstStart(*step);
      for (size_t e = step->exec_begin(group); e < step->exec_end(group); ++e) {
        const std::string device = LaneText(profile_, step->LaneOf(e));
        if (device.empty()) continue;
        ++total;
        if (IsFull(rows.size())) continue;
        const int64_t ticks_per_micro = step->exec_start.ticks_per_micro();
        const std::string arguments = ArgumentsText(*step, e);
        has_arguments |= !arguments.empty();
        rows.push_back(
            {step->id,
             step->HasStart(e)
                 ? tables::TimeCell(
                       util::WrapSub(step->exec_start.Ticks(e), first),
                       ticks_per_micro)
                 : tables::DataCell(),
             tables::TimeCell(step->exec_duration.Ticks(e), ticks_per_micro),
             tables::TextCell(device),
             arguments.empty() ? tables::DataCell()
                               : tables::TextCell(arguments)});
      }
    }
    if (has_arguments) {
      // This column is dropped first in a narrow window.
      columns.push_back({.name = "arguments", .title = "arguments", .rank = 1});
    }
    tables::TableBuilder table("executions", std::move(columns));
    for (std::vector<tables::DataCell>& row : rows) {
      if (!has_arguments) row.pop_back();
      table.AddRow(std::move(row));
    }
    table.SetTotalRows(total);
    Finish("Executions", std::move(table));
  }

  // Whether the execution belongs to this node.
  bool IsOwn(const profile::ExecutionRef& ref) const {
    const auto run = std::lower_bound(
        runs_.begin(), runs_.end(), ref.step,
        [](const RunOfStep& run, int64_t id) { return run.step->id < id; });
    return run != runs_.end() && run->step->id == ref.step &&
           ref.index >= run->step->exec_begin(run->group) &&
           ref.index < run->step->exec_end(run->group);
  }

  // The name and the device of an execution.
  std::pair<std::string_view, std::string> NameAndDevice(
      const profile::ExecutionRef& ref) const {
    const profile::Step& step = *StepWithId(ref.step);
    std::string device = LaneText(profile_, step.LaneOf(ref.index));
    if (ref.index >= step.num_executions()) {
      return {String(step.OutsideName(ref.index)), std::move(device)};
    }
    // Finds the last group that does not begin after the execution.
    size_t low = 0, high = step.num_groups();
    while (high - low > 1) {
      const size_t mid = (low + high) / 2;
      (step.exec_begin(mid) <= ref.index ? low : high) = mid;
    }
    return {profile_.node_name(static_cast<profile::NodeId>(step.node[low])),
            std::move(device)};
  }

  // The step, listed or not. The steps of links always exist.
  const profile::Step* StepWithId(int64_t id) const {
    const auto& steps = profile_.steps();
    return std::lower_bound(steps.begin(), steps.end(), id,
                            [](const std::shared_ptr<const profile::Step>& step,
                               int64_t id) { return step->id < id; })
        ->get();
  }

  // Adds the links of this node's executions, one row for each end that is one
  // of them. Without links there is no table.
  void AddLinks() {
    const profile::Links& links = profile_.links();
    tables::TableBuilder table(
        "links", {{"step", "step", util::Unit::kNumber},
                  {"link", "link", util::Unit::kText},
                  {"direction", "", util::Unit::kText},
                  {"name", "execution", util::Unit::kText},
                  {"device", "device", util::Unit::kText},
                  {"other_step", "in step", util::Unit::kNumber}});
    size_t total = 0;
    const auto add = [&](const profile::Link& link, bool from_here) {
      ++total;
      if (IsFull(table.size())) return;
      const profile::ExecutionRef& other = from_here ? link.to : link.from;
      const auto [name, device] = NameAndDevice(other);
      table.AddRow(
          {(from_here ? link.from : link.to).step,
           tables::TextCell(profile::LinkKindName(link.kind)),
           tables::TextCell(from_here ? "to" : "from"), tables::TextCell(name),
           device.empty() ? tables::DataCell() : tables::TextCell(device),
           other.step});
    };
    for (size_t i = 0; i < links.size(); ++i) {
      const profile::Link link = links[i];
      if (IsOwn(link.from)) add(link, /*from_here=*/true);
      if (IsOwn(link.to)) add(link, /*from_here=*/false);
    }
    if (total == 0) return;
    table.SetTotalRows(total);
    Finish("Links", std::move(table));
  }

  // The first start in ticks; a step without any start returns any number.
  static int64_t FirstStart(const profile::Step& step) {
    int64_t first = std::numeric_limits<int64_t>::max();
    for (size_t g = 0; g < step.num_groups(); ++g) {
      if (step.HasSpan(g)) first = std::min(first, step.sums.start.Ticks(g));
    }
    return first;
  }

  void AddMemory() {
    tables::TableBuilder table(
        "memory",
        {{"step", "step", util::Unit::kNumber},
         {"host_temp_bytes", "host temp", util::Unit::kBytes},
         {"host_persistent_bytes", "persistent", util::Unit::kBytes},
         {"accelerator_temp_bytes", "device temp", util::Unit::kBytes},
         {"accelerator_persistent_bytes", "persistent", util::Unit::kBytes},
         {"allocator_bytes_in_use", "in use", util::Unit::kBytes}});
    tables::TableBuilder allocations(
        "allocations", {{"step", "step", util::Unit::kNumber},
                        {"start_micros", "after", util::Unit::kMicros},
                        {"bytes", "bytes", util::Unit::kBytes}});
    size_t total = 0, total_allocations = 0;
    for (const auto& [step, group] : runs_) {
      if (step->aggregated) continue;
      const profile::ExecutionDetail detail =
          accounting::CountedMemory(profile_, *step, group);
      total_allocations += detail.allocations.size();
      for (const profile::MemoryDetail& m : detail.memory) {
        // CPU allocators record none of these.
        if (m.host_temp_bytes == 0 && m.host_persistent_bytes == 0 &&
            m.accelerator_temp_bytes == 0 &&
            m.accelerator_persistent_bytes == 0 &&
            m.allocator_bytes_in_use == 0) {
          continue;
        }
        ++total;
        if (IsFull(table.size())) continue;
        table.AddRow({step->id, m.host_temp_bytes, m.host_persistent_bytes,
                      m.accelerator_temp_bytes, m.accelerator_persistent_bytes,
                      m.allocator_bytes_in_use});
      }
      if (detail.allocations.empty() || IsFull(allocations.size())) continue;
      const int64_t first = profile::TicksToMicros(
          FirstStart(*step), step->sums.start.ticks_per_micro());
      for (const profile::Allocation& a : detail.allocations) {
        if (IsFull(allocations.size())) break;
        allocations.AddRow({step->id, util::WrapSub(a.micros, first), a.bytes});
      }
    }
    table.SetTotalRows(total);
    allocations.SetTotalRows(total_allocations);
    Finish("Memory", std::move(table));
    Finish("Allocations", std::move(allocations));
  }

  void AddSource() {
    tables::TableBuilder table("source",
                               {{"line", "line", util::Unit::kNumber},
                                {"function", "function", util::Unit::kText},
                                {"source", "source", util::Unit::kText},
                                {"file", "file", util::Unit::kText}});
    const profile::CallStacks& stacks = profile_.graph().stacks;
    const std::vector<profile::FrameId> frames =
        stacks.Frames(nodes_.stack[node_]);
    // The innermost lines are the most useful.
    const size_t skipped = max_rows_ > 0 && frames.size() > max_rows_
                               ? frames.size() - max_rows_
                               : 0;
    for (size_t i = skipped; i < frames.size(); ++i) {
      const profile::Frame& frame = stacks.frame(frames[i]);
      table.AddRow(
          {static_cast<int64_t>(frame.lineno),
           tables::TextCell(views::FrameString(profile_, frame.function)),
           tables::TextCell(SourceText(profile_, frame)),
           tables::TextCell(views::FrameString(profile_, frame.file))});
    }
    table.SetTotalRows(frames.size());
    Finish("Source", std::move(table));
  }

  views::Views& views_;
  const profile::Profile& profile_;
  const profile::NodeTable& nodes_;
  const profile::NodeId node_;
  const int64_t step_;
  const flops::FlopsSource flops_;
  const size_t max_rows_;
  std::vector<RunOfStep> runs_;  // in ascending step
  tables::DataDocument document_;
};

}  // namespace

tables::DataDocument NodeDocument(views::Views& views, profile::NodeId node,
                                  const views::ViewOptions& options,
                                  size_t max_rows) {
  return NodeReport(views, node, options, max_rows).Make();
}

}  // namespace tfprof::inspect
