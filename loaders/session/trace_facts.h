// SessionTrace: the facts about a trace of a session, from a JSON file beside
// it (g3doc/formats/session.md).
//
// A session may come from anywhere. A value that is missing or of another type
// gets its default; only text that is not JSON is an error. Texts may have any
// characters; they are cut to kMaxText.

#ifndef TFPROF_LOADERS_SESSION_TRACE_FACTS_H_
#define TFPROF_LOADERS_SESSION_TRACE_FACTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace tfprof::session {

struct SessionTrace {
  static constexpr size_t kMaxText = 4096;

  std::string id;    // "000012"
  std::string file;  // "000012.pb", in the same folder
  std::string kind;  // "run_metadata", "xspace", "kineto"
  std::string client;
  std::string fetches;
  std::string graph;  // file in graphs/, without ".pb"; "": none
  std::string host;
  int64_t row = -1;       // number of the kind of run of its client
  int64_t count = -1;     // number of this execution, from 1
  int64_t number = -1;    // number of this trace, from 0
  int64_t rank = -1;      // -1: unknown
  int64_t start_ns = -1;  // by the wall clock
};

// Returns InvalidArgument with the offset if `text` is not a JSON object.
absl::StatusOr<SessionTrace> ParseSessionTrace(std::string_view text);

// Returns the version of the session from its manifest `text`, as far as the
// text is intact; 0: it has no version. nullopt: it is not the manifest of a
// session.
std::optional<int64_t> SessionVersion(std::string_view text);

}  // namespace tfprof::session

#endif  // TFPROF_LOADERS_SESSION_TRACE_FACTS_H_
