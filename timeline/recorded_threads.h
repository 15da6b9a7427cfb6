// The threads that a RunMetadata records for its executions
// (NodeExecStats.thread_id and DeviceStepStats.thread_names). TensorFlow 1.13
// and later write them for executions seen by their host tracer; other formats
// have lanes of threads instead.
//
// They are read from the records in the mapped file, about 100 ns each.

#ifndef TFPROF_TIMELINE_RECORDED_THREADS_H_
#define TFPROF_TIMELINE_RECORDED_THREADS_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "profile/profile.h"

namespace tfprof::timeline {

// Returns the thread of an execution, 0 if the record has none.
int64_t ThreadOfRecord(const profile::Profile& profile,
                       profile::RecordRef record);

class RecordedThreads {
 public:
  RecordedThreads(const profile::Profile& profile, const profile::Step& step);

  // Returns the name of a device's thread, such as "worker thread 2"; if it has
  // no name, "thread 140".
  std::string NameOf(std::string_view device, int64_t thread) const;

 private:
  std::map<std::pair<std::string_view, int64_t>, std::string_view> names_;
};

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_RECORDED_THREADS_H_
