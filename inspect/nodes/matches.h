// Nodes whose names contain what a person typed.

#ifndef TFPROF_INSPECT_NODES_MATCHES_H_
#define TFPROF_INSPECT_NODES_MATCHES_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "profile/profile.h"
#include "tables/data_table.h"
#include "views/options.h"
#include "views/views.h"

namespace tfprof::inspect {

// The nodes whose name or op `part` matches (util/text/name_match.h), the most
// expensive of the step of `options` first.
std::vector<profile::NodeId> NodesLike(views::Views& views,
                                       std::string_view part,
                                       const views::ViewOptions& options);

// A row for each of `nodes`, at most `max_rows` (0: all).
tables::DataTable MatchesTable(views::Views& views, std::string_view part,
                               const std::vector<profile::NodeId>& nodes,
                               const views::ViewOptions& options,
                               size_t max_rows);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_NODES_MATCHES_H_
