// Recording: records the current process into a temporary folder and reads the
// files back, for tests.
//
//   Recording recording;
//   RangeBegin("a");
//   EXPECT_THAT(recording.Events(), ElementsAre("range_begin depth=0 name=a"));
//
// There can be only one at a time, because the recorder belongs to the process.
// Each one begins with a new folder and without open events on any thread.

#ifndef TFPROF_RECORD_RECORDING_TESTING_H_
#define TFPROF_RECORD_RECORDING_TESTING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "record/packet.h"

namespace tfprof::record {

// A packet of a file, with its events as texts: "op_end depth=0". Times are
// left out, and so are the pairs of clocks that the recorder adds itself.
struct ReadPacket {
  PacketHead head;
  std::string file;  // "stream_0"
  std::vector<std::string> events;
};

class Recording {
 public:
  // Sizes are as in StartRecording(); 0 means the default.
  explicit Recording(uint64_t packet_bytes = 0, uint64_t max_bytes = 0);
  // Removes the folder.
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  const std::string& folder() const { return folder_; }
  // The folders of the recorded processes; none before the first event.
  std::vector<std::string> Processes() const;
  // The packets or events of all threads, in the order of the streams. For each
  // stream, its file comes first and then its tail.
  std::vector<ReadPacket> Packets() const;
  std::vector<std::string> Events() const;

 private:
  std::string folder_;
};

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_RECORDING_TESTING_H_
