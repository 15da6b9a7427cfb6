#include "loaders/ctf/events/transfers.h"

namespace tfprof::ctf {

Request& TransferCollector::Find(profile::StringId key, EventRole role) {
  const auto stage =
      static_cast<size_t>(role) - static_cast<size_t>(EventRole::kRequestBegin);
  Keyed& keyed = keyed_[key];
  const uint32_t k = keyed.count[stage]++;
  if (k >= keyed.requests.size()) {
    keyed.requests.push_back(static_cast<uint32_t>(transfers_.requests.size()));
    Request& request = transfers_.requests.emplace_back();
    request.key = key;
    request.number = k;
  }
  return transfers_.requests[keyed.requests[k]];
}

void TransferCollector::Add(EventRole role, profile::StringId key,
                            uint32_t process, int64_t time, int64_t step) {
  Request& request = Find(key, role);
  switch (role) {
    case EventRole::kRequestBegin:
      request.client_begin = time;
      request.client = process;
      break;
    case EventRole::kRequestEnd:
      request.client_end = time;
      request.client = process;
      break;
    case EventRole::kRequestSeen:
      request.server_seen = time;
      request.server = process;
      request.step = step;
      break;
    case EventRole::kPrepareBegin:
      request.prepare_begin = time;
      request.server = process;
      break;
    default:
      request.prepare_end = time;
      request.server = process;
  }
}

void TransferCollector::AddSide(profile::StringId key, uint32_t process,
                                bool is_server, int64_t begin, int64_t end) {
  Request& request = Find(
      key, is_server ? EventRole::kPrepareBegin : EventRole::kRequestBegin);
  if (is_server) {
    request.prepare_begin = request.server_seen = begin;
    request.prepare_end = end;
    request.server = process;
  } else {
    request.client_begin = begin;
    request.client_end = end;
    request.client = process;
  }
}

void TransferCollector::AddLocal(bool is_send, uint32_t process,
                                 profile::StringId key, int64_t time) {
  LocalTransfers& local = transfers_.local;
  ++(is_send ? local.sends : local.receives);
  Waiting& waiting = waiting_[{process, key}];
  if (waiting.times.empty()) waiting.are_sends = is_send;
  if (waiting.are_sends == is_send) {
    waiting.times.push_back(time);
    return;
  }
  const int64_t waited = time - waiting.times.front();
  waiting.times.pop_front();
  ++local.matched;
  local.receive_first += is_send;
  (is_send ? local.receive_wait_ns : local.send_wait_ns) += waited;
  if (waiting.times.empty()) waiting_.erase({process, key});
}

}  // namespace tfprof::ctf
