#include "loaders/ctf/language/metadata.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "loaders/ctf/language/byte_order.h"
#include "loaders/ctf/language/ctf2_json.h"
#include "loaders/ctf/language/tsdl.h"
#include "loaders/ctf/language/tsdl_lexer.h"
#include "util/json/json_reader.h"

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

// Counts the spaces and comments of TSDL.
void CountSpaces(std::string_view text, loaders::ByteAccount& account) {
  TsdlLexer lexer(text);
  for (size_t at = 0;;) {
    const TsdlToken token = lexer.Next();
    const bool ends =
        token.kind == TsdlToken::kEnd || token.kind == TsdlToken::kWrong;
    const size_t end = ends ? text.size() : token.offset;
    // Only comments have others than spaces here.
    const std::string_view between = text.substr(at, end - at);
    const bool has_comment = between.find('/') != between.npos;
    const auto size = static_cast<int64_t>(between.size());
    const auto spaces = std::ranges::count_if(between, [](char c) {
      return c == '\0' || c == ' ' || (c >= '\t' && c <= '\r');
    });
    account.white_space += has_comment ? 0 : spaces;
    account.unused += has_comment ? size : 0;
    if (ends) return;
    at = lexer.offset();
  }
}

}  // namespace

std::string MetadataText(std::string_view bytes, std::string& damage,
                         MetadataPackets* packets) {
  bool big = false;
  if (!IsPacket(bytes, big)) return std::string(bytes);
  std::string text;
  MetadataPackets unwanted;
  MetadataPackets& of = packets == nullptr ? unwanted : *packets;
  size_t at = 0;
  const auto lose = [&](std::string what) {
    damage = std::move(what);
    of.lost = bytes.size() - at;
    return text;
  };
  while (at < bytes.size()) {
    const std::string_view rest = bytes.substr(at);
    if (!IsPacket(rest, big)) {
      return lose(fmt::format("byte {}: expected a packet of metadata", at));
    }
    const uint64_t bits = LoadInteger<uint32_t>(rest.data() + 24, big);
    const uint64_t packet_bits = LoadInteger<uint32_t>(rest.data() + 28, big);
    const uint64_t content = bits / 8, packet = packet_bits / 8;
    const bool packed = rest[32] != 0 || rest[33] != 0;
    if (packed) {
      return lose(fmt::format("byte {}: the packet is compressed or encrypted",
                              at + 32));
    }
    if (rest[34] != 0) {
      return lose(
          fmt::format("byte {}: a packet with a checksum of kind {}, of "
                      "which none is known",
                      at + 34, static_cast<uint8_t>(rest[34])));
    }
    if (bits % 8 != 0 || packet_bits % 8 != 0) {
      return lose(fmt::format(
          "byte {}: a packet of {} bits with a content of {}, not whole bytes",
          at + 24, packet_bits, bits));
    }
    if (content < kHeaderBytes || packet < content) {
      return lose(
          fmt::format("byte {}: a packet of {} bytes with a content of {}",
                      at + 24, packet, content));
    }
    of.headers += kHeaderBytes;
    if (content > rest.size()) {
      text.append(rest.substr(kHeaderBytes));
      damage = fmt::format("byte {}: a packet of {} bytes, only {} are there",
                           at, packet, rest.size());
      return text;
    }
    text.append(rest.substr(kHeaderBytes, content - kHeaderBytes));
    // The padding of the last packet may be missing.
    const auto size = std::min<uint64_t>(packet, rest.size());
    of.padding += size - content;
    at += size;
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

loaders::ByteAccount AccountMetadata(std::string_view bytes) {
  std::string damage;
  MetadataPackets packets;
  const std::string text = MetadataText(bytes, damage, &packets);
  // What follows the first damage of the text is not used.
  size_t end = text.size();
  if (const auto read = ReadMetadata(bytes); read.ok() && damage.empty()) {
    size_t at = 0;
    const std::string_view first = read->damage;
    constexpr std::string_view kByte = "byte ";
    if (const size_t begin = first.find(kByte); begin != first.npos) {
      std::from_chars(first.data() + begin + kByte.size(),
                      first.data() + first.size(), at);
      end = std::min(at, end);
    }
  }
  loaders::ByteAccount account;
  const std::string_view used = std::string_view(text).substr(0, end);
  if (IsJson(text)) {
    account.white_space = util::CountJsonSpaces(used);
  } else {
    CountSpaces(used, account);
  }
  const auto count = [](size_t size) { return static_cast<int64_t>(size); };
  account.read =
      count(used.size()) - account.skipped() + count(packets.headers);
  account.free = count(packets.padding);
  account.damaged = count(text.size() - end + packets.lost);
  return account;
}

}  // namespace tfprof::ctf
