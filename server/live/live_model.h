// The records of a live session: the training processes, their runs, orders to
// trace runs, and traces.
//
// Times are nanoseconds; start_ns and fields that end in _at_ns are Unix time.
// -1 means an unknown duration, step or rank. Texts come from other programs:
// any bytes, at most kMaxLiveText of them. Values that are fed to a run are
// never recorded, only the names of its feeds.

#ifndef TFPROF_SERVER_LIVE_LIVE_MODEL_H_
#define TFPROF_SERVER_LIVE_LIVE_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tfprof::server {

inline constexpr size_t kMaxLiveText = 4096;
// In a session, over all its clients.
inline constexpr size_t kMaxOrders = 100'000;
// A program looks at its orders in every run, and reads no more.
inline constexpr size_t kMaxClientOrders = 1000;
// The memory of the kinds of runs of one client, and of all clients. A file of
// a client stays small enough to be read at the next start.
inline constexpr size_t kMaxClientRunBytes = size_t{4} << 20;
inline constexpr size_t kMaxRunBytes = size_t{64} << 20;

// One kind of run of a client, with the same fetches and names of feeds.
struct LiveRunKind {
  int64_t row = 0;
  std::string fetches;
  std::vector<std::string> feeds;
  std::string options;
  std::string kind;  // "session.run", "keras", "function", "step"
  int64_t runs = 0;  // completed, including traced ones
  int64_t failed = 0;
  int64_t traces = 0;  // including deleted ones
  int64_t last_ns = -1;
  // Statistics of the runs that were not traced.
  int64_t mean_ns = -1, p50_ns = -1, p95_ns = -1, p99_ns = -1;
  int64_t traced_mean_ns = -1;
  int64_t first_at_ns = -1, last_at_ns = -1;
  int64_t step = -1;
  std::vector<int64_t> spark;  // the last durations, oldest first
  uint64_t version = 0;        // the session's version at its last change
};

// The memory of a kind of run.
inline size_t BytesOf(const LiveRunKind& row) {
  size_t bytes = sizeof(row) + row.fetches.size() + row.options.size() +
                 row.kind.size() + row.spark.size() * sizeof(int64_t);
  for (const std::string& feed : row.feeds) {
    bytes += sizeof(std::string) + feed.size();
  }
  return bytes;
}

// Traces that a client could not deliver.
struct LiveLoss {
  int64_t traces = 0;
  int64_t bytes = 0;
  std::string why;
};

// An order for one client to trace runs.
struct LiveOrder {
  uint64_t order = 0;
  std::string client;
  std::optional<int64_t> row;  // none: every row
  std::string
      rule;  // "next", "for", "every", "steps", "slower", "at", "global"
  int64_t count = 0;
  int64_t until_ns = 0;
  int64_t every = 0;
  std::vector<int64_t> steps;
  double slower = 0;
  int64_t at = 0;
  int64_t limit = 0;
  int64_t cool_down_ns = 0;
  // The progress that the client has reported.
  std::string state = "sent";  // "sent", "armed", "done", "missed"
  std::optional<int64_t> left;
  std::string why;
  int64_t finished_at_ns = 0;  // 0: not finished
};

// A training process.
struct LiveClient {
  std::string client;  // "c1"
  std::string key;     // chosen by the process to identify itself
  std::string name;
  int64_t rank = -1, ranks = -1;
  std::string host;
  int64_t pid = 0;
  std::string framework;
  int64_t started_at_ns = 0;
  bool active = false;  // it is inside a training session
  std::string end;      // "": not ended; "ok"; "error: TEXT"
  int64_t last_heard_ns = 0;
  LiveLoss waiting, dropped;
  std::map<int64_t, LiveRunKind> rows;
  size_t run_bytes = 0;             // of `rows`
  std::set<int64_t> rows_left_out;  // kinds of runs that were too large
  bool lost = false;                // no request for some seconds
  bool saved = false;               // its file is up to date
};

// The facts of a trace; its data is in a file of the session.
struct LiveTrace {
  std::string id;
  std::string file;  // "000001.pb", in traces/
  std::string client;
  std::string key;  // of the client
  int64_t row = 0;
  std::string fetches;
  std::vector<std::string> feeds;
  std::string options;
  int64_t number = 0;  // of this row, from 0
  int64_t count = 0;   // number of the run in its row, from 1
  int64_t step = -1;
  int64_t start_ns = 0;
  int64_t duration_ns = -1;
  std::string asked_by;
  std::string kind;  // "run_metadata", "xspace", "kineto"
  int64_t bytes = 0;
  int64_t rank = -1;
  std::string host;
  int64_t pid = 0;
  std::string graph;  // "": none; a file of graphs/
  bool pinned = false;
  std::string name;
};

// A periodic report of a client.
struct LiveUpdate {
  bool active = false;
  std::vector<LiveRunKind> rows;  // only changed ones
  struct Report {
    uint64_t order = 0;
    std::string state;
    std::optional<int64_t> left;
    std::string why;
  };
  std::vector<Report> orders;
  LiveLoss waiting, dropped;
  std::string end;
};

// A page's request to trace runs. Without `client`, it is for every training
// client.
struct LiveRequest {
  std::string client;
  std::optional<int64_t> row;
  // Also trace the same kind of run of the other clients.
  bool everywhere = false;
  // Choose a count that no client has reached yet.
  bool at_next = false;
  LiveOrder order;
};

struct LiveLimits {
  int64_t keep_traces = 5;  // of each row, without the pinned ones
  int64_t session_bytes = int64_t{256} << 20;  // of all traces
};

}  // namespace tfprof::server

#endif  // TFPROF_SERVER_LIVE_LIVE_MODEL_H_
