#include "inspect/steps/critical_path.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "fmt/format.h"
#include "inspect/steps/step_facts.h"
#include "inspect/time_cells.h"
#include "re2/re2.h"
#include "tables/numbers.h"
#include "tables/table_builder.h"
#include "timeline/account/step_wall.h"
#include "timeline/critical_path.h"
#include "util/arithmetic.h"
#include "views/regex_list.h"

namespace tfprof::inspect {
namespace {

using Kind = timeline::PathSegment::Kind;
constexpr int kNumKinds = 4;

// The sums of the segments of one operation.
struct OfOp {
  std::string_view op;
  int64_t on_path = 0;
  int64_t segments = 0;  // on the path
  int64_t all = 0;
  int64_t slack = INT64_MAX;  // the smallest
};

class PathDocument {
 public:
  PathDocument(const profile::Profile& profile, const profile::Step& step,
               const timeline::CriticalPath& path, size_t max_rows,
               std::string_view rest)
      : profile_(profile),
        step_(step),
        path_(path),
        ticks_(profile.ticks_per_micro()),
        max_rows_(max_rows),
        rest_(rest) {}

  tables::DataDocument Make(std::span<const WhatIf> what_if) {
    document_.kind = "critical_path";
    AddStepFacts("Step", step_.id, &document_.facts);
    AddFacts();
    AddKinds();
    AddOps();
    if (!what_if.empty()) AddWhatIf(what_if);
    AddSegments();
    return std::move(document_);
  }

 private:
  tables::DataCell Time(int64_t ticks) const {
    return TicksCell(ticks, ticks_);
  }

  std::string_view OpOf(const timeline::PathSegment& segment) const {
    if (segment.node != profile::kNone) {
      return profile_.strings().Get(profile_.nodes().op[segment.node]);
    }
    return segment.record < step_.num_executions()
               ? std::string_view()
               : profile_.strings().Get(step_.OutsideName(segment.record));
  }

  std::string_view NameOf(const timeline::PathSegment& segment) const {
    return segment.node == profile::kNone ? OpOf(segment)
                                          : profile_.node_name(segment.node);
  }

  std::string DeviceOf(profile::LaneId id) const {
    const profile::Lane& lane = profile_.lanes()[id];
    if (lane.physical != profile::kNone) {
      return profile_.lanes().physical(lane.physical).label;
    }
    return lane.device == profile::kNone
               ? std::string()
               : std::string(profile_.devices().name(lane.device));
  }

  int64_t LengthOfChain() const {
    int64_t length = 0;
    for (const timeline::PathSegment& s : path_.chain()) length += s.length();
    return length;
  }

  void AddFacts() {
    tables::DataFacts& facts = document_.facts;
    const auto add = [&](std::string name, std::string title, util::Unit unit,
                         const tables::DataCell& value) {
      facts.push_back(
          {{.name = std::move(name), .title = std::move(title), .unit = unit},
           value});
    };
    add("span_micros", "First start to last end", util::Unit::kMicros,
        Time(path_.length()));
    add("path_micros", "Critical path", util::Unit::kMicros,
        Time(LengthOfChain()));
    if (path_.on_other_clocks() > 0) {
      add("other_clocks", "Left out: executions on other clocks",
          util::Unit::kCount, path_.on_other_clocks());
    }
    if (path_.violations() > 0) {
      add("violations", "Left out: links that lead back in time",
          util::Unit::kCount, path_.violations());
    }
  }

  void AddPart(std::string title, tables::TableBuilder table) {
    document_.parts.push_back({std::move(title), std::move(table).Build()});
    document_.parts.back().table.rest = rest_;
  }

  void AddKinds() {
    std::array<int64_t, kNumKinds> times = {}, counts = {};
    for (const timeline::PathSegment& s : path_.chain()) {
      times[static_cast<size_t>(s.kind)] += s.length();
      ++counts[static_cast<size_t>(s.kind)];
    }
    tables::TableBuilder table(
        "kinds",
        {{.name = "micros",
          .title = "on the path",
          .unit = util::Unit::kMicros,
          .heat = true},
         {.name = "share", .title = "share", .unit = util::Unit::kShare},
         {.name = "segments", .title = "segments", .unit = util::Unit::kCount},
         {.name = "kind", .title = "kind", .unit = util::Unit::kText}});
    const int64_t all = LengthOfChain();
    for (int kind = 0; kind < kNumKinds; ++kind) {
      const auto k = static_cast<size_t>(kind);
      if (counts[k] == 0) continue;
      table.AddRow(
          {Time(times[k]), tables::ShareCell(times[k], all), counts[k],
           tables::TextCell(timeline::PathKindName(static_cast<Kind>(kind)))});
    }
    AddPart("By kind", std::move(table));
  }

  void AddOps() {
    std::map<std::string_view, OfOp> of;
    for (const timeline::PathSegment& s : path_.segments()) {
      OfOp& op = of[OpOf(s)];
      op.all += s.length();
      op.slack = std::min(op.slack, s.slack);
    }
    for (const timeline::PathSegment& s : path_.chain()) {
      if (s.kind == Kind::kWait) continue;
      OfOp& op = of[OpOf(s)];
      op.on_path += s.length();
      ++op.segments;
    }
    std::vector<OfOp> ops;
    for (auto& [name, op] : of) {
      op.op = name;
      ops.push_back(op);
    }
    std::stable_sort(ops.begin(), ops.end(), [](const OfOp& a, const OfOp& b) {
      return a.on_path != b.on_path ? a.on_path > b.on_path : a.all > b.all;
    });
    tables::TableBuilder table(
        "operations",
        {{.name = "path_micros",
          .title = "on the path",
          .unit = util::Unit::kMicros,
          .heat = true},
         {.name = "path_share", .title = "share", .unit = util::Unit::kShare},
         {.name = "segments",
          .title = "segments",
          .unit = util::Unit::kCount,
          .rank = 1},
         {.name = "all_micros",
          .title = "all segments",
          .unit = util::Unit::kMicros},
         {.name = "min_slack_micros",
          .title = "least slack",
          .unit = util::Unit::kMicros},
         {.name = "op", .title = "operation", .unit = util::Unit::kText}});
    const int64_t length = LengthOfChain();
    for (const OfOp& op : ops) {
      if (max_rows_ > 0 && table.size() == max_rows_) break;
      table.AddRow({Time(op.on_path), tables::ShareCell(op.on_path, length),
                    op.segments, Time(op.all), Time(op.slack),
                    tables::TextCell(op.op)});
    }
    table.SetTotalRows(ops.size());
    AddPart("By operation", std::move(table));
  }

  void AddWhatIf(std::span<const WhatIf> what_if) {
    tables::TableBuilder table(
        "what_if",
        {{.name = "span_micros",
          .title = "would take",
          .unit = util::Unit::kMicros},
         {.name = "saved_micros",
          .title = "saved",
          .unit = util::Unit::kMicros},
         {.name = "saved_share", .title = "share", .unit = util::Unit::kShare},
         {.name = "segments", .title = "segments", .unit = util::Unit::kCount},
         {.name = "what_if", .title = "if", .unit = util::Unit::kText}});
    const auto add = [&](std::span<const WhatIf> of) {
      std::vector<views::RegexList> patterns;
      std::string text;
      for (const WhatIf& one : of) {
        patterns.emplace_back(views::RegexPatterns{one.pattern});
        text +=
            fmt::format("{}{}", text.empty() ? "" : ", ", FormatWhatIf(one));
      }
      int64_t matched = 0;
      const int64_t length =
          path_.LengthIf([&](const timeline::PathSegment& s) {
            double speed_up = 1;
            for (size_t i = 0; i < of.size(); ++i) {
              if (!patterns[i].Matches(OpOf(s)) &&
                  !patterns[i].Matches(NameOf(s)))
                continue;
              speed_up *= of[i].speed_up;
            }
            matched += speed_up != 1;
            return speed_up;
          });
      const int64_t saved = path_.length() - length;
      table.AddRow({Time(length), Time(saved),
                    tables::ShareCell(saved, path_.length()), matched,
                    std::move(text)});
    };
    for (const WhatIf& one : what_if) add({&one, 1});
    if (what_if.size() > 1) add(what_if);
    AddPart("What if", std::move(table));
  }

  // Sorted by time. People see only the longest segments.
  void AddSegments() {
    std::vector<size_t> shown(path_.chain().size());
    for (size_t i = 0; i < shown.size(); ++i) shown[i] = i;
    const auto& chain = path_.chain();
    if (max_rows_ > 0 && shown.size() > max_rows_) {
      std::stable_sort(shown.begin(), shown.end(), [&](size_t a, size_t b) {
        return chain[a].length() > chain[b].length();
      });
      shown.resize(max_rows_);
      std::sort(shown.begin(), shown.end());
    }
    tables::TableBuilder table(
        "segments",
        {{.name = "start_micros",
          .title = "start",
          .unit = util::Unit::kMicros},
         {.name = "micros",
          .title = "length",
          .unit = util::Unit::kMicros,
          .heat = true},
         {.name = "kind", .title = "kind", .unit = util::Unit::kText},
         {.name = "device",
          .title = "device",
          .unit = util::Unit::kText,
          .rank = 1},
         {.name = "op", .title = "operation", .unit = util::Unit::kText},
         {.name = "node",
          .title = "node",
          .unit = util::Unit::kText,
          .rank = 1}});
    const int64_t origin = chain.empty() ? 0 : chain.front().start;
    for (const size_t i : shown) {
      const timeline::PathSegment& s = chain[i];
      table.AddRow({Time(s.start - origin), Time(s.length()),
                    tables::TextCell(timeline::PathKindName(s.kind)),
                    DeviceOf(s.lane),
                    s.kind == Kind::kWait ? fmt::format("before {}", OpOf(s))
                                          : std::string(OpOf(s)),
                    tables::TextCell(NameOf(s))});
    }
    table.SetTotalRows(chain.size());
    AddPart(shown.size() < chain.size() ? "The longest segments, in order"
                                        : "Segments, in order",
            std::move(table));
  }

  const profile::Profile& profile_;
  const profile::Step& step_;
  const timeline::CriticalPath& path_;
  const int64_t ticks_;
  const size_t max_rows_;
  const std::string_view rest_;
  tables::DataDocument document_;
};

}  // namespace

absl::StatusOr<WhatIf> ParseWhatIf(std::string_view word) {
  const size_t equals = word.rfind('=');
  WhatIf parsed;
  if (equals != std::string_view::npos) {
    std::string_view factor = word.substr(equals + 1);
    if (factor.ends_with('x')) factor.remove_suffix(1);
    parsed.pattern = word.substr(0, equals);
    if (absl::SimpleAtod(absl::string_view(factor.data(), factor.size()),
                         &parsed.speed_up) &&
        parsed.speed_up >= 0.001 && parsed.speed_up <= 1e6 &&
        !parsed.pattern.empty()) {
      const std::string error = views::RegexError(parsed.pattern);
      if (error.empty()) return parsed;
      return absl::InvalidArgumentError(
          fmt::format("{}: {}", parsed.pattern, error));
    }
  }
  return absl::InvalidArgumentError(fmt::format(
      "{}: expected REGEX=Nx, as 'MatMul=2x'; N is from 0.001 to 1000000",
      word));
}

std::string FormatWhatIf(const WhatIf& what_if) {
  return fmt::format("{}={}x", what_if.pattern, what_if.speed_up);
}

absl::StatusOr<tables::DataDocument> CriticalPathDocument(
    views::Views& views, int64_t step, std::span<const WhatIf> what_if,
    size_t max_rows, std::string_view rest) {
  const profile::Profile& profile = views.profile();
  const profile::Step* chosen = step < 0 ? nullptr : profile.FindStep(step);
  if (step < 0) {
    const std::vector<timeline::StepWall> walls = timeline::StepWalls(views);
    if (const timeline::StepWall* typical = timeline::TypicalStep(walls))
      chosen = typical->step;
  }
  for (size_t place = 0; place < profile.steps().size(); ++place) {
    if (profile.steps()[place].get() != chosen || chosen == nullptr) continue;
    const timeline::CriticalPath path(profile, place, views.work());
    if (views.work().cancelled()) return absl::CancelledError("cancelled");
    if (path.chain().empty()) break;
    return PathDocument(profile, *chosen, path, max_rows, rest).Make(what_if);
  }
  return absl::FailedPreconditionError(
      "there is no critical path: no execution of the step has a start and a "
      "length");
}

}  // namespace tfprof::inspect
