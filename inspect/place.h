// Place: a position in the scopes of a profile, or in its code.
//
//   Place here;                                   // the root of the scopes
//   FindPlace(views, here, "conv1/w", …);         // one below it
//   FindPlace(views, there, "../b");              // beside it
//   FindPlace(views, there, "code:/train.py:12"); // the other tree
//
// Paths are those of a file system: names between '/', "..", ".", a leading '/'
// for the root. "scope:" and "code:" before a path choose the tree and begin at
// its root. In the code tree a name is "file.py:line:function"; its beginning
// is enough if only one child has it. A scope whose name has empty parts
// ("a//b") is found by its full name. If the loader built the scopes
// (profile/scopes.h), a part may have '/' in it: the longest part that exists
// counts.
//
// A Place holds rows of the views' tables: it is valid for one Views.

#ifndef TFPROF_INSPECT_PLACE_H_
#define TFPROF_INSPECT_PLACE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "views/views.h"

namespace tfprof {

struct Place {
  View tree = View::kScope;  // or kCode
  // From below the root down to the place; empty: the root.
  std::vector<uint32_t> rows;

  uint32_t row() const { return rows.empty() ? kRootRow : rows.back(); }
};

// NotFound with the nearest names; FailedPrecondition for "code:" without call
// stacks.
absl::StatusOr<Place> FindPlace(Views& views, const Place& from,
                                std::string_view path);

// "/conv1/w", "code:/train.py:12:main": a path that FindPlace accepts from any
// place.
std::string PlaceText(Views& views, const Place& place);

// The last part of a row's name: "w" of "conv1/w".
std::string_view RowLabel(Views& views, View tree, uint32_t row);

// The graph nodes at and below a place, each once.
std::vector<NodeId> NodesBelow(Views& views, const Place& place);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_PLACE_H_
