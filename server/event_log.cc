#include "server/event_log.h"

#include <utility>

#include "fmt/format.h"

namespace tfprof::server {

void EventLog::OnPublish(std::function<void()> call) {
  const std::lock_guard<std::mutex> lock(mutex_);
  call_ = std::move(call);
}

void EventLog::Publish(std::string_view kind, std::string_view data) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++last_;
  events_.push_back({last_, fmt::format("id: {}\nevent: {}\ndata: {}\n\n",
                                        last_, kind, data)});
  if (events_.size() > kKept) events_.pop_front();
  if (call_) call_();
}

std::string EventLog::After(uint64_t& id) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string text;
  const uint64_t first = last_ - events_.size() + 1;
  if (id > last_ || id + 1 < first) {
    text = fmt::format("id: {}\nevent: lost\ndata: {{}}\n\n", first - 1);
  }
  for (const Event& event : events_) {
    if (event.id > id || id > last_) text += event.text;
  }
  id = last_;
  return text;
}

uint64_t EventLog::last() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return last_;
}

}  // namespace tfprof::server
