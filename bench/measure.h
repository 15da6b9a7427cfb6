// Tools for benchmarks: clocks in seconds, memory in bytes, and measurements in
// child processes.

#ifndef TFPROF_BENCH_MEASURE_H_
#define TFPROF_BENCH_MEASURE_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "util/files/sink.h"

namespace tfprof {

double Seconds();

// User plus system time of all threads of this process.
double CpuSeconds();

// A value of /proc/self/status in bytes. RssAnon is memory without file pages.
double StatusBytes(const std::string& key);

// The figures that a child process has measured.
using Figures = std::vector<double>;

// Forks, measures in the child, and returns its `count` figures, or zeros if
// the child ended early.
Figures InChild(size_t count, const std::function<Figures()>& measure);

// The median of each figure over `runs` child processes.
Figures Medians(int runs, size_t count,
                const std::function<Figures()>& measure);

// Counts the written bytes and drops them. Write() is defined in another file,
// so that no compiler removes calls of it.
class CountingSink : public util::Sink {
 public:
  void Write(std::string_view bytes) override;
  size_t bytes() const { return bytes_; }

 private:
  size_t bytes_ = 0;
};

}  // namespace tfprof

#endif  // TFPROF_BENCH_MEASURE_H_
