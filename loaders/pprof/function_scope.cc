#include "loaders/pprof/function_scope.h"

#include <algorithm>

namespace tfprof::pprof {
namespace {

// Splits "a/b/c.d" into a, b, c.
std::vector<std::string_view> GoPackage(std::string_view name) {
  // Arguments of types and of functions may contain other paths.
  name = name.substr(0, name.find_first_of("[("));
  std::vector<std::string_view> parts;
  size_t begin = 0;
  for (size_t end; (end = name.find('/', begin)) != name.npos;) {
    parts.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  const size_t dot = name.find('.', begin);
  if (dot != name.npos) parts.push_back(name.substr(begin, dot - begin));
  return parts;
}

// Splits "a::b<x::y>::c(d::e)" into a, b<x::y>.
std::vector<std::string_view> CppNamespaces(std::string_view name) {
  std::vector<std::string_view> parts;
  size_t begin = 0;
  int depth = 0;  // depth in template arguments
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '<') ++depth;
    if (c == '>') --depth;
    if (depth > 0) continue;
    // "(anonymous namespace)" is a part; another "(" begins the arguments.
    if (c == '(' && !name.substr(i).starts_with("(anonymous")) break;
    if (c == ':' && i + 1 < name.size() && name[i + 1] == ':') {
      parts.push_back(name.substr(begin, i - begin));
      begin = ++i + 1;
    }
  }
  return parts;
}

}  // namespace

std::vector<std::string_view> ScopeOfFunction(std::string_view function,
                                              std::string_view file) {
  std::vector<std::string_view> parts;
  if (function.find("::") != function.npos) {
    parts = CppNamespaces(function);
  } else if (file.ends_with(".go") || file.ends_with(".s")) {
    parts = GoPackage(function);
  }
  std::erase_if(parts, [](std::string_view part) { return part.empty(); });
  if (parts.empty()) {
    const std::string_view base = file.substr(file.rfind('/') + 1);
    if (!base.empty()) parts.push_back(base);
  }
  return parts;
}

}  // namespace tfprof::pprof
