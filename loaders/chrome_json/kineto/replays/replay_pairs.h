// Pairs the kernels of a replayed graph with the calls that captured them.
//
// A graph runs what its capture called, but a trace does not say which kernel
// is of which call. They are paired by their order and their names:
//
//   one stream, as many calls as kernels, and the names agree: in order. A
//     call that names no kernel agrees with every kernel.
//   the same, but a name differs: the n-th kernel of a name with the n-th call
//     of that name, if each name occurs as often on both sides.
//   more calls than kernels: each kernel with the next call of its name; the
//     calls between are left out.
//   several streams: each call, in order, with the first open kernel of the
//     stream that has its name there; if there are several such streams, the
//     one whose kernels go on to match the calls for longest.
//
// A wrong pair is worse than none: if one kernel finds no call, or calls have
// no names where they are needed, no kernel of the replay is paired.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_REPLAYS_REPLAY_PAIRS_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_REPLAYS_REPLAY_PAIRS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "profile/tables/string_pool.h"

namespace tfprof::kineto {

// What a call put into the graph.
struct CapturedWork {
  // The name of the kernel; kNone: the call does not say it.
  profile::StringId kernel = profile::kNone;
  // A name that it shares with the kernels that it can have made: of all
  // copies, of all fills, else of the kernel; kNone: any.
  profile::StringId kind = profile::kNone;
};

struct ReplayedKernel {
  profile::StringId name = profile::kNone;
  profile::StringId kind = profile::kNone;  // as in CapturedWork
  uint32_t stream = 0;
};

// `calls` are in the order of the capture, `kernels` in the order of their
// starts. Returns the index of the call of each kernel; nothing if it is not
// sure. Takes time linear in their number.
std::vector<uint32_t> PairReplay(std::span<const CapturedWork> calls,
                                 std::span<const ReplayedKernel> kernels);

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_REPLAYS_REPLAY_PAIRS_H_
