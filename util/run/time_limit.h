// Ends the program when it works too long: with one line on stderr and an exit
// status, never with a signal. Only main() and what it calls first may use it.

#ifndef TFPROF_UTIL_RUN_TIME_LIMIT_H_
#define TFPROF_UTIL_RUN_TIME_LIMIT_H_

#include <string_view>

namespace tfprof::util {

inline constexpr std::string_view kOutOfTimeLine =
    "tfprof: out of time: this takes longer than --max_seconds allows; raise "
    "the limit, or load fewer files at a time\n";
// The sentence in it.
inline constexpr std::string_view kOutOfTime =
    kOutOfTimeLine.substr(8, kOutOfTimeLine.size() - 9);

// After `seconds`, the process ends with `status`. 0: it never does. SIGALRM is
// used for it.
void LimitTime(unsigned seconds, int status);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_RUN_TIME_LIMIT_H_
