#include "util/run/self_profile.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "fmt/format.h"

namespace tfprof::util {
namespace {

struct Phase {
  const char* name;
  std::string detail;
  std::thread::id thread;
  int64_t start;
  int64_t end;
};

struct Recorder {
  std::mutex mutex;
  std::vector<Phase> phases;
};

Recorder& TheRecorder() {
  static Recorder& recorder = *new Recorder;
  return recorder;
}

int64_t Nanoseconds() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    // A path may be any bytes; JSON is text.
    const auto u = static_cast<unsigned char>(c);
    escaped += u < 0x20 || u >= 0x7f ? '?' : c;
  }
  return escaped;
}

}  // namespace

ScopedPhase::ScopedPhase(const char* name, std::string_view detail)
    : name_(name) {
  if (!SelfProfile::enabled()) return;
  detail_ = detail;
  start_ = Nanoseconds();
}

ScopedPhase::~ScopedPhase() {
  if (start_ == 0) return;
  Recorder& recorder = TheRecorder();
  const std::lock_guard<std::mutex> lock(recorder.mutex);
  recorder.phases.push_back({name_, std::move(detail_),
                             std::this_thread::get_id(), start_,
                             Nanoseconds()});
}

std::string SelfProfile::ChromeTrace() {
  Recorder& recorder = TheRecorder();
  const std::lock_guard<std::mutex> lock(recorder.mutex);
  std::vector<Phase> phases = recorder.phases;
  std::stable_sort(
      phases.begin(), phases.end(),
      [](const Phase& a, const Phase& b) { return a.start < b.start; });
  std::map<std::thread::id, size_t> threads;  // numbered by first appearance
  std::string trace = "{\"traceEvents\":[";
  auto out = std::back_inserter(trace);
  for (const Phase& phase : phases) {
    const size_t thread =
        threads.try_emplace(phase.thread, threads.size()).first->second;
    fmt::format_to(
        out,
        "{}\n{{\"name\":\"{}\",\"ph\":\"X\",\"pid\":0,\"tid\":{},"
        "\"ts\":{:.3f},\"dur\":{:.3f},\"args\":{{\"detail\":\"{}\"}}}}",
        &phase == phases.data() ? "" : ",", phase.name, thread,
        static_cast<double>(phase.start - phases[0].start) / 1e3,
        static_cast<double>(phase.end - phase.start) / 1e3,
        Escaped(phase.detail));
  }
  trace += "\n]}\n";
  return trace;
}

}  // namespace tfprof::util
