// XPlaneDetails: decodes details of events and instructions on demand.
//
// The record of an execution is the field of an event in its line. The record
// of a node is the field of an instruction in its HLO program. Both are given
// as the offset of the field in the file. Owns the file and the outline of its
// planes. Any number of threads may read it.

#ifndef TFPROF_LOADERS_XPLANE_PLANES_DETAILS_H_
#define TFPROF_LOADERS_XPLANE_PLANES_DETAILS_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "loaders/core/input_file.h"
#include "loaders/xplane/planes/xspace.h"
#include "profile/details.h"

namespace tfprof::xplane {

class XPlaneDetails : public profile::DetailReader {
 public:
  XPlaneDetails(std::shared_ptr<const loaders::InputFile> file,
                std::shared_ptr<const XSpace> space);

  // Adds the bytes in the file that have the instructions of a program.
  void AddProgram(std::string_view proto);
  // Call this after the last program.
  void Finish();

  profile::AttributeList Attributes(uint64_t offset) const override;
  profile::ExecutionDetail Execution(uint64_t, bool) const override {
    return {};
  }
  profile::RecordText Text(uint64_t offset) const override;
  profile::Transfer TransferOf(uint64_t offset) const override;
  profile::ArgumentList Arguments(uint64_t offset) const override;
  bool record_is_group() const override { return false; }

 private:
  // Consecutive bytes whose records are of one kind.
  struct Region {
    uint64_t begin = 0, end = 0;
    const XPlane* plane = nullptr;  // nullptr: an HLO program
  };
  // An event, its plane and its metadata; all are empty if there is none.
  struct EventRecord {
    std::string_view bytes;
    const XPlane* plane = nullptr;
    const EventMetadata* metadata = nullptr;
  };

  void AddRegion(std::string_view bytes, const XPlane* plane);
  const Region* Find(uint64_t offset) const;
  // Returns the content of the field at `offset`.
  std::string_view FieldAt(uint64_t offset) const;
  EventRecord ReadEvent(uint64_t offset) const;
  // Calls `call` with each stat of the event, then of its metadata.
  template <typename Call>
  void VisitStats(const EventRecord& event, Call call) const;

  const std::shared_ptr<const loaders::InputFile> file_;
  const std::shared_ptr<const XSpace> space_;
  std::vector<Region> regions_;  // ascending
  // Attributes that were requested. The file does not have their bytes.
  mutable std::mutex mutex_;
  mutable std::deque<std::string> texts_;
  mutable absl::flat_hash_map<uint64_t, profile::AttributeList> attributes_;
};

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_PLANES_DETAILS_H_
