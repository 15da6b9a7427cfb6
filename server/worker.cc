#include "server/worker.h"

#include <utility>

#include "server/live/priority.h"

namespace tfprof::server {

Worker::Worker(std::function<HttpReply(const HttpRequest&)> answer,
               util::Cancellation& cancellation, std::function<void()> done,
               Priority priority)
    : answer_(std::move(answer)),
      done_(std::move(done)),
      cancellation_(cancellation),
      thread_([this, priority] { Run(priority); }) {}

Worker::~Worker() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    end_ = true;
    cancellation_.Request();
  }
  changed_.notify_all();
  thread_.join();
}

bool Worker::Add(uint64_t id, HttpRequest request) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (waiting_.size() >= kMaxWaiting) return false;
    waiting_.push_back({id, std::move(request)});
  }
  changed_.notify_one();
  return true;
}

void Worker::Cancel(uint64_t id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::erase_if(waiting_, [&](const Job& job) { return job.id == id; });
  if (is_running_ && running_ == id) {
    dropped_ = true;
    cancellation_.Request();
  }
}

std::vector<Worker::Done> Worker::Take() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return std::exchange(finished_, {});
}

void Worker::Run(Priority priority) {
  if (priority == Priority::kLowest) LowerThread();
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return end_ || !waiting_.empty(); });
    if (end_) return;
    const Job job = std::move(waiting_.front());
    waiting_.pop_front();
    running_ = job.id;
    is_running_ = true;
    dropped_ = false;
    cancellation_.Reset();
    lock.unlock();
    HttpReply reply = answer_(job.request);
    lock.lock();
    is_running_ = false;
    if (!dropped_) finished_.push_back({job.id, std::move(reply)});
    lock.unlock();
    done_();
    lock.lock();
  }
}

}  // namespace tfprof::server
