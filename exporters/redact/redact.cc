#include "exporters/redact/redact.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "exporters/redact/json.h"
#include "exporters/redact/wire.h"
#include "fmt/format.h"
#include "loaders/core/registry.h"
#include "loaders/perfetto/saved_part.h"
#include "util/files/wire.h"
#include "util/text/secrets.h"

namespace tfprof::exporters {
namespace {

using Edits = absl::StatusOr<std::vector<Edit>>;

constexpr WireField kXPlaneFields[] = {
    {{4}, FieldMeaning::kHost},  // XSpace.hostnames
};
constexpr WireField kPerfettoFields[] = {
    // TracePacket.process_tree.processes.cmdline
    {{1, 2, 1, 2}, FieldMeaning::kCommandLine},
    // TracePacket.track_descriptor.process.cmdline
    {{1, 60, 3, 2}, FieldMeaning::kCommandLine},
    // TracePacket.system_info.utsname.machine has no name of a host; the name
    // is in the version of some systems.
};
// SavedTrace and ProfileProto have their texts in tables without meaning.

// How the files of a format are written.
enum class Way { kJson, kText, kWire, kNone };

struct FormatRow {
  std::string_view name;  // loaders::Format::name
  Way way = Way::kWire;
  std::span<const WireField> fields = {};
};
// Formats that are not here are protobuf without fields of a known meaning.
constexpr FormatRow kFormats[] = {
    {"XPlane", Way::kWire, kXPlaneFields},
    {"Perfetto trace", Way::kWire, kPerfettoFields},
    {"CSV of kernel counters", Way::kText},
    {"log of torch.compile", Way::kText},
    {"rocprofv3 trace", Way::kText},
    {"CTF trace", Way::kNone},
    {"SQLite profile", Way::kNone},
    {"checkpoint", Way::kNone},
    {"pickled RunMetadata", Way::kNone},
    {"PyTorch memory snapshot", Way::kNone},
    {"flight recorder dump", Way::kNone},
    {"tfprof session", Way::kNone},
};

// A packet of a Perfetto trace with other packets in compressed form.
constexpr uint32_t kPacket = 1;
constexpr uint32_t kCompressedPackets = 50;

bool BeginsJson(std::string_view bytes) {
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  const size_t begin = bytes.find_first_not_of(" \t\r\n");
  return begin != bytes.npos && (bytes[begin] == '{' || bytes[begin] == '[');
}

FormatRow RowOf(std::string_view bytes) {
  const loaders::Sniffed sniffed =
      loaders::SniffFormat(bytes, loaders::Formats());
  if (sniffed.format == nullptr) return {};
  FormatRow row = {.name = sniffed.format->name};
  for (const FormatRow& known : kFormats) {
    if (known.name == row.name) row = known;
  }
  // The manifest of a session names other files.
  if (row.name != "tfprof session" && row.name != "log of torch.compile" &&
      BeginsJson(bytes)) {
    row.way = Way::kJson;
  } else if (sniffed.text) {
    row.way = Way::kText;
  }
  return row;
}

// Text without a structure: each line for itself, except for private keys.
Edits RedactText(std::string_view bytes, Redactor& redactor) {
  constexpr std::string_view kKeyEnd = "PRIVATE KEY-----";
  std::vector<Edit> edits;
  for (size_t at = 0; at < bytes.size();) {
    size_t end = std::min(bytes.find('\n', at), bytes.size());
    std::string_view line = bytes.substr(at, end - at);
    if (line.find("-----BEGIN ") != line.npos &&
        line.find(kKeyEnd) != line.npos) {
      const size_t last = bytes.find("-----END ", at);
      end = last == bytes.npos ? bytes.size()
                               : std::min(bytes.find('\n', last), bytes.size());
      line = bytes.substr(at, end - at);
    }
    if (auto changed = redactor.Text(line)) {
      edits.push_back({at, line.size(), *std::move(changed)});
    }
    at = end + 1;
  }
  return edits;
}

// The offset of a packet that cannot be searched; nullopt: there is none.
std::optional<size_t> CompressedPacket(std::string_view bytes) {
  size_t begin = 0;
  for (util::WireReader r(bytes); r.Next(); begin = r.good_bytes()) {
    if (r.number() != kPacket || !r.is_length()) continue;
    for (util::WireReader packet(r.view()); packet.Next();) {
      if (packet.number() == kCompressedPackets) return begin;
    }
  }
  return std::nullopt;
}

Edits EditsOf(const FormatRow& row, std::string_view bytes, bool names,
              Redactor& redactor,
              const util::Cancellation* cancellation = nullptr) {
  switch (row.way) {
    case Way::kJson:
      return RedactJson(bytes, names, redactor, cancellation);
    case Way::kText:
      return RedactText(bytes, redactor);
    case Way::kWire:
      return RedactWire(bytes, row.fields, redactor, cancellation);
    case Way::kNone:
      break;
  }
  return absl::FailedPreconditionError("");
}

absl::Status Refusal(const std::string& path, const FormatRow& row) {
  if (row.name == "CTF trace" || row.name == "SQLite profile" ||
      row.name == "pickled RunMetadata") {
    return absl::FailedPreconditionError(fmt::format(
        "{}: a {} cannot be redacted in place; save it as a file that can: "
        "tfprof {} save FILE, then tfprof redact FILE -o NEW",
        path, row.name, path));
  }
  return absl::FailedPreconditionError(fmt::format(
      "{}: a {} cannot be redacted: tfprof cannot write this format", path,
      row.name));
}

// An error if a token is where nothing was replaced: in bytes that are neither
// text nor a message.
absl::Status CheckTokens(const std::string& path, std::string_view bytes,
                         const std::vector<Edit>& edits) {
  auto edit = edits.begin();
  for (const util::Secret& secret : util::FindTokens(bytes)) {
    while (edit != edits.end() && edit->begin + edit->size <= secret.begin) {
      ++edit;
    }
    if (edit != edits.end() && edit->begin < secret.begin + secret.size) {
      continue;
    }
    return absl::FailedPreconditionError(fmt::format(
        "{}: byte {}: a {} ({}) is in bytes that are no text, where nothing "
        "can be replaced; nothing is written. Save the trace and redact what "
        "was saved: tfprof {} save FILE",
        path, secret.begin, secret.name,
        util::MaskedSecret(bytes.substr(secret.begin, secret.size)), path));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Redaction> Redact(const loaders::InputFile& file,
                                 const RedactOptions& options) {
  const std::string_view bytes = file.bytes();
  const FormatRow row = RowOf(bytes);
  if (row.name.empty()) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: this is no format that tfprof reads, so nothing is known about "
        "its texts",
        file.path()));
  }
  if (row.way == Way::kNone) return Refusal(file.path(), row);
  if (options.names && row.name != "Kineto trace") {
    return absl::FailedPreconditionError(
        fmt::format("{}: -names replaces names in traces of Kineto only, and "
                    "this is a {}",
                    file.path(), row.name));
  }
  if (!file.damage().empty()) {
    return absl::InvalidArgumentError(
        fmt::format("{}: {}; save what can be read and redact that: tfprof {} "
                    "save FILE",
                    file.path(), file.damage(), file.path()));
  }
  // What is packed cannot be searched. The events behind it say the same, and
  // less.
  size_t dropped = 0;
  if (row.name == "Perfetto trace") {
    dropped = perfetto::FindSavedPart(bytes).end;
    if (const std::optional<size_t> packet = CompressedPacket(bytes)) {
      return absl::FailedPreconditionError(fmt::format(
          "{}: byte {}: a compressed packet cannot be searched; save the trace "
          "and redact what was saved: tfprof {} save FILE",
          file.path(), *packet, file.path()));
    }
  }
  const std::string_view kept = bytes.substr(dropped);
  Redaction redaction;
  Edits edits = EditsOf(row, kept, options.names, redaction.redactor);
  if (edits.ok() && redaction.redactor.found(PrivateKind::kHost).count > 0) {
    // The field of a host may come after other texts with its name.
    redaction.redactor.CountAgain();
    edits = EditsOf(row, kept, options.names, redaction.redactor);
  }
  if (!edits.ok()) {
    return absl::Status(
        edits.status().code(),
        fmt::format("{}: {}; what is behind it cannot be searched. Save what "
                    "can be read and redact that: tfprof {} save FILE",
                    file.path(), std::string(edits.status().message()),
                    file.path()));
  }
  absl::Status reached = CheckTokens(file.path(), kept, *edits);
  if (!reached.ok()) return reached;
  if (dropped > 0) {
    for (Edit& edit : *edits) edit.begin += dropped;
    edits->insert(edits->begin(), {.begin = 0, .size = dropped, .text = {}});
  }
  redaction.edits = *std::move(edits);
  return redaction;
}

Redactor Look(const loaders::InputFile& file,
              const util::Cancellation* cancellation) {
  const std::string_view bytes = file.bytes();
  const FormatRow row = RowOf(bytes);
  Redactor redactor;
  if (EditsOf(row, bytes, /*names=*/false, redactor, cancellation).ok()) {
    return redactor;
  }
  Redactor plain;
  // Texts of other formats are between control characters.
  for (size_t at = 0; at < bytes.size() && !util::IsCancelled(cancellation);) {
    const auto* end = std::find_if(
        bytes.begin() + static_cast<ptrdiff_t>(at), bytes.end(),
        [](char c) { return static_cast<unsigned char>(c) < ' '; });
    const auto size = static_cast<size_t>(end - bytes.begin()) - at;
    if (size >= 8) plain.Text(bytes.substr(at, size));
    at += size + 1;
  }
  return plain;
}

std::string FoundText(const Redactor& redactor) {
  std::string text;
  for (size_t k = 0; k < kNumPrivateKinds; ++k) {
    const auto kind = static_cast<PrivateKind>(k);
    const Redactor::Found& found = redactor.found(kind);
    if (found.count == 0) continue;
    if (!text.empty()) text += ", ";
    text += CountOf(kind, found.count);
    if (!found.example.empty()) text += fmt::format(" ({})", found.example);
  }
  return text;
}

}  // namespace tfprof::exporters
