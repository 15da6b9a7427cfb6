// Loads one .xplane.pb file into the profile.
//
// The files of a load share the nodes, the links, and the origin of their
// clocks. A file is a process. If all files of a run on several hosts give
// their start (profile_start_time), they share one clock.

#ifndef TFPROF_LOADERS_XPLANE_FILE_LOADER_H_
#define TFPROF_LOADERS_XPLANE_FILE_LOADER_H_

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "loaders/core/load_context.h"
#include "loaders/nodes/device_steps.h"
#include "loaders/xplane/hlo/hlo_graph.h"
#include "loaders/xplane/hlo/op_nodes.h"
#include "loaders/xplane/lines/event_links.h"
#include "loaders/xplane/lines/line_targets.h"
#include "loaders/xplane/planes/xspace.h"

namespace tfprof::xplane {

// An open file with its outline.
struct XPlaneFile {
  std::string path;
  std::shared_ptr<const loaders::InputFile> file;
  std::shared_ptr<const XSpace> space;
  // When its recorder began, in ns since 1970; 0: unknown.
  int64_t began_ns = 0;
  // The smallest timestamp of a line with events, in ns since the recorder
  // began.
  int64_t first_ns = 0;
  // The origin of the profile, by the clock of the file.
  int64_t origin_ns = 0;
  uint32_t clock = 0;
};

XPlaneFile OpenXPlane(const std::string& path,
                      std::shared_ptr<const loaders::InputFile> file,
                      loaders::ImportLog& log);

struct XPlaneLoad {
  explicit XPlaneLoad(loaders::LoadContext& context)
      : hlo(context.builder, context.log), ops(context.builder) {}

  HloGraph hlo;
  OpNodes ops;
  NodeTexts texts;
  EventLinks links;
  std::set<int64_t> steps;  // steps that have executions
  loaders::HostsAhead ahead;
  // If there are several files, the names of devices tell them apart.
  bool several = false;
};

// Adds the file to the builder of the context. Does not finish the steps.
void LoadXPlaneFile(const XPlaneFile& file, XPlaneLoad& load,
                    loaders::LoadContext& context);

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_FILE_LOADER_H_
