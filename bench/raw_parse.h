// Baselines: the cost of reading every field of the same bytes, and of building
// the messages with libprotobuf on an arena. Times are seconds of CPU.

#ifndef TFPROF_BENCH_RAW_PARSE_H_
#define TFPROF_BENCH_RAW_PARSE_H_

#include <string>
#include <vector>

namespace tfprof {

enum class RawParser { kWireReader, kProtozero, kArena };

// Returns {CPU seconds, checksum of the fields} of one thread. The last path is
// a GraphDef, the others are RunMetadata.
std::vector<double> RawParse(const std::vector<std::string>& paths,
                             RawParser parser);

// The same for one XSpace.
std::vector<double> RawParseXSpace(const std::string& path, RawParser parser);

// Returns {CPU seconds, checksum} of parsing a JSON file with RapidJSON's event
// interface (SAX) without using the events. Empty if RapidJSON (Debian's
// rapidjson-dev) was not there at compile time.
std::vector<double> RawParseJson(const std::string& path);
bool HasRawJsonParser();

}  // namespace tfprof

#endif  // TFPROF_BENCH_RAW_PARSE_H_
