#include "loaders/chrome_json/kineto/replays/capture_files.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "loaders/chrome_json/kineto/host/steps.h"
#include "loaders/chrome_json/kineto/lanes.h"
#include "loaders/chrome_json/kineto/replays/captures.h"

namespace tfprof::kineto {

FileFacts ReadFileFacts(const KinetoFile& file,
                        const profile::StringPool& strings) {
  FileFacts facts;
  facts.rank = file.envelope.rank >= 0 ? file.envelope.rank
                                       : RankOfPath(file.events.file->path());
  facts.has_capture = HasCapture(file.events, strings);
  if (!facts.has_capture) return facts;
  facts.has_annotation = AnnotatedBatch(file.events, strings) >= 0;
  facts.has_engine_steps = FindSteps(file.events, strings).of_engine();
  return facts;
}

std::vector<bool> FindCaptureFiles(std::span<const FileFacts> files) {
  std::vector<bool> is_capture(files.size(), false);
  // The ranks of files that are executions for sure.
  absl::flat_hash_set<int64_t> executed;
  for (size_t i = 0; i < files.size(); ++i) {
    const FileFacts& file = files[i];
    is_capture[i] = file.has_capture && file.has_annotation;
    if (!file.has_capture || (file.has_engine_steps && !is_capture[i])) {
      executed.insert(file.rank);
    }
  }
  for (size_t i = 0; i < files.size(); ++i) {
    const FileFacts& file = files[i];
    if (!file.has_capture || file.has_annotation || file.has_engine_steps) {
      continue;
    }
    const bool has_execution =
        executed.contains(file.rank) ||
        (!executed.empty() && (file.rank < 0 || executed.contains(-1)));
    is_capture[i] = has_execution;
    if (!has_execution && file.rank >= 0) executed.insert(file.rank);
  }
  if (std::all_of(is_capture.begin(), is_capture.end(),
                  [](bool is) { return is; })) {
    is_capture.assign(files.size(), false);
  }
  return is_capture;
}

}  // namespace tfprof::kineto
