// EventLog: what has changed, for clients that stay connected (server-sent
// events).
//
// Events have numbers. A client that was away says the last one that it saw and
// gets those after it; if they are not kept any more, it is told to ask for
// everything again. Any thread may use it.

#ifndef TFPROF_SERVER_EVENT_LOG_H_
#define TFPROF_SERVER_EVENT_LOG_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace tfprof {

class EventLog {
 public:
  static constexpr size_t kKept = 256;

  // Called after each event, by the thread that publishes. It must not publish.
  void OnPublish(std::function<void()> call);
  // `kind` is one word; `data` is one line, JSON.
  void Publish(std::string_view kind, std::string_view data);
  // The events after `id` as bytes of the protocol; `id` moves to the last one.
  // An event "lost" comes first if some are not kept any more, or if `id` is
  // from another run of the program.
  std::string After(uint64_t& id) const;
  // The number of the last event.
  uint64_t last() const;

 private:
  struct Event {
    uint64_t id;
    std::string text;
  };
  mutable std::mutex mutex_;
  std::deque<Event> events_;
  uint64_t last_ = 0;
  std::function<void()> call_;
};

}  // namespace tfprof

#endif  // TFPROF_SERVER_EVENT_LOG_H_
