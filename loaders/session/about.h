// SessionTrace: the facts of a trace of a session, which are a file of JSON
// beside it (g3doc/formats/session.md).
//
// A session comes from anywhere: a value that is missing or of another type has
// its default, and only what is not JSON at all is an error. Texts have any
// characters, at most kMaxText of them.

#ifndef TFPROF_LOADERS_SESSION_ABOUT_H_
#define TFPROF_LOADERS_SESSION_ABOUT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace tfprof {

struct SessionTrace {
  static constexpr size_t kMaxText = 4096;

  std::string id;    // "000012"
  std::string file;  // "000012.pb", in the same folder
  std::string kind;  // "run_metadata", "xspace", "kineto"
  std::string client;
  std::string fetches;
  std::string graph;  // of graphs/, without ".pb"; "": none
  std::string host;
  int64_t row = -1;       // the kind of run, of its client
  int64_t count = -1;     // which execution of it, from 1
  int64_t number = -1;    // which trace of it, from 0
  int64_t rank = -1;      // -1: not known
  int64_t start_ns = -1;  // of the wall clock
};

// InvalidArgument: `text` is not a JSON object; the message has the offset.
absl::StatusOr<SessionTrace> ParseSessionTrace(std::string_view text);

// The version of the session whose manifest `text` is, read as far as the text
// is whole; 0: it does not say it. nullopt: this is no manifest of a session.
std::optional<int64_t> SessionVersion(std::string_view text);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_SESSION_ABOUT_H_
