#include "exporters/reference/pprof.h"

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "exporters/formats/pprof_format.h"
#include "fmt/format.h"
#include "profile/tables/string_pool.h"
#include "util/files/wire_writer.h"

namespace tfprof::exporters {
namespace {

class Encoder {
 public:
  Encoder(const views::Report& report, const accounting::Statistic& type,
          const accounting::StatsTable& node_stats)
      : report_(report),
        profile_(*report.profile),
        code_(*report.code),
        type_(type),
        node_stats_(node_stats) {
    String("");
    std::vector<uint8_t> all(code_.parent.size(), 1);
    views::LinkChildren(code_.parent, all, full_tree_);
  }

  absl::StatusOr<std::string> Encode() {
    const std::vector<views::Report::Row>& rows = report_.rows;
    shown_.resize(rows.size());
    // The row above the current one, by depth.
    std::vector<uint32_t> above;
    for (uint32_t i = 1; i < rows.size(); ++i) {
      const uint32_t depth = rows[i].depth;
      above.resize(depth);
      above[depth - 1] = i;
      if (depth > 1) {
        const uint32_t caller = above[depth - 2];
        shown_[i] = {Location(rows[caller].view_row, rows[i].view_row), caller};
      }
      const bool leaf = i + 1 == rows.size() || rows[i + 1].depth <= depth;
      if (leaf) AddSamples(i);
    }
    return Serialize();
  }

 private:
  struct ShownRow {
    uint64_t location = 0;  // 0: directly below the root
    uint32_t caller = 0;    // row above
  };
  struct Sample {
    uint32_t row = 0;  // shown row, for the stack
    uint32_t label = 0;
    int64_t value = 0;
  };
  struct Function {
    uint64_t id = 0;
    uint32_t name = 0;
    uint32_t filename = 0;
  };
  struct LocationEntry {
    uint64_t id = 0;
    uint64_t function = 0;
  };
  // File, function and line. The reference compares lines as unsigned numbers.
  using Key = std::tuple<std::string_view, std::string_view, uint64_t>;

  // The index of a string in the table.
  uint32_t String(std::string_view s) { return strings_.Intern(s); }

  const profile::Frame& FrameOf(uint32_t row) const {
    return views::RowFrame(profile_, code_, row);
  }

  // The name with the mark of gradient rows; the view lives as long as this
  // class.
  std::string_view FunctionName(uint32_t row) {
    if (code_.frame[row] == profile::kNone) return code_.names[row];
    const std::string_view name =
        views::FrameString(profile_, FrameOf(row).function);
    if (!code_.gradient[row]) return name;
    return names_.Get(names_.Intern(fmt::format("{} (gradient)", name)));
  }

  uint64_t FunctionId(uint32_t row) {
    const profile::Frame& frame = FrameOf(row);
    const std::string_view file = views::FrameString(profile_, frame.file);
    const std::string_view name = FunctionName(row);
    const auto [it, is_new] = functions_.try_emplace(
        Key(file, name, static_cast<uint64_t>(frame.func_start_line)));
    Function& function = it->second;
    if (is_new) {
      function.id = functions_.size();
      std::string_view base = file.substr(file.rfind('/') + 1);
      base = base.substr(0, base.rfind('.'));
      function.name = String(fmt::format("{}:{}", base, name));
      function.filename = String(file);
    }
    return function.id;
  }

  uint64_t Location(uint32_t caller, uint32_t callee) {
    const profile::Frame& frame = FrameOf(caller);
    const auto [it, is_new] = locations_.try_emplace(
        Key(views::FrameString(profile_, frame.file), FunctionName(callee),
            static_cast<uint64_t>(frame.lineno)));
    if (is_new) {
      it->second.id = locations_.size();
      it->second.function = FunctionId(callee);
    }
    return it->second.id;
  }

  // Adds the accounted nodes of all rows without callees at or below shown row
  // `i`.
  void AddSamples(uint32_t i) {
    std::vector<uint32_t> open = {report_.rows[i].view_row};
    while (!open.empty()) {
      const uint32_t row = open.back();
      open.pop_back();
      const auto callees = full_tree_.children_of(row);
      open.insert(open.end(), callees.rbegin(), callees.rend());
      if (!callees.empty()) continue;
      for (const profile::NodeId n : code_.nodes_of(row)) {
        if (report_.accounted_sets[profile_.nodes().types[n]] == 0) continue;
        AddSample(i, n);
      }
    }
  }

  void AddSample(uint32_t i, profile::NodeId n) {
    const std::string_view name = profile_.node_name(n);
    Sample& sample = samples_[name];
    sample.row = i;
    label_key_ = String("graph node:");
    sample.label = String(name);
    sample.value = PprofValue(type_, profile_.ticks_per_micro(),
                              node_stats_[n][type_.stat]);
  }

  absl::StatusOr<std::string> Serialize() {
    const uint32_t count = String("count");
    const uint32_t field = String(type_.word);
    const uint32_t unit = String(PprofUnit(type_, profile_.ticks_per_micro()));
    const int64_t comment = String(type_.pprof_comment);
    util::WireWriter w;
    AddSampleType(w, count, count);
    AddSampleType(w, field, unit);
    for (const auto& [key, sample] : samples_) {
      AddSampleMessage(w, sample);
      if (w.size() > util::kMaxMessageBytes) return PprofTooLarge();
    }
    for (const auto& [key, location] : locations_) {
      const util::WireMessage m(w, pprof_profile::kLocation);
      w.Uint64IfSet(pprof_location::kId, location.id);
      const util::WireMessage line(w, pprof_location::kLine);
      w.Uint64IfSet(pprof_line::kFunctionId, location.function);
      w.Uint64IfSet(pprof_line::kLine, std::get<2>(key));
    }
    for (const auto& [key, function] : functions_) {
      const util::WireMessage m(w, pprof_profile::kFunction);
      w.Uint64IfSet(pprof_function::kId, function.id);
      w.Uint64IfSet(pprof_function::kName, function.name);
      w.Uint64IfSet(pprof_function::kFilename, function.filename);
      w.Uint64IfSet(pprof_function::kStartLine, std::get<2>(key));
    }
    for (profile::StringId s = 0; s < strings_.size(); ++s) {
      w.Bytes(pprof_profile::kStringTable, strings_.Get(s));
    }
    w.PackedInt64(pprof_profile::kComment, {&comment, 1});
    return std::string(w.bytes());
  }

  static void AddSampleType(util::WireWriter& w, uint32_t type, uint32_t unit) {
    const util::WireMessage m(w, pprof_profile::kSampleType);
    w.Uint64IfSet(pprof_value_type::kType, type);
    w.Uint64IfSet(pprof_value_type::kUnit, unit);
  }

  void AddSampleMessage(util::WireWriter& w, const Sample& sample) const {
    const util::WireMessage m(w, pprof_profile::kSample);
    // Innermost first.
    std::vector<int64_t> stack;
    for (uint32_t i = sample.row; shown_[i].location != 0;
         i = shown_[i].caller) {
      stack.push_back(static_cast<int64_t>(shown_[i].location));
    }
    w.PackedInt64(pprof_sample::kLocationId, stack);
    const std::array<int64_t, 2> values = {1, sample.value};
    w.PackedInt64(pprof_sample::kValue, values);
    const util::WireMessage label(w, pprof_sample::kLabel);
    w.Uint64IfSet(pprof_label::kKey, label_key_);
    w.Uint64IfSet(pprof_label::kStr, sample.label);
  }

  const views::Report& report_;
  const profile::Profile& profile_;
  const views::CodeTree& code_;
  const accounting::Statistic& type_;
  const accounting::StatsTable& node_stats_;
  views::AccountedTree full_tree_;  // only its children
  profile::StringPool strings_;     // in the order of their indices
  profile::StringPool names_;       // marked function names
  std::vector<ShownRow> shown_;
  // By node name. A node is on one row, so it has one sample.
  std::map<std::string_view, Sample> samples_;
  std::map<Key, Function> functions_;
  std::map<Key, LocationEntry> locations_;
  uint32_t label_key_ = 0;
};

}  // namespace

bool PprofSupports(views::Field field) {
  return field.is_stat() && StatisticOf(field.stat()).in_reference_pprof;
}

absl::StatusOr<std::string> EncodePprof(
    const views::Report& report, views::Field field,
    const accounting::StatsTable& node_stats) {
  if (!PprofSupports(field)) {
    std::vector<std::string_view> words;
    for (const accounting::Statistic& s : accounting::kStatistics) {
      if (s.in_reference_pprof) words.push_back(s.word);
    }
    return absl::InvalidArgumentError(
        fmt::format("a pprof profile has numbers only: select one of {}",
                    fmt::join(words, ", ")));
  }
  return Encoder(report, StatisticOf(field.stat()), node_stats).Encode();
}

}  // namespace tfprof::exporters
