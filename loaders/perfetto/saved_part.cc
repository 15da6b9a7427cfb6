#include "loaders/perfetto/saved_part.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "absl/status/statusor.h"
#include "loaders/core/gunzip.h"
#include "loaders/core/import_log.h"
#include "loaders/saved_trace/fields.h"
#include "loaders/saved_trace/saved_trace.h"
#include "util/files/wire.h"
#include "util/files/wire_writer.h"

namespace tfprof::perfetto {
namespace {

constexpr uint32_t kPackets = util::LengthTag(1);  // of Trace
constexpr uint32_t kSequence = 10;                 // of TracePacket

// Returns the piece of a packet that has nothing else.
std::string_view PieceOf(std::string_view packet) {
  std::string_view piece;
  util::WireReader r(packet);
  while (r.Next()) {
    if (r.tag() == util::LengthTag(kSavedPiece)) {
      piece = r.view();
    } else if (r.number() != kSequence) {
      return {};
    }
  }
  return r.damaged() ? std::string_view() : piece;
}

// Whether the last packet of a file has the length of the file.
bool EndsWithItsLength(std::string_view bytes) {
  // The packet, with its tag and length, as the writer makes it.
  util::WireWriter packet;
  {
    const util::WireMessage message(packet, 1);
    packet.Int64(kSequence, 1);
    packet.Fixed64(kLengthOfFile, bytes.size());
  }
  return bytes.ends_with(packet.bytes());
}

bool HasMagic(std::string_view bytes) {
  util::WireReader r(bytes);
  return r.Next() &&
         r.tag() == util::LengthTag(saved_trace::saved_trace::kMagic) &&
         r.view() == saved_trace::kSavedTraceMagic;
}

}  // namespace

SavedPart FindSavedPart(std::string_view bytes) {
  SavedPart part;
  util::WireReader r(bytes);
  while (r.Next() && r.tag() == kPackets) {
    const std::string_view piece = PieceOf(r.view());
    if (piece.empty()) break;
    part.packed += piece;
    part.end = r.good_bytes();
  }
  part.is_whole_file = part.end > 0 && EndsWithItsLength(bytes);
  return part;
}

absl::Status LoadSavedPart(const SavedPart& part,
                           const loaders::InputFile& file,
                           loaders::LoadContext& context) {
  const auto refuse = [&](std::string_view why) {
    context.log.Add(
        loaders::ImportLog::kDamage, "saved trace in a Perfetto file",
        fmt::format("{}: the saved trace in its first {} bytes {}, so its "
                    "slices are read, which have fewer facts",
                    file.path(), part.end, why));
    return absl::NotFoundError("");
  };
  if (!part.is_whole_file) {
    return refuse("is not of the whole file, which was changed or cut");
  }
  std::string damage;
  const absl::StatusOr<int> fd = loaders::Gunzip(
      part.packed, file.path(), {}, context.work.cancellation, damage);
  if (!fd.ok()) {
    return absl::IsDataLoss(fd.status()) ? refuse("is damaged") : fd.status();
  }
  absl::StatusOr<std::shared_ptr<const loaders::InputFile>> saved =
      loaders::InputFile::FromDescriptor(file.path(), *fd);
  close(*fd);
  if (!damage.empty()) return refuse("is damaged");
  if (!saved.ok()) return saved.status();
  if (!HasMagic((*saved)->bytes())) {
    return refuse("is of another version of tfprof");
  }
  return saved_trace::LoadSavedTrace(*std::move(saved), context);
}

}  // namespace tfprof::perfetto
