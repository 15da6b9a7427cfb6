// The parts of a report's row other than numbers, in the notation of the
// reference: the columns of a selection, shapes, devices, types.

#ifndef TFPROF_TABLES_ROW_DETAILS_H_
#define TFPROF_TABLES_ROW_DETAILS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "views/report.h"

namespace tfprof::tables {

// Return the selected statistics in the order of the report. `micros` stands
// for all three times.
std::vector<accounting::Stat> TimeStats(views::FieldSet select);
std::vector<accounting::Stat> ByteStats(views::FieldSet select);

// Appends "2x3".
void AppendShape(const profile::Profile& profile, profile::ShapeId shape,
                 std::string& out);

// Appends "Conv2D|/device:CPU:0".
void AppendTypes(const profile::Profile& profile,
                 std::span<const profile::StringId> types, std::string& out);

// Appends "0:2x3|1:unknown", in ascending position.
void AppendInputShapes(const views::Report& report, profile::NodeId node,
                       std::string_view separator, std::string& out);

// Appends the types of a scope or graph row.
void AppendNodeTypes(const views::Report& report, const views::Report::Row& row,
                     std::string& out);

// Returns the accounted nodes of an op or code row; none for the root.
std::vector<profile::NodeId> MembersOf(const views::Report& report,
                                       const views::Report::Row& row);

// Returns the sorted names of the members' devices. A node that never ran has
// the device "", which is included.
std::vector<std::string_view> DevicesOf(
    const views::Report& report, const std::vector<profile::NodeId>& members);

// Returns the members' types, sorted by name without duplicates.
std::vector<profile::StringId> TypesOf(
    const views::Report& report, const std::vector<profile::NodeId>& members);

// The nodes of an op row with the same input shapes.
struct ShapeGroup {
  std::string shapes;
  int64_t runs = 0, defined = 0, micros = 0;
};
// Returns the groups of an op row by descending number of runs.
std::vector<ShapeGroup> ShapeGroupsOf(const views::Report& report,
                                      const views::Report::Row& row,
                                      std::string_view separator);

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_ROW_DETAILS_H_
