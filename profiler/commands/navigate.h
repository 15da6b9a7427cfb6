// Navigator: the commands that move around in a profile and look at parts of
// it: cd, ls, up, top, show, peek, list, steps, devices, doctor.
//
// What they answer is made in inspect/; here is where a session stands, and
// which table goes with which command.

#ifndef TFPROF_PROFILER_COMMANDS_NAVIGATE_H_
#define TFPROF_PROFILER_COMMANDS_NAVIGATE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "inspect/place.h"
#include "loaders/load.h"
#include "profiler/commands/commands.h"
#include "profiler/shell/ui.h"
#include "views/views.h"

namespace tfprof {

class Navigator {
 public:
  // All must outlive the navigator.
  Navigator(const Loaded& loaded, Views& views, Ui& ui)
      : loaded_(loaded), views_(views), ui_(ui) {}

  // Answers one of those commands. A status that is not OK has been told to
  // nobody, unless it is that of a profile that doctor found bad.
  absl::Status Run(const Command& command, bool& told);

  // Where one stands, as `cd` takes it. "/" for the root of the scopes.
  std::string Where();
  // "conv1/" where names of nodes begin with that, "" where in full.
  std::string Scope();
  // Back to the root: the rows of the views are others now. Then, if it is
  // still there, to `where`.
  absl::Status Return(std::string_view where);

 private:
  absl::Status ChangePlace(std::string_view path);
  absl::Status List(const Command& command);
  absl::Status Top(const Command& command);
  absl::Status AboutNode(const Command& command);
  absl::Status Source(const Command& command);
  absl::Status Doctor(const Command& command, bool& told);

  const Loaded& loaded_;
  Views& views_;
  Ui& ui_;
  Place here_;
};

}  // namespace tfprof

#endif  // TFPROF_PROFILER_COMMANDS_NAVIGATE_H_
