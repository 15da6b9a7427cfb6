// The records of a live session: who trains, which runs there are, what is to
// be traced, and what was traced.
//
// Times are nanoseconds; those that end in _at_ns, and start_ns, are of the
// wall clock (Unix). -1 is "not known" for a duration, a step or a rank. Texts
// come from other programs: any bytes, at most kMaxLiveText of them. Values
// that a run was fed are nowhere here, only the names of what was fed.

#ifndef TFPROF_SERVER_LIVE_MODEL_H_
#define TFPROF_SERVER_LIVE_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tfprof {

inline constexpr size_t kMaxLiveText = 4096;

// A kind of run of one client: the same fetches and names of feeds.
struct LiveRow {
  int64_t row = 0;
  std::string fetches;
  std::vector<std::string> feeds;
  std::string options;
  std::string kind;  // "session.run", "keras", "function", "step"
  int64_t runs = 0;  // completed, traced ones too
  int64_t failed = 0;
  int64_t traces = 0;  // ever taken
  int64_t last_ns = -1;
  // Of the runs that were not traced.
  int64_t mean_ns = -1, p50_ns = -1, p95_ns = -1, p99_ns = -1;
  int64_t traced_mean_ns = -1;
  int64_t first_at_ns = -1, last_at_ns = -1;
  int64_t step = -1;
  std::vector<int64_t> spark;  // the last durations, oldest first
  uint64_t version = 0;        // of the session when it changed
};

// What a client could not deliver.
struct LiveLoss {
  int64_t traces = 0;
  int64_t bytes = 0;
  std::string why;
};

// What is to be traced, by one client.
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
  // What the client says about it.
  std::string state = "sent";  // "sent", "armed", "done", "missed"
  std::optional<int64_t> left;
  std::string why;
  int64_t finished_at_ns = 0;  // 0: it is not
};

// A process that trains.
struct LiveClient {
  std::string client;  // "c1"
  std::string key;     // that the process made, so that it is known again
  std::string name;
  int64_t rank = -1, ranks = -1;
  std::string host;
  int64_t pid = 0;
  std::string framework;
  int64_t started_at_ns = 0;
  bool active = false;  // it is in a session of training
  std::string end;      // "": it goes on; "ok"; "error: TEXT"
  int64_t last_heard_ns = 0;
  LiveLoss waiting, dropped;
  std::map<int64_t, LiveRow> rows;
  bool lost = false;   // not heard for some seconds
  bool saved = false;  // its file says what is here
};

// The facts of a trace; its data is a file of the session.
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
  int64_t count = 0;   // which execution of the row, from 1
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

// What a client says now and then.
struct LiveUpdate {
  bool active = false;
  std::vector<LiveRow> rows;  // those that changed
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

// What a page asks for. Without `client`, every client that trains.
struct LiveRequest {
  std::string client;
  std::optional<int64_t> row;
  // The same kind of run of the other clients too.
  bool everywhere = false;
  // The count is chosen so that no client has reached it.
  bool at_next = false;
  LiveOrder order;
};

struct LiveLimits {
  int64_t keep_traces = 5;  // of each row, without the pinned ones
  int64_t session_bytes = int64_t{256} << 20;  // of all traces
};

}  // namespace tfprof

#endif  // TFPROF_SERVER_LIVE_MODEL_H_
