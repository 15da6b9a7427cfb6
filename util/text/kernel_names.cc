#include "util/text/kernel_names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "fmt/ranges.h"
#include "util/text/ascii.h"

namespace tfprof::util {
namespace {

// Longer names are not parsed, and deeper arguments not looked at.
constexpr size_t kMaxName = 1 << 16;
constexpr int kMaxDepth = 24;
// More arguments that say what is computed would not help.
constexpr size_t kMaxShown = 2;
// Equal short names with more to add are numbered.
constexpr size_t kMaxAdded = 24;
constexpr std::string_view kAnonymous = "(anonymous namespace)";

bool IsIdentifierChar(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         c == '_' || c == '$' || c == '~';
}

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Removes `prefix`; false if `text` does not begin with it.
bool Consume(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// A name of C++ in its parts: "ns::Base<args>(parameters)::{lambda…}".
struct Entity {
  std::string_view base;
  std::vector<std::string_view> args;
  std::optional<std::string_view> parameters;
  std::string_view scope;  // of the base: "ns::Class"
  bool local = false;      // something in this function, such as a lambda
};

// Returns the position after the bracket that closes the one at `at`, npos if
// none does.
size_t AfterBracket(std::string_view text, size_t at) {
  std::string open;
  for (size_t i = at; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<' || c == '(' || c == '{' || c == '[') {
      open += c == '<' ? '>' : c == '(' ? ')' : c == '{' ? '}' : ']';
    } else if (c == '>' || c == ')' || c == '}' || c == ']') {
      if (c == '>' && i > 0 && text[i - 1] == '-') continue;  // "->"
      if (open.empty() || open.back() != c) return std::string_view::npos;
      open.pop_back();
      if (open.empty()) return i + 1;
    }
  }
  return std::string_view::npos;
}

// The arguments between brackets, which are not in `text`.
std::vector<std::string_view> SplitArguments(std::string_view text) {
  std::vector<std::string_view> args;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size();) {
    if (i == text.size() || text[i] == ',') {
      const std::string_view arg = Trimmed(text.substr(begin, i - begin));
      if (!arg.empty()) args.push_back(arg);
      begin = ++i;
      continue;
    }
    const bool opens = text[i] == '<' || text[i] == '(' || text[i] == '{';
    i = opens ? std::min(AfterBracket(text, i), text.size()) : i + 1;
  }
  return args;
}

// Reads a name without a return type. nullopt if `text` is something else.
std::optional<Entity> ParseEntity(std::string_view text) {
  Entity entity;
  Entity outer;  // of which "operator()" is a member
  size_t i = 0;
  while (i < text.size()) {
    if (text.substr(i).starts_with(kAnonymous)) {
      i += kAnonymous.size();
      entity = {};
    } else if (text[i] == '{') {
      i = AfterBracket(text, i);
      if (i > text.size()) return std::nullopt;
    } else if (IsIdentifierChar(text[i])) {
      const size_t begin = i;
      while (i < text.size() && IsIdentifierChar(text[i])) ++i;
      outer = std::exchange(entity, {.base = text.substr(begin, i - begin)});
    } else if (text[i] == '<' && !entity.base.empty()) {
      const size_t end = AfterBracket(text, i);
      if (end > text.size()) return std::nullopt;
      entity.args = SplitArguments(text.substr(i + 1, end - i - 2));
      i = end;
    } else if (text[i] == '(' && !entity.base.empty()) {
      const size_t end = AfterBracket(text, i);
      if (end > text.size()) return std::nullopt;
      if (entity.base == "operator") {
        entity = outer;
        i = end;
        continue;
      }
      entity.parameters = text.substr(i + 1, end - i - 2);
      entity.local = text.find("::", end) != std::string_view::npos;
      break;
    } else {
      return std::nullopt;
    }
    if (i == text.size()) break;
    if (text.substr(i).starts_with("::")) {
      i += 2;
      if (i == text.size()) return std::nullopt;
    } else if (text[i] != '<' && text[i] != '(') {
      // "X const*", "X&": the type without what is added to it.
      const std::string_view rest = Trimmed(text.substr(i));
      if (rest.starts_with("const") || rest[0] == '*' || rest[0] == '&') {
        break;
      }
      return std::nullopt;
    }
  }
  if (entity.base.empty()) return std::nullopt;
  entity.scope =
      text.substr(0, static_cast<size_t>(entity.base.data() - text.data()));
  if (entity.scope.ends_with("::")) entity.scope.remove_suffix(2);
  return entity;
}

bool IsNumber(std::string_view text) {
  return text.empty() || IsDigit(text[0]) || text[0] == '-' || text[0] == '(';
}

bool IsBuiltin(std::string_view word) {
  static constexpr auto kWords = std::to_array<std::string_view>(
      {"bool", "char", "double", "false", "float", "half", "int", "long",
       "short", "signed", "true", "unsigned", "void"});
  return std::binary_search(kWords.begin(), kWords.end(), word);
}

// True for the name of a function object: what a general kernel computes.
bool IsFunctor(std::string_view base) {
  static constexpr auto kOfTheStandard = std::to_array<std::string_view>(
      {"bit_and", "bit_or", "divides", "greater", "less", "logical_and",
       "logical_or", "maximum", "minimum", "minus", "modulus", "multiplies",
       "negate", "plus"});
  return base.find("Functor") != std::string_view::npos ||
         base.find("functor") != std::string_view::npos ||
         base.ends_with("Ops") || base.ends_with("Op") ||
         base.ends_with("_op") ||
         std::binary_search(kOfTheStandard.begin(), kOfTheStandard.end(), base);
}

// What an argument of a template says about the work: the innermost function
// object or function in it. Empty if it says nothing.
std::string_view Telling(std::string_view arg, int depth) {
  if (depth > kMaxDepth || IsNumber(arg)) return {};
  const std::optional<Entity> entity = ParseEntity(arg);
  if (!entity) return {};
  for (const std::string_view inner : entity->args) {
    const std::string_view telling = Telling(inner, depth + 1);
    if (!telling.empty()) return telling;
  }
  if (entity->local || IsFunctor(entity->base)) return entity->base;
  return {};
}

// True for a kernel that only calls the code of its argument.
bool IsCaller(std::string_view base) {
  static constexpr auto kCallers = std::to_array<std::string_view>(
      {"Kernel", "Kernel2", "device_kernel", "global_kernel", "kentry",
       "kernel", "kernel_entry"});
  return base.starts_with("enable_") ||
         std::binary_search(kCallers.begin(), kCallers.end(), base);
}

// The code that a kernel of IsCaller() calls: its first argument that is a
// template, or else its first name.
std::string_view Called(const Entity& caller, int depth) {
  std::string_view name;
  for (const std::string_view arg : caller.args) {
    if (IsNumber(arg)) continue;
    const std::optional<Entity> entity = ParseEntity(arg);
    if (!entity || IsBuiltin(entity->base)) continue;
    if (!entity->args.empty()) {
      if (!IsCaller(entity->base) || depth > kMaxDepth) return entity->base;
      const std::string_view called = Called(*entity, depth + 1);
      return called.empty() ? entity->base : called;
    }
    if (name.empty()) name = entity->base;
  }
  return name;
}

// True if parameters can only be those of C++: "float*, int" but not "step".
bool AreTypes(std::string_view parameters) {
  if (parameters.find_first_of("*&<") != std::string_view::npos) return true;
  return std::ranges::any_of(
      SplitArguments(parameters), [](std::string_view parameter) {
        return IsBuiltin(parameter.substr(0, parameter.find(' ')));
      });
}

std::string OfSignature(std::string_view name) {
  std::string_view text = name;
  bool has_return_type = Consume(text, "void ");
  // "std::enable_if<(flag), void>::type name": the condition of a template.
  constexpr std::string_view kType = ">::type ";
  if (text.starts_with("std::enable_if")) {
    const size_t end = text.find(kType);
    has_return_type = end != std::string_view::npos;
    if (has_return_type) text.remove_prefix(end + kType.size());
  }
  // A copy of a function that the compiler specialised.
  text = text.substr(0, text.find(" [clone"));
  const std::optional<Entity> entity = ParseEntity(text);
  if (!entity) return std::string(name);
  const bool is_kernel =
      has_return_type || !entity->args.empty() ||
      (entity->parameters &&
       (!entity->scope.empty() || AreTypes(*entity->parameters)));
  if (!is_kernel) return std::string(name);
  if (IsCaller(entity->base)) {
    const std::string_view called = Called(*entity, 0);
    if (!called.empty()) return std::string(called);
    const size_t outer = entity->scope.rfind("::");
    const std::string_view scope =
        entity->scope.substr(outer == std::string_view::npos ? 0 : outer + 2);
    return fmt::format("{}{}{}", scope,
                       scope.empty() ? "" : "::", entity->base);
  }
  std::vector<std::string_view> shown;
  for (const std::string_view arg : entity->args) {
    const std::string_view telling = Telling(arg, 0);
    if (!telling.empty() && shown.size() < kMaxShown) shown.push_back(telling);
  }
  return shown.empty()
             ? std::string(entity->base)
             : fmt::format("{}<{}>", entity->base, fmt::join(shown, ", "));
}

// The names in a mangled nested name, "N2ck16tensor_operation6KernelI", up to
// its arguments; moves `text` after them.
std::string_view LastOfNested(std::string_view& text) {
  std::string_view last;
  Consume(text, "N");
  while (!text.empty()) {
    if (text[0] == 'S') {  // a name that was there before: "S_", "S12_", "St"
      const size_t end =
          text.find_first_not_of("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ", 1);
      text.remove_prefix(std::min(
          end == std::string_view::npos ? text.size() : end + 1, text.size()));
      continue;
    }
    size_t size = 0;
    size_t digits = 0;
    while (digits < text.size() && digits < 4 && IsDigit(text[digits])) {
      size = size * 10 + static_cast<size_t>(text[digits++] - '0');
    }
    if (digits == 0 || size == 0 || size > text.size() - digits) break;
    last = text.substr(digits, size);
    text.remove_prefix(digits + size);
  }
  return last;
}

std::string OfMangled(std::string_view name) {
  std::string_view text = name.substr(2);
  std::string_view base = LastOfNested(text);
  while (IsCaller(base) && Consume(text, "I")) {
    const std::string_view called = LastOfNested(text);
    if (called.empty()) break;
    base = called;
  }
  return std::string(base.empty() ? name : base);
}

// Names of BLAS libraries list all choices of the kernel. Those after the size
// of its tile say how it was built.
std::string OfLibrary(std::string_view name) {
  for (const std::string_view tile : {"_MT", "_tilesize"}) {
    const size_t at = name.find(tile);
    if (at == std::string_view::npos || at == 0) continue;
    const size_t size = at + tile.size();
    if (size >= name.size() || !IsDigit(name[size])) {
      continue;
    }
    return std::string(name.substr(0, name.find('_', size)));
  }
  return std::string(name);
}

std::string WithoutScopes(std::string_view name) {
  constexpr std::string_view kDescriptor = ".kd";  // of a kernel in ROCm
  if (name.ends_with(kDescriptor)) name.remove_suffix(kDescriptor.size());
  if (name.starts_with("_Z")) return OfMangled(name);
  const bool has_brackets = name.find_first_of("<(") != std::string_view::npos;
  return has_brackets ? OfSignature(name) : OfLibrary(name);
}

// Returns the position after the last '/' that is in no brackets, 0 if there is
// none.
size_t AfterScopes(std::string_view name) {
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '<' || c == '(' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == '}') --depth;
    if (c == '/' && depth == 0) begin = i + 1;
  }
  return begin;
}

std::vector<std::string_view> Words(std::string_view name) {
  std::vector<std::string_view> words;
  for (size_t i = 0; i < name.size();) {
    const size_t begin = i;
    while (i < name.size() && IsIdentifierChar(name[i])) ++i;
    if (i > begin) words.push_back(name.substr(begin, i - begin));
    if (i < name.size()) ++i;
  }
  return words;
}

}  // namespace

std::string ShortKernelName(std::string_view name) {
  if (name.size() > kMaxName) return std::string(name);
  if (name.starts_with('%')) {
    const size_t end = name.find(" = ");
    return std::string(end == std::string_view::npos ? name
                                                     : name.substr(1, end - 1));
  }
  const size_t begin = AfterScopes(name);
  return fmt::format("{}{}", name.substr(0, begin),
                     WithoutScopes(name.substr(begin)));
}

std::vector<std::string> ShortKernelNames(
    const std::vector<std::string_view>& names) {
  std::vector<std::string> shown;
  std::map<std::string, std::vector<size_t>> same;
  for (size_t i = 0; i < names.size(); ++i) {
    shown.push_back(ShortKernelName(names[i]));
    same[shown[i]].push_back(i);
  }
  for (const auto& [text, group] : same) {
    if (group.size() == 1) continue;
    std::vector<std::vector<std::string_view>> words;
    size_t most = 0;
    for (const size_t i : group) {
      words.push_back(Words(names[i]));
      most = std::max(most, words.back().size());
    }
    // The words in which the names differ, until each is different.
    std::vector<std::vector<std::string_view>> added(group.size());
    for (size_t w = 0; w < most; ++w) {
      const auto word = [&](size_t n) {
        return w < words[n].size() ? words[n][w] : std::string_view();
      };
      std::map<std::vector<std::string_view>, std::vector<std::string_view>>
          by_added;
      for (size_t n = 0; n < group.size(); ++n) {
        by_added[added[n]].push_back(word(n));
      }
      if (by_added.size() == group.size()) break;
      const bool helps = std::ranges::any_of(by_added, [](const auto& found) {
        return std::ranges::any_of(found.second, [&](std::string_view other) {
          return other != found.second[0];
        });
      });
      if (!helps) continue;
      for (size_t n = 0; n < group.size(); ++n) added[n].push_back(word(n));
    }
    for (size_t n = 0; n < group.size(); ++n) {
      std::erase(added[n], std::string_view());
      if (added[n].empty()) continue;
      std::string words_added = fmt::format("{}", fmt::join(added[n], " "));
      if (words_added.size() > kMaxAdded) {
        words_added = fmt::format("{} of {}", n + 1, group.size());
      }
      shown[group[n]] += fmt::format(" [{}]", words_added);
    }
  }
  return shown;
}

}  // namespace tfprof::util
