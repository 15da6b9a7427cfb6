// Rows of the option table by kind of value: each function makes the row of an
// option whose value is one member of Options, such as
//
//   Number<0, 65535, &Options::serve, &ServeOptions::port>(
//       "port", "N", kServeOptions, "For serve: the port.")
//
// Values that need more than this have functions in option_values.h.

#ifndef TFPROF_PROFILER_OPTIONS_OPTION_ROWS_H_
#define TFPROF_PROFILER_OPTIONS_OPTION_ROWS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "fmt/format.h"
#include "profiler/options/option_values.h"
#include "profiler/options/options.h"

namespace tfprof::options {

// The member at the end of `path`.
template <auto... path>
constexpr auto& MemberAt(auto& options) {
  return (options.*....*path);
}

template <typename Int>
absl::Status ParseInt(std::string_view word, Int& value) {
  Int parsed;
  if (!absl::SimpleAtoi(absl::string_view(word.data(), word.size()), &parsed)) {
    return BadValue();
  }
  value = parsed;
  return absl::OkStatus();
}

template <auto... path>
constexpr Option Flag(std::string_view name, OptionGroup group,
                      std::string_view help) {
  Option row = {name, OptionKind::kFlag, "BOOL", help, group};
  row.parse = [](const OptionText& word, Options& options) {
    return ParseBool(word, MemberAt<path...>(options)) ? absl::OkStatus()
                                                       : BadValue();
  };
  row.format = [](const Options& options) {
    return std::string(MemberAt<path...>(options) ? "true" : "false");
  };
  row.choices = [] { return std::vector<std::string>{"true", "false"}; };
  return row;
}

// A number from `least` to `most`.
template <int64_t least, int64_t most, auto... path>
constexpr Option Number(std::string_view name, std::string_view value_name,
                        OptionGroup group, std::string_view help) {
  using Int = std::remove_reference_t<decltype(MemberAt<path...>(
      std::declval<Options&>()))>;
  constexpr OptionKind kKind =
      sizeof(Int) == 4 ? OptionKind::kInt32 : OptionKind::kInt64;
  Option row = {name, kKind, value_name, help, group};
  row.parse = [](const OptionText& word, Options& options) {
    Int number = 0;
    absl::Status parsed = ParseInt(word, number);
    if (!parsed.ok() || number < least || number > most) return BadValue();
    MemberAt<path...>(options) = number;
    return parsed;
  };
  row.format = [](const Options& options) {
    return fmt::format("{}", MemberAt<path...>(options));
  };
  return row;
}

// The path of a file or folder, which may be quoted.
template <auto... path>
constexpr Option Path(std::string_view name, std::string_view value_name,
                      OptionGroup group, std::string_view help,
                      Completes completes = Completes::kChoices) {
  Option row = {name, OptionKind::kText, value_name, help, group};
  row.parse = [](const OptionText& word, Options& options) {
    MemberAt<path...>(options) = word.Unquoted();
    return absl::OkStatus();
  };
  row.format = [](const Options& options) {
    return MemberAt<path...>(options);
  };
  row.completes = completes;
  return row;
}

template <auto... path>
constexpr Option List(std::string_view name, std::string_view value_name,
                      OptionGroup group, std::string_view help,
                      Completes completes) {
  Option row = {name, OptionKind::kList, value_name, help, group};
  row.parse = [](const OptionText& word, Options& options) {
    MemberAt<path...>(options) = word.Elements();
    return absl::OkStatus();
  };
  row.format = [](const Options& options) {
    return fmt::format("{}", fmt::join(MemberAt<path...>(options), ","));
  };
  row.completes = completes;
  return row;
}

template <auto... path>
constexpr Option Regexes(std::string_view name, OptionGroup group,
                         std::string_view help, Completes completes) {
  Option row = List<path...>(name, "REGEX,…", group, help, completes);
  row.holds_signs = true;
  return row;
}

// A word of a choice, and the value that it stands for.
template <typename Value>
struct Named {
  std::string_view name;
  Value value;
};

// One of `words`, an array of Named.
template <const auto& words, auto... path>
constexpr Option Choice(std::string_view name, std::string_view value_name,
                        OptionGroup group, std::string_view help) {
  Option row = {name, OptionKind::kChoice, value_name, help, group};
  row.parse = [](const OptionText& word, Options& options) {
    for (const auto& [choice, value] : words) {
      if (word.word() != choice) continue;
      MemberAt<path...>(options) = value;
      return absl::OkStatus();
    }
    return BadValue();
  };
  row.format = [](const Options& options) {
    for (const auto& [choice, value] : words) {
      if (value == MemberAt<path...>(options)) return std::string(choice);
    }
    return std::string();
  };
  row.choices = [] {
    std::vector<std::string> choices;
    for (const auto& [choice, value] : words) choices.emplace_back(choice);
    return choices;
  };
  return row;
}

}  // namespace tfprof::options

#endif  // TFPROF_PROFILER_OPTIONS_OPTION_ROWS_H_
