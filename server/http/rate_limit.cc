#include "server/http/rate_limit.h"

#include <algorithm>

namespace tfprof::server {

bool RateLimit::Admit(const std::string& address, double now) {
  if (buckets_.size() >= kMaxAddresses && !buckets_.contains(address)) {
    std::erase_if(buckets_, [&](const auto& entry) {
      const Bucket& bucket = entry.second;
      return bucket.left + (now - bucket.at) * per_second_ >= burst_;
    });
  }
  const std::string& key =
      buckets_.size() >= kMaxAddresses && !buckets_.contains(address)
          ? std::string()
          : address;
  auto [at, made] = buckets_.try_emplace(key, Bucket{burst_, now});
  Bucket& bucket = at->second;
  bucket.left = std::min(burst_, bucket.left + (now - bucket.at) * per_second_);
  bucket.at = now;
  if (bucket.left < 1) return false;
  bucket.left -= 1;
  return true;
}

}  // namespace tfprof::server
