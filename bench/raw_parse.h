// Baselines: the cost of reading every field of the same bytes, and of building
// the messages with libprotobuf on an arena.

#ifndef TFPROF_BENCH_RAW_PARSE_H_
#define TFPROF_BENCH_RAW_PARSE_H_

#include <string>
#include <vector>

namespace tfprof {

enum class RawParser { kWireReader, kProtozero, kArena };

// {CPU seconds, a checksum of the fields}, of one thread. The last path is a
// GraphDef, the others are RunMetadata.
std::vector<double> RawParse(const std::vector<std::string>& paths,
                             RawParser parser);

}  // namespace tfprof

#endif  // TFPROF_BENCH_RAW_PARSE_H_
