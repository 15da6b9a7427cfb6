// The command `status`: the loaded files, the size of the profile, what the
// loader reported, and the memory in use.

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "exporters/reference/lttng/scripts.h"
#include "exporters/reference/lttng/status_tables.h"
#include "fmt/format.h"
#include "loaders/core/source_account.h"
#include "loaders/ctf/trace_reader.h"
#include "profiler/commands/commands.h"
#include "tables/numbers.h"
#include "tables/table_builder.h"
#include "util/arithmetic.h"
#include "util/run/threads.h"
#include "util/text/counted.h"

namespace tfprof::commands {
namespace {

// A trace has no device names as TensorFlow 1 has them.
size_t CountDevices(const profile::Profile& profile) {
  const size_t named = profile.devices().size();
  return named > 0 ? named : profile.lanes().num_physical();
}

// A kind of records that belong to no op, by the lane that they are on.
struct OutsideKind {
  profile::LaneKind lane;
  std::string_view name;   // for programs
  std::string_view title;  // for people
  bool is_work;            // its time is time of a device
};

constexpr OutsideKind kOutsideKinds[] = {
    {profile::LaneKind::kCopies, "copies", "copies and sets of memory", true},
    {profile::LaneKind::kKernels, "kernels", "kernels", true},
    {profile::LaneKind::kCommunication, "communication", "collectives", true},
    {profile::LaneKind::kCompute, "ranges", "ranges of threads", false},
    {profile::LaneKind::kLaunches, "launches", "launches", false},
    {profile::LaneKind::kAnnotation, "annotations",
     "annotations of the program or the framework", false},
    {profile::LaneKind::kOther, "others", "facts that repeat other lines",
     false},
};

struct Executions {
  struct Sum {
    int64_t count = 0;
    int64_t ticks = 0;
  };
  int64_t accounted = 0;
  int64_t unaccounted = 0;
  std::array<Sum, std::size(kOutsideKinds)> kinds;  // as kOutsideKinds
};

// The row of kOutsideKinds; the last one for a record without a lane.
size_t KindOf(const profile::Profile& profile, profile::LaneId lane) {
  size_t kind = 0;
  while (kind + 1 < std::size(kOutsideKinds) &&
         (lane == profile::kNone ||
          kOutsideKinds[kind].lane != profile.lanes()[lane].kind)) {
    ++kind;
  }
  return kind;
}

Executions CountExecutions(const profile::Profile& profile) {
  Executions count;
  for (const auto& step : profile.steps()) {
    count.accounted += static_cast<int64_t>(step->num_executions());
    count.unaccounted += static_cast<int64_t>(step->num_outside());
    for (size_t e = step->num_executions(); e < step->num_records(); ++e) {
      Executions::Sum& sum = count.kinds[KindOf(profile, step->LaneOf(e))];
      ++sum.count;
      sum.ticks = util::SaturatingAdd(
          sum.ticks, std::max<int64_t>(0, step->exec_duration.Ticks(e)));
    }
  }
  return count;
}

// The records that no op has, as lines below "Holds:".
std::string OutsideText(const profile::Profile& profile,
                        const Executions& executions) {
  if (executions.unaccounted == 0) return "";
  std::string text =
      executions.unaccounted == 1
          ? "  1 event belongs to no op, and is in the time of none:\n"
          : fmt::format(
                "  {} events belong to no op, and are in the time of none:\n",
                executions.unaccounted);
  for (size_t i = 0; i < std::size(kOutsideKinds); ++i) {
    const Executions::Sum& sum = executions.kinds[i];
    if (sum.count == 0) continue;
    text += fmt::format("    {}: {}", kOutsideKinds[i].title, sum.count);
    // Ranges are inside each other, so their sum says nothing.
    if (kOutsideKinds[i].is_work) {
      text += ", in ";
      tables::AppendTime(text, sum.ticks, profile.ticks_per_micro());
    }
    text += '\n';
  }
  return text;
}

std::string_view SeverityName(const loaders::ImportLog::Entry& entry) {
  return entry.severity == loaders::ImportLog::kDamage ? "damage" : "note";
}

// The account of each file; nullopt: it has none.
using Accounts = std::vector<std::optional<loaders::SourceAccount>>;

Accounts AccountFiles(const loaders::Loaded& loaded,
                      const util::TaskOptions& work) {
  Accounts accounts(loaded.sources.size());
  util::ParallelFor(work, accounts.size(), [&](size_t i) {
    accounts[i] = loaders::AccountOf(loaded.sources[i], work.cancellation);
  });
  return accounts;
}

// Returns "read 12KB, skipped 3KB (of no use 2KB, spaces 1KB), repaired 0B,
// damaged 0B = 15KB".
std::string AccountText(const std::optional<loaders::SourceAccount>& of) {
  if (!of) return "not accounted";
  const loaders::ByteAccount& account = of->account;
  std::string parts;
  for (const auto& [name, bytes] : {std::pair{"of no use", account.unused},
                                    {"spaces", account.white_space},
                                    {"empty", account.free}}) {
    if (bytes == 0) continue;
    parts += fmt::format("{}{} {}", parts.empty() ? " (" : ", ", name,
                         tables::BytesText(bytes));
  }
  if (!parts.empty()) parts += ')';
  std::string text = fmt::format(
      "read {}, skipped {}{}, repaired {}, damaged {} = {}",
      tables::BytesText(account.read), tables::BytesText(account.skipped()),
      parts, tables::BytesText(account.repaired),
      tables::BytesText(account.damaged), tables::BytesText(of->bytes));
  if (of->packed_bytes) {
    text += fmt::format(", packed {}", tables::BytesText(*of->packed_bytes));
  }
  return text;
}

// Facts: the sizes of the profile. Tables: inputs, memory, met.
tables::DataDocument StatusDocument(const loaders::Loaded& loaded,
                                    const Accounts& accounts) {
  const profile::Profile& profile = loaded.profile;
  tables::DataDocument document;
  document.kind = "status";

  tables::TableBuilder inputs(
      "inputs", {{"path", "path", util::Unit::kText},
                 {"format", "format", util::Unit::kText},
                 {"step", "step", util::Unit::kNumber},
                 {"bytes", "bytes", util::Unit::kBytes},
                 {"packed_bytes", "packed", util::Unit::kBytes},
                 {"read_bytes", "read", util::Unit::kBytes},
                 {"unused_bytes", "of no use", util::Unit::kBytes},
                 {"white_space_bytes", "spaces", util::Unit::kBytes},
                 {"free_bytes", "empty", util::Unit::kBytes},
                 {"repaired_bytes", "repaired", util::Unit::kBytes},
                 {"damaged_bytes", "damaged", util::Unit::kBytes}});
  for (size_t i = 0; i < loaded.sources.size(); ++i) {
    const loaders::Loaded::Source& source = loaded.sources[i];
    const bool known = accounts[i].has_value();
    const loaders::SourceAccount of =
        accounts[i].value_or(loaders::SourceAccount());
    const loaders::ByteAccount& account = of.account;
    inputs.AddRow({tables::TextCell(source.path),
                   tables::TextCell(source.format),
                   tables::IntCell(source.step, source.step >= 0),
                   tables::IntCell(of.bytes, known),
                   tables::IntCell(of.packed_bytes.value_or(0),
                                   of.packed_bytes.has_value()),
                   tables::IntCell(account.read, known),
                   tables::IntCell(account.unused, known),
                   tables::IntCell(account.white_space, known),
                   tables::IntCell(account.free, known),
                   tables::IntCell(account.repaired, known),
                   tables::IntCell(account.damaged, known)});
  }
  tables::TableBuilder memory("memory",
                              {{"what", "what", util::Unit::kText},
                               {"bytes", "bytes", util::Unit::kBytes}});
  int64_t bytes = 0;
  for (const auto& [what, size] : profile.MemoryUse()) {
    memory.AddRow({tables::TextCell(what), static_cast<int64_t>(size)});
    bytes += static_cast<int64_t>(size);
  }
  memory.SetTotals({tables::TextCell("in all"), bytes});
  tables::TableBuilder met(
      "met", {{"severity", "", util::Unit::kText},
              {"count", "count", util::Unit::kCount},
              {"what", "what", util::Unit::kText},
              {.name = "examples", .title = "examples", .prose = true}});
  for (const loaders::ImportLog::Entry& entry : loaded.log.entries()) {
    met.AddRow(
        {tables::TextCell(SeverityName(entry)),
         static_cast<int64_t>(entry.count), tables::TextCell(entry.kind),
         tables::TextCell(fmt::format("{}", fmt::join(entry.texts, "\n")))});
  }

  const Executions executions = CountExecutions(profile);
  const auto fact = [&](std::string_view name, std::string_view title,
                        util::Unit unit, auto n) {
    document.facts.push_back({{std::string(name), std::string(title), unit},
                              static_cast<int64_t>(n)});
  };
  fact("nodes", "nodes", util::Unit::kCount, profile.nodes().size());
  fact("edges", "edges", util::Unit::kCount,
       profile.nodes().edge_source.size());
  fact("devices", "devices", util::Unit::kCount, CountDevices(profile));
  fact("steps", "steps", util::Unit::kCount, profile.AveragedSteps().size());
  fact("executions", "executions", util::Unit::kCount, executions.accounted);
  const bool is_trace = profile.graph().self_times;
  fact("unaccounted_executions", is_trace ? "of no op" : "not accounted",
       util::Unit::kCount, executions.unaccounted);
  for (size_t i = 0; is_trace && i < std::size(kOutsideKinds); ++i) {
    const int64_t count = executions.kinds[i].count;
    if (count == 0) continue;
    fact(fmt::format("unaccounted_{}", kOutsideKinds[i].name),
         kOutsideKinds[i].title, util::Unit::kCount, count);
  }
  for (const profile::Profile::TableSize& table : profile.OptionalTables()) {
    fact(table.name, fmt::format("{}s", table.one), util::Unit::kCount,
         table.rows);
  }
  if (!loaded.coverage.empty()) {
    document.facts.push_back(
        {{"coverage", "share of the nodes that ran", util::Unit::kShare},
         loaded.coverage.back()});
  }
  fact("memory_bytes", "memory", util::Unit::kBytes, bytes);
  document.parts.push_back({"Inputs", std::move(inputs).Build()});
  document.parts.push_back({"Memory", std::move(memory).Build()});
  document.parts.push_back({"Found while loading", std::move(met).Build()});
  return document;
}

// The same as lines.
std::string StatusText(const loaders::Loaded& loaded,
                       const Accounts& accounts) {
  const profile::Profile& profile = loaded.profile;
  std::string text = "Inputs:\n";
  for (size_t i = 0; i < loaded.sources.size(); ++i) {
    const loaders::Loaded::Source& source = loaded.sources[i];
    text += fmt::format(
        "  {} ({}{})\n    {}\n", source.path, source.format,
        source.step < 0 ? "" : fmt::format(", step {}", source.step),
        AccountText(accounts[i]));
  }
  const Executions executions = CountExecutions(profile);
  text += fmt::format("Holds:\n  {}, {}, {}, {}, {}",
                      util::Counted(profile.nodes().size(), "node"),
                      util::Counted(profile.nodes().edge_source.size(), "edge"),
                      util::Counted(CountDevices(profile), "device"),
                      util::Counted(profile.AveragedSteps().size(), "step"),
                      util::Counted(executions.accounted, "execution"));
  text += profile.graph().self_times
              ? "\n" + OutsideText(profile, executions)
              : fmt::format(", {} more outside the accounting\n",
                            executions.unaccounted);
  for (const profile::Profile::TableSize& table : profile.OptionalTables()) {
    text += fmt::format("  {} {}{}\n", table.rows, table.one,
                        table.rows == 1 ? "" : "s");
  }
  text += "Memory:\n";
  size_t total = 0;
  for (const auto& [what, bytes] : profile.MemoryUse()) {
    text += fmt::format("  {:>14}  {}\n", bytes, what);
    total += bytes;
  }
  text += fmt::format("  {:>14}  bytes in all\n", total);
  if (!loaded.log.entries().empty()) text += "Found while loading:\n";
  for (const loaders::ImportLog::Entry& entry : loaded.log.entries()) {
    text += fmt::format(
        "  {} x {}{}\n", entry.count, entry.kind,
        entry.severity == loaders::ImportLog::kDamage ? " (damage)" : "");
    for (const std::string& line : entry.texts) {
      text += fmt::format("      {}\n", line);
    }
  }
  return text;
}

// Adds the tables that a CTF trace has beside its profile. The trace is read
// again for them: the facts of a large trace are larger than its profile, so
// that nobody keeps them, and loading does not wait for them.
void AddTraceTables(const ctf::TraceReader& reader,
                    const util::TaskOptions& work, tables::Answer& answer) {
  auto trace = reader.Read(work.cancellation);
  if (!trace.ok()) {
    answer.notes.push_back(fmt::format("tables of the trace are left out: {}",
                                       std::string(trace.status().message())));
    return;
  }
  for (tables::DataDocument::Part& part : exporters::TraceTables(*trace)) {
    answer.data.parts.push_back(std::move(part));
  }
}

tables::Answer ScriptFile(const std::string& script,
                          const loaders::Loaded& loaded,
                          const util::TaskOptions& work) {
  if (loaded.ctf_trace == nullptr) {
    return tables::ErrorAnswer(absl::FailedPreconditionError(fmt::format(
        "{} needs a CTF trace, and this profile is not one", script)));
  }
  auto text = exporters::ScriptAnswer(script, *loaded.ctf_trace, loaded.profile,
                                      work.cancellation);
  if (!text.ok()) return tables::ErrorAnswer(text.status());
  tables::Answer answer;
  answer.forms.push_back(
      {std::string(
           options::FindOutput(options::OutputSpec::Type::kScript).name),
       [&text = answer.Keep(*std::move(text))](
           const tables::TextLook&, util::Sink& sink) { sink.Write(text); }});
  return answer;
}

// Whether only the text is written, which has no tables of a trace.
bool IsTextOnly(const options::Options& options) {
  switch (options.output.type) {
    case options::OutputSpec::Type::kText:
    case options::OutputSpec::Type::kFile:
    case options::OutputSpec::Type::kNone:
      return true;
    case options::OutputSpec::Type::kStdout:
      return !options.agent;
    default:
      return false;
  }
}

tables::Answer RunStatus(const Command& command, Workspace& workspace) {
  const loaders::Loaded& loaded = workspace.opened->loaded;
  const options::OutputSpec& output = command.options.output;
  if (output.type == options::OutputSpec::Type::kScript) {
    return ScriptFile(output.script(), loaded, workspace.work);
  }
  Accounts accounts = AccountFiles(loaded, workspace.work);
  tables::Answer answer =
      tables::DocumentAnswer(StatusDocument(loaded, accounts));
  answer.forms.push_back(
      {"text", [&loaded, &accounts = answer.Keep(std::move(accounts))](
                   const tables::TextLook&, util::Sink& sink) {
         sink.Write(StatusText(loaded, accounts));
       }});
  answer.own_form = "text";
  if (loaded.ctf_trace != nullptr && !IsTextOnly(command.options)) {
    AddTraceTables(*loaded.ctf_trace, workspace.work, answer);
  }
  return answer;
}

}  // namespace

extern constinit const CommandInfo kStatusCommand = {
    .name = "status",
    .help =
        "The loaded files, the size of the profile, what was dropped, and how "
        "much memory it takes.",
    .answers =
        "What did I load, was all of it read, and is it the right profile?",
    .examples = {"status", "status  # for numbers of nodes, steps and devices"},
    .options = kTableOptions,
    .outputs = options::kAnswerOutput | options::kScriptOutput,
    .needs_files = true,
    .run = RunStatus};

}  // namespace tfprof::commands
