#include "loaders/perfetto/trace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "loaders/perfetto/annotations.h"
#include "loaders/perfetto/clocks.h"
#include "loaders/perfetto/gpu_events.h"
#include "loaders/perfetto/messages.h"
#include "loaders/perfetto/packet.h"
#include "loaders/perfetto/packet_log.h"
#include "loaders/perfetto/texts.h"
#include "loaders/perfetto/track_events.h"
#include "loaders/perfetto/tracks.h"
#include "util/files/wire.h"

namespace tfprof::perfetto {
namespace {

using util::LengthTag;
using util::VarintTag;

// The category by which exporters/formats/perfetto_trace.cc marks its files.
constexpr std::string_view kOwnMark = "tfprof";

struct Sequence {
  ClockMap clocks;
  uint32_t texts = kNoIndex;  // in TraceState::texts; kNoIndex: none yet
  uint32_t default_clock = 0;
  uint64_t default_track = 0;
  ExtraCounters default_counters;  // only tracks
  bool seen = false;
};

class TraceReader {
 public:
  TraceReader(std::shared_ptr<const loaders::InputFile> file,
              loaders::LoadContext& context)
      : context_(context),
        limit_(std::max(kMinUnpacked, file->bytes().size() * kMaxGrowth)),
        tables_{.state = std::make_shared<TraceState>()},
        log_(*tables_.state, context.log) {
    state().file = std::move(file);
    state().texts.emplace_back();  // of sequences that sent nothing
  }

  absl::StatusOr<TraceTables> Run() {
    const loaders::InputFile& file = *tables_.state->file;
    if (!file.damage().empty()) {
      log_.Damage("damaged container", file.bytes(), file.damage());
    }
    ReadPackets(file.bytes(), /*packed_from=*/{});
    if (context_.work.cancelled()) return absl::CancelledError("cancelled");
    if (too_many_) {
      return absl::ResourceExhaustedError(fmt::format(
          "{}: the trace has more than {} slices, which is the most that "
          "tfprof reads; record a shorter time",
          file.path(), kMaxSlices));
    }
    LogLosses();
    return std::move(tables_);
  }

 private:
  TraceState& state() { return *tables_.state; }

  // ---- Packets

  // `packed_from`: the packed bytes, if these were unpacked.
  void ReadPackets(std::string_view bytes, std::string_view packed_from) {
    const bool is_unpacked = !packed_from.empty();
    util::WireReader r(bytes);
    while (r.Next()) {
      if (context_.work.cancelled() || too_many_) return;
      if (r.tag() != LengthTag(1)) {
        log_.Notice("field that is no packet", bytes.substr(r.good_bytes()),
                    fmt::format("before this byte is field {} of a trace, "
                                "which is no packet; it is skipped",
                                r.number()));
        continue;
      }
      if (!is_unpacked) {
        context_.progress->done += static_cast<int64_t>(r.view().size());
      }
      Read(r.view(), is_unpacked);
      if (!is_unpacked) Reserve(r.good_bytes(), bytes.size());
    }
    if (!r.damaged()) return;
    log_.Damage("trace without its end", bytes.substr(r.good_bytes()),
                fmt::format("{}; the file was cut or is damaged here, and the "
                            "packets before are shown",
                            r.Describe(0)));
  }

  // Guesses from the first part of a large file how many rows the tables will
  // have. Tables that grow would be copied, and the system would have to give
  // twice the memory. A table gets no more bytes than the file has, in case the
  // other parts are different.
  void Reserve(size_t read, size_t all) {
    constexpr size_t kLarge = size_t{16} << 20, kParts = 64;
    if (reserved_ || all < kLarge || read < all / kParts) return;
    reserved_ = true;
    const double factor =
        1.1 * static_cast<double>(all) / static_cast<double>(read);
    const auto grow = [&](auto& rows) {
      const double guess = static_cast<double>(rows.size()) * factor;
      rows.reserve(std::min(static_cast<size_t>(guess), all / sizeof(rows[0])));
    };
    grow(tables_.slices);
    grow(tables_.marks);
    grow(tables_.ends);
    grow(tables_.counters);
    grow(tables_.flows);
  }

  void Read(std::string_view bytes, bool is_unpacked) {
    Packet p;
    if (!ReadPacket(bytes, p)) {
      return log_.Damage("damaged packet", bytes,
                         "a packet is damaged and is skipped");
    }
    if (!p.compressed.empty()) {
      if (!is_unpacked) return Unpack(p.compressed);
      return log_.Damage("packets packed twice", bytes,
                         "packed packets are inside packed packets; they are "
                         "skipped");
    }
    Sequence& s = SequenceOf(p.sequence);
    // The first packet of a sequence also has this flag.
    if (p.dropped && s.seen) {
      log_.Damage("lost packets", bytes,
                  fmt::format("packets of sequence {} before this one were "
                              "lost while recording; use a larger buffer",
                              p.sequence));
    }
    s.seen = true;
    if (p.cleared) {
      s.texts = kNoIndex;
      s.default_clock = 0;
      s.default_track = 0;
      s.default_counters = {};
    }
    if (!p.defaults.empty()) ReadDefaults(p.defaults, s);
    if (!p.interned.empty()) ReadInterned(p.interned, s);
    if (!p.clocks.empty() && !clocks_.ReadSnapshot(p.clocks, s.clocks)) {
      CountDamage("damaged clocks", p.clocks, "a snapshot of clocks");
    }
    if (!p.descriptor.empty() && !ReadTrackDescriptor(p.descriptor, tables_)) {
      CountDamage("damaged track", p.descriptor, "the description of a track");
    }
    if (!p.tree.empty() && !ReadProcessTree(p.tree, tables_)) {
      CountDamage("damaged process", p.tree, "a list of processes");
    }
    if (!p.process.empty() && !ReadProcessName(p.process, tables_)) {
      CountDamage("damaged process", p.process, "the name of a process");
    }
    // The last statistics are of the whole recording.
    if (!p.stats.empty()) stats_ = p.stats;
    if (p.has_event) AddEvent(p, s, bytes);
    if (!p.gpu.empty()) AddWork(p, s, bytes);
    if (!p.counters.empty()) AddGpuCounters(p, s, bytes);
  }

  void CountDamage(std::string_view kind, std::string_view at,
                   std::string_view what) {
    log_.Damage(kind, at,
                fmt::format("{} is damaged; the part before is used", what));
  }

  void Unpack(std::string_view packed) {
    std::string bytes;
    const Inflated result =
        InflatePackets(packed, limit_ - unpacked_size_, bytes);
    if (result == Inflated::kTooLarge) {
      return log_.Damage(
          "packed packets too large", packed,
          fmt::format("packed packets have more than {} bytes in total, which "
                      "is too much for a file of {} bytes; they are skipped",
                      limit_, state().file->bytes().size()));
    }
    if (result == Inflated::kDamaged) {
      log_.Damage("damaged packed packets", packed,
                  fmt::format("packed packets are no whole zlib stream; the "
                              "{} bytes before the damage are used",
                              bytes.size()));
    }
    unpacked_size_ += bytes.size();
    UnpackedPackets& unpacked = state().unpacked.emplace_back();
    unpacked.bytes = std::move(bytes);
    unpacked.offset = state().file->OffsetOf(packed);
    ReadPackets(unpacked.bytes, packed);
    CheckSkippedParts(unpacked.bytes);
  }

  // Counts damage in unpacked packets that reading them did not find:
  // annotations, for example, are only read when they are shown.
  void CheckSkippedParts(std::string_view packets) {
    if (context_.log.damaged()) return;
    const auto damage =
        TraceMessages().FindDamage(packets, context_.work.cancellation);
    if (!damage) return;
    log_.Damage("damage inside a packet", packets.substr(*damage),
                "a field inside a packet is damaged, and its content is "
                "missing; copy the file again");
  }

  // ---- The state of a sequence

  Sequence& SequenceOf(uint32_t id) {
    if (last_sequence_ == nullptr || id != last_id_) {
      std::unique_ptr<Sequence>& of = sequences_[id];
      if (of == nullptr) of = std::make_unique<Sequence>();
      last_sequence_ = of.get();
      last_id_ = id;
    }
    return *last_sequence_;
  }

  void ReadDefaults(std::string_view bytes, Sequence& s) {
    s.default_clock = 0;
    s.default_track = 0;
    s.default_counters = {};
    util::WireReader r(bytes);
    while (r.Next()) {
      if (r.tag() == VarintTag(58)) {
        s.default_clock = static_cast<uint32_t>(r.value());
      } else if (r.tag() == LengthTag(11)) {
        util::WireReader event(r.view());
        while (event.Next()) {
          if (event.tag() == VarintTag(11)) s.default_track = event.value();
        }
        ReadExtraCounters(r.view(), s.default_counters);
      }
    }
    if (r.damaged())
      CountDamage("damaged defaults", bytes, "a set of defaults");
  }

  Texts& MutableTexts(Sequence& s) {
    if (s.texts == kNoIndex) {
      s.texts = static_cast<uint32_t>(
          std::min<size_t>(state().texts.size(), kMaxTexts));
      if (s.texts < kMaxTexts) state().texts.emplace_back();
      too_many_ |= s.texts == kMaxTexts;
    }
    return s.texts == kMaxTexts ? state().texts.front()
                                : state().texts[s.texts];
  }

  uint32_t TextsOf(const Sequence& s) const {
    return s.texts == kNoIndex || s.texts == kMaxTexts ? 0 : s.texts;
  }

  TextFinder FinderOf(const Sequence& s) {
    return {.texts = state().texts[TextsOf(s)], .log = &log_};
  }

  void ReadInterned(std::string_view bytes, Sequence& s) {
    util::WireReader r(bytes);
    while (r.Next()) {
      if (!r.is_length()) continue;
      const std::optional<TextTable> table = TableOfField(r.number());
      if (!table) continue;
      uint64_t id = 0;
      std::string_view text;
      util::WireReader entry(r.view());
      while (entry.Next()) {
        if (entry.tag() == VarintTag(1)) id = entry.value();
        if (entry.tag() == LengthTag(2)) text = entry.view();
      }
      if (entry.damaged()) {
        log_.Damage("damaged text", r.view(),
                    "a text that is sent by number is damaged and is skipped");
        continue;
      }
      if (*table == TextTable::kCategories && text == kOwnMark) {
        state().is_own = true;
      }
      MutableTexts(s).Set(*table, id, text);
    }
    if (r.damaged()) CountDamage("damaged text", bytes, "a list of texts");
  }

  std::optional<int64_t> TimeOf(const Packet& p, Sequence& s,
                                std::string_view at) {
    if (!p.has_time) return std::nullopt;
    const uint32_t clock = p.clock != 0 ? p.clock : s.default_clock;
    int64_t nanos = 0;
    switch (clocks_.ToNanos(p.time, clock, s.clocks, nanos)) {
      case Clocks::Known::kYes:
        return nanos;
      case Clocks::Known::kAsItIs:
        log_.Notice("unknown clock", at,
                    fmt::format("no snapshot has clock {}; its times are taken "
                                "as nanoseconds of the trace",
                                clock));
        return nanos;
      case Clocks::Known::kNo:
        break;
    }
    log_.Damage("clock of a sequence without a snapshot", at,
                fmt::format("no snapshot of sequence {} has its clock {}, so "
                            "the time of the packet is not known",
                            p.sequence, clock));
    return std::nullopt;
  }

  // ---- Events

  uint32_t CategoryOf(std::string_view category) {
    if (category.data() == last_category_.data() &&
        category.size() == last_category_.size() &&
        !tables_.categories.empty()) {
      return last_category_number_;
    }
    const auto [it, added] = category_numbers_.try_emplace(
        category, static_cast<uint32_t>(tables_.categories.size()));
    if (added) tables_.categories.push_back(category);
    last_category_ = category;
    return last_category_number_ = it->second;
  }

  // Fills the rest of a slice, whose flows were appended from `first_flow` on.
  void AddSlice(Slice& slice, std::string_view bytes, const Sequence& s,
                size_t first_flow) {
    too_many_ |= tables_.slices.size() >= kMaxSlices ||
                 tables_.flows.size() > UINT32_MAX;
    if (too_many_) return;
    if (slice.name.size() > kMaxName) {
      log_.Notice("name too long", slice.name,
                  fmt::format("a name has {} bytes, of which {} are used",
                              slice.name.size(), kMaxName));
      slice.name = slice.name.substr(0, kMaxName);
    }
    if (slice.name.empty()) {
      log_.Notice("slice without a name", bytes, "a slice has no name");
    }
    slice.record.data = bytes.data();
    slice.record.size = static_cast<uint32_t>(bytes.size());
    slice.record.texts = TextsOf(s);
    slice.first_flow = static_cast<uint32_t>(first_flow);
    slice.num_flows = static_cast<uint32_t>(tables_.flows.size() - first_flow);
    tables_.slices.push_back(slice);
  }

  void AddEvent(const Packet& p, Sequence& s, std::string_view packet) {
    // The time comes first: an incremental clock counts all packets.
    const std::optional<int64_t> time = TimeOf(p, s, packet);
    const size_t first_flow = tables_.flows.size();
    TrackEvent event =
        ReadTrackEvent(p.event, FinderOf(s), state().is_own, tables_.flows);
    const bool is_usable = !event.damaged && !event.unknown_type && time &&
                           event.type != EventType::kNone &&
                           p.event.size() <= UINT32_MAX;
    const bool is_slice =
        event.type == EventType::kBegin || event.type == EventType::kInstant;
    if (!is_usable || !is_slice) tables_.flows.resize(first_flow);
    if (!is_usable) return CountEvent(event, p, time.has_value());
    if (event.has_extra_counters) AddExtraCounters(*time, p.event, s);
    const uint32_t track =
        tables_.TrackOf(event.has_track ? event.track : s.default_track);
    event.slice.time = *time;
    event.slice.track = track;
    switch (event.type) {
      case EventType::kBegin:
        tables_.marks.push_back(
            {*time, track, static_cast<uint32_t>(tables_.slices.size())});
        break;
      case EventType::kInstant:
        event.slice.is_instant = true;
        break;
      case EventType::kEnd:
        return AddEnd(*time, track, event, p.event);
      case EventType::kCounter:
        return AddCounter(*time, track, event.value, event.slice.name);
      case EventType::kNone:
        return;
    }
    event.slice.category = CategoryOf(event.category);
    AddSlice(event.slice, p.event, s, first_flow);
  }

  void AddEnd(int64_t time, uint32_t track, const TrackEvent& event,
              std::string_view bytes) {
    too_many_ |= tables_.ends.size() >= kMaxSlices;
    if (too_many_) return;
    if (event.slice.has_annotations) {
      log_.Notice("annotation of an end", bytes,
                  "the end of a slice has annotations, which are skipped");
    }
    tables_.marks.push_back(
        {time, track, kEndBit | static_cast<uint32_t>(tables_.ends.size())});
    tables_.ends.push_back(bytes.data());
  }

  void AddCounter(int64_t time, uint32_t track, double value,
                  std::string_view name) {
    Track& of = tables_.tracks[track];
    value *= static_cast<double>(of.unit);
    if (of.is_incremental) value = of.sum += value;
    tables_.counters.push_back({.time = time,
                                .value = value,
                                .name = name,
                                .track = track,
                                .in_bytes = of.in_bytes});
  }

  void AddExtraCounters(int64_t time, std::string_view bytes,
                        const Sequence& s) {
    ExtraCounters extra = s.default_counters;
    ReadExtraCounters(bytes, extra);
    const auto add = [&](const std::vector<int64_t>& tracks,
                         const auto& values) {
      for (size_t i = 0; i < std::min(tracks.size(), values.size()); ++i) {
        AddCounter(time, tables_.TrackOf(static_cast<uint64_t>(tracks[i])),
                   static_cast<double>(values[i]), {});
      }
      if (values.size() > tracks.size()) {
        log_.Damage("counter without a track", bytes,
                    "an event has more values of counters than tracks for "
                    "them; the rest of the values is skipped");
      }
    };
    add(extra.tracks, extra.values);
    add(extra.double_tracks, extra.doubles);
  }

  void CountEvent(const TrackEvent& event, const Packet& p, bool has_time) {
    if (event.damaged || p.event.size() > UINT32_MAX) {
      return log_.Damage("damaged event", p.event,
                         "an event is damaged and is skipped");
    }
    if (event.unknown_type) {
      return log_.Damage("event of an unknown type", p.event,
                         "an event is no begin, end, instant or counter and "
                         "is skipped");
    }
    if (!has_time) {
      return log_.Damage("event without a time", p.event,
                         "an event has no time and is skipped");
    }
    if (event.is_legacy) {
      return log_.Notice("event of the old form", p.event,
                         "an event has only the form of chrome traces "
                         "(legacy_event), which is not read in packets; it is "
                         "skipped");
    }
    log_.Notice("event without a type", p.event,
                "an event is no begin, end, instant or counter; it is skipped");
  }

  // ---- GPUs

  void AddWork(const Packet& p, Sequence& s, std::string_view packet) {
    const size_t first_flow = tables_.flows.size();
    GpuWork work = ReadGpuWork(p.gpu, FinderOf(s), tables_.flows);
    if (!work.specifications.empty()) {
      tables_.flows.resize(first_flow);
      if (!ReadSpecifications(work.specifications, MutableTexts(s))) {
        CountDamage("damaged GPU names", work.specifications,
                    "the list of queues and stages of a GPU");
      }
      return;
    }
    const std::optional<int64_t> time = TimeOf(p, s, packet);
    if (work.damaged || !time || p.gpu.size() > UINT32_MAX) {
      tables_.flows.resize(first_flow);
      return log_.Damage("damaged GPU work", p.gpu,
                         time ? "work of a GPU is damaged and is skipped"
                              : "work of a GPU has no time and is skipped");
    }
    Slice& slice = work.slice;
    slice.time = *time;
    slice.track = tables_.TrackOf(GpuTrack(slice.device, work.queue));
    slice.category = CategoryOf(work.stage);
    slice.record.is_work = 1;
    slice.has_stream = true;
    AddSlice(slice, p.gpu, s, first_flow);
  }

  void AddGpuCounters(const Packet& p, Sequence& s, std::string_view packet) {
    std::vector<GpuCounters::Value> values;
    if (!gpu_counters_.Read(p.counters, values)) {
      CountDamage("damaged GPU counters", p.counters, "a set of counters");
    }
    if (values.empty()) return;
    const std::optional<int64_t> time = TimeOf(p, s, packet);
    if (!time) {
      return log_.Damage("event without a time", p.counters,
                         "counters of a GPU have no time and are skipped");
    }
    for (const GpuCounters::Value& value : values) {
      tables_.counters.push_back({.time = *time,
                                  .value = value.value,
                                  .name = value.name,
                                  .track = tables_.TrackOf(value.track),
                                  .in_bytes = value.in_bytes});
    }
  }

  // ---- Losses

  void LogLosses() {
    if (stats_.empty()) return;
    const PacketLosses losses = ReadPacketLosses(stats_);
    const auto note = [&](std::string_view kind, uint64_t count,
                          std::string_view what) {
      if (count == 0) return;
      log_.Damage(kind, stats_, fmt::format("{}: {}", what, count));
    };
    note("lost chunks", losses.chunks_overwritten,
         "chunks of packets that were overwritten while recording, because the "
         "ring buffer was full (use a larger one)");
    note("lost chunks", losses.chunks_discarded,
         "chunks of packets that were discarded while recording, because a "
         "buffer was full (use a larger one)");
    note(
        "lost packets", losses.writer_losses,
        "times that a program had no room for its packets while recording (use "
        "a larger shared memory buffer)");
    note("invalid packets", losses.invalid_packets,
         "packets that were invalid and dropped while recording");
  }

  loaders::LoadContext& context_;
  const size_t limit_;  // of all unpacked bytes
  size_t unpacked_size_ = 0;
  bool reserved_ = false;
  TraceTables tables_;
  PacketLog log_;
  absl::flat_hash_map<uint32_t, std::unique_ptr<Sequence>> sequences_;
  Sequence* last_sequence_ = nullptr;
  uint32_t last_id_ = 0;
  Clocks clocks_;
  GpuCounters gpu_counters_;
  absl::flat_hash_map<std::string_view, uint32_t> category_numbers_;
  std::string_view last_category_;
  uint32_t last_category_number_ = 0;
  std::string_view stats_;
  bool too_many_ = false;
};

}  // namespace

absl::StatusOr<TraceTables> ReadTrace(
    std::shared_ptr<const loaders::InputFile> file,
    loaders::LoadContext& context) {
  return TraceReader(std::move(file), context).Run();
}

}  // namespace tfprof::perfetto
