// The captures of graphs in a Kineto file.
//
// A program captures a graph between two calls of the runtime,
// "…StreamBeginCapture" and "…StreamEndCapture". What it calls between them
// does not run; it becomes a part of the graph. A graph that is replayed later
// has one launch for all of its kernels, so only the capture knows which
// operator called which kernel.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_REPLAYS_CAPTURES_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_REPLAYS_CAPTURES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "loaders/chrome_json/kineto/events.h"
#include "loaders/chrome_json/kineto/replays/replay_pairs.h"

namespace tfprof::kineto {

struct GraphCapture {
  uint32_t begin = 0;  // the call that begins it, in KinetoEvents::host
  // What it called, in the order of time. Calls without a caller are left out:
  // the runtime made them by itself.
  std::vector<CapturedWork> work;
  // For each, the operator that called it, else the call itself; in
  // KinetoEvents::host.
  std::vector<uint32_t> owner;
};

// Names that calls and kernels share (CapturedWork::kind).
class WorkKinds {
 public:
  explicit WorkKinds(profile::StringPool& strings);

  profile::StringId OfKernel(profile::StringId name) const;
  // `kernel` is kNone if the call names none.
  profile::StringId OfCall(profile::StringId call,
                           profile::StringId kernel) const;

 private:
  const profile::StringPool& strings_;
  profile::StringId copy_;
  profile::StringId fill_;
};

// Returns the captures in the order in which they begin in the file; none if
// two of them overlap, because then nothing tells their calls apart.
std::vector<GraphCapture> FindCaptures(const KinetoEvents& events,
                                       const profile::StringPool& strings,
                                       const WorkKinds& kinds);

// Returns whether the file has the begin and the end of a capture.
bool HasCapture(const KinetoEvents& events, const profile::StringPool& strings);

// Returns N if the file has an annotation "capture_N_MODE", else -1.
int64_t AnnotatedBatch(const KinetoEvents& events,
                       const profile::StringPool& strings);

// Returns N of "…bs_N…" in the name of a file, or -1.
int64_t BatchOfPath(std::string_view path);

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_REPLAYS_CAPTURES_H_
