// The parts of a report's row besides its numbers, spelled as in the reference:
// the columns of a selection, shapes, devices, types.

#ifndef TFPROF_TABLES_ROW_DETAILS_H_
#define TFPROF_TABLES_ROW_DETAILS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "views/report.h"

namespace tfprof {

// The statistics that a selection asks for, in the order of the report.
// `micros` stands for all three times.
std::vector<Stat> TimeStats(FieldSet select);
std::vector<Stat> ByteStats(FieldSet select);

// Appends "2x3".
void AppendShape(const Profile& profile, ShapeId shape, std::string& out);

// Appends "Conv2D|/device:CPU:0".
void AppendTypes(const Profile& profile, std::span<const StringId> types,
                 std::string& out);

// Appends "0:2x3|1:unknown", in ascending position.
void AppendInputShapes(const Report& report, NodeId node,
                       std::string_view separator, std::string& out);

// The types of a scope or graph row.
void AppendNodeTypes(const Report& report, const Report::Row& row,
                     std::string& out);

// For op and code: the accounted nodes of a row; none for the root.
std::vector<NodeId> MembersOf(const Report& report, const Report::Row& row);

// The names of their devices, sorted. A node that never ran has the empty
// device, which is listed too.
std::vector<std::string_view> DevicesOf(const Report& report,
                                        const std::vector<NodeId>& members);

// Their types, sorted by name, each once.
std::vector<StringId> TypesOf(const Report& report,
                              const std::vector<NodeId>& members);

// The nodes of an op row with the same input shapes.
struct ShapeGroup {
  std::string shapes;
  int64_t runs = 0, defined = 0, micros = 0;
};
// Most runs first.
std::vector<ShapeGroup> ShapeGroupsOf(const Report& report,
                                      const Report::Row& row,
                                      std::string_view separator);

}  // namespace tfprof

#endif  // TFPROF_TABLES_ROW_DETAILS_H_
