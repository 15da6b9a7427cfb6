#include "profiler/shell/terminal/suggest.h"

#include <optional>

#include "fmt/format.h"
#include "profiler/shell/terminal/regex_text.h"
#include "util/text/edit_distance.h"

namespace tfprof::shell {
namespace {

// The plain name that an expression spells, without ".*" at its ends; none if
// it is not a plain name.
struct Spelled {
  std::string name;
  bool whole = false;  // there was no ".*"
};
std::optional<Spelled> SpelledBy(std::string_view pattern) {
  constexpr std::string_view kAnything = ".*";
  const size_t size = pattern.size();
  while (pattern.starts_with(kAnything)) {
    pattern.remove_prefix(kAnything.size());
  }
  while (pattern.ends_with(kAnything)) pattern.remove_suffix(kAnything.size());
  std::optional<std::string> name = NameOfRegex(pattern);
  if (!name || name->empty()) return {};
  return Spelled{*std::move(name), pattern.size() == size};
}

std::string SuggestName(NameIndex::Kind kind, const std::string& pattern,
                        NameIndex& names) {
  const std::optional<Spelled> spelled = SpelledBy(pattern);
  if (!spelled) return "";
  const std::string_view within = names.FirstWith(kind, spelled->name);
  if (!within.empty()) {
    // The name exists: another filter hides it.
    if (!spelled->whole || within == spelled->name ||
        names.Complete(kind, spelled->name + "/", 1).total > 0) {
      return "";
    }
    return fmt::format(
        "'{}' matches whole names only; names that contain it, such as {}, "
        "match '.*{}.*'",
        pattern, within, pattern);
  }
  const std::vector<std::string> near = names.Nearest(kind, spelled->name);
  if (near.empty()) return "";
  return fmt::format("nothing is called '{}'; {}", spelled->name,
                     util::DidYouMean(near));
}

}  // namespace

std::string SuggestNames(views::View view, const views::ViewOptions& options,
                         NameIndex& names) {
  const NameIndex::Kind rows =
      view == views::View::kOp     ? NameIndex::Kind::kTypes
      : view == views::View::kCode ? NameIndex::Kind::kCode
                                   : NameIndex::Kind::kNodes;
  const std::pair<NameIndex::Kind, const views::RegexPatterns*> lists[] = {
      {NameIndex::Kind::kTypes, &options.account_types},
      {rows, &options.start_names},
      {rows, &options.show_names},
  };
  std::string text;
  for (const auto& [kind, patterns] : lists) {
    for (const std::string& pattern : *patterns) {
      const std::string line = SuggestName(kind, pattern, names);
      if (line.empty()) continue;
      text += fmt::format("{}{}", text.empty() ? "" : "\n", line);
    }
  }
  return text;
}

}  // namespace tfprof::shell
