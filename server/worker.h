// Worker: one thread that answers requests one after the other, so the thread
// that talks to clients never waits.
//
//   Worker worker([&](const HttpRequest& r) { return api.Answer(r); },
//                 cancellation, [&] { wake(); });
//   worker.Add(7, request);
//   for (Worker::Done& done : worker.Take()) …
//
// Cancel() removes a job from the queue, or requests its cancellation while it
// runs. A job that takes longer than a limit is cancelled, too, and its reply
// is an error. If it goes on nevertheless, the worker calls `stuck`, which may
// end the process.

#ifndef TFPROF_SERVER_WORKER_H_
#define TFPROF_SERVER_WORKER_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "server/http/http.h"
#include "util/run/cancellation.h"

namespace tfprof::server {

// How long a job may take.
struct WorkerLimit {
  std::chrono::milliseconds time = {};  // 0: as long as it wants
  // After a cancellation.
  std::chrono::milliseconds grace = std::chrono::seconds(10);
  // Called once a job did not end in this time, on a thread of its own.
  std::function<void()> stuck = {};
};

class Worker {
 public:
  // The maximum number of waiting jobs.
  static constexpr size_t kMaxWaiting = 64;

  struct Done {
    uint64_t id;
    HttpReply reply;
  };

  enum class Priority {
    kUsual,
    kLowest,  // the worker and its threads (priority.h)
  };

  // `answer` runs on the thread of the worker; `done` is called there after
  // each job. `cancellation` is reset before each job and must outlive the
  // worker.
  Worker(std::function<HttpReply(const HttpRequest&)> answer,
         util::Cancellation& cancellation, std::function<void()> done,
         Priority priority = Priority::kUsual, WorkerLimit limit = {});
  // Cancels the running job and waits for it.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Returns false if too many jobs wait already.
  bool Add(uint64_t id, HttpRequest request);
  // Cancels a job. Later calls of Take() do not return it unless it is already
  // done.
  void Cancel(uint64_t id);
  // The jobs that were completed since the last call.
  std::vector<Done> Take();

 private:
  struct Job {
    uint64_t id;
    HttpRequest request;
  };
  using Time = std::chrono::steady_clock::time_point;
  void Run(Priority priority);
  // Cancels jobs that take too long.
  void Watch();
  HttpReply TooLate() const;

  const std::function<HttpReply(const HttpRequest&)> answer_;
  const std::function<void()> done_;
  const WorkerLimit limit_;
  util::Cancellation& cancellation_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable watched_;  // for Watch()
  std::deque<Job> waiting_;
  std::vector<Done> finished_;
  uint64_t running_ = 0;
  bool is_running_ = false;
  bool dropped_ = false;  // the running job is cancelled
  bool late_ = false;     // the same, because of the limit
  Time begun_;            // of the running job
  uint64_t jobs_ = 0;     // that have begun
  bool end_ = false;
  std::thread thread_;
  std::thread watch_;  // none without a limit
};

}  // namespace tfprof::server

#endif  // TFPROF_SERVER_WORKER_H_
