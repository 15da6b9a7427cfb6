// Loads one .xplane.pb file into the profile that is being made.
//
// What is shared between the files of a load: the nodes, the links, and where
// the clocks of the files meet. A file is a process. The files of a run on
// several hosts say when they began (profile_start_time), and so have one
// clock.

#ifndef TFPROF_LOADERS_XPLANE_FILE_LOADER_H_
#define TFPROF_LOADERS_XPLANE_FILE_LOADER_H_

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "loaders/load_context.h"
#include "loaders/xplane/event_links.h"
#include "loaders/xplane/hlo_graph.h"
#include "loaders/xplane/op_nodes.h"
#include "loaders/xplane/xspace.h"

namespace tfprof {

// A file that is open, with its outline.
struct XPlaneFile {
  std::string path;
  std::shared_ptr<const InputFile> file;
  std::shared_ptr<const XSpace> space;
  // When its recorder began, ns since 1970; 0: the file does not say it.
  int64_t began_ns = 0;
  // The smallest timestamp of a line with events, ns since the recorder began.
  int64_t first_ns = 0;
  // The time of the profile's origin, in the file's clock.
  int64_t origin_ns = 0;
  uint32_t clock = 0;
};

XPlaneFile OpenXPlane(const std::string& path,
                      std::shared_ptr<const InputFile> file, ImportLog& log);

struct XPlaneLoad {
  explicit XPlaneLoad(LoadContext& context)
      : hlo(context.builder, context.log), ops(context.builder) {}

  HloGraph hlo;
  OpNodes ops;
  EventLinks links;
  std::set<int64_t> steps;  // with executions
  // Several files: names of devices say which.
  bool several = false;
};

// Adds the file to the builder of the context. The steps are not finished.
void LoadXPlaneFile(const XPlaneFile& file, XPlaneLoad& load,
                    LoadContext& context);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_XPLANE_FILE_LOADER_H_
