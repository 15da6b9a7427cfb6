#include "server/worker.h"

#include <utility>

#include "fmt/format.h"
#include "server/live/priority.h"

namespace tfprof::server {

Worker::Worker(std::function<HttpReply(const HttpRequest&)> answer,
               util::Cancellation& cancellation, std::function<void()> done,
               Priority priority, WorkerLimit limit)
    : answer_(std::move(answer)),
      done_(std::move(done)),
      limit_(std::move(limit)),
      cancellation_(cancellation),
      thread_([this, priority] { Run(priority); }) {
  if (limit_.time.count() > 0) watch_ = std::thread([this] { Watch(); });
}

Worker::~Worker() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    end_ = true;
    cancellation_.Request();
  }
  changed_.notify_all();
  watched_.notify_all();
  thread_.join();
  if (watch_.joinable()) watch_.join();
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
    late_ = false;
    begun_ = std::chrono::steady_clock::now();
    ++jobs_;
    cancellation_.Reset();
    watched_.notify_all();
    lock.unlock();
    HttpReply reply = answer_(job.request);
    lock.lock();
    is_running_ = false;
    if (!dropped_) {
      finished_.push_back({job.id, late_ ? TooLate() : std::move(reply)});
    }
    watched_.notify_all();
    lock.unlock();
    done_();
    lock.lock();
  }
}

void Worker::Watch() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    watched_.wait(lock, [&] { return end_ || is_running_; });
    if (end_) return;
    const uint64_t job = jobs_;
    // The job ends, or another one runs.
    const auto over = [&] { return end_ || !is_running_ || jobs_ != job; };
    if (watched_.wait_until(lock, begun_ + limit_.time, over)) continue;
    late_ = true;
    cancellation_.Request();
    if (watched_.wait_for(lock, limit_.grace, over)) continue;
    if (limit_.stuck) limit_.stuck();
    watched_.wait(lock, over);
  }
}

HttpReply Worker::TooLate() const {
  return HttpError(
      504, fmt::format("this took longer than {} s and was ended; ask for "
                       "less, such as one step, or start the server with a "
                       "larger --max_seconds",
                       std::chrono::duration<double>(limit_.time).count()));
}

}  // namespace tfprof::server
