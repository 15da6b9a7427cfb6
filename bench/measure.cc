#include "bench/measure.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace tfprof {

double Seconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double CpuSeconds() {
  rusage use;
  getrusage(RUSAGE_SELF, &use);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) +
           1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(use.ru_utime) + seconds(use.ru_stime);
}

double StatusBytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.compare(0, key.size() + 1, key + ":") == 0) {
      return 1024.0 * std::strtod(line.c_str() + key.size() + 1, nullptr);
    }
  }
  return 0;
}

Figures InChild(size_t count, const std::function<Figures()>& measure) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const Figures figures = measure();
    const size_t bytes = figures.size() * sizeof(double);
    const ssize_t written = write(ends[1], figures.data(), bytes);
    _exit(written == static_cast<ssize_t>(bytes) ? 0 : 1);
  }
  close(ends[1]);
  Figures figures(count, 0.0);
  size_t got = 0;
  for (ssize_t n;
       got < count * sizeof(double) &&
       (n = read(ends[0], reinterpret_cast<char*>(figures.data()) + got,
                 count * sizeof(double) - got)) > 0;) {
    got += static_cast<size_t>(n);
  }
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return figures;
}

Figures Medians(int runs, size_t count,
                const std::function<Figures()>& measure) {
  std::vector<Figures> all;
  for (int i = 0; i < runs; ++i) all.push_back(InChild(count, measure));
  Figures medians(count);
  for (size_t f = 0; f < count; ++f) {
    std::vector<double> values;
    for (const Figures& figures : all) values.push_back(figures[f]);
    std::sort(values.begin(), values.end());
    medians[f] = values[values.size() / 2];
  }
  return medians;
}

void CountingSink::Write(std::string_view bytes) { bytes_ += bytes.size(); }

}  // namespace tfprof
