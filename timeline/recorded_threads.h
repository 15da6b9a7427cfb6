// The threads that a RunMetadata has for its executions
// (NodeExecStats.thread_id and DeviceStepStats.thread_names). TensorFlow 1.13
// and later write them for what their host tracer saw; other formats have lanes
// of threads instead.
//
// Read from the records, which stay in the mapped file: some 100 ns each.

#ifndef TFPROF_TIMELINE_RECORDED_THREADS_H_
#define TFPROF_TIMELINE_RECORDED_THREADS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "profile/profile.h"

namespace tfprof {

// The thread of an execution; 0: the record has none.
int64_t ThreadOfRecord(const Profile& profile, RecordRef record);

class RecordedThreads {
 public:
  RecordedThreads(const Profile& profile, const Step& step);

  // "worker thread 2" of a thread of a device; without a name "thread 140".
  std::string NameOf(std::string_view device, int64_t thread) const;

 private:
  std::map<std::pair<std::string_view, int64_t>, std::string_view> names_;
};

}  // namespace tfprof

#endif  // TFPROF_TIMELINE_RECORDED_THREADS_H_
