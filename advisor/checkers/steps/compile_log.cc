// Finds what makes torch.compile slow or useless, in its logs: compilations
// that failed, functions that are compiled again and again or late in the run,
// ranks that compile what others do not, graph breaks, caches that are not
// used.

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "re2/re2.h"
#include "tables/numbers.h"
#include "util/arithmetic.h"

namespace tfprof::advisor {
namespace {
namespace compile_log {

using profile::CompileLogs;

constexpr Rule kRules[] = {
    {"failed_compilations",
     "torch.compile gave up on a function, which then runs uncompiled.",
     "count"},
    {"recompilations",
     "A function was compiled again and again, or at great cost.", "count",
     "min_recompilations"},
    {"late_recompilation",
     "A function was compiled again long after the program began.", "us",
     "min_micros"},
    {"ranks_compile_differently",
     "A rank compiled longer than others, which wait for it.", "us",
     "min_micros"},
    {"graph_breaks",
     "torch.compile had to divide a function into several graphs.", "count"},
    {"bypassed_caches", "A cache of the compiler was never used.", "count"},
};

constexpr CheckerOption kOptions[] = {
    {"min_recompilations", 3, "count",
     "a function that is compiled again this often is reported"},
    {"min_micros", 1e6, "us",
     "a late recompilation, or the difference of two ranks, is reported if it "
     "takes this long"},
    {"late_micros", 60e6, "us",
     "a recompilation is late if the function was compiled so long before"},
    {"costly_micros", 10e6, "us",
     "a function is reported if its recompilations take this long and half of "
     "the time of all compilations"},
};

constexpr double kNanos = 1000;  // of a microsecond

std::string Times(size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

std::string Place(const std::string& file, int64_t line) {
  if (file.empty()) return "an unknown line";
  return line < 0 ? file : fmt::format("{}:{}", file, line);
}

// Returns the text that occurs most often, the first of them by its order.
std::string MostFrequent(const std::vector<std::string>& texts) {
  std::map<std::string, size_t> counts;
  for (const std::string& text : texts) ++counts[text];
  const auto most = std::max_element(
      counts.begin(), counts.end(),
      [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == counts.end() ? "" : most->first;
}

// ---- Guards: what compiled code checks before it runs.

// Returns the guard of a reason, without what differs from time to time:
// "0/1: tensor 'x' size mismatch at index 0. expected 2, actual 3" and
// "0/1: self.step == 7   # if self.step: # m.py:4 in f" are about
// "tensor 'x' size mismatch at index 0" and "self.step".
std::string GuardOf(const std::string& reason) {
  static const RE2* const id = new RE2(R"(^\d+/\d+: )");
  static const RE2* const rest =
      new RE2(R"((\. expected .*|\s*==.*|;.*|\s{2,}#.*)$)");
  std::string guard = reason;
  RE2::Replace(&guard, *id, "");
  RE2::Replace(&guard, *rest, "");
  return guard;
}

// Returns a reason in a line: without the id of the code that did not fit, and
// without the checks of older code.
std::string ReasonText(const std::string& reason) {
  static const RE2* const id = new RE2(R"(^\d+/\d+: )");
  static const RE2* const older = new RE2(R"(; \d+/\d+: .*)");
  static const RE2* const spaces = new RE2(R"(\s{2,})");
  std::string text = reason;
  RE2::Replace(&text, *id, "");
  RE2::Replace(&text, *older, "");
  RE2::GlobalReplace(&text, *spaces, "  ");
  return text;
}

std::string AdviceFor(const std::string& guard) {
  static const RE2* const size = new RE2(R"(size mismatch at index (\d+))");
  static const RE2* const attribute = new RE2(R"(^(?:L\['self'\]|self)\.)");
  std::string dimension;
  if (RE2::PartialMatch(guard, *size, &dimension)) {
    return fmt::format(
        "Make dimension {} equally large each time (drop_last=True, padding), "
        "or mark it as dynamic: torch._dynamo.mark_dynamic(tensor, {}).",
        dimension, dimension);
  }
  if (guard.starts_with("tensor ")) {
    return "Give the tensor the same properties in each call: what the guard "
           "names differs.";
  }
  if (RE2::PartialMatch(guard, *attribute)) {
    return "Do not read an attribute that changes in compiled code: keep it in "
           "a tensor (register_buffer), or read it outside.";
  }
  return "Make what the guard checks constant, or mark it as dynamic: "
         "torch.compile(dynamic=True), torch._dynamo.mark_dynamic, or tensors "
         "instead of Python numbers.";
}

// ---- Functions that are compiled again.

// By log, and the function: its name and place.
using FunctionKey = std::tuple<uint32_t, std::string, std::string, int64_t>;

FunctionKey KeyOf(const CompileLogs::Compilation& row) {
  return {row.log, row.function, row.file, row.line};
}

std::string FunctionText(const FunctionKey& key) {
  const auto& [log, function, file, line] = key;
  return fmt::format("{} ({})", function.empty() ? "A function" : function,
                     Place(file, line));
}

struct Again {
  size_t count = 0;
  int64_t nanos = 0;
  std::vector<std::string> reasons, guards;
  bool reported = false;

  void Add(const CompileLogs::Compilation& row) {
    ++count;
    nanos = util::SaturatingAdd(nanos, std::max<int64_t>(row.duration, 0));
    if (row.reason.empty()) return;
    reasons.push_back(ReasonText(row.reason));
    guards.push_back(GuardOf(row.reason));
  }
  // Of the guard that fails most often.
  std::string Guard() const { return MostFrequent(guards); }
  std::string Because() const {
    const std::string guard = Guard();
    std::vector<std::string> texts;
    for (size_t i = 0; i < reasons.size(); ++i) {
      if (guards[i] == guard) texts.push_back(reasons[i]);
    }
    return texts.empty()
               ? "the log has no reason"
               : fmt::format("most often because of {}", MostFrequent(texts));
  }
};

using Functions = std::map<FunctionKey, Again>;

// Whether the function is not reported because of its number alone.
bool IsRare(const Again& function, const CheckerSettings& settings) {
  return !function.reported && static_cast<double>(function.count) <
                                   settings.Get("min_recompilations");
}

// A compilation that fails may not have a name: its frame has.
class Frames {
 public:
  explicit Frames(const CompileLogs& logs) {
    for (const CompileLogs::Compilation& row : logs.compilations) {
      if (!row.function.empty()) {
        functions_.try_emplace(Frame(row.log, row.id), KeyOf(row));
      }
    }
  }
  // nullptr: the log does not name it.
  const FunctionKey* Find(uint32_t log, const std::string& id) const {
    const auto known = functions_.find(Frame(log, id));
    return known == functions_.end() ? nullptr : &known->second;
  }

 private:
  static std::pair<uint32_t, std::string> Frame(uint32_t log,
                                                const std::string& id) {
    return {log, id.substr(0, id.rfind('/'))};
  }
  std::map<std::pair<uint32_t, std::string>, FunctionKey> functions_;
};

Functions CompiledAgain(const CompileLogs& logs, const Frames& frames) {
  Functions all;
  for (const CompileLogs::Compilation& row : logs.compilations) {
    if (!row.is_recompilation) continue;
    const FunctionKey* const key =
        row.function.empty() ? frames.Find(row.log, row.id) : nullptr;
    all[key == nullptr ? KeyOf(row) : *key].Add(row);
  }
  return all;
}

// A code is compiled only so often; what comes then runs uncompiled.
bool IsLimit(const CompileLogs::Failure& failure) {
  static const RE2* const limit =
      new RE2("(?i)(recompile|cache_size|cache size|accumulated)[_ ]?limit");
  return RE2::PartialMatch(failure.reason, *limit) ||
         RE2::PartialMatch(failure.kind, *limit);
}

// Reports the functions that reached the limit, and the other failures.
void AddFailures(const CompileLogs& logs, const Frames& frames,
                 Functions& again, CheckResult& result) {
  std::vector<std::string> reasons;
  for (const CompileLogs::Failure& failure : logs.failures) {
    const FunctionKey* const key = frames.Find(failure.log, failure.id);
    const auto function = key == nullptr ? again.end() : again.find(*key);
    if (!IsLimit(failure) || function == again.end()) {
      reasons.push_back(failure.reason.empty() ? failure.kind : failure.reason);
      continue;
    }
    if (std::exchange(function->second.reported, true)) continue;
    const Again& all = function->second;
    Finding f;
    f.rule = "recompilations";
    f.severity = Finding::Severity::kWarning;
    f.subject = std::get<1>(function->first);
    f.value = static_cast<double>(all.count);
    f.evidence = "compiles";
    f.advice = AdviceFor(all.Guard());
    f.text = fmt::format(
        "{} reached the limit of recompilations and runs uncompiled: it was "
        "compiled again {}, which took {}; {}",
        FunctionText(function->first), Times(all.count, "time"),
        tables::FormatMicros(all.nanos / 1000), all.Because());
    result.findings.push_back(std::move(f));
  }
  if (reasons.empty()) return;
  Finding f;
  f.rule = "failed_compilations";
  f.severity = Finding::Severity::kWarning;
  f.value = static_cast<double>(reasons.size());
  f.evidence = "compiles";
  f.advice =
      "Change the code that the reason names, or take the function out of the "
      "compiled region with torch.compiler.disable.";
  f.text =
      fmt::format("{} failed, and the code runs uncompiled; most often: {}",
                  Times(reasons.size(), "compilation"), MostFrequent(reasons));
  result.findings.push_back(std::move(f));
}

void AddRecompilations(const CompileLogs& logs, const CheckerSettings& settings,
                       Functions& again, CheckResult& result) {
  const double least = settings.Get("min_recompilations");
  std::map<uint32_t, int64_t> total;  // of a log
  for (const CompileLogs::Compilation& row : logs.compilations) {
    total[row.log] =
        util::SaturatingAdd(total[row.log], std::max<int64_t>(row.duration, 0));
  }
  // What one guard costs in all functions of a log.
  struct Group {
    std::vector<const FunctionKey*> functions;
    Again all;
  };
  std::map<std::pair<uint32_t, std::string>, Group> groups;
  std::set<std::pair<uint32_t, std::string>> bad;
  for (auto& [key, function] : again) {
    if (function.reported) continue;
    const auto guard = std::pair(std::get<0>(key), function.Guard());
    Group& group = groups[guard];
    group.functions.push_back(&key);
    group.all.count += function.count;
    group.all.nanos = util::SaturatingAdd(group.all.nanos, function.nanos);
    for (size_t i = 0; i < function.reasons.size(); ++i) {
      if (function.guards[i] != guard.second) continue;
      group.all.reasons.push_back(function.reasons[i]);
      group.all.guards.push_back(function.guards[i]);
    }
    const auto nanos = static_cast<double>(function.nanos);
    if (static_cast<double>(function.count) >= least ||
        (nanos >= settings.Get("costly_micros") * kNanos &&
         2 * nanos >= static_cast<double>(total[guard.first]))) {
      bad.insert(guard);
      function.reported = true;
    }
  }
  std::vector<std::pair<uint32_t, std::string>> order(bad.begin(), bad.end());
  std::stable_sort(
      order.begin(), order.end(), [&](const auto& a, const auto& b) {
        const Again &x = groups[a].all, &y = groups[b].all;
        return std::pair(x.nanos, x.count) > std::pair(y.nanos, y.count);
      });
  constexpr size_t kMost = 3;
  order.resize(std::min(order.size(), kMost));
  for (const auto& guard : order) {
    const Group& group = groups[guard];
    Finding f;
    f.rule = "recompilations";
    f.severity = Finding::Severity::kWarning;
    f.subject = std::get<1>(*group.functions[0]);
    f.value = static_cast<double>(group.all.count);
    f.threshold = least;
    f.evidence = "compiles";
    f.advice = AdviceFor(guard.second);
    f.text = fmt::format(
        "{}{} compiled again {}, which took {}; {}",
        FunctionText(*group.functions[0]),
        group.functions.size() == 1
            ? " was"
            : fmt::format(" and {} were",
                          Times(group.functions.size() - 1, "more function")),
        Times(group.all.count, "time"),
        tables::FormatMicros(group.all.nanos / 1000), group.all.Because());
    result.findings.push_back(std::move(f));
  }
}

// The most expensive recompilation of a function that had run for long.
void AddLate(const CompileLogs& logs, const CheckerSettings& settings,
             Functions& again, CheckResult& result) {
  std::map<FunctionKey, int64_t> ended;  // its last compilation
  const CompileLogs::Compilation* worst = nullptr;
  int64_t after = 0;
  for (const CompileLogs::Compilation& row : logs.compilations) {
    if (row.started < 0) continue;
    const auto [before, is_first] = ended.try_emplace(KeyOf(row), row.started);
    const int64_t pause = util::WrapSub(row.started, before->second);
    const auto known = again.find(KeyOf(row));
    if (row.is_recompilation && !is_first && known != again.end() &&
        IsRare(known->second, settings) &&
        static_cast<double>(pause) >= settings.Get("late_micros") * kNanos &&
        static_cast<double>(row.longest) >=
            settings.Get("min_micros") * kNanos &&
        (worst == nullptr || row.longest > worst->longest)) {
      worst = &row;
      after = pause;
    }
    before->second =
        util::SaturatingAdd(row.started, std::max<int64_t>(row.longest, 0));
  }
  if (worst == nullptr) return;
  again[KeyOf(*worst)].reported = true;
  Finding f;
  f.rule = "late_recompilation";
  f.severity = Finding::Severity::kWarning;
  f.subject = worst->function;
  f.value = static_cast<double>(worst->longest) / 1000;
  f.threshold = settings.Get("min_micros");
  f.evidence = "compiles";
  f.advice = AdviceFor(GuardOf(worst->reason));
  f.text = fmt::format(
      "{} was compiled again, {} after it was compiled before, which took {}; "
      "{}",
      FunctionText(KeyOf(*worst)), tables::FormatMicros(after / 1000),
      tables::FormatMicros(worst->longest / 1000),
      worst->reason.empty()
          ? "the log has no reason"
          : fmt::format("because of {}", ReasonText(worst->reason)));
  result.findings.push_back(std::move(f));
}

// Compares the ranks by the time that each compiled more than the fastest rank.
// A compilation of all ranks counts if it takes some at least twice as long.
void AddRankDifferences(const CompileLogs& logs,
                        const CheckerSettings& settings, Functions& again,
                        CheckResult& result) {
  struct Extra {
    int64_t nanos = 0, most = 0;
    const CompileLogs::Compilation* longest = nullptr;
    bool on_all_ranks = false;  // the longest
  };
  std::map<int64_t, Extra> extra;  // of each rank
  std::map<std::string, std::map<int64_t, int64_t>> times;
  for (const CompileLogs::Log& log : logs.logs) {
    if (log.rank >= 0) extra[log.rank];
  }
  if (extra.size() < 2) return;
  for (const CompileLogs::Compilation& row : logs.compilations) {
    if (logs.logs[row.log].rank < 0) continue;
    times[row.id][logs.logs[row.log].rank] = std::max<int64_t>(row.duration, 0);
  }
  std::map<std::string, int64_t> least;
  for (const auto& [id, ranks] : times) {
    if (ranks.size() < extra.size()) continue;
    least[id] = std::min_element(ranks.begin(), ranks.end(),
                                 [](const auto& a, const auto& b) {
                                   return a.second < b.second;
                                 })
                    ->second;
  }
  for (const CompileLogs::Compilation& row : logs.compilations) {
    const int64_t rank = logs.logs[row.log].rank;
    if (rank < 0) continue;
    const auto fastest = least.find(row.id);
    const bool all = fastest != least.end();
    const int64_t more =
        std::max<int64_t>(row.duration, 0) - (all ? fastest->second : 0);
    if (all && more < fastest->second) continue;
    Extra& of_rank = extra[rank];
    of_rank.nanos = util::SaturatingAdd(of_rank.nanos, more);
    if (more <= of_rank.most) continue;
    of_rank.most = more;
    of_rank.longest = &row;
    of_rank.on_all_ranks = all;
  }
  const auto less = [](const auto& a, const auto& b) {
    return a.second.nanos < b.second.nanos;
  };
  const auto& [rank, most] =
      *std::max_element(extra.begin(), extra.end(), less);
  const int64_t lost = util::WrapSub(
      most.nanos,
      std::min_element(extra.begin(), extra.end(), less)->second.nanos);
  if (most.longest == nullptr ||
      static_cast<double>(lost) < settings.Get("min_micros") * kNanos) {
    return;
  }
  const CompileLogs::Compilation& longest = *most.longest;
  const auto known = again.find(KeyOf(longest));
  if (known != again.end() && IsRare(known->second, settings)) {
    known->second.reported = true;
  }
  Finding f;
  f.rule = "ranks_compile_differently";
  f.severity = Finding::Severity::kWarning;
  f.subject = fmt::format("rank {}", rank);
  f.value = static_cast<double>(lost) / 1000;
  f.threshold = settings.Get("min_micros");
  f.names_cause = true;
  f.evidence = "compiles";
  if (most.on_all_ranks) {
    f.advice =
        "Give all ranks the same filled caches, and compare the table caches: "
        "a rank that misses compiles longer.";
  } else if (longest.reason.empty()) {
    f.advice =
        "Make all ranks compile the same: look for a branch or a shape that "
        "depends on the rank.";
  } else {
    f.advice = AdviceFor(GuardOf(longest.reason));
  }
  f.text = fmt::format(
      "Rank {} compiled {} longer than other ranks, and they wait for it in "
      "their next collective; most of it {} ({}), {}{}",
      rank, tables::FormatMicros(lost / 1000), FunctionText(KeyOf(longest)),
      most.on_all_ranks ? "which others compile faster"
                        : "which not all ranks compile",
      tables::FormatMicros(longest.duration / 1000),
      longest.reason.empty()
          ? ""
          : fmt::format(", because of {}", ReasonText(longest.reason)));
  result.findings.push_back(std::move(f));
}

// A cache that could neither hit nor miss.
void AddBypassedCaches(const CompileLogs& logs, CheckResult& result) {
  static const RE2* const event = new RE2("(.*)_(hit|miss|bypass)");
  struct Counts {
    int64_t used = 0, bypassed = 0;
  };
  std::map<std::string, Counts> caches;
  for (const CompileLogs::CacheEvent& row : logs.cache_events) {
    std::string cache, what;
    if (!RE2::FullMatch(row.event, *event, &cache, &what)) continue;
    Counts& counts = caches[cache];
    int64_t& sum = what == "bypass" ? counts.bypassed : counts.used;
    sum = util::SaturatingAdd(sum, row.count);
  }
  for (const auto& [cache, counts] : caches) {
    if (counts.used > 0 || counts.bypassed == 0) continue;
    Finding f;
    f.rule = "bypassed_caches";
    f.severity = Finding::Severity::kWarning;
    f.subject = cache;
    f.value = static_cast<double>(counts.bypassed);
    f.evidence = "compiles";
    f.advice =
        "See why the cache cannot be used: TORCH_LOGS=+inductor names what "
        "bypassed it. Often it is a custom operator or a pass that the cache "
        "cannot identify.";
    f.text = fmt::format(
        "The cache {} was bypassed {} and never used: each start of the "
        "program compiles again",
        cache, Times(static_cast<size_t>(counts.bypassed), "time"));
    result.findings.push_back(std::move(f));
    return;
  }
}

void AddGraphBreaks(const CompileLogs& logs, CheckResult& result) {
  if (logs.graph_breaks.empty()) return;
  std::vector<std::string> reasons;
  std::map<std::string, size_t> places;
  for (const CompileLogs::GraphBreak& row : logs.graph_breaks) {
    const std::string place = Place(row.file, row.line);
    ++places[place];
    reasons.push_back(fmt::format("{} ({})", place, row.reason));
  }
  Finding f;
  f.rule = "graph_breaks";
  f.severity = Finding::Severity::kWarning;
  f.value = static_cast<double>(logs.graph_breaks.size());
  f.evidence = "compiles";
  f.advice =
      "Move prints, reads of values and unsupported calls out of the compiled "
      "function. torch.compile(fullgraph=True) makes each break an error.";
  f.text = fmt::format("{} at {}; most often at {}",
                       Times(logs.graph_breaks.size(), "graph break"),
                       Times(places.size(), "place"), MostFrequent(reasons));
  result.findings.push_back(std::move(f));
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  const CompileLogs& logs = input.views.profile().compile_logs();
  const Frames frames(logs);
  Functions again = CompiledAgain(logs, frames);
  AddFailures(logs, frames, again, result);
  AddRankDifferences(logs, settings, again, result);
  AddLate(logs, settings, again, result);
  AddRecompilations(logs, settings, again, result);
  AddGraphBreaks(logs, result);
  AddBypassedCaches(logs, result);
  return result;
}

}  // namespace compile_log
}  // namespace

const Checker kCompileLogChecker = {
    "CompileLogChecker",
    "Whether torch.compile failed, compiled again, broke graphs, or did other "
    "things on some ranks.",
    Checker::Kind::kAdvice,
    compile_log::kRules,
    compile_log::kOptions,
    compile_log::Check,
    Checker::Needs::kCompileLogs};

}  // namespace tfprof::advisor
