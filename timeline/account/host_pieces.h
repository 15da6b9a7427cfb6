// What the threads of the host did, as pieces of time that do not overlap: the
// innermost execution at each moment, with the class of what it is part of.
//
//   const HostPieces pieces(activities, idle);
//   for (const HostThread& thread : pieces.OfProcess(process)) …
//
// The executions of all steps count, and those outside of steps; an execution
// that is a whole step of the file is ignored. Inside a call that reads input,
// compiles, sets something up or records, every piece has the class of that
// call, except that memory allocated while input is read is an allocation. The
// capture of a graph is such a call, from its begin to its end. If executions
// overlap without being nested, the one that began last counts.
//
// Only pieces that have wanted time are kept. They are whole: a thread that
// does one thing for long has one piece, however many gaps it spans.
//
// Times are ticks of the profile. The work is O(n log n) for n executions.

#ifndef TFPROF_TIMELINE_ACCOUNT_HOST_PIECES_H_
#define TFPROF_TIMELINE_ACCOUNT_HOST_PIECES_H_

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "profile/profile.h"
#include "timeline/account/work_classes.h"
#include "timeline/activity.h"
#include "timeline/intervals.h"

namespace tfprof::timeline {

struct HostPiece {
  int64_t start = 0;
  int64_t end = 0;
  HostCall call = HostCall::kOther;
  bool python = false;   // the time of a Python function itself
  bool range = false;    // the time of a named range itself, between its calls
  bool library = false;  // of a function that is not the program's own
  bool for_program = false;  // a wait for a thread, a queue or a process
  // The operation, call or function.
  profile::StringId name = profile::kNone;
  // The operation or function around a wait, a launch or an allocation, or the
  // operation around a function that reads input (or the reverse). For a
  // function of a library, and a wait for the program, the program's function
  // around it. kNone: nothing, or the piece is none of these.
  profile::StringId outer = profile::kNone;

  // The time of functions of libraries, one after the other, that one function
  // of the program called; of other pieces, their own time.
  Interval stretch = {};

  int64_t length() const { return end - start; }
};

// A call that waits for a device, as far as its name says. A wait inside a wait
// is part of it.
struct HostWait {
  Interval time;
  profile::StringId name = profile::kNone;
  profile::StringId outer = profile::kNone;  // as in HostPiece
};

struct HostThread {
  int64_t thread = -1;  // Lane::thread
  // No thread: communication of the process that is in flight, whichever
  // threads start and end it.
  bool in_flight = false;
  std::vector<HostPiece> pieces;  // by start
  std::vector<HostWait> waits;    // by start
  int64_t recorded = 0;           // the wanted time in `pieces`
};

class HostPieces {
 public:
  // The time for which pieces are wanted, by process.
  using Wanted = std::map<profile::ProcessId, Intervals>;

  HostPieces(const Activities& activities, const Wanted& wanted);

  // The threads of a process with the most recorded time first, then the
  // communication in flight.
  std::span<const HostThread> OfProcess(profile::ProcessId process) const;

 private:
  std::map<profile::ProcessId, std::vector<HostThread>> threads_;
};

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_ACCOUNT_HOST_PIECES_H_
