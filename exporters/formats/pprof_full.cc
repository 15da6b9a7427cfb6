#include "exporters/formats/pprof_full.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "exporters/formats/pprof_format.h"
#include "fmt/format.h"
#include "profile/tables/string_pool.h"
#include "util/files/wire_writer.h"
#include "util/text/utf8.h"

namespace tfprof::exporters {
namespace {

constexpr uint64_t kMappingId = 1;

std::string_view ViewName(views::View view) {
  switch (view) {
    case views::View::kScope:
      return "scope";
    case views::View::kGraph:
      return "graph";
    case views::View::kOp:
      return "op";
    case views::View::kCode:
      return "code";
  }
  return "";
}

class Encoder {
 public:
  Encoder(const views::Report& report,
          std::vector<const accounting::Statistic*> types,
          const util::Cancellation* cancellation)
      : report_(report),
        cancellation_(cancellation),
        profile_(*report.profile),
        types_(std::move(types)),
        node_key_(String("node")),
        op_key_(String("op")),
        device_key_(String("device")) {
    values_.resize(1 + types_.size());
  }

  absl::StatusOr<FullPprof> Encode() {
    AddHeader();
    const bool good = report_.view == views::View::kOp ? AddOps() : AddTree();
    if (util::IsCancelled(cancellation_))
      return absl::CancelledError("cancelled");
    if (!good) return PprofTooLarge();
    w_.Raw(locations_.bytes());
    w_.Raw(functions_.bytes());
    // Strings come last, because all are known now.
    for (profile::StringId s = 0; s < strings_.size(); ++s) {
      w_.Bytes(pprof_profile::kStringTable, strings_.Get(s));
    }
    if (w_.size() > util::kMaxMessageBytes) return PprofTooLarge();
    return FullPprof{.message = std::string(w_.bytes()),
                     .default_type = std::string(types_.front()->name)};
  }

 private:
  // The index of a string in the table, whose first string is "".
  uint32_t String(std::string_view s) {
    if (strings_.size() == 0) strings_.Intern("");
    return util::IsAscii(s) ? strings_.Intern(s)
                            : strings_.Intern(util::ValidUtf8(s));
  }

  void AddHeader() {
    const uint32_t count = String("count");
    AddSampleType(String("nodes"), count);
    for (const accounting::Statistic* type : types_) {
      AddSampleType(String(type->word),
                    String(PprofUnit(*type, profile_.ticks_per_micro())));
    }
    const int64_t step = report_.options.step;
    const std::string what =
        fmt::format("tfprof {} view, {}", ViewName(report_.view),
                    step == accounting::kAllSteps ? "sum of all steps"
                    : step < 0                    ? "average of the steps"
                               : fmt::format("step {}", step));
    {
      const util::WireMessage mapping(w_, pprof_profile::kMapping);
      w_.Uint64(pprof_mapping::kId, kMappingId);
      w_.Uint64(pprof_mapping::kFilename, String(what));
      w_.Uint64(pprof_mapping::kHasFunctions, 1);
      w_.Uint64(pprof_mapping::kHasFilenames, 1);
      w_.Uint64(pprof_mapping::kHasLineNumbers, 1);
    }
    AddTime();
    std::vector<int64_t> comments = {String("nodes: operations of the graph.")};
    for (const accounting::Statistic* type : types_) {
      comments.push_back(
          String(fmt::format("{}: {}", type->word, type->pprof_comment)));
    }
    w_.PackedInt64(pprof_profile::kComment, comments);
    w_.Uint64(pprof_profile::kDefaultSampleType, String(types_.front()->word));
  }

  void AddSampleType(uint32_t type, uint32_t unit) {
    const util::WireMessage m(w_, pprof_profile::kSampleType);
    w_.Uint64(pprof_value_type::kType, type);
    w_.Uint64(pprof_value_type::kUnit, unit);
  }

  // Adds start and duration of a single step, if they fit into nanoseconds.
  void AddTime() {
    const profile::Step* step = profile_.FindStep(report_.options.step);
    if (step == nullptr) return;
    constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
    int64_t start = kMax, end = 0;
    for (size_t g = 0; g < step->num_groups(); ++g) {
      if (!step->HasSpan(g)) continue;
      start = std::min(start, step->sums.start.Nanos(g));
      end = std::max(end, step->sums.end.Nanos(g));
    }
    if (start < 0 || end < start || end == kMax) return;
    w_.Int64IfSet(pprof_profile::kTimeNanos, start);
    w_.Int64IfSet(pprof_profile::kDurationNanos, end - start);
  }

  // Returns false if the result is too large, or if the work was cancelled.
  bool AddOps() {
    for (const views::Report::Row& row : report_.rows) {
      const int64_t op = Location(FunctionId(row.name, "", 0), 0);
      for (const profile::NodeId n : report_.NodesOf(row)) {
        const int64_t node =
            Location(FunctionId(profile_.node_name(n), "", 0), 0);
        const int64_t stack[] = {node, op};
        if (!AddSample(n, stack)) return false;
      }
    }
    return true;
  }

  // A row that is still to be visited, and the nearest shown row above it.
  struct Open {
    uint32_t row;
    uint32_t shown;
  };

  bool AddTree() {
    const views::AccountedTree& tree = *report_.tree;
    FindCallers();
    std::vector<uint32_t> shown_of(tree.size(), profile::kNone);
    for (uint32_t i = 1; i < report_.rows.size(); ++i) {
      shown_of[report_.rows[i].view_row] = i;
    }
    // With account_displayed_only, only shown rows count; the code view ignores
    // it.
    const bool shown_only = report_.options.account_displayed_only &&
                            report_.view != views::View::kCode;
    std::vector<Open> open = {{views::kRootRow, profile::kNone}};
    while (!open.empty()) {
      const uint32_t row = open.back().row;
      const uint32_t own = shown_of[row];
      const uint32_t shown = own != profile::kNone ? own : open.back().shown;
      open.pop_back();
      const auto children = tree.children_of(row);
      for (size_t i = children.size(); i-- > 0;) {
        open.push_back({children[i], shown});
      }
      if (shown == profile::kNone || (shown_only && own == profile::kNone))
        continue;
      if (!AddNodesOf(row, shown)) return false;
    }
    return true;
  }

  bool AddNodesOf(uint32_t row, uint32_t shown) {
    if (report_.view == views::View::kCode) {
      for (const profile::NodeId n : report_.code->nodes_of(row)) {
        if (report_.accounted_sets[profile_.nodes().types[n]] == 0) continue;
        if (!AddSample(n, StackOf(shown))) return false;
      }
      return true;
    }
    const uint32_t node = report_.tree->self_index[row];
    if (node == profile::kNone || !report_.tree->accounted[row]) return true;
    return AddSample(node, StackOf(shown));
  }

  // Finds the shown row above each shown row, by depth.
  void FindCallers() {
    const std::vector<views::Report::Row>& rows = report_.rows;
    caller_.assign(rows.size(), profile::kNone);
    std::vector<uint32_t> above;
    for (uint32_t i = 1; i < rows.size(); ++i) {
      const uint32_t depth = rows[i].depth;
      above.resize(depth);
      above[depth - 1] = i;
      if (depth > 1) caller_[i] = above[depth - 2];
    }
    location_.assign(rows.size(), 0);
  }

  // Innermost first. Nodes of one row are consecutive.
  std::span<const int64_t> StackOf(uint32_t shown) {
    if (shown == stack_of_) return stack_;
    stack_of_ = shown;
    stack_.clear();
    for (uint32_t i = shown; i != profile::kNone; i = caller_[i]) {
      if (location_[i] == 0) location_[i] = RowLocation(report_.rows[i]);
      stack_.push_back(location_[i]);
    }
    return stack_;
  }

  int64_t RowLocation(const views::Report::Row& row) {
    if (report_.view != views::View::kCode) {
      return Location(FunctionId(row.name, "", 0), 0);
    }
    const views::CodeTree& code = *report_.code;
    if (code.frame[row.view_row] == profile::kNone) {
      return Location(FunctionId(row.name, "", 0), 0);
    }
    const profile::Frame& frame = views::RowFrame(profile_, code, row.view_row);
    const std::string_view file = views::FrameString(profile_, frame.file);
    std::string_view base = file.substr(file.rfind('/') + 1);
    base = base.substr(0, base.rfind('.'));
    const std::string name = fmt::format(
        "{}:{}{}", base, views::FrameString(profile_, frame.function),
        code.gradient[row.view_row] ? " (gradient)" : "");
    return Location(FunctionId(name, file, frame.func_start_line),
                    frame.lineno);
  }

  uint64_t FunctionId(std::string_view name, std::string_view file,
                      int64_t start_line) {
    const Function key = {String(name), String(file), start_line};
    const auto [it, is_new] =
        function_ids_.try_emplace(key, function_ids_.size() + 1);
    if (is_new) {
      const util::WireMessage m(functions_, pprof_profile::kFunction);
      functions_.Uint64(pprof_function::kId, it->second);
      functions_.Uint64(pprof_function::kName, std::get<0>(key));
      functions_.Uint64(pprof_function::kSystemName, std::get<0>(key));
      functions_.Uint64IfSet(pprof_function::kFilename, std::get<1>(key));
      if (start_line > 0) {
        functions_.Int64(pprof_function::kStartLine, start_line);
      }
    }
    return it->second;
  }

  int64_t Location(uint64_t function, int64_t lineno) {
    const auto [it, is_new] = location_ids_.try_emplace(
        {function, lineno}, static_cast<int64_t>(location_ids_.size() + 1));
    if (is_new) {
      const util::WireMessage m(locations_, pprof_profile::kLocation);
      locations_.Int64(pprof_location::kId, it->second);
      locations_.Uint64(pprof_location::kMappingId, kMappingId);
      const util::WireMessage line(locations_, pprof_location::kLine);
      locations_.Uint64(pprof_line::kFunctionId, function);
      if (lineno > 0) locations_.Int64(pprof_line::kLine, lineno);
    }
    return it->second;
  }

  bool AddSample(profile::NodeId n, std::span<const int64_t> stack) {
    const profile::NodeTable& nodes = profile_.nodes();
    const accounting::Stats& stats = (*report_.node_stats)[n];
    values_[0] = 1;
    for (size_t i = 0; i < types_.size(); ++i) {
      values_[1 + i] = PprofValue(*types_[i], profile_.ticks_per_micro(),
                                  stats[types_[i]->stat]);
    }
    const util::WireMessage m(w_, pprof_profile::kSample);
    w_.PackedInt64(pprof_sample::kLocationId, stack);
    w_.PackedInt64(pprof_sample::kValue, values_);
    AddLabel(node_key_, profile_.node_name(n));
    AddLabel(op_key_, profile_.strings().Get(nodes.op[n]));
    if (nodes.device[n] != profile::kNone) {
      AddLabel(device_key_, profile_.devices().name(nodes.device[n]));
    }
    return w_.size() <= util::kMaxMessageBytes &&
           !util::IsCancelled(cancellation_);
  }

  void AddLabel(uint32_t key, std::string_view value) {
    const util::WireMessage label(w_, pprof_sample::kLabel);
    w_.Uint64(pprof_label::kKey, key);
    w_.Uint64IfSet(pprof_label::kStr, String(value));
  }

  using Function = std::tuple<uint32_t, uint32_t, int64_t>;

  const views::Report& report_;
  const util::Cancellation* cancellation_;
  const profile::Profile& profile_;
  const std::vector<const accounting::Statistic*> types_;
  profile::StringPool strings_;  // in the order of their indices
  const uint32_t node_key_, op_key_, device_key_;
  util::WireWriter w_, locations_, functions_;
  absl::flat_hash_map<Function, uint64_t> function_ids_;
  absl::flat_hash_map<std::pair<uint64_t, int64_t>, int64_t> location_ids_;
  // By shown row.
  std::vector<uint32_t> caller_;
  std::vector<int64_t> location_;  // 0: not yet
  std::vector<int64_t> stack_;     // of stack_of_
  uint32_t stack_of_ = profile::kNone;
  std::vector<int64_t> values_;
};

}  // namespace

bool FullPprofSupports(views::Field field) { return field.is_stat(); }

absl::StatusOr<FullPprof> EncodeFullPprof(
    const views::Report& report, views::FieldSet fields,
    const util::Cancellation* cancellation) {
  std::vector<const accounting::Statistic*> types;
  for (const accounting::Statistic& type : accounting::kStatistics) {
    if (fields.Has(type.stat)) types.push_back(&type);
  }
  if (types.empty() || static_cast<int>(types.size()) != fields.size()) {
    return absl::InvalidArgumentError(
        "a pprof profile has numbers only, at least one");
  }
  return Encoder(report, std::move(types), cancellation).Encode();
}

}  // namespace tfprof::exporters
