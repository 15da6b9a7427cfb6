// A session of traces (g3doc/formats/session.md) as files of a folder or as one
// zip archive.
//
//   WriteSessionZip(folder, sink);              // the session of a server
//   SessionParts parts = MakeSession(runs);     // from traces without one
//   WriteZip(parts, sink);
//
// Parts are sorted by folder and name, and the output does not depend on the
// clock: equal sessions give equal bytes. Traces without data are left out, and
// so is server.json, which contains a secret. Parts hold the bytes of the
// files; large files are mapped.

#ifndef TFPROF_EXPORTERS_FORMATS_SESSION_H_
#define TFPROF_EXPORTERS_FORMATS_SESSION_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "loaders/core/import_log.h"
#include "loaders/core/input_file.h"
#include "util/files/sink.h"

namespace tfprof::exporters {

struct SessionPart {
  std::string name;  // "traces/000001.pb"
  std::shared_ptr<const loaders::InputFile> file;
};
using SessionParts = std::vector<SessionPart>;

// A RunMetadata and its known facts; -1 means unknown.
struct NewTrace {
  std::shared_ptr<const loaders::InputFile> file;
  int64_t rank = -1;
  int64_t row = 0;     // the kind of run in its process
  int64_t number = 0;  // the number of the trace in it
  int64_t step = -1;
  int64_t start_ns = -1, duration_ns = -1;
};

// A kind of run of a process.
struct NewRow {
  int64_t rank = -1;
  int64_t row = 0;
  std::string fetches;
  int64_t runs = 0;
};

struct NewSession {
  std::vector<NewTrace> runs;
  std::vector<NewRow> rows;
  // The graph of all runs; nullptr if there is none.
  std::shared_ptr<const loaders::InputFile> graph;
};

// Processes become the clients "c1", "c2" …, in the order of their ranks.
SessionParts MakeSession(const NewSession& session);

// The parts of an existing session: of the file of its manifest, or of an
// archive. It is an error if the session has no trace. Damage of an archive is
// reported in the log.
absl::StatusOr<SessionParts> ReadSession(const std::string& path,
                                         loaders::ImportLog& log);

absl::Status WriteZip(std::span<const SessionPart> parts, util::Sink& sink);

// Writes the session in `folder` as an archive.
absl::Status WriteSessionZip(const std::string& folder, util::Sink& sink);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_FORMATS_SESSION_H_
