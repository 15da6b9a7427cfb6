#include "loaders/ctf/packets/trace_files.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "fmt/format.h"
#include "loaders/ctf/language/metadata.h"
#include "util/files/errno_status.h"
#include "util/text/natural_order.h"

namespace tfprof::ctf {
namespace {

constexpr uint32_t kMagic = 0xc1fc1fc1;

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == path.npos ? "." : path.substr(0, slash);
}

// Returns the files beside the metadata, in natural order: streams, or indexes.
absl::StatusOr<std::vector<std::string>> FilesBeside(
    const std::string& metadata, bool indexes) {
  const std::string folder = FolderOf(metadata);
  DIR* const dir = opendir(folder.c_str());
  if (dir == nullptr) return util::ErrnoStatus(errno, folder);
  std::vector<std::string> paths;
  while (const dirent* entry = readdir(dir)) {
    const std::string_view name = entry->d_name;
    if (name.starts_with('.') || name.ends_with(".idx") != indexes) continue;
    std::string path = fmt::format("{}/{}", folder, name);
    struct stat info;
    if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    struct stat own;
    if (stat(metadata.c_str(), &own) == 0 && own.st_ino == info.st_ino &&
        own.st_dev == info.st_dev) {
      continue;
    }
    paths.push_back(std::move(path));
  }
  closedir(dir);
  std::sort(paths.begin(), paths.end());
  std::stable_sort(paths.begin(), paths.end(), util::NaturalLess);
  return paths;
}

std::string_view LastWord(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

class Opener {
 public:
  explicit Opener(loaders::ImportLog& log, StreamNotes* notes = nullptr)
      : log_(log), notes_(notes) {}

  absl::StatusOr<const Trace*> AddTrace(const loaders::InputFile& metadata) {
    auto read = ReadMetadata(metadata.bytes());
    if (!read.ok()) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: {}", metadata.path(), std::string(read.status().message())));
    }
    auto plan = CompilePlan(read->types);
    if (!plan.ok()) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: {}", metadata.path(), std::string(plan.status().message())));
    }
    if (!read->damage.empty()) {
      log_.Add(loaders::ImportLog::kDamage, "damaged metadata",
               fmt::format("{}: {}; what comes before it is used",
                           metadata.path(), read->damage));
    }
    if (const std::vector<std::string>& unknown = read->types.unknown;
        !unknown.empty()) {
      log_.Add(
          loaders::ImportLog::kNotice, "unknown entry of metadata",
          fmt::format("{}: {} entries of the metadata are not known and were "
                      "skipped, the first is '{}'",
                      metadata.path(), unknown.size(), unknown.front()),
          static_cast<int64_t>(unknown.size()));
    }
    auto trace = std::make_unique<Trace>();
    trace->path = metadata.path();
    trace->folder = FolderOf(metadata.path());
    trace->types = std::move(read->types);
    trace->plan = *std::move(plan);
    trace->version = read->version;
    trace->host = trace->types.Environment("hostname");
    files_.traces.push_back(std::move(trace));
    values_.assign(files_.traces.back()->plan.num_values, {});
    return files_.traces.back().get();
  }

  void AddFile(const Trace& trace,
               std::shared_ptr<const loaders::InputFile> file) {
    files_.files.push_back(std::move(file));
    Scan(trace, *files_.files.back());
  }

  TraceFiles Finish() {
    for (auto& [key, packets] : streams_) {
      PacketStream stream;
      stream.packets = std::move(packets);
      Order(stream.packets);
      files_.num_packets += stream.packets.size();
      Count(stream.packets);
      files_.streams.push_back(std::move(stream));
    }
    if (files_.duplicate_packets > 0) {
      log_.Add(
          loaders::ImportLog::kNotice, "repeated packet",
          fmt::format("{}: {} packets are in several files of one trace "
                      "and were read once",
                      files_.traces.front()->folder, files_.duplicate_packets));
    }
    return std::move(files_);
  }

 private:
  // uuid or folder, stream class, stream instance or file.
  using Key = std::tuple<std::string, uint64_t, std::string>;

  void Damage(const loaders::InputFile& file, uint64_t offset,
              std::string_view what) {
    log_.Add(loaders::ImportLog::kDamage, kDamagedStream,
             fmt::format("{}: byte {}: {}", file.path(), offset, what));
  }

  // Finds the packets of a file.
  void Scan(const Trace& trace, const loaders::InputFile& file) {
    const std::string_view bytes = file.bytes();
    uint64_t offset = 0;
    while (offset < bytes.size()) {
      const uint64_t size =
          ScanPacket(trace, file, bytes.substr(offset), offset);
      if (size == 0) return;
      offset += size;
    }
  }

  // Returns the size of the packet in bytes, or 0 if the rest of the file is
  // lost.
  uint64_t ScanPacket(const Trace& trace, const loaders::InputFile& file,
                      std::string_view bytes, uint64_t offset) {
    const auto lost = [&](std::string_view what) {
      Damage(file, offset,
             fmt::format("{}; {} bytes from here are dropped", what,
                         bytes.size()));
      Note(file, loaders::ByteNotes::kDamaged, offset, offset + bytes.size());
      return 0;
    };
    const TracePlan& plan = trace.plan;
    Cursor cursor;
    cursor.data = bytes.data();
    cursor.limit = static_cast<uint64_t>(bytes.size()) * 8;
    if (!Run(plan.packet_header, cursor, values_.data())) {
      return lost("the header of a packet is cut off");
    }
    if (cursor.Has(FieldRole::kMagic) &&
        cursor.Of(FieldRole::kMagic) != kMagic) {
      return lost(fmt::format("no packet begins here: its magic number is {:x}",
                              cursor.Of(FieldRole::kMagic)));
    }
    if (cursor.uuid_slot != kNoSlot && trace.types.has_uuid) {
      const Value& uuid = values_[cursor.uuid_slot];
      const std::string_view own(
          reinterpret_cast<const char*>(trace.types.uuid.data()), 16);
      if (uuid.size == 16 && uuid.text() != own) {
        return lost("the packet is of another trace: its uuid differs");
      }
    }
    const uint64_t id = cursor.Of(FieldRole::kStreamId);
    const auto it = cursor.Has(FieldRole::kStreamId) || plan.streams.size() != 1
                        ? plan.streams.find(id)
                        : plan.streams.begin();
    if (it == plan.streams.end()) {
      return lost(fmt::format("the metadata has no stream {}", id));
    }
    const StreamPlan& stream = plan.plans[it->second];
    if (!Run(stream.packet_context, cursor, values_.data())) {
      return lost("the context of a packet is cut off");
    }
    Packet packet;
    packet.trace = &trace;
    packet.file = &file;
    packet.stream = it->second;
    packet.offset = offset;
    const uint64_t available = cursor.limit;
    uint64_t size = available, content = available;
    const bool has_size = cursor.Has(FieldRole::kPacketSize);
    if (has_size) size = content = cursor.Of(FieldRole::kPacketSize);
    if (cursor.Has(FieldRole::kContentSize)) {
      content = cursor.Of(FieldRole::kContentSize);
      if (!has_size) size = content;
    }
    if (size % 8 != 0 || size == 0) {
      return lost(fmt::format("a packet of {} bits, not whole bytes", size));
    }
    if (content > size) {
      return lost(fmt::format("a packet of {} bits with a content of {}", size,
                              content));
    }
    if (content < cursor.position) {
      return lost(
          fmt::format("a packet with a content of {} bits; its header "
                      "has {}",
                      content, cursor.position));
    }
    packet.limit = content;
    Note(file, loaders::ByteNotes::kFree, offset + (content + 7) / 8,
         offset + std::min(size, available) / 8);
    if (size > available) {
      packet.cut = content > available;
      packet.limit = std::min(content, available);
      Damage(file, offset,
             fmt::format("a packet of {} bytes is cut off after {}; its whole "
                         "events are kept",
                         size / 8, bytes.size()));
    }
    const auto begin = FieldRole::kPacketBegin;
    packet.has_begin = cursor.Has(begin);
    packet.begin = cursor.Of(begin);
    if (packet.has_begin && cursor.Has(FieldRole::kPacketEnd) &&
        cursor.Of(FieldRole::kPacketEnd) < packet.begin) {
      Damage(file, offset,
             "a packet ends before it begins; its events are "
             "kept");
    }
    packet.has_number = cursor.Has(FieldRole::kPacketNumber);
    packet.number = cursor.Of(FieldRole::kPacketNumber);
    packet.has_discarded = cursor.Has(FieldRole::kDiscarded);
    packet.discarded = cursor.Of(FieldRole::kDiscarded);
    packet.discarded_bits = cursor.discarded_bits;
    streams_[KeyOf(trace, file, cursor, id)].push_back(packet);
    return size > available ? 0 : size / 8;
  }

  static Key KeyOf(const Trace& trace, const loaders::InputFile& file,
                   const Cursor& cursor, uint64_t stream) {
    const std::string of_trace =
        trace.types.has_uuid
            ? std::string(
                  reinterpret_cast<const char*>(trace.types.uuid.data()), 16)
            : trace.folder;
    std::string instance =
        cursor.Has(FieldRole::kStreamInstance)
            ? fmt::format("{}", cursor.Of(FieldRole::kStreamInstance))
            : fmt::format("/{}", LastWord(file.path()));
    return {of_trace, stream, std::move(instance)};
  }

  void Note(const loaders::InputFile& file, loaders::ByteNotes::Part part,
            size_t begin, size_t end) {
    if (notes_ != nullptr) (*notes_)[&file].Note(part, begin, end);
  }
  void NoteCopy(const Packet& packet) {
    Note(*packet.file, loaders::ByteNotes::kUnused, packet.offset,
         packet.offset + packet.limit / 8);
  }

  // Sorts packets, and drops repeated ones.
  void Order(std::vector<Packet>& packets) {
    bool numbers = true, begins = true;
    for (const Packet& packet : packets) {
      numbers &= packet.has_number;
      begins &= packet.has_begin;
    }
    if (!numbers && !begins) return DropCopies(packets);
    const auto key = [&](const Packet& p) {
      return numbers ? std::pair(p.number, p.begin)
                     : std::pair(p.begin, p.begin);
    };
    std::stable_sort(
        packets.begin(), packets.end(), [&](const Packet& a, const Packet& b) {
          return std::pair(key(a), b.limit) < std::pair(key(b), a.limit);
        });
    const auto last = std::unique(
        packets.begin(), packets.end(), [&](const Packet& a, const Packet& b) {
          const bool same = key(a) == key(b) && (numbers || SameBytes(a, b));
          if (same) NoteCopy(b);
          return same;
        });
    files_.duplicate_packets += static_cast<uint64_t>(packets.end() - last);
    packets.erase(last, packets.end());
  }

  static std::string_view BytesOf(const Packet& packet) {
    return packet.file->bytes().substr(packet.offset, packet.limit / 8);
  }
  static bool SameBytes(const Packet& a, const Packet& b) {
    return a.file != b.file && BytesOf(a) == BytesOf(b);
  }

  // Drops packets of copied files, for streams whose packets have neither
  // numbers nor times.
  void DropCopies(std::vector<Packet>& packets) {
    std::vector<Packet> kept;
    for (const Packet& packet : packets) {
      const bool copy = !kept.empty() && kept.front().offset == packet.offset &&
                        SameBytes(kept.front(), packet);
      if (copy) {
        ++files_.duplicate_packets;
        NoteCopy(packet);
      } else {
        kept.push_back(packet);
      }
    }
    packets = std::move(kept);
  }

  // Counts the events and packets that the tracer dropped.
  void Count(const std::vector<Packet>& packets) {
    uint64_t before = 0;
    for (size_t i = 0; i < packets.size(); ++i) {
      const Packet& packet = packets[i];
      if (packet.has_discarded) {
        const uint64_t mask = packet.discarded_bits >= 64
                                  ? ~uint64_t{0}
                                  : (uint64_t{1} << packet.discarded_bits) - 1;
        // If the counter went back a little, packets are out of order. If it
        // went back a lot, it began again at 0.
        const uint64_t lost = (packet.discarded - before) & mask;
        if (lost <= mask / 2) files_.discarded_events += lost;
        before = packet.discarded;
      }
      if (i > 0 && packet.has_number && packets[i - 1].has_number &&
          packet.number > packets[i - 1].number) {
        files_.discarded_packets += packet.number - packets[i - 1].number - 1;
      }
    }
  }

  loaders::ImportLog& log_;
  StreamNotes* const notes_;  // nullptr: nobody wants them
  TraceFiles files_;
  std::vector<Value> values_;
  std::map<Key, std::vector<Packet>> streams_;
};

}  // namespace

int64_t Trace::ToNanos(int clock, uint64_t cycles) const {
  if (clock < 0) {
    return cycles > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())
               ? std::numeric_limits<int64_t>::max()
               : static_cast<int64_t>(cycles);
  }
  const ClockClass& of = types.clocks[static_cast<size_t>(clock)];
  constexpr int64_t kNanos = 1000000000;
  const __int128 total = static_cast<__int128>(of.offset_cycles) + cycles;
  __int128 nanos =
      of.frequency == kNanos ? total : total * kNanos / of.frequency;
  nanos += static_cast<__int128>(of.offset_seconds) * kNanos;
  constexpr __int128 kMax = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::clamp<__int128>(nanos, -kMax, kMax));
}

absl::StatusOr<TraceFiles> TraceFiles::Open(
    const std::vector<std::string>& metadata_paths, loaders::ImportLog& log,
    StreamNotes* notes) {
  Opener opener(log, notes);
  for (const std::string& path : metadata_paths) {
    const auto metadata = loaders::InputFile::Open(path);
    if (!metadata.ok()) return metadata.status();
    const auto trace = opener.AddTrace(**metadata);
    if (!trace.ok()) return trace.status();
    const auto paths = FilesBeside(path, /*indexes=*/false);
    if (!paths.ok()) return paths.status();
    for (const std::string& stream : *paths) {
      auto file = loaders::InputFile::Open(stream);
      if (!file.ok()) return file.status();
      opener.AddFile(**trace, *std::move(file));
    }
  }
  return opener.Finish();
}

absl::StatusOr<TraceFiles> TraceFiles::FromBytes(
    const std::shared_ptr<const loaders::InputFile>& metadata,
    std::vector<std::shared_ptr<const loaders::InputFile>> streams,
    loaders::ImportLog& log, StreamNotes* notes) {
  Opener opener(log, notes);
  const auto trace = opener.AddTrace(*metadata);
  if (!trace.ok()) return trace.status();
  for (auto& stream : streams) opener.AddFile(**trace, std::move(stream));
  return opener.Finish();
}

std::vector<std::string> IndexFiles(const std::string& metadata) {
  return FilesBeside(metadata, /*indexes=*/true)
      .value_or(std::vector<std::string>());
}

}  // namespace tfprof::ctf
