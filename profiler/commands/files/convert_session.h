// `convert -to session`: the RunMetadata that were loaded, or a session, as the
// folder of a session or as a zip archive.

#ifndef TFPROF_PROFILER_COMMANDS_FILES_CONVERT_SESSION_H_
#define TFPROF_PROFILER_COMMANDS_FILES_CONVERT_SESSION_H_

#include "absl/status/statusor.h"
#include "exporters/formats/session.h"
#include "loaders/core/load.h"
#include "profiler/options/options.h"
#include "tables/answer.h"

namespace tfprof::commands {

// The files to write, a part for each. Returns an error if neither a session
// nor pickles were loaded.
absl::StatusOr<exporters::SessionParts> SessionPartsOf(
    const options::ConvertSpec& spec, const loaders::Loaded& loaded);

tables::Answer SessionAnswer(const options::ConvertSpec& spec,
                             const loaders::Loaded& loaded);

}  // namespace tfprof::commands

#endif  // TFPROF_PROFILER_COMMANDS_FILES_CONVERT_SESSION_H_
