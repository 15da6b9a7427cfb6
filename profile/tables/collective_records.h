// CollectiveRecords: the collectives that the ranks of a job called, as
// PyTorch's flight recorder kept them.
//
// Each rank of a job keeps its last calls in a ring buffer and writes them as a
// dump. A group is a set of ranks that call collectives together. All members
// call the same collectives in the same order: calls with the same group and
// sequence number are one collective. A rank that starts several operations as
// one (coalesced) has several calls with one number, in the order of `calls`. A
// job may have dumps of some ranks only.
//
// Times are nanoseconds of the clock of the rank's host. Texts are indexes into
// `texts`. A profile without dumps uses no memory for them. Immutable; shared
// between profiles.

#ifndef TFPROF_PROFILE_TABLES_COLLECTIVE_RECORDS_H_
#define TFPROF_PROFILE_TABLES_COLLECTIVE_RECORDS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profile/tables/string_pool.h"

namespace tfprof::profile {

struct CollectiveRecords {
  using Text = uint32_t;  // an index into `texts`; kNone: no text

  struct Dump {
    std::string path;
    int64_t rank = -1;  // -1: neither the file nor its name says it
    int64_t entries = 0;
    // The calls that the ring buffer lost: those before the first entry.
    int64_t overwritten = 0;
    // The dump is damaged: what the rank called after the entries is unknown.
    bool damaged = false;
  };
  struct Group {
    Text name = kNone;
    Text description = kNone;
    std::vector<int64_t> ranks;  // in ascending order; empty: not known
  };
  struct Call {
    uint32_t dump = 0;
    Text group = kNone;      // its name
    int64_t sequence = 0;    // of the group
    Text operation = kNone;  // "nccl:all_reduce"
    Text sizes = kNone;      // of the inputs: "[[1000]]"
    Text types = kNone;      // of the inputs: "[\"Float\"]"; kNone: no input
    Text state = kNone;      // "scheduled", "started", "completed"
    Text line = kNone;       // of the user's code: "train.py:41:layer"
    bool point_to_point = false;
    int64_t created = -1;  // -1: not recorded
  };
  // How far a rank came in a group.
  struct Progress {
    uint32_t dump = 0;
    Text group = kNone;
    int64_t enqueued = -1;  // sequence numbers; -1: none
    int64_t completed = -1;
  };

  std::vector<std::string> texts;
  std::vector<Dump> dumps;
  // No two have the same name and ranks.
  std::vector<Group> groups;
  std::vector<Call> calls;  // in the order of the dumps
  std::vector<Progress> progress;

  const std::string& Get(Text text) const {
    static const std::string kNoText;
    return text == kNone ? kNoText : texts[text];
  }
  // The memory of the rows, without their texts.
  size_t bytes() const {
    return dumps.capacity() * sizeof(Dump) + groups.capacity() * sizeof(Group) +
           calls.capacity() * sizeof(Call) +
           progress.capacity() * sizeof(Progress);
  }
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_TABLES_COLLECTIVE_RECORDS_H_
