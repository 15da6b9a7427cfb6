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

// The same of one XSpace.
std::vector<double> RawParseXSpace(const std::string& path, RawParser parser);

// {CPU seconds, a checksum} of RapidJSON's events (SAX) of a file of JSON,
// which it does nothing with. Nothing without RapidJSON (Debian's
// rapidjson-dev) when this was compiled.
std::vector<double> RawParseJson(const std::string& path);
bool HasRawJsonParser();

}  // namespace tfprof

#endif  // TFPROF_BENCH_RAW_PARSE_H_
