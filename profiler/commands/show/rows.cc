// The command `rows`: all steps as narrow tables, for programs.

#include "inspect/rows/rows.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "profiler/commands/commands.h"
#include "tables/table_builder.h"
#include "tables/writers/arrow_writer.h"

namespace tfprof::commands {
namespace {

constexpr std::string_view kLogTable = "log";

// What the loader found in the files.
tables::DataTable LogTable(const loaders::ImportLog& log) {
  tables::TableBuilder table(
      std::string(kLogTable),
      {{"severity", "severity", util::Unit::kText},
       {"count", "count", util::Unit::kCount},
       {"what", "what", util::Unit::kText},
       {.name = "text", .title = "text", .prose = true}});
  for (const loaders::ImportLog::Entry& entry : log.entries()) {
    const bool damage = entry.severity == loaders::ImportLog::kDamage;
    table.AddRow({tables::TextCell(damage ? "damage" : "notice"), entry.count,
                  tables::TextCell(entry.kind),
                  tables::TextCell(entry.texts.empty() ? std::string()
                                                       : entry.texts[0])});
  }
  return std::move(table).Build();
}

// "scopes:6" is "scopes" and "6".
std::pair<std::string_view, std::string_view> SplitDepth(
    std::string_view argument) {
  const size_t colon = argument.find(':');
  if (colon == argument.npos) return {argument, ""};
  return {argument.substr(0, colon), argument.substr(colon + 1)};
}

tables::Answer RunRows(const Command& command, Workspace& workspace) {
  inspect::RowOptions options;
  options.view = command.options.view;
  const auto known = inspect::RowTables();
  bool log = command.arguments.empty();
  for (const std::string& argument : command.arguments) {
    const auto [name, depth] = SplitDepth(argument);
    if (!depth.empty() &&
        (!std::set<std::string_view>{"scopes", "code"}.contains(name) ||
         !absl::SimpleAtoi(std::string(depth), &options.depth) ||
         options.depth < 1)) {
      return tables::ErrorAnswer(absl::InvalidArgumentError(fmt::format(
          "rows: '{}' is no table and depth. Only scopes and code have a "
          "depth, a number from 1: scopes:6.",
          argument)));
    }
    if (name == kLogTable) {
      log = true;
    } else if (std::find(known.begin(), known.end(), name) != known.end()) {
      options.tables.emplace(name);
    } else {
      return tables::ErrorAnswer(absl::InvalidArgumentError(
          fmt::format("rows: there is no table '{}'. Give some of: {}, {}.",
                      name, fmt::join(known, ", "), kLogTable)));
    }
  }
  // Only the log: no other table, instead of all.
  tables::DataDocument document{.kind = "rows"};
  if (!log || options.tables.size() > 0 || command.arguments.empty()) {
    document = inspect::RowsDocument(workspace.views(), options);
  }
  const profile::Profile& profile = workspace.profile();
  const auto fact = [&](const std::string& name, int64_t value, bool is_known) {
    document.facts.emplace_back(
        tables::DataColumn{
            .name = name, .title = name, .unit = util::Unit::kNumber},
        tables::IntCell(value, is_known));
  };
  // The rank, and how many its job has, if all of the file is of one.
  int64_t rank = -1, world_size = -1;
  for (profile::ProcessId p = 0; p < profile.lanes().num_processes(); ++p) {
    const int64_t of_process = profile.lanes().process(p).rank;
    if (of_process < 0) continue;
    if (rank >= 0 && rank != of_process) {
      rank = world_size = -1;
      break;
    }
    rank = of_process;
    world_size = std::max(world_size, profile.lanes().process(p).job_ranks);
  }
  fact("rank", rank, rank >= 0);
  fact("world_size", world_size, world_size >= 0);
  const loaders::ImportLog& met = workspace.opened->loaded.log;
  fact("damaged", met.damaged(), true);
  if (log) document.parts.push_back({"Found while loading", LogTable(met)});
  tables::Answer answer = tables::DocumentAnswer(std::move(document));
  answer.forms.push_back(
      {.name = "arrow",
       .write = [document = answer.data](const tables::TextLook&,
                                         util::Sink& sink) {
         tables::WriteArrow(document, sink);
       }});
  return answer;
}

}  // namespace

extern constinit const CommandInfo kRowsCommand = {
    .name = "rows",
    .arguments = "[TABLE…]",
    .max_arguments = 11,
    .help =
        "All steps as narrow tables of integers, for programs that join the "
        "profiles of many ranks: steps, account, ops, scopes (to depth 4; "
        "scopes:6 to depth 6), code (as the average over the steps), "
        "collectives, phases, memory and log, or only the tables that are "
        "named. By name, also executions (each of them) and links (between "
        "them).",
    .answers = "What happened in each step, in a form that can be added up?",
    .examples = {"rows steps ops -output ndjson",
                 "rows executions links -output ndjson"},
    .options = kTableOptions | options::kStepOption | options::kFlopsOption |
               options::kTypesOption,
    .outputs = options::kAnswerOutput | options::kArrowOutput,
    .ignores_base = true,
    .run = RunRows};

}  // namespace tfprof::commands
