// Stopping work that a person no longer wants: a wish that long loops look at.
//
// In the shell, Ctrl-C while a command runs asks for a stop; who writes many
// bytes or rows looks at StopRequested() now and then and returns early, and
// the command then fails as CANCELLED. Output stops early, and loading, which
// then leaves nothing: what a view keeps for the next command is always made
// whole, because half of it would be wrong numbers later.
//
// The wish belongs to the process, as a signal does. Nobody makes it outside
// of an interactive shell, where SIGINT ends the program as usual.

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
