// Reads the packets of a Perfetto trace into tables.
//
// Kept are track events, work of GPUs, counters of GPUs, descriptions of tracks
// and names of processes; other packets (of the kernel, of Android) are
// skipped, as they say nothing of the program.
//
// What is lost is in the log, with its byte: packets and messages that are
// damaged, a file that is cut, texts that were never sent, events without a
// time or with an unknown type, clocks that no snapshot has, losses that the
// trace itself reports, and packed packets that unpack to more than kMaxGrowth
// times the file, or kMinUnpacked.
//
// ResourceExhausted: the trace has more slices than its indices can count.
// Cancelled: the load was cancelled.

#ifndef TFPROF_LOADERS_PERFETTO_TRACE_READER_H_
#define TFPROF_LOADERS_PERFETTO_TRACE_READER_H_

#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "loaders/core/input_file.h"
#include "loaders/core/load_context.h"
#include "loaders/perfetto/trace_tables.h"

namespace tfprof::perfetto {

inline constexpr size_t kMaxGrowth = 16;
inline constexpr size_t kMinUnpacked = size_t{64} << 20;
// Longer names are cut: a trace could otherwise say a long name in few bytes
// for each of its events.
inline constexpr size_t kMaxName = size_t{16} << 10;

absl::StatusOr<TraceTables> ReadTrace(
    std::shared_ptr<const loaders::InputFile> file,
    loaders::LoadContext& context);

}  // namespace tfprof::perfetto

#endif  // TFPROF_LOADERS_PERFETTO_TRACE_READER_H_
