#include "loaders/perfetto/format.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "accounting/self_time_rules.h"
#include "loaders/chrome_json/chrome/chrome_trace.h"
#include "loaders/chrome_json/event_source.h"
#include "loaders/chrome_json/kineto/kineto.h"
#include "loaders/perfetto/messages.h"
#include "loaders/perfetto/packet.h"
#include "loaders/perfetto/packet_log.h"
#include "loaders/perfetto/saved_part.h"
#include "loaders/perfetto/slice_pairs.h"
#include "loaders/perfetto/trace_events.h"
#include "loaders/perfetto/trace_reader.h"
#include "profile/steps/time_column.h"
#include "util/files/wire.h"
#include "util/run/self_profile.h"

namespace tfprof::perfetto {
namespace {

constexpr int kLookAt = 32;  // packets

loaders::Fit Sniff(std::string_view bytes) {
  util::WireReader r(bytes);
  int packets = 0, fit = 0;
  while (packets < kLookAt && r.Next()) {
    if (r.tag() != util::LengthTag(1)) return {};
    ++packets;
    fit += LooksLikePacket(r.view()) ? 1 : 0;
  }
  // The only packet of a short file may be cut.
  if (packets == 0 && r.tag() == util::LengthTag(1)) {
    packets = 1;
    fit = LooksLikePacket(r.rest()) ? 1 : 0;
  }
  return {.score = fit > 0 && fit * 2 >= packets ? loaders::Fit::kWord : 0};
}

// Packed packets are checked when they are unpacked.
std::optional<uint64_t> FindDamage(std::string_view bytes,
                                   const util::Cancellation* cancellation) {
  return TraceMessages().FindDamage(bytes, cancellation);
}

loaders::ByteAccount Account(const loaders::InputFile& file,
                             const util::Cancellation* cancellation) {
  return TraceMessages().Account(file.bytes(), cancellation);
}

absl::Status LoadFiles(std::span<const loaders::FormatFile> files,
                       loaders::LoadContext& context) {
  const util::ScopedPhase phase("perfetto",
                                fmt::format("{} files", files.size()));
  // Several files are ranks, whose traces only their events can join.
  if (files.size() == 1) {
    const SavedPart part = FindSavedPart(files.front().file->bytes());
    if (part.end > 0) {
      absl::Status status = LoadSavedPart(part, *files.front().file, context);
      if (!absl::IsNotFound(status)) return status;
    }
  }
  std::vector<chrome_json::TraceInput> inputs;
  bool is_kineto = false;
  for (const loaders::FormatFile& file : files) {
    absl::StatusOr<TraceTables> tables = ReadTrace(file.file, context);
    if (!tables.ok()) return tables.status();
    if (tables->slices.empty() && tables->counters.empty()) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: no event with a time in {} bytes of packets; record a trace "
          "with the data source track_event, or with torch.profiler",
          file.file->path(), file.file->bytes().size()));
    }
    PacketLog log(*tables->state, context.log);
    PairSlices(*tables, log);
    TraceInputs made = MakeTraceInputs(*std::move(tables), context);
    is_kineto |= made.is_kineto;
    for (chrome_json::TraceInput& input : made.inputs) {
      inputs.push_back(std::move(input));
    }
  }
  return is_kineto ? kineto::LoadKinetoEvents(inputs, context)
                   : chrome_json::LoadChromeEvents(inputs, context);
}

}  // namespace

const loaders::Format kPerfettoFormat = {
    .name = "Perfetto trace",
    .flag = "perfetto_path",
    .value_name = "FILE,…",
    .help = "Traces of Perfetto (*.pftrace, *.perfetto-trace).",
    .flag_takes_list = true,
    .failed_name = "perfetto_path",
    .role = loaders::Role::kProfile,
    .order = 19,
    .rules = accounting::SelfTimeRules,
    .ticks_per_micro = profile::kNanosPerMicro,
    .sniff = Sniff,
    .find_damage = FindDamage,
    .check_beside_load = true,
    .account = Account,
    .load = LoadFiles,
};

}  // namespace tfprof::perfetto
