#include "loaders/ctf/language/metadata.h"

#include <utility>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "loaders/ctf/language/byte_order.h"
#include "loaders/ctf/language/ctf2_json.h"
#include "loaders/ctf/language/tsdl.h"

namespace tfprof::ctf {
namespace {

constexpr uint32_t kPacketMagic = 0x75d11d57;
constexpr size_t kHeaderBytes = 37;

bool IsPacket(std::string_view bytes, bool& big) {
  if (bytes.size() < kHeaderBytes) return false;
  if (LoadInteger<uint32_t>(bytes.data(), false) == kPacketMagic) {
    big = false;
    return true;
  }
  big = true;
  return LoadInteger<uint32_t>(bytes.data(), true) == kPacketMagic;
}

std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first == text.npos ? std::string_view() : text.substr(first);
}

bool IsJson(std::string_view text) {
  text = Trimmed(text);
  return text.starts_with(kCtf2RecordSeparator) || text.starts_with('{');
}

bool IsTsdl(std::string_view text) {
  text = Trimmed(text);
  if (text.starts_with("/* CTF 1.")) return true;
  // Some writers omit the comment.
  for (const std::string_view word : {"trace {", "typealias ", "typealias\t"}) {
    if (text.starts_with(word)) return true;
  }
  return false;
}

}  // namespace

std::string MetadataText(std::string_view bytes, std::string& damage) {
  bool big = false;
  if (!IsPacket(bytes, big)) return std::string(bytes);
  std::string text;
  size_t at = 0;
  while (at < bytes.size()) {
    const std::string_view rest = bytes.substr(at);
    if (!IsPacket(rest, big)) {
      damage = fmt::format("byte {}: expected a packet of metadata", at);
      return text;
    }
    const uint64_t content = LoadInteger<uint32_t>(rest.data() + 24, big) / 8;
    const uint64_t packet = LoadInteger<uint32_t>(rest.data() + 28, big) / 8;
    const bool packed = rest[32] != 0 || rest[33] != 0;
    if (packed) {
      damage = fmt::format("byte {}: the packet is compressed or encrypted",
                           at + 32);
      return text;
    }
    if (content < kHeaderBytes || packet < content) {
      damage = fmt::format("byte {}: a packet of {} bytes with a content of {}",
                           at + 24, packet, content);
      return text;
    }
    if (content > rest.size()) {
      text.append(rest.substr(kHeaderBytes));
      damage = fmt::format("byte {}: a packet of {} bytes, only {} are there",
                           at, packet, rest.size());
      return text;
    }
    text.append(rest.substr(kHeaderBytes, content - kHeaderBytes));
    // The padding of the last packet may be missing.
    at += std::min<uint64_t>(packet, rest.size());
  }
  return text;
}

bool LooksLikeMetadata(std::string_view bytes) {
  bool big = false;
  if (IsPacket(bytes, big)) {
    const std::string_view text = bytes.substr(kHeaderBytes);
    return IsTsdl(text) || IsJson(text);
  }
  if (IsTsdl(bytes)) return true;
  const std::string_view head = Trimmed(bytes).substr(0, 256);
  return head.starts_with(kCtf2RecordSeparator) &&
         head.find("\"preamble\"") != head.npos;
}

absl::StatusOr<Metadata> ReadMetadata(std::string_view bytes) {
  Metadata result;
  std::string damage;
  const std::string text = MetadataText(bytes, damage);
  if (IsJson(text)) {
    result.version = 2;
    result.damage = ParseCtf2(text, result.types);
  } else if (IsTsdl(text)) {
    result.damage = ParseTsdl(text, result.types);
  } else {
    return absl::InvalidArgumentError(
        damage.empty()
            ? "byte 0: this is not metadata of CTF 1.8 or CTF 2; expected "
              "\"/* CTF 1.8 */\" or a JSON text sequence"
            : damage);
  }
  if (!damage.empty()) result.damage = damage;
  if (result.types.streams.empty()) {
    return absl::InvalidArgumentError(
        result.damage.empty() ? "the metadata declares no stream"
                              : fmt::format("the metadata declares no stream: "
                                            "{}",
                                            result.damage));
  }
  return result;
}

}  // namespace tfprof::ctf
