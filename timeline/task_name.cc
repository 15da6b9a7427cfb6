#include "timeline/task_name.h"

namespace tfprof {

std::string_view JobOfTask(std::string_view task) {
  constexpr std::string_view kJob = "/job:";
  if (!task.starts_with(kJob)) return "";
  task.remove_prefix(kJob.size());
  return task.substr(0, task.find('/'));
}

}  // namespace tfprof
