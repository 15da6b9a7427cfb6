#include "inspect/steps/compiles.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "tables/table_builder.h"
#include "util/arithmetic.h"
#include "util/text/natural_order.h"
#include "util/text/unit.h"

namespace tfprof::inspect {
namespace {

using profile::CompileLogs;
using tables::DataCell;
using tables::IntCell;
using tables::TextCell;
using util::Unit;

// "0/2" comes before "0/10".
struct ByNumber {
  bool operator()(const std::string& a, const std::string& b) const {
    if (util::NaturalLess(a, b)) return true;
    return !util::NaturalLess(b, a) && a < b;
  }
};

constexpr double kNanosPerMicro = 1000;

DataCell MicrosCell(int64_t nanos) {
  return nanos < 0 ? DataCell()
                   : DataCell(static_cast<double>(nanos) / kNanosPerMicro);
}

DataCell TextOrNothing(std::string_view text) {
  return text.empty() ? DataCell() : TextCell(text);
}

class CompileTables {
 public:
  explicit CompileTables(const profile::Profile& profile)
      : profile_(profile), logs_(profile.compile_logs()) {}

  tables::DataDocument Document() const {
    tables::DataDocument document{.kind = "compiles"};
    const auto add = [&](std::string title, tables::DataTable table) {
      document.parts.push_back({std::move(title), std::move(table)});
    };
    add("Compilations", Compilations());
    add("Recompilations", Recompilations());
    add("Graph breaks", GraphBreaks());
    add("Failures", Failures());
    add("Caches", Caches());
    add("Phases of the compiler", Phases());
    add("Compilations of some ranks only", Differences());
    add("Runs of compiled code", Regions());
    int64_t compiled = 0;
    int64_t count = 0, again = 0;
    for (const CompileLogs::Compilation& row : logs_.compilations) {
      compiled = util::WrapAdd(compiled, std::max<int64_t>(row.duration, 0));
      // After torch._dynamo.reset(), an id is compiled more than once.
      count += std::max<int64_t>(row.finished, 1);
      again += row.is_recompilation ? 1 : 0;
    }
    if (!logs_.logs.empty()) {
      const auto fact = [&](std::string name, std::string title, Unit unit,
                            DataCell value) {
        document.facts.emplace_back(
            tables::DataColumn{std::move(name), std::move(title), unit},
            std::move(value));
      };
      fact("compilations", "compilations", Unit::kCount, count);
      fact("compile_micros", "sum of compile times", Unit::kMicros,
           MicrosCell(compiled));
      fact("recompilations", "recompilations", Unit::kCount, again);
      fact("graph_breaks", "graph breaks", Unit::kCount,
           static_cast<int64_t>(logs_.graph_breaks.size()));
      fact("failures", "failures", Unit::kCount,
           static_cast<int64_t>(logs_.failures.size()));
    }
    return document;
  }

 private:
  DataCell RankOf(uint32_t log) const {
    const int64_t rank = logs_.logs[log].rank;
    return IntCell(rank, rank >= 0);
  }

  // Returns indexes of `rows`, the longest duration first.
  template <typename Row>
  static std::vector<size_t> LongestFirst(const std::vector<Row>& rows) {
    std::vector<size_t> order(rows.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return rows[a].duration > rows[b].duration;
    });
    return order;
  }

  tables::DataTable Compilations() const {
    tables::TableBuilder table(
        "compiles", {{"rank", "rank", Unit::kCount},
                     {"id", "id", Unit::kText},
                     {"function", "function", Unit::kText},
                     {"file", "file", Unit::kText},
                     {"line", "line", Unit::kNumber},
                     {"duration_micros", "time", Unit::kMicros, /*heat=*/true},
                     {"count", "times", Unit::kCount},
                     {"attempts", "attempts", Unit::kCount},
                     {"graph_nodes", "graph nodes", Unit::kCount}});
    for (const size_t i : LongestFirst(logs_.compilations)) {
      const CompileLogs::Compilation& row = logs_.compilations[i];
      table.AddRow({RankOf(row.log), TextCell(row.id),
                    TextOrNothing(row.function), TextOrNothing(row.file),
                    IntCell(row.line, row.line >= 0), MicrosCell(row.duration),
                    row.finished, row.attempts,
                    IntCell(row.graph_nodes, row.graph_nodes >= 0)});
    }
    return std::move(table).Build();
  }

  tables::DataTable Recompilations() const {
    tables::TableBuilder table(
        "recompiles",
        {{"rank", "rank", Unit::kCount},
         {"id", "id", Unit::kText},
         {"function", "function", Unit::kText},
         {"duration_micros", "time", Unit::kMicros, /*heat=*/true},
         {.name = "reason", .title = "reason", .prose = true}});
    for (const CompileLogs::Compilation& row : logs_.compilations) {
      if (!row.is_recompilation) continue;
      table.AddRow({RankOf(row.log), TextCell(row.id),
                    TextOrNothing(row.function), MicrosCell(row.duration),
                    TextOrNothing(row.reason)});
    }
    return std::move(table).Build();
  }

  tables::DataTable GraphBreaks() const {
    tables::TableBuilder table(
        "graph_breaks", {{"rank", "rank", Unit::kCount},
                         {"id", "id", Unit::kText},
                         {"file", "file", Unit::kText},
                         {"line", "line", Unit::kNumber},
                         {.name = "reason", .title = "reason", .prose = true}});
    for (const CompileLogs::GraphBreak& row : logs_.graph_breaks) {
      table.AddRow({RankOf(row.log), TextCell(row.id), TextOrNothing(row.file),
                    IntCell(row.line, row.line >= 0),
                    TextOrNothing(row.reason)});
    }
    return std::move(table).Build();
  }

  tables::DataTable Failures() const {
    tables::TableBuilder table(
        "failures", {{"rank", "rank", Unit::kCount},
                     {"id", "id", Unit::kText},
                     {"kind", "exception", Unit::kText},
                     {.name = "reason", .title = "reason", .prose = true}});
    for (const CompileLogs::Failure& row : logs_.failures) {
      table.AddRow({RankOf(row.log), TextCell(row.id), TextOrNothing(row.kind),
                    TextOrNothing(row.reason)});
    }
    return std::move(table).Build();
  }

  tables::DataTable Caches() const {
    tables::TableBuilder table("caches", {{"rank", "rank", Unit::kCount},
                                          {"event", "event", Unit::kText},
                                          {"count", "count", Unit::kCount}});
    for (const CompileLogs::CacheEvent& row : logs_.cache_events) {
      table.AddRow({RankOf(row.log), TextCell(row.event), row.count});
    }
    return std::move(table).Build();
  }

  tables::DataTable Phases() const {
    tables::TableBuilder table(
        "phases", {{"rank", "rank", Unit::kCount},
                   {"name", "phase", Unit::kText},
                   {"count", "count", Unit::kCount},
                   {"sum_micros", "sum", Unit::kMicros},
                   {"self_micros", "self", Unit::kMicros, /*heat=*/true}});
    for (const size_t i : LongestFirst(logs_.phases)) {
      const CompileLogs::Phase& row = logs_.phases[i];
      table.AddRow({RankOf(row.log), TextCell(row.name), row.count,
                    MicrosCell(row.duration), MicrosCell(row.self)});
    }
    return std::move(table).Build();
  }

  tables::DataTable Differences() const {
    tables::TableBuilder table("differences",
                               {{"id", "id", Unit::kText},
                                {"function", "function", Unit::kText},
                                {"ranks", "ranks", Unit::kText},
                                {"missing_ranks", "not in", Unit::kText}});
    std::map<int64_t, std::set<std::string>> of_rank;
    std::map<std::string, std::string, ByNumber> functions;
    for (const CompileLogs::Log& log : logs_.logs) {
      if (log.rank >= 0) of_rank[log.rank];
    }
    for (const CompileLogs::Compilation& row : logs_.compilations) {
      const int64_t rank = logs_.logs[row.log].rank;
      if (rank < 0) continue;
      of_rank[rank].insert(row.id);
      functions.try_emplace(row.id, row.function);
    }
    for (const auto& [id, function] : functions) {
      std::vector<int64_t> with, without;
      for (const auto& [rank, ids] : of_rank) {
        (ids.contains(id) ? with : without).push_back(rank);
      }
      if (without.empty()) continue;
      table.AddRow({TextCell(id), TextOrNothing(function),
                    fmt::format("{}", fmt::join(with, ",")),
                    fmt::format("{}", fmt::join(without, ","))});
    }
    return std::move(table).Build();
  }

  // The compilation of a rank; -1: of any. nullptr: there is none, or several
  // logs may have it.
  const CompileLogs::Compilation* OnlyOneOf(
      const std::vector<const CompileLogs::Compilation*>& rows,
      int64_t rank) const {
    const CompileLogs::Compilation* found = nullptr;
    for (const CompileLogs::Compilation* row : rows) {
      const int64_t of_log = logs_.logs[row->log].rank;
      if (rank >= 0 && of_log >= 0 && rank != of_log) continue;
      if (found != nullptr) return nullptr;
      found = row;
    }
    return found;
  }

  // The rank of the process of a lane; -1: not known.
  int64_t RankOfLane(profile::LaneId lane) const {
    const profile::ProcessId process = profile_.lanes()[lane].process;
    return process == profile::kNone ? -1
                                     : profile_.lanes().process(process).rank;
  }

  tables::DataTable Regions() const {
    tables::TableBuilder table(
        "regions", {{"rank", "rank", Unit::kCount},
                    {"id", "id", Unit::kText},
                    {"function", "function", Unit::kText},
                    {"compile_micros", "compilation", Unit::kMicros},
                    {"runs", "runs", Unit::kCount},
                    {"sum_micros", "sum", Unit::kMicros, /*heat=*/true},
                    {"longest_micros", "longest", Unit::kMicros}});
    struct Region {
      int64_t runs = 0;
      double sum = 0;
      double longest = 0;
    };
    // By id, then rank.
    std::map<std::string, std::map<int64_t, Region>, ByNumber> regions;
    constexpr std::string_view kRegion = "Torch-Compiled Region";
    for (const auto& step : profile_.steps()) {
      for (size_t g = 0; g < step->num_groups(); ++g) {
        const std::string_view name = profile_.strings().Get(
            profile_.nodes().op[static_cast<profile::NodeId>(step->node[g])]);
        if (!name.starts_with(kRegion)) continue;
        const size_t mark = name.find(": ");
        std::map<int64_t, Region>& of_rank = regions[std::string(
            mark == name.npos ? "(no id)" : name.substr(mark + 2))];
        for (size_t e = step->exec_begin(g); e < step->exec_end(g); ++e) {
          const double micros =
              static_cast<double>(step->exec_duration.Ticks(e)) /
              static_cast<double>(profile_.ticks_per_micro());
          Region& region = of_rank[RankOfLane(step->LaneOf(e))];
          ++region.runs;
          region.sum += micros;
          region.longest = std::max(region.longest, micros);
        }
      }
    }
    std::map<std::string, std::vector<const CompileLogs::Compilation*>> rows;
    for (const CompileLogs::Compilation& row : logs_.compilations) {
      if (regions.contains(row.id)) rows[row.id].push_back(&row);
    }
    for (const auto& [id, of_rank] : regions) {
      for (const auto& [rank, region] : of_rank) {
        const CompileLogs::Compilation* compilation = OnlyOneOf(rows[id], rank);
        table.AddRow(
            {IntCell(rank, rank >= 0), TextCell(id),
             compilation == nullptr ? DataCell()
                                    : TextOrNothing(compilation->function),
             compilation == nullptr ? DataCell()
                                    : MicrosCell(compilation->duration),
             region.runs, region.sum, region.longest});
      }
    }
    return std::move(table).Build();
  }

  const profile::Profile& profile_;
  const CompileLogs& logs_;
};

}  // namespace

tables::DataDocument CompilesDocument(const profile::Profile& profile) {
  return CompileTables(profile).Document();
}

}  // namespace tfprof::inspect
