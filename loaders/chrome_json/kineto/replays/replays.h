// Finds which captured call each kernel of a replayed graph is of.
//
// An engine captures a graph for each size of a batch, and a step replays the
// graph of the smallest size that is large enough. Some graphs are in several
// pieces, each with a capture of its own (captures.h); then a step has a replay
// for each piece, in the same order. replay_pairs.h pairs the kernels of one
// replay. A replay has no pairs if it is not sure which capture it is of:
//
//   a step is larger than any capture, or the replay is in no step although the
//     file has steps;
//   a file has several captures, but not as many as the step has replays.
//
// In a file without steps of an engine, all replays together are like a step,
// and only a single capture file that gives no batch fits.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_REPLAYS_REPLAYS_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_REPLAYS_REPLAYS_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "loaders/chrome_json/kineto/events.h"
#include "loaders/chrome_json/kineto/host/steps.h"
#include "loaders/chrome_json/kineto/replays/captures.h"

namespace tfprof::kineto {

// Returns whether a call of the runtime replays a graph.
bool IsGraphLaunch(std::string_view call);

struct Replay {
  uint32_t launch = 0;            // in KinetoEvents::host
  std::vector<uint32_t> kernels;  // in KinetoEvents::device, by start
};

// Returns all replays by start. `launch` has the launch of each device event,
// or kNone; `launches` are all launches that device events may have.
std::vector<Replay> FindReplays(const KinetoEvents& events,
                                const profile::StringPool& strings,
                                std::span<const uint32_t> launch,
                                std::span<const uint32_t> launches);

// The captures of a file.
struct CaptureFile {
  int64_t batch = -1;  // for which it was recorded; -1: not given
  std::vector<GraphCapture> captures;
};

// The captured call of a kernel.
struct KernelSource {
  uint32_t file = profile::kNone;  // in the span of files; kNone: not known
  uint32_t capture = 0;
  uint32_t call = 0;
};

// Returns the source of each device event.
std::vector<KernelSource> FindSources(const KinetoEvents& events,
                                      const KinetoSteps& steps,
                                      const std::vector<Replay>& replays,
                                      std::span<const CaptureFile* const> files,
                                      const WorkKinds& kinds);

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_REPLAYS_REPLAYS_H_
