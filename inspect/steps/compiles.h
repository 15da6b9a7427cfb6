// Compiles: what torch.compile compiled, why again, and where it gave up.
//
// Logs of the compiler (profile/tables/compile_logs.h) have the compilations.
// Traces of runs have regions instead: each run of compiled code is an
// execution named "Torch-Compiled Region: ID", with the id of the compilation.
// Regions nest when a resumed function is called from the one before it, so
// their times must not be added up. The first run of a region contains its
// compilation.
//
// Output times are microseconds.

#ifndef TFPROF_INSPECT_STEPS_COMPILES_H_
#define TFPROF_INSPECT_STEPS_COMPILES_H_

#include "profile/profile.h"
#include "tables/data_table.h"

namespace tfprof::inspect {

// Returns the tables "compiles", "recompiles", "graph_breaks", "failures",
// "caches", "phases", "differences" (compilations that only some ranks have)
// and "regions". A rank without a number has no value.
tables::DataDocument CompilesDocument(const profile::Profile& profile);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_STEPS_COMPILES_H_
