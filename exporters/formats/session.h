// A session of traces (g3doc/formats/session.md) as files of a folder or as one
// zip archive.
//
//   WriteSessionZip(folder, sink);              // what a server has
//   SessionParts parts = MakeSession(runs);     // of traces without a session
//   WriteZip(parts, sink);
//
// Parts are in one order, by folder and by name, and nothing that is written
// depends on the clock: equal sessions are equal bytes. Traces whose data are
// missing are left out, and so is server.json, which has a secret. The bytes of
// parts are those of the files, mapped where they are large.

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
#include "loaders/import_log.h"
#include "loaders/input_file.h"
#include "util/sink.h"

namespace tfprof {

struct SessionPart {
  std::string name;  // "traces/000001.pb"
  std::shared_ptr<const InputFile> file;
};
using SessionParts = std::vector<SessionPart>;

// A RunMetadata, and what is known of it; -1: it is not known.
struct SessionRun {
  std::shared_ptr<const InputFile> file;
  int64_t rank = -1;
  int64_t row = 0;     // which kind of run of its process
  int64_t number = 0;  // which trace of it
  int64_t step = -1;
  int64_t start_ns = -1, duration_ns = -1;
};

// A kind of run of a process.
struct SessionRow {
  int64_t rank = -1;
  int64_t row = 0;
  std::string fetches;
  int64_t runs = 0;
};

struct NewSession {
  std::vector<SessionRun> runs;
  std::vector<SessionRow> rows;
  // Of all of them; nullptr: none.
  std::shared_ptr<const InputFile> graph;
};

// Processes are clients "c1", "c2" …, in the order of their ranks.
SessionParts MakeSession(const NewSession& session);

// The parts of a session that is there: of the file of its manifest, or of an
// archive. An error if it has no trace. What is wrong with an archive is put
// into the log.
absl::StatusOr<SessionParts> ReadSession(const std::string& path,
                                         ImportLog& log);

absl::Status WriteZip(std::span<const SessionPart> parts, Sink& sink);

// The session in `folder` as an archive.
absl::Status WriteSessionZip(const std::string& folder, Sink& sink);

}  // namespace tfprof

#endif  // TFPROF_EXPORTERS_FORMATS_SESSION_H_
