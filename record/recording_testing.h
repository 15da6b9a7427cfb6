// A recording into a folder of a test, and what its files say.
//
//   Recording recording;
//   RangeBegin("a");
//   EXPECT_THAT(recording.Events(), ElementsAre("range_begin depth=0 name=a"));
//
// Only one at a time: the recorder belongs to the process. Each one begins with
// a new folder and with no event open on any thread.

#ifndef TFPROF_RECORD_RECORDING_TESTING_H_
#define TFPROF_RECORD_RECORDING_TESTING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "record/packet.h"

namespace tfprof::record {

// A packet of a file, with its events as texts: "op_end depth=0". Without the
// times, and without the pairs of clocks that the recorder adds itself.
struct ReadPacket {
  PacketHead head;
  std::string file;  // "stream_0"
  std::vector<std::string> events;
};

class Recording {
 public:
  // Sizes as in StartRecording(); 0: as usual.
  explicit Recording(uint64_t packet_bytes = 0, uint64_t max_bytes = 0);
  // Removes the folder.
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  const std::string& folder() const { return folder_; }
  // The folders of processes; none until the first event.
  std::vector<std::string> Processes() const;
  // Those of all threads, in the order of the streams; of each one first what
  // is in its stream, then its tail.
  std::vector<ReadPacket> Packets() const;
  std::vector<std::string> Events() const;

 private:
  std::string folder_;
};

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_RECORDING_TESTING_H_
