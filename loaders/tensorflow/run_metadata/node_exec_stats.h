// Decodes one NodeExecStats record: the part of a RunMetadata that occurs
// millions of times. Decoded twice: for the sums while loading, without
// allocating memory, and in full for details on demand. Views are into the
// record.

#ifndef TFPROF_LOADERS_TENSORFLOW_RUN_METADATA_NODE_EXEC_STATS_H_
#define TFPROF_LOADERS_TENSORFLOW_RUN_METADATA_NODE_EXEC_STATS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "profile/details.h"
#include "util/files/wire.h"

namespace tfprof::tensorflow {

// Sums over the record, by the reference's rules (spec 3.6).
struct NodeExecSums {
  std::string_view node_name;  // with its ":label", if any
  int64_t start_micros = 0;
  int64_t duration_micros = 0;  // op_end_rel_micros, as recorded
  int64_t requested_bytes = 0;
  int64_t peak_bytes = 0;
  int64_t residual_bytes = 0;
  int64_t output_bytes = 0;
  int32_t gpu_allocators = 0;
};

// Returns false if the record is damaged; `reader` describes the damage, unless
// it is in a nested message.
[[nodiscard]] bool ReadNodeExecSums(util::WireReader& reader,
                                    NodeExecSums& sums);

// Returns the name and the label of the record.
profile::RecordText ReadNodeExecText(std::string_view record);

// Returns everything that a profile keeps about the memory of the record.
profile::ExecutionDetail ReadNodeExecDetail(std::string_view record,
                                            bool on_cpu);

// Returns the shapes of outputs that the record has.
std::vector<profile::SeenShape> ReadNodeExecShapes(std::string_view record);

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_RUN_METADATA_NODE_EXEC_STATS_H_
