// EventLog: the changes that are sent to connected clients (server-sent
// events).
//
// Events are numbered. A client that reconnects sends the number of the last
// event that it saw and gets the later ones. If these are no longer kept, it is
// told to request everything again. Any thread may use the log.

#ifndef TFPROF_SERVER_EVENT_LOG_H_
#define TFPROF_SERVER_EVENT_LOG_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace tfprof::server {

class EventLog {
 public:
  static constexpr size_t kKept = 256;

  // Sets a function that the publishing thread calls after each event. It must
  // not publish.
  void OnPublish(std::function<void()> call);
  // `kind` is one word; `data` is one line of JSON.
  void Publish(std::string_view kind, std::string_view data);
  // Returns the events after `id` as bytes of the protocol and sets `id` to the
  // last one. They begin with an event "lost" if some are no longer kept, or if
  // `id` is from an earlier run of the server.
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

}  // namespace tfprof::server

#endif  // TFPROF_SERVER_EVENT_LOG_H_
