// RateLimit: limits how many requests an address may make, with a bucket that
// refills over time. Addresses with full buckets are forgotten; if there are
// too many addresses, the others share one bucket. Must be used by one thread.
// Times are seconds of any steady clock.

#ifndef TFPROF_SERVER_HTTP_RATE_LIMIT_H_
#define TFPROF_SERVER_HTTP_RATE_LIMIT_H_

#include <cstddef>
#include <map>
#include <string>

namespace tfprof::server {

class RateLimit {
 public:
  RateLimit(double per_second, double burst)
      : per_second_(per_second), burst_(burst) {}

  // Returns false if the address makes too many requests.
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

}  // namespace tfprof::server

#endif  // TFPROF_SERVER_HTTP_RATE_LIMIT_H_
