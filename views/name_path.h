// Names as paths: the rule for profiles without a table of scopes.
//
// TensorFlow divides names by '/': "tower/conv1/weights" is the part "weights"
// of the scope "tower/conv1", whether there is a node of that name or not.
// Parts may be empty ("a//b", "/a"). Only this file knows where a name is
// divided; code that works with a table of scopes (profile/scopes.h) does not
// use it. A path that a user types is divided in the same way.
//
// Where a profile has no scopes but modules, the path of a node begins with the
// name of its module.

#ifndef TFPROF_VIEWS_NAME_PATH_H_
#define TFPROF_VIEWS_NAME_PATH_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

namespace tfprof {

inline constexpr char kPathSeparator = '/';

// The scope that `name` is in; nullopt: it is at the root.
inline std::optional<std::string_view> ScopeOfPath(std::string_view name) {
  const size_t separator = name.rfind(kPathSeparator);
  if (separator == name.npos) return std::nullopt;
  return name.substr(0, separator);
}

// "weights" of "tower/conv1/weights".
inline std::string_view LastPart(std::string_view name) {
  return name.substr(name.rfind(kPathSeparator) + 1);  // npos + 1 == 0
}

// The part before the first separator.
inline std::string_view FirstPart(std::string_view path) {
  return path.substr(0, std::min(path.find(kPathSeparator), path.size()));
}

// True if ScopeOfPath(name) is `scope`. Cheap for most names that are not in
// `scope`.
inline bool IsPathIn(std::string_view name, std::string_view scope) {
  return name.size() > scope.size() && name[scope.size()] == kPathSeparator &&
         name.find(kPathSeparator, scope.size() + 1) == name.npos &&
         name.substr(0, scope.size()) == scope;
}

}  // namespace tfprof

#endif  // TFPROF_VIEWS_NAME_PATH_H_
