#include "loaders/ctf/load.h"

#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "accounting/self_time_rules.h"
#include "fmt/format.h"
#include "loaders/ctf/events/trace_facts.h"
#include "loaders/ctf/language/metadata.h"
#include "loaders/ctf/model/device_trace.h"
#include "loaders/ctf/model/kernel_counts.h"
#include "loaders/ctf/model/trace_model.h"
#include "loaders/ctf/packets/trace_files.h"
#include "loaders/ctf/trace_reader.h"
#include "util/run/self_profile.h"
#include "util/text/counted.h"

namespace tfprof::ctf {
namespace {

using ctf::TraceFacts;

// Texts of unknown events in the log.
constexpr std::string_view kUnknownEvent = "event with an unknown meaning";

void LogCounters(const ctf::CountedKernels& counted, loaders::ImportLog& log) {
  const auto add = [&](uint64_t count, std::string_view what) {
    if (count == 0) return;
    log.Add(loaders::ImportLog::kNotice, "counters without a kernel",
            fmt::format("{} {} belong to no op: the trace has a different "
                        "number of kernels and launches with that name",
                        count, what));
  };
  add(counted.sets_without_kernel, "sets of counters");
  add(counted.rows_without_kernel, "rows of counter files");
}

void LogFacts(const ctf::TraceFiles& files, const TraceFacts& facts,
              loaders::ImportLog& log) {
  for (const auto& [event, count] : facts.unknown) {
    log.Add(loaders::ImportLog::kNotice, kUnknownEvent,
            fmt::format("{}: {} {} counted but not used",
                        files.traces.front()->folder,
                        util::Counted(count, "event"), event));
  }
  for (const std::string& note : facts.notes) {
    log.Add(loaders::ImportLog::kNotice, "note of the recorder", note);
  }
  if (facts.untimed_commands > 0) {
    log.Add(loaders::ImportLog::kNotice, "command without times",
            fmt::format("{}: the device did not report when {} ran: "
                        "they failed, their queue does not record it, or the "
                        "program ended before them",
                        files.traces.front()->folder,
                        util::Counted(facts.untimed_commands, "command")));
  }
  const auto without_clock = std::ranges::count(
      facts.activities, ctf::DeviceClock::kUnknown, &ctf::Activity::clock);
  if (without_clock > 0) {
    log.Add(loaders::ImportLog::kNotice, "device without a clock",
            fmt::format("the times of {} records of devices are unknown, "
                        "because nothing relates their clock to the host's "
                        "clock; they are not in the profile",
                        without_clock));
  }
  if (files.discarded_events > 0 || files.discarded_packets > 0) {
    log.Add(loaders::ImportLog::kNotice, "event that the tracer dropped",
            fmt::format("{}: the tracer dropped {} and {}; sums "
                        "are lower bounds (lttng enable-channel "
                        "--subbuf-size gives it more memory)",
                        files.traces.front()->folder,
                        util::Counted(files.discarded_events, "event"),
                        util::Counted(files.discarded_packets, "packet")));
  }
}

}  // namespace

absl::Status LoadCtf(const std::vector<std::string>& metadata_paths,
                     loaders::LoadContext& context) {
  const util::ScopedPhase phase("CTF trace", metadata_paths.front());
  auto files = ctf::TraceFiles::Open(metadata_paths, context.log);
  if (!files.ok()) return files.status();
  std::vector<loaders::CounterFile> counter_files =
      std::exchange(context.counter_files, {});
  const auto trace = ctf::ReadContents(*std::move(files), counter_files,
                                       context.work.cancellation, context.log);
  if (context.work.cancelled()) return absl::OkStatus();
  if (!trace.ok()) return trace.status();
  LogFacts(trace->files, trace->facts, context.log);
  LogCounters(trace->counted, context.log);
  if (ctf::IsDeviceTrace(trace->facts)) {
    context.builder.SetRules(accounting::SelfTimeRules());
    ctf::ModelDeviceTrace(trace->facts, trace->hosts, trace->counted,
                          counter_files, context);
  } else {
    ctf::ModelTrace(trace->facts, trace->attribution, trace->hosts,
                    trace->counted, counter_files, context);
  }
  context.ctf_trace = std::make_shared<const ctf::TraceReader>(
      metadata_paths, trace->facts.num_events, std::move(counter_files));
  return absl::OkStatus();
}

loaders::SourceAccount AccountCtf(const loaders::InputFile& metadata,
                                  const util::Cancellation* cancellation) {
  loaders::SourceAccount sum;
  sum.account = ctf::AccountMetadata(metadata.bytes());
  sum.bytes = static_cast<int64_t>(metadata.bytes().size());
  loaders::ImportLog log;
  ctf::StreamNotes notes;
  const auto files = ctf::TraceFiles::Open({metadata.path()}, log, &notes);
  if (!files.ok()) return sum;
  for (const ctf::PacketStream& stream : files->streams) {
    ctf::NoteEvents(stream, cancellation, log, notes);
  }
  for (const auto& file : files->files) {
    sum.account += notes[file.get()].Account(file->bytes());
    sum.bytes += static_cast<int64_t>(file->bytes().size());
  }
  for (const std::string& path : ctf::IndexFiles(metadata.path())) {
    struct stat info = {};
    if (stat(path.c_str(), &info) != 0) continue;
    sum.account.unused += info.st_size;
    sum.bytes += info.st_size;
  }
  return sum;
}

}  // namespace tfprof::ctf
