#include "util/run/start_thread.h"

#include <system_error>
#include <utility>

namespace tfprof::util {

// The standard library reports the failure with an exception, the only one that
// this program catches.
std::jthread StartThread(std::function<void()> call) {
  try {
    return std::jthread(std::move(call));
  } catch (const std::system_error&) {
    return {};
  }
}

}  // namespace tfprof::util
