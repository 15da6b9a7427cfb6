// PprofProfile: the tables of a pprof file (perftools.profiles.Profile,
// github.com/google/pprof), with its samples still in the bytes of the file.
//
//   PprofProfile profile;
//   absl::Status status = ReadPprof(*file, profile, log);
//   for (const uint64_t offset : profile.samples) {
//     PprofSample sample;
//     if (ReadPprofSample(PprofField(*file, offset), sample)) …
//   }
//
// All views point into the bytes of the file, which must outlive the profile.
// Ids of locations and functions may be any numbers. FindLocation() and
// Location::Line::function have indexes instead, and kNone if the file has no
// such entry. Nothing else is checked: values may be negative (a difference of
// two profiles), and lines may be 0.

#ifndef TFPROF_LOADERS_PPROF_PPROF_PROFILE_H_
#define TFPROF_LOADERS_PPROF_PPROF_PROFILE_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "loaders/core/import_log.h"
#include "loaders/core/input_file.h"
#include "profile/tables/string_pool.h"

namespace tfprof::pprof {

// Maps the ids in a file to positions in a table.
class PprofIds {
 public:
  // Adds the id of the next entry.
  void Add(uint64_t id);
  // Call this after the last Add. If two entries have the same id, the first
  // one wins.
  void Finish();
  // Returns the position of the entry, or kNone.
  uint32_t Find(uint64_t id) const;

 private:
  bool counting_ = true;  // the ids are 1, 2, 3 …, as in most files
  uint32_t size_ = 0;
  std::vector<std::pair<uint64_t, uint32_t>> sorted_;
};

struct PprofProfile {
  struct ValueType {
    std::string_view type;  // "cpu"
    std::string_view unit;  // "nanoseconds"
  };
  struct Function {
    std::string_view name;
    std::string_view file;
    int64_t start_line = 0;
  };
  // A function of a location; a location in inlined code has several.
  struct Line {
    uint32_t function = profile::kNone;
    int64_t line = 0;
  };
  struct Location {
    uint64_t address = 0;
    uint32_t mapping = profile::kNone;
    uint32_t first_line = 0;  // in `lines`, innermost function first
    uint32_t num_lines = 0;
  };

  std::vector<std::string_view> strings;
  std::vector<ValueType> types;
  std::vector<Function> functions;
  std::vector<Line> lines;
  std::vector<Location> locations;
  std::vector<std::string_view> mappings;  // names of binaries
  std::vector<uint64_t> samples;           // offsets of their fields
  PprofIds location_ids;
  PprofIds function_ids;
  PprofIds mapping_ids;
  ValueType period_type;
  int64_t period = 0;
  std::string_view default_type;  // "": the file has none

  // Returns "" if the file has no such string.
  std::string_view String(int64_t index) const {
    return index > 0 && static_cast<uint64_t>(index) < strings.size()
               ? strings[static_cast<size_t>(index)]
               : std::string_view();
  }
  std::span<const Line> LinesOf(const Location& location) const {
    return {lines.data() + location.first_line, location.num_lines};
  }
};

struct PprofSample {
  struct Label {
    int64_t key = 0;  // indexes in strings
    int64_t text = 0;
    int64_t number = 0;
    int64_t unit = 0;
  };
  std::vector<int64_t> location_ids;  // innermost first
  std::vector<int64_t> values;        // by sample type
  std::vector<Label> labels;
};

// Reads everything except the samples. Damage after the first good field is in
// the log. InvalidArgument: not a pprof file, because it has no sample type or
// no field at all.
absl::Status ReadPprof(const loaders::InputFile& file, PprofProfile& profile,
                       loaders::ImportLog& log);

// Returns the message in the field at a valid `offset` of the file.
std::string_view PprofField(const loaders::InputFile& file, uint64_t offset);

// Replaces the content of `sample`. Returns false if damaged.
bool ReadPprofSample(std::string_view bytes, PprofSample& sample);

}  // namespace tfprof::pprof

#endif  // TFPROF_LOADERS_PPROF_PPROF_PROFILE_H_
