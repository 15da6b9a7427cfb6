// Place: a position in the scopes of a profile, or in its code.
//
//   Place here;                                   // the root of the scopes
//   FindPlace(views, here, "conv1/w", …);         // a place below it
//   FindPlace(views, there, "../b");              // a sibling of it
//   FindPlace(views, there, "code:/train.py:12"); // the other tree
//
// Paths look like paths of a file system: names separated by '/', "..", ".",
// and a leading '/' for the root. The prefixes "scope:" and "code:" choose the
// tree and start at its root. In the code tree a name is
// "file.py:line:function"; the beginning of a name is enough if it is unique. A
// scope whose name has empty parts ("a//b") is found by its full name. If the
// loader built the scopes (profile/tables/scopes.h), a part may contain '/':
// the longest part that exists counts.
//
// A Place holds rows of the views' tables: it is valid for one Views.

#ifndef TFPROF_INSPECT_NODES_PLACE_H_
#define TFPROF_INSPECT_NODES_PLACE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "views/views.h"

namespace tfprof::inspect {

struct Place {
  views::View tree = views::View::kScope;  // or kCode
  // The rows from below the root down to the place; empty for the root.
  std::vector<uint32_t> rows;

  uint32_t row() const { return rows.empty() ? views::kRootRow : rows.back(); }
};

// NotFound lists the nearest names. FailedPrecondition: "code:" without call
// stacks.
absl::StatusOr<Place> FindPlace(views::Views& views, const Place& from,
                                std::string_view path);

// "/conv1/w", "code:/train.py:12:main": a path that FindPlace accepts from any
// place.
std::string PlaceText(views::Views& views, const Place& place);

// The last part of a row's name: "w" of "conv1/w".
std::string_view RowLabel(views::Views& views, views::View tree, uint32_t row);

// The graph nodes at and below a place, each once.
std::vector<profile::NodeId> NodesBelow(views::Views& views,
                                        const Place& place);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_NODES_PLACE_H_
