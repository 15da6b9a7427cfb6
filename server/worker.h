// Worker: one thread that answers requests, one after the other, so that the
// thread that talks to clients never waits.
//
//   Worker worker([&](const HttpRequest& r) { return api.Answer(r); },
//                 cancellation, [&] { wake(); });
//   worker.Add(7, request);
//   for (Worker::Done& done : worker.Take()) …
//
// A job whose client has gone is cancelled: it is taken out of the queue, or
// its cancellation is requested while it runs.

#ifndef TFPROF_SERVER_WORKER_H_
#define TFPROF_SERVER_WORKER_H_

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "server/http.h"
#include "util/cancellation.h"

namespace tfprof {

class Worker {
 public:
  // Jobs that wait for the one that runs.
  static constexpr size_t kMaxWaiting = 64;

  struct Done {
    uint64_t id;
    HttpReply reply;
  };

  enum class Priority {
    kUsual,
    kLowest,  // its thread, and those that it starts (priority.h)
  };

  // `answer` runs on the thread of the worker, `done` after each job, on that
  // thread as well. `cancellation` is reset before each job and must outlive
  // the worker.
  Worker(std::function<HttpReply(const HttpRequest&)> answer,
         Cancellation& cancellation, std::function<void()> done,
         Priority priority = Priority::kUsual);
  // Cancels what runs, and waits for it.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // False: too many wait already.
  bool Add(uint64_t id, HttpRequest request);
  // Nobody waits for this job any more. It is never among the results of a
  // later Take(), unless it is done already.
  void Cancel(uint64_t id);
  // What is done since the last call.
  std::vector<Done> Take();

 private:
  struct Job {
    uint64_t id;
    HttpRequest request;
  };
  void Run(Priority priority);

  const std::function<HttpReply(const HttpRequest&)> answer_;
  const std::function<void()> done_;
  Cancellation& cancellation_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> waiting_;
  std::vector<Done> finished_;
  uint64_t running_ = 0;
  bool is_running_ = false;
  bool dropped_ = false;  // the one that runs
  bool end_ = false;
  std::thread thread_;
};

}  // namespace tfprof

#endif  // TFPROF_SERVER_WORKER_H_
