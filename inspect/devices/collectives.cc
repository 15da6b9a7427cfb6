#include "inspect/devices/collectives.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "tables/table_builder.h"
#include "timeline/ranks/divergence.h"
#include "timeline/ranks/hang_causes.h"
#include "util/text/unit.h"

namespace tfprof::inspect {
namespace {

using profile::CollectiveRecords;
using tables::DataCell;
using tables::IntCell;
using tables::TextCell;
using util::Unit;

constexpr double kNanosIn = 1000;  // a microsecond

DataCell TextIfAny(const std::string& text) {
  return text.empty() ? DataCell() : TextCell(text);
}

std::string Joined(const std::vector<int64_t>& ranks) {
  return fmt::format("{}", fmt::join(ranks, ","));
}

// "nccl:all_reduce on 0,1; nccl:broadcast on 2".
std::string RanksByText(const std::vector<timeline::RanksOf>& all) {
  std::string text;
  for (const auto& [what, ranks] : all) {
    if (what.empty()) continue;
    text += fmt::format("{}{} on {}", text.empty() ? "" : "; ", what,
                        Joined(ranks));
  }
  return text;
}

class CollectiveTables {
 public:
  explicit CollectiveTables(const CollectiveRecords& records)
      : records_(records),
        found_(timeline::FindDivergences(records)),
        causes_(timeline::FindHangCauses(found_)) {}

  tables::DataDocument Document() const {
    tables::DataDocument document{.kind = "collectives"};
    const auto add = [&](std::string title, tables::DataTable table) {
      document.parts.push_back({std::move(title), std::move(table)});
    };
    add("Groups that stopped", Divergent());
    add("Ranks", Ranks("ranks"));
    add("Collectives that did not complete", Unfinished());
    add("Groups", Groups());
    add("Sends and receives", PointToPoint());
    if (records_.dumps.empty()) return document;
    const auto fact = [&](std::string name, std::string title, size_t count) {
      document.facts.emplace_back(
          tables::DataColumn{std::move(name), std::move(title), Unit::kCount},
          static_cast<int64_t>(count));
    };
    size_t collectives = 0;
    for (const timeline::CalledGroup& group : found_.groups) {
      collectives += static_cast<size_t>(group.collectives);
    }
    std::set<size_t> divergent;
    for (const timeline::Divergence& row : found_.first) {
      divergent.insert(row.group);
    }
    fact("dumps", "dumps", records_.dumps.size());
    fact("absent_ranks", "ranks without a whole dump",
         timeline::AbsentRanks(records_, found_).size());
    fact("groups", "groups", found_.groups.size());
    fact("collectives", "collectives", collectives);
    fact("compared", "compared", static_cast<size_t>(found_.compared));
    fact("divergent_groups", "groups that stopped", divergent.size());
    return document;
  }

  tables::DataTable Ranks(std::string kind) const {
    tables::TableBuilder table(
        std::move(kind), {{"rank", "rank", Unit::kNumber},
                          {"entries", "entries", Unit::kCount},
                          {"overwritten", "overwritten", Unit::kCount},
                          {"collectives", "compared", Unit::kCount},
                          {"last", "came last", Unit::kCount, /*heat=*/true},
                          {"mean_late_micros", "mean lateness", Unit::kMicros},
                          {"longest_late_micros", "longest", Unit::kMicros},
                          {"file", "file", Unit::kText}});
    std::vector<size_t> order(records_.dumps.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return records_.dumps[a].rank < records_.dumps[b].rank;
    });
    for (const size_t i : order) {
      const CollectiveRecords::Dump& dump = records_.dumps[i];
      const timeline::Lateness& late = found_.late[i];
      const auto micros = [&](double nanos) {
        return late.collectives == 0 ? DataCell() : DataCell(nanos / kNanosIn);
      };
      table.AddRow(
          {IntCell(dump.rank, dump.rank >= 0), dump.entries, dump.overwritten,
           late.collectives, late.last,
           micros(static_cast<double>(late.sum) /
                  static_cast<double>(std::max<int64_t>(late.collectives, 1))),
           micros(static_cast<double>(late.longest)), TextCell(dump.path)});
    }
    std::set<int64_t> absent = timeline::AbsentRanks(records_, found_);
    for (const CollectiveRecords::Dump& dump : records_.dumps) {
      absent.erase(dump.rank);
    }
    for (const int64_t rank : absent) {
      table.AddRow({rank, DataCell(), DataCell(), DataCell(), DataCell(),
                    DataCell(), DataCell(), DataCell()});
    }
    return std::move(table).Build();
  }

  tables::DataTable Divergent() const {
    tables::TableBuilder table(
        "divergent", {{"group", "group", Unit::kText},
                      {"description", "description", Unit::kText},
                      {"sequence", "number", Unit::kNumber},
                      {"problem", "problem", Unit::kText},
                      {"missing_ranks", "waits for ranks", Unit::kText},
                      {"waiting_ranks", "waiting ranks", Unit::kText},
                      {"because_of", "because of", Unit::kText},
                      {"operations", "operations", Unit::kText},
                      {"sizes", "input sizes", Unit::kText},
                      {"types", "input types", Unit::kText},
                      {.name = "lines", .title = "lines", .prose = true}});
    using Call = CollectiveRecords::Call;
    const std::vector<std::string> because = BecauseOf();
    for (size_t i = 0; i < found_.first.size(); ++i) {
      const timeline::Divergence& row = found_.first[i];
      const timeline::CalledGroup& group = found_.groups[row.group];
      std::vector<int64_t> waiting;
      for (const timeline::Divergence::Caller& caller : row.callers) {
        if (caller.waits) waiting.push_back(caller.rank);
      }
      const auto by = [&](CollectiveRecords::Text Call::*text) {
        return TextIfAny(RanksByText(timeline::CallersBy(records_, row, text)));
      };
      table.AddRow({TextCell(group.name), TextIfAny(group.description),
                    row.sequence, TextCell(timeline::ProblemName(row.problem)),
                    TextCell(Joined(row.missing)), TextCell(Joined(waiting)),
                    TextIfAny(because[i]), by(&Call::operation),
                    by(&Call::sizes), by(&Call::types), by(&Call::line)});
    }
    return std::move(table).Build();
  }

  // Of each divergence, the group and number of its cause, "0 #6"; "": it is a
  // cause itself. In a circle, each is because of the next.
  std::vector<std::string> BecauseOf() const {
    std::vector<std::string> because(found_.first.size());
    const auto name = [&](size_t d) {
      return fmt::format("{} #{}", found_.groups[found_.first[d].group].name,
                         found_.first[d].sequence);
    };
    for (const timeline::HangCause& cause : causes_) {
      const std::vector<size_t>& own = cause.divergences;
      for (size_t i = 0; own.size() > 1 && i < own.size(); ++i) {
        because[own[i]] = name(own[(i + 1) % own.size()]);
      }
      for (const size_t d : cause.consequences) because[d] = name(own[0]);
    }
    return because;
  }

  // The calls of a dump by group and sequence number.
  using CallKey = std::tuple<uint32_t, CollectiveRecords::Text, int64_t>;
  std::map<CallKey, const CollectiveRecords::Call*> CallsAfterLast() const {
    std::map<CallKey, const CollectiveRecords::Call*> wanted;
    for (const CollectiveRecords::Progress& row : records_.progress) {
      if (row.enqueued > row.completed) {
        wanted.emplace(CallKey(row.dump, row.group, row.completed + 1),
                       nullptr);
      }
    }
    for (const CollectiveRecords::Call& call : records_.calls) {
      if (call.point_to_point) continue;
      const auto found =
          wanted.find(CallKey(call.dump, call.group, call.sequence));
      if (found != wanted.end()) found->second = &call;
    }
    return wanted;
  }

  tables::DataTable Unfinished() const {
    tables::TableBuilder table(
        "unfinished", {{"rank", "rank", Unit::kNumber},
                       {"group", "group", Unit::kText},
                       {"completed", "completed up to", Unit::kNumber},
                       {"enqueued", "called up to", Unit::kNumber},
                       {"operation", "waits in", Unit::kText},
                       {"sizes", "input sizes", Unit::kText},
                       {.name = "line", .title = "line", .prose = true}});
    const auto calls = CallsAfterLast();
    for (const CollectiveRecords::Progress& row : records_.progress) {
      if (row.enqueued <= row.completed) continue;
      const CollectiveRecords::Call* call =
          calls.at(CallKey(row.dump, row.group, row.completed + 1));
      const auto text =
          [&](CollectiveRecords::Text CollectiveRecords::Call::*member) {
            return call == nullptr ? DataCell()
                                   : TextIfAny(records_.Get(call->*member));
          };
      const int64_t rank = records_.dumps[row.dump].rank;
      table.AddRow({IntCell(rank, rank >= 0), TextCell(records_.Get(row.group)),
                    IntCell(row.completed, row.completed >= 0), row.enqueued,
                    text(&CollectiveRecords::Call::operation),
                    text(&CollectiveRecords::Call::sizes),
                    text(&CollectiveRecords::Call::line)});
    }
    return std::move(table).Build();
  }

  tables::DataTable Groups() const {
    tables::TableBuilder table("groups",
                               {{"group", "group", Unit::kText},
                                {"description", "description", Unit::kText},
                                {"members", "members", Unit::kCount},
                                {"collectives", "collectives", Unit::kCount},
                                {"ranks", "ranks", Unit::kText},
                                {"absent_ranks", "no dump of", Unit::kText}});
    for (const timeline::CalledGroup& group : found_.groups) {
      table.AddRow({TextCell(group.name), TextIfAny(group.description),
                    static_cast<int64_t>(group.ranks.size()), group.collectives,
                    TextCell(Joined(group.ranks)),
                    TextIfAny(Joined(group.absent))});
    }
    return std::move(table).Build();
  }

  tables::DataTable PointToPoint() const {
    tables::TableBuilder table("point_to_point",
                               {{"rank", "rank", Unit::kNumber},
                                {"operation", "operation", Unit::kText},
                                {"state", "state", Unit::kText},
                                {"count", "count", Unit::kCount}});
    std::map<std::tuple<int64_t, std::string, std::string>, int64_t> counts;
    for (const CollectiveRecords::Call& call : records_.calls) {
      if (!call.point_to_point) continue;
      ++counts[{records_.dumps[call.dump].rank, records_.Get(call.operation),
                records_.Get(call.state)}];
    }
    for (const auto& [key, count] : counts) {
      const auto& [rank, operation, state] = key;
      table.AddRow({IntCell(rank, rank >= 0), TextCell(operation),
                    TextIfAny(state), count});
    }
    return std::move(table).Build();
  }

  const CollectiveRecords& records_;
  const timeline::Divergences found_;
  const std::vector<timeline::HangCause> causes_;
};

}  // namespace

tables::DataDocument CollectivesDocument(const profile::Profile& profile) {
  return CollectiveTables(profile.collective_records()).Document();
}

tables::DataTable LatenessTable(const profile::Profile& profile) {
  return CollectiveTables(profile.collective_records()).Ranks("lateness");
}

}  // namespace tfprof::inspect
