// Names as paths: the rule for profiles without a table of scopes.
//
// TensorFlow divides names at '/': "tower/conv1/weights" is the part "weights"
// of the scope "tower/conv1", whether a node of that name exists or not. Parts
// may be empty ("a//b", "/a"). Only this file knows where a name is divided;
// code for tables of scopes (profile/tables/scopes.h) does not use it. A path
// that a user types is divided in the same way.
//
// If a profile has modules but no scopes, the path of a node begins with the
// name of its module.

#ifndef TFPROF_VIEWS_NAME_PATH_H_
#define TFPROF_VIEWS_NAME_PATH_H_

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

namespace tfprof::views {

inline constexpr char kPathSeparator = '/';

// Returns the scope of `name`, or nullopt if it is at the root.
inline std::optional<std::string_view> ScopeOfPath(std::string_view name) {
  const size_t separator = name.rfind(kPathSeparator);
  if (separator == name.npos) return std::nullopt;
  return name.substr(0, separator);
}

// Returns "weights" for "tower/conv1/weights".
inline std::string_view LastPart(std::string_view name) {
  return name.substr(name.rfind(kPathSeparator) + 1);  // npos + 1 == 0
}

// Returns the part before the first separator.
inline std::string_view FirstPart(std::string_view path) {
  return path.substr(0, std::min(path.find(kPathSeparator), path.size()));
}

// Returns true if ScopeOfPath(name) is `scope`. Fast for most names outside
// `scope`.
inline bool IsPathIn(std::string_view name, std::string_view scope) {
  return name.size() > scope.size() && name[scope.size()] == kPathSeparator &&
         name.find(kPathSeparator, scope.size() + 1) == name.npos &&
         name.substr(0, scope.size()) == scope;
}

}  // namespace tfprof::views

#endif  // TFPROF_VIEWS_NAME_PATH_H_
