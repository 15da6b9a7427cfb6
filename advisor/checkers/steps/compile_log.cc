// Finds what makes torch.compile slow or useless, in its logs: compilations
// that failed, functions that are compiled again and again, graph breaks.

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
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
    {"recompilations", "A function was compiled again and again.", "count",
     "min_recompilations"},
    {"graph_breaks",
     "torch.compile had to divide a function into several graphs.", "count"},
};

constexpr CheckerOption kOptions[] = {
    {"min_recompilations", 3, "count",
     "a function that is compiled again this often is reported"},
};

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

void AddFailures(const CompileLogs& logs, CheckResult& result) {
  if (logs.failures.empty()) return;
  std::vector<std::string> reasons;
  for (const CompileLogs::Failure& failure : logs.failures) {
    reasons.push_back(failure.reason.empty() ? failure.kind : failure.reason);
  }
  Finding f;
  f.rule = "failed_compilations";
  f.severity = Finding::Severity::kWarning;
  f.value = static_cast<double>(logs.failures.size());
  f.evidence = "compiles";
  f.advice =
      "Change the code that the reason names, or take the function out of the "
      "compiled region with torch.compiler.disable.";
  f.text = fmt::format(
      "{} failed, and the code runs uncompiled; most often: {}",
      Times(logs.failures.size(), "compilation"), MostFrequent(reasons));
  result.findings.push_back(std::move(f));
}

void AddRecompilations(const CompileLogs& logs, double least,
                       CheckResult& result) {
  struct Again {
    size_t count = 0;
    int64_t nanos = 0;
    std::vector<std::string> reasons;
  };
  // By log, and the function: its name and place.
  std::map<std::tuple<uint32_t, std::string, std::string, int64_t>, Again> all;
  for (const CompileLogs::Compilation& row : logs.compilations) {
    if (!row.is_recompilation) continue;
    Again& again = all[{row.log, row.function, row.file, row.line}];
    ++again.count;
    again.nanos =
        util::SaturatingAdd(again.nanos, std::max<int64_t>(row.duration, 0));
    if (!row.reason.empty()) again.reasons.push_back(row.reason);
  }
  const auto worst = std::max_element(all.begin(), all.end(),
                                      [](const auto& a, const auto& b) {
                                        return a.second.count < b.second.count;
                                      });
  if (worst == all.end() || static_cast<double>(worst->second.count) < least) {
    return;
  }
  const auto& [log, function, file, line] = worst->first;
  Finding f;
  f.rule = "recompilations";
  f.severity = Finding::Severity::kWarning;
  f.subject = function;
  f.value = static_cast<double>(worst->second.count);
  f.threshold = least;
  f.evidence = "compiles";
  f.advice =
      "Make what the guard checks constant, or mark it as dynamic: "
      "torch.compile(dynamic=True), torch._dynamo.mark_dynamic, or tensors "
      "instead of Python numbers.";
  const std::string reason = MostFrequent(worst->second.reasons);
  f.text = fmt::format("{} ({}) was compiled again {}, which took {}; {}",
                       function.empty() ? "A function" : function,
                       Place(file, line), Times(worst->second.count, "time"),
                       tables::FormatMicros(worst->second.nanos / 1000),
                       reason.empty()
                           ? "the log has no reason"
                           : fmt::format("most often because of {}", reason));
  result.findings.push_back(std::move(f));
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
  AddFailures(logs, result);
  AddRecompilations(logs, settings.Get("min_recompilations"), result);
  AddGraphBreaks(logs, result);
  return result;
}

}  // namespace compile_log
}  // namespace

const Checker kCompileLogChecker = {
    "CompileLogChecker",
    "Whether torch.compile failed, compiled again, or broke graphs.",
    Checker::Kind::kAdvice,
    compile_log::kRules,
    compile_log::kOptions,
    compile_log::Check,
    Checker::Needs::kCompileLogs};

}  // namespace tfprof::advisor
