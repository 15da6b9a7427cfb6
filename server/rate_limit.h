// RateLimit: how many requests an address may make, as a bucket that fills with
// time. Addresses that are full again are forgotten; beyond a number of them
// all share one bucket. For one thread. Times are in seconds of any steady
// clock.

#ifndef TFPROF_SERVER_RATE_LIMIT_H_
#define TFPROF_SERVER_RATE_LIMIT_H_

#include <cstddef>
#include <map>
#include <string>

namespace tfprof {

class RateLimit {
 public:
  RateLimit(double per_second, double burst)
      : per_second_(per_second), burst_(burst) {}

  // False: it asks too often.
  bool Admit(const std::string& address, double now);

 private:
  static constexpr size_t kMaxAddresses = 1000;
  struct Bucket {
    double left;
    double at;
  };

  double per_second_;
  double burst_;
  std::map<std::string, Bucket> buckets_;
};

}  // namespace tfprof

#endif  // TFPROF_SERVER_RATE_LIMIT_H_
