// Reads the events of one Kineto file into plain tables (events.h). The result
// shares the file.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_SCAN_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_SCAN_H_

#include "absl/status/statusor.h"
#include "loaders/chrome_json/event_source.h"
#include "loaders/chrome_json/kineto/envelope.h"
#include "loaders/chrome_json/kineto/events.h"
#include "loaders/chrome_json/kineto/python_names.h"
#include "loaders/chrome_json/kineto/scope_maker.h"
#include "loaders/core/load_context.h"

namespace tfprof::kineto {

struct KinetoFile {
  KinetoEvents events;
  KinetoEnvelope envelope;
};

// Strings, stacks and scopes go to the builder of the context, damage and
// notices to its log. Returns an error if the file has no array of events.
absl::StatusOr<KinetoFile> ScanKineto(const chrome_json::TraceInput& input,
                                      PythonNames& python, ScopeMaker& scopes,
                                      loaders::LoadContext& context);

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_SCAN_H_
