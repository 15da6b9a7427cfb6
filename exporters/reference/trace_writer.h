// Writes the events of the reference's timeline, in its form of JSON: times are
// microseconds, and the file is a list of events. Writes to a Sink that
// outlives the writer.

#ifndef TFPROF_EXPORTERS_REFERENCE_TRACE_WRITER_H_
#define TFPROF_EXPORTERS_REFERENCE_TRACE_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "util/files/sink.h"
#include "util/json/json_string.h"

namespace tfprof::exporters {

// Writes the list of events, which is the whole file.
class TraceWriter {
 public:
  // The largest file that Chrome can open, according to the reference.
  static constexpr size_t kMaxTraceBytes = 200 * 1024 * 1024;

  explicit TraceWriter(util::Sink& sink) : sink_(sink) {
    buffer_ = R"({"traceEvents":[)";
  }

  bool wanted() const { return sink_.wanted(); }

  void ProcessName(std::string_view name, int64_t pid) {
    Add(R"({{"args":{{"name":{}}},"name":"process_name","ph":"M","pid":{}}})",
        util::JsonString(name), pid);
  }

  // `args` is JSON.
  void Region(std::string_view name, std::string_view args, int64_t pid,
              int64_t tid, int64_t start, int64_t duration) {
    Add(R"({{"args":{},"cat":"Op","dur":{},"name":{},"ph":"X","pid":{},)"
        R"("tid":{},"ts":{}}})",
        args, duration, util::JsonString(name), pid, tid, start);
  }

  // Writes one end of an arrow; `phase` is 's' at its start, 't' at its head.
  void Flow(char phase, int64_t id, std::string_view json_name, int64_t pid,
            int64_t tid, int64_t time) {
    Add(R"({{"cat":"DataFlow","id":{},"name":{},"ph":"{}","pid":{},)"
        R"("tid":{},"ts":{}}})",
        id, json_name, phase, pid, tid, time);
  }

  // `args` is JSON.
  void MemoryCounter(std::string_view name, std::string_view args, int64_t pid,
                     int64_t time) {
    Add(R"({{"args":{},"cat":"Memory","name":"{}","ph":"C","pid":{},)"
        R"("tid":0,"ts":{}}})",
        args, name, pid, time);
  }

  // Sets the share of the work that the events so far represent.
  void Reached(size_t done, size_t all) {
    done_ = done;
    all_ = all;
  }

  // Ends the file. Returns true if it is larger than kMaxTraceBytes.
  bool Finish() {
    buffer_ += "]}\n";
    Flush();
    return bytes_ > kMaxTraceBytes;
  }

 private:
  static constexpr size_t kBufferBytes = 64 * 1024;

  template <typename... Args>
  void Add(fmt::format_string<Args...> format, Args&&... args) {
    if (!first_) buffer_.push_back(',');
    first_ = false;
    fmt::format_to(std::back_inserter(buffer_), format,
                   std::forward<Args>(args)...);
    if (buffer_.size() >= kBufferBytes) Flush();
  }

  void Flush() {
    bytes_ += buffer_.size();
    sink_.Write(buffer_);
    sink_.Reached(static_cast<double>(done_) / static_cast<double>(all_));
    buffer_.clear();
  }

  util::Sink& sink_;
  std::string buffer_;
  size_t bytes_ = 0;
  size_t done_ = 0, all_ = 1;
  bool first_ = true;
};

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_REFERENCE_TRACE_WRITER_H_
