// Cancellation of work that the user no longer wants.
//
// In the shell, Ctrl-C while a command runs requests cancellation. Code that
// writes many bytes or rows calls StopRequested() now and then and returns
// early, and the command fails as CANCELLED. Output ends early; a cancelled load
// leaves nothing. What a view keeps for the next command is always finished,
// because half of it would be wrong numbers later.
//
// The request belongs to the process, as a signal does. Only an interactive
// shell makes one; elsewhere SIGINT ends the program as usual.

#ifndef TFPROF_UTIL_STOP_H_
#define TFPROF_UTIL_STOP_H_

#include <signal.h>

namespace tfprof {

// Costs a load. From any thread.
bool StopRequested();
// Safe in a signal handler.
void RequestStop();
// Before the next command.
void ClearStop();

// As long as one lives, SIGINT requests a stop and does nothing else.
class InterruptStops {
 public:
  InterruptStops();
  ~InterruptStops();
  InterruptStops(const InterruptStops&) = delete;
  InterruptStops& operator=(const InterruptStops&) = delete;

 private:
  struct sigaction before_;
};

}  // namespace tfprof

#endif  // TFPROF_UTIL_STOP_H_
