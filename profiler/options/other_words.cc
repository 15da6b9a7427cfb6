#include "profiler/options/other_words.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "profiler/options/words.h"
#include "util/text/edit_distance.h"
#include "util/text/safe_text.h"

namespace tfprof::options {
namespace {

struct Meaning {
  std::string_view word;
  std::string_view means;
};

// Words without dashes.
constexpr Meaning kOptionWords[] = {
    {"by", "order_by"},
    {"columns", "select"},
    {"cols", "select"},
    {"fields", "select"},
    {"metrics", "select"},
    {"count", "limit"},
    {"head", "limit"},
    {"lines", "limit"},
    {"max_rows", "limit"},
    {"n", "limit"},
    {"nodecount", "limit"},
    {"rows", "limit"},
    {"top", "limit"},
    {"depth", "max_depth"},
    {"level", "max_depth"},
    {"exclude", "hide_name_regexes"},
    {"hide", "hide_name_regexes"},
    {"ignore", "hide_name_regexes"},
    {"skip", "hide_name_regexes"},
    {"filter", "show_name_regexes"},
    {"focus", "show_name_regexes"},
    {"grep", "show_name_regexes"},
    {"include", "show_name_regexes"},
    {"match", "show_name_regexes"},
    {"name", "show_name_regexes"},
    {"pattern", "show_name_regexes"},
    {"regex", "show_name_regexes"},
    {"search", "show_name_regexes"},
    {"show", "show_name_regexes"},
    {"format", "output"},
    {"fmt", "output"},
    {"iter", "step"},
    {"iteration", "step"},
    {"min_duration", "min_micros"},
    {"min_time", "min_micros"},
    {"min_gpu", "min_accelerator_micros"},
    {"min_cpu", "min_cpu_micros"},
    {"min_memory", "min_bytes"},
    {"min_size", "min_bytes"},
    {"min_flops", "min_float_ops"},
    {"min_count", "min_occurrence"},
    {"min_calls", "min_occurrence"},
    {"order", "order_by"},
    {"orderby", "order_by"},
    {"sort", "order_by"},
    {"sortby", "order_by"},
    {"sort_by", "order_by"},
    {"peaks", "device_peaks"},
    {"colour", "color"},
    {"type", "account_type_regexes"},
    {"types", "account_type_regexes"},
    {"source", "source_path"},
};

constexpr std::string_view kNoSql =
    "there is no SQL; use op -select FIELD,… -order_by FIELD -limit N";
constexpr std::string_view kRecorders =
    "use tfprof record -- PROGRAM; kernels and timeline show a recording";
constexpr std::string_view kNameFile =
    "name the file without an option: tfprof FILE";
constexpr std::string_view kNameFolder =
    "name the folder without an option: tfprof FOLDER, or tfprof serve FOLDER "
    "for a browser";

// Words that are no options, with what to use instead. Those that are another
// word for an option above are said with an error of its value.
constexpr Meaning kInsteadOfOption[] = {
    {"all", "use -step all for the whole file, -limit 1000 for more rows"},
    {"base", "base FILE compares with another profile"},
    {"bind_all", "use serve -listen 0.0.0.0"},
    {"c", kNoSql},
    {"clock_seconds", "use -output json, which has microseconds"},
    {"csv", "use -output csv"},
    {"cum", "use -order_by micros; trees are cumulative"},
    {"device", "use lanes gpu:0 or kernels gpu:0"},
    {"diff_base", "use --base FILE"},
    {"file", kNameFile},
    {"flat", "use op"},
    {"gpu", "use lanes gpu:0 or kernels gpu:0"},
    {"group_by", "use op, scope, graph or code: each groups in another way"},
    {"groupby", "use op, scope, graph or code: each groups in another way"},
    {"hip_trace", kRecorders},
    {"html", "use timeline page.html"},
    {"http", "use serve"},
    {"httpd", "use serve"},
    {"i", kNameFile},
    {"input", kNameFile},
    {"json", "use -output json"},
    {"kernel_trace", kRecorders},
    {"lines", "use code, or list FILE"},
    {"list", "use list FILE"},
    {"log_dir", kNameFolder},
    {"logdir", kNameFolder},
    {"markdown", "use -output markdown"},
    {"min", "use -min_micros or -min_bytes"},
    {"no_color", "use -color never"},
    {"nocolor", "use -color never"},
    {"page",
     "use show NODE for all about an operation, roofline for its limits"},
    {"pdf", "use timeline page.html"},
    {"peek", "use peek NODE"},
    {"png", "use timeline page.html"},
    {"print_api_summary", "use op"},
    {"print_api_trace", "use timeline"},
    {"print_gpu_summary", "use kernels"},
    {"print_gpu_trace", "use timeline"},
    {"print_summary", "use overview"},
    {"q", kNoSql},
    {"query", kNoSql},
    {"query_file", kNoSql},
    {"quiet", "use -output none, which leaves messages only"},
    {"r", "use overview, op, kernels or steps"},
    {"rank", "use skew, which compares the ranks"},
    {"raw", "use -output json"},
    {"report", "use overview, op, kernels or steps"},
    {"run_metrics", "use overview, steps or devices"},
    {"runtime_trace", kRecorders},
    {"sample_index", "use -select micros or -select bytes"},
    {"stats", "use overview, op, kernels or steps"},
    {"summary", "use overview, op, kernels or steps"},
    {"svg", "use timeline page.html"},
    {"sys_trace", kRecorders},
    {"text", "use op"},
    {"top", "use the command top: top 10"},
    {"traces", "use code"},
    {"tree", "use scope"},
    {"unit", "units follow the size; -output json has microseconds and bytes"},
    {"v", "use --version; status says what was loaded"},
    {"verbose", "use status"},
    {"web", "use serve"},
    {"wide", "use -output csv, which has all columns"},
    {"xml", "use -output json"},
    {"yaml", "use -output json"},
};

// Other words for the names of statistics.
constexpr Meaning kStatisticWords[] = {
    {"dur", "micros"},
    {"duration", "micros"},
    {"self_time", "micros"},
    {"time_us", "micros"},
    {"total_time", "micros"},
    {"us", "micros"},
    {"accelerator_time", "accelerator_micros"},
    {"cuda", "accelerator_micros"},
    {"cuda_time", "accelerator_micros"},
    {"cuda_time_total", "accelerator_micros"},
    {"device_time", "accelerator_micros"},
    {"gpu", "accelerator_micros"},
    {"gpu_time", "accelerator_micros"},
    {"tpu", "accelerator_micros"},
    {"tpu_time", "accelerator_micros"},
    {"cpu_time", "cpu_micros"},
    {"cpu_time_total", "cpu_micros"},
    {"host", "cpu_micros"},
    {"host_time", "cpu_micros"},
    {"calls", "occurrence"},
    {"count", "occurrence"},
    {"counts", "occurrence"},
    {"instances", "occurrence"},
    {"num_calls", "occurrence"},
    {"flop", "float_ops"},
    {"flops", "float_ops"},
    {"peak", "peak_bytes"},
    {"peak_mem", "peak_bytes"},
    {"peak_memory", "peak_bytes"},
    {"weights", "params"},
};

// Orders and columns that there are not, and the nearest that there is.
constexpr Meaning kNearFields[] = {
    {"average", "micros"},     {"avg", "micros"},
    {"cumulative", "micros"},  {"id", "name"},
    {"max", "micros"},         {"mean", "micros"},
    {"median", "micros"},      {"mem", "peak_bytes"},
    {"memory", "peak_bytes"},  {"min", "micros"},
    {"ns", "micros"},          {"ms", "micros"},
    {"percent", "micros"},     {"self", "micros"},
    {"share", "micros"},       {"size", "bytes"},
    {"sum", "micros"},         {"total", "micros"},
    {"wall", "micros"},        {"shapes", "input_shapes"},
    {"shape", "input_shapes"}, {"devices", "device"},
    {"ops", "op_types"},       {"op", "op_types"},
};

std::string_view MeaningOf(std::string_view word,
                           std::span<const Meaning> meanings) {
  for (const Meaning& meaning : meanings) {
    if (meaning.word == word) return meaning.means;
  }
  return "";
}

// In lower case, with '_' for '-'.
std::string Plain(std::string_view word) {
  std::string plain(word);
  for (char& c : plain) {
    c = c == '-' ? '_' : static_cast<char>(std::tolower(c));
  }
  return plain;
}

std::string Shown(std::string_view value) {
  return fmt::format("'{}'", util::SafeText(value));
}

absl::Status Refused(const std::string& text) {
  return absl::InvalidArgumentError(text);
}

// What a value of the option must be; "" if a list of its choices says it.
std::string TakesText(const Option& option) {
  if (option.name == "step") {
    return "the number of a step, or first, last, slowest or all";
  }
  if (option.name == "device_peaks") {
    return "two numbers, the operations and the bytes of a second, as "
           "312TF,2TB or 989e12,3.35e12";
  }
  if (option.name.starts_with("min_")) {
    return option.name.ends_with("micros")  ? "microseconds, or as 5ms, 2s"
           : option.name.ends_with("bytes") ? "bytes, or as 10MB, 1GiB"
                                            : "a number";
  }
  switch (option.kind) {
    case OptionKind::kFlag:
      return "true or false";
    case OptionKind::kInt32:
    case OptionKind::kInt64:
      return "a number";
    default:
      return std::string(option.value_name);
  }
}

absl::Status RefusedOutput(const Option& option, std::string_view value,
                           const absl::Status& reason) {
  const std::string_view type = value.substr(0, value.find(':'));
  const std::vector<std::string> types = OptionChoices(option);
  if (std::find(types.begin(), types.end(), type) == types.end()) {
    const std::string near = util::NearestHint(type, types);
    return Refused(fmt::format(
        "-output has no type {}{}", Shown(type),
        near.empty() ? fmt::format("; it takes {}", fmt::join(types, ", "))
                     : near));
  }
  if (NeedsOutfile(type) && value.find("outfile=") == value.npos) {
    return Refused(
        fmt::format("-output {0} needs a file: -output "
                    "{0}:outfile=FILE",
                    type));
  }
  std::string text(reason.message());
  while (text.ends_with('\n')) text.pop_back();
  return Refused(text);
}

}  // namespace

std::string_view OptionMeantBy(std::string_view name) {
  const std::string plain = Plain(name);
  for (const Option& option : OptionTable()) {
    if (Plain(option.name) == plain) return option.name;
  }
  return MeaningOf(plain, kOptionWords);
}

bool IsOtherWord(std::string_view name) {
  return !MeaningOf(Plain(name), kOptionWords).empty();
}

const accounting::Statistic* StatisticMeantBy(std::string_view word) {
  if (const auto* statistic = accounting::FindStatistic(word)) return statistic;
  const std::string plain = Plain(word);
  const std::string_view meant = MeaningOf(plain, kStatisticWords);
  return accounting::FindStatistic(meant.empty() ? std::string_view(plain)
                                                 : meant);
}

std::string_view InsteadOfOption(std::string_view name) {
  return MeaningOf(Plain(name), kInsteadOfOption);
}

std::string OptionHint(std::string_view name, std::string_view dash) {
  const std::string plain = Plain(name);
  const std::string_view instead = InsteadOfOption(name);
  if (!instead.empty()) return std::string(instead);
  std::vector<std::string> names = OptionNames();
  for (const Meaning& meaning : kOptionWords) {
    names.emplace_back(meaning.word);
  }
  std::vector<std::string> near;
  for (const std::string& word : util::Nearest(plain, names)) {
    const std::string_view meant = OptionMeantBy(word);
    if (std::find(near.begin(), near.end(), meant) == near.end()) {
      near.emplace_back(meant);
    }
  }
  return util::DidYouMean(near, dash);
}

absl::Status RefusedValue(const Option& option, std::string_view value,
                          const absl::Status& reason) {
  if (option.completes == Completes::kOutput) {
    return RefusedOutput(option, Unquote(value), reason);
  }
  if (!reason.message().empty()) return reason;
  const std::vector<std::string> choices = OptionChoices(option);
  if (choices.empty() || option.kind == OptionKind::kFlag) {
    return Refused(fmt::format("-{} takes {}, not {}", option.name,
                               TakesText(option), Shown(value)));
  }
  std::vector<std::string> elements = {Unquote(value)};
  if (IsList(option)) elements = SplitList(value);
  std::string wrong(value);
  for (const std::string& element : elements) {
    if (std::find(choices.begin(), choices.end(), element) != choices.end() ||
        (!choices.empty() && StatisticMeantBy(element) != nullptr &&
         option.choice_help != nullptr)) {
      continue;
    }
    wrong = element;
    const std::string_view instead = MeaningOf(Plain(element), kNearFields);
    std::vector<std::string> near = util::Nearest(element, choices);
    if (!instead.empty() &&
        std::find(choices.begin(), choices.end(), instead) != choices.end()) {
      near = {std::string(instead)};
    }
    if (near.empty()) break;
    return Refused(fmt::format("-{} has no {}; {}", option.name, Shown(element),
                               util::DidYouMean(near)));
  }
  return Refused(fmt::format("-{} has no {}; it takes {}", option.name,
                             Shown(wrong), fmt::join(choices, ", ")));
}

}  // namespace tfprof::options
