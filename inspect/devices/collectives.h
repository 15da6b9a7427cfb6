// Collectives: what the ranks of a job called, from dumps of a flight recorder,
// and where they stopped calling the same.
//
// timeline/ranks/divergence.h has the rules. Output times are microseconds.

#ifndef TFPROF_INSPECT_DEVICES_COLLECTIVES_H_
#define TFPROF_INSPECT_DEVICES_COLLECTIVES_H_

#include "profile/profile.h"
#include "tables/data_table.h"

namespace tfprof::inspect {

// Returns the tables "divergent" (where groups stopped, and because of which
// other group), "ranks"
// (members without a dump have no entries), "unfinished" (ranks that wait in a
// group), "groups" and "point_to_point".
tables::DataDocument CollectivesDocument(const profile::Profile& profile);

// Returns "ranks" alone, as the table "lateness".
tables::DataTable LatenessTable(const profile::Profile& profile);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_DEVICES_COLLECTIVES_H_
