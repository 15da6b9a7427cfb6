// `convert -to session`: the RunMetadata that were loaded, or a session, as the
// folder of a session or as a zip archive.

#ifndef TFPROF_PROFILER_COMMANDS_CONVERT_SESSION_H_
#define TFPROF_PROFILER_COMMANDS_CONVERT_SESSION_H_

#include "absl/status/statusor.h"
#include "exporters/formats/session.h"
#include "loaders/load.h"
#include "profiler/options/options.h"
#include "tables/answer.h"

namespace tfprof {

// What is written: a part for each file. An error if what was loaded is
// neither.
absl::StatusOr<SessionParts> SessionPartsOf(const ConvertSpec& spec,
                                            const Loaded& loaded);

Answer SessionAnswer(const ConvertSpec& spec, const Loaded& loaded);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_COMMANDS_CONVERT_SESSION_H_
