// A piece of a ProfileProto, parsed by one core: whole fields of the file, with
// everything decoded that does not depend on other pieces. Names, devices and
// shapes are numbered within the piece. Node ids are ids of the file, whose
// names may be in a later piece.
//
// Views are into the file. Damage is in `log`, with file and byte. Times are in
// microseconds.

#ifndef TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_PROFILE_PIECE_H_
#define TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_PROFILE_PIECE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "loaders/core/import_log.h"
#include "loaders/core/input_file.h"
#include "profile/profile_builder.h"
#include "profile/tables/device_table.h"
#include "profile/tables/local_names.h"
#include "profile/tables/shape_table.h"

namespace tfprof::tensorflow {

struct ProfilePiece {
  struct Edge {
    int32_t position = 0;
    int32_t seen_output = 0;
    int32_t output = 0;
    bool dangling = false;  // then `source` is an index in `names`
    int64_t source = 0;     // a node's id in the file
  };
  struct OutputShape {
    int32_t index = 0;
    profile::ShapeId shape = profile::kUnknownShape;
  };
  // What a node did in a step.
  struct Group {
    int64_t step = 0;
    profile::GroupSums sums;  // without the node
    size_t end_record = 0;    // where its records end
  };
  // The lists of a node end at these places and begin where the lists of the
  // node before end.
  struct Node {
    int64_t id = 0;
    uint64_t offset = 0;     // of the field of the node
    std::string_view bytes;  // ProfileNode
    uint32_t name = 0;
    uint32_t op = 0;
    profile::DeviceId device = profile::kNone;
    int64_t float_ops = 0;
    std::string_view trace;  // CodeDef
    bool has_trace = false;
    bool ran_elsewhere = false;
    bool good = true;
    profile::ShapeId parameter_shape = profile::kUnknownShape;
    size_t end_type = 0;
    size_t end_edge = 0;
    size_t end_shape = 0;
    size_t end_group = 0;
  };

  std::vector<profile::HashedName> names;
  profile::DeviceTable devices;
  profile::ShapeTable shapes;
  std::vector<Node> nodes;
  std::vector<uint32_t> types;  // indexes in `names`
  std::vector<Edge> edges;      // by ascending position in a node
  std::vector<OutputShape> output_shapes;
  std::vector<Group> groups;                      // by ascending step in a node
  std::vector<profile::ExecutionRecord> records;  // node: kNone; lane: device
  // Other fields of the file.
  std::vector<std::string_view> strings;  // entries of id_to_string
  std::vector<int64_t> steps;
  bool has_trace = false;
  std::string_view kernel_counters;  // saved_counters.h
  bool names_outputs = false;        // a node has our kInputOutputIndex
  bool known = false;                // some field belongs to a ProfileProto
  loaders::ImportLog log;
};

// Logs that `part` of a file is damaged and was dropped.
void LogDropped(const loaders::InputFile& file, std::string_view part,
                std::string_view what, loaders::ImportLog& log);

// Parses `bytes`, fields of a ProfileProto in `file`, which is input `input` of
// the profile.
ProfilePiece ParseProfilePiece(const loaders::InputFile& file, uint32_t input,
                               std::string_view bytes);

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_PROFILE_PIECE_H_
