#include "loaders/tensorflow/transfer_text.h"

#include <charconv>
#include <cmath>
#include <string>

#include "util/text/ascii.h"

namespace tfprof::tensorflow {
namespace {

// Returns the whole number at the start of `s`; -1: none, or too large.
int64_t LeadingInt(std::string_view s) {
  int64_t value = -1;
  const auto [end, error] =
      std::from_chars(s.data(), s.data() + s.size(), value);
  return error == std::errc() && value >= 0 ? value : -1;
}

// Parses "128B" or "1.2MB".
int64_t ReadSize(std::string_view s) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(s.data(), s.data() + s.size(), value);
  if (error != std::errc() || !(value >= 0)) return -1;
  const std::string_view unit(end, s.data() + s.size() - end);
  const double bytes = unit == "B"    ? value
                       : unit == "MB" ? value * 1048576
                                      : -1;
  // A larger value is not a size of a tensor, and its conversion is not safe.
  return bytes >= 0 && bytes < 1e18 ? std::llround(bytes) : -1;
}

// Returns the text between `open` and the next `close` or the end; "" without
// `open`.
std::string_view After(std::string_view s, std::string_view open) {
  const size_t at = s.find(open);
  return at == s.npos ? std::string_view() : s.substr(at + open.size());
}

// Reads the label of a RecvTensor, a _Recv or a _Send.
profile::Transfer ReadReceiveLabel(std::string_view label) {
  profile::Transfer text;
  // Any number of "[…] " may come first; the first one is the size.
  for (bool first = true; !label.empty() && label[0] == '['; first = false) {
    const size_t close = label.find(']');
    if (close == label.npos) return text;
    if (first) text.bytes = ReadSize(label.substr(1, close - 1));
    label.remove_prefix(close + 1);
    while (!label.empty() && label[0] == ' ') label.remove_prefix(1);
  }
  constexpr std::string_view kFrom = " from /", kTo = " to /", kPeer = " @";
  const size_t from = label.find(kFrom);
  const size_t to = label.rfind(kTo);
  if (from != label.npos && to != label.npos && from < to) {
    text.tensor = label.substr(0, from);
    const size_t begin = from + kFrom.size() - 1;
    text.from = label.substr(begin, to - begin);
    text.to = label.substr(to + kTo.size() - 1);
    return text;
  }
  const size_t peer = label.find(kPeer);
  const size_t open = label.find('(');
  if (peer == label.npos || open == label.npos || open > peer) return text;
  text.tensor = label.substr(open + 1, peer - open - 1);
  text.from = label.substr(peer + kPeer.size());
  if (!text.from.empty() && text.from.back() == ')') text.from.remove_suffix(1);
  // The brackets before the op belong to an allocator.
  text.bytes = -1;
  return text;
}

// Returns the bytes in the label of a copy; -1: none.
int64_t CopiedBytes(std::string_view label) {
  for (const std::string_view before : {" size:", " bytes:"}) {
    const std::string_view number = After(label, before);
    const int64_t bytes = LeadingInt(number);
    if (bytes >= 0) return bytes;
  }
  // "4096 bytes"
  const size_t bytes = label.find(" bytes");
  if (bytes == label.npos) return -1;
  size_t digits = bytes;
  while (digits > 0 && label[digits - 1] >= '0' && label[digits - 1] <= '9') {
    --digits;
  }
  return digits < bytes ? LeadingInt(label.substr(digits)) : -1;
}

}  // namespace

std::string_view OpOfLabel(std::string_view label) {
  constexpr std::string_view kIs = " = ";
  const size_t is = label.find(kIs);
  if (is == label.npos) return {};
  label.remove_prefix(is + kIs.size());
  const size_t open = label.find('(');
  return open == label.npos ? std::string_view() : label.substr(0, open);
}

profile::CopyKind CopyKindIn(std::string_view text) {
  const std::string_view kind = After(text, "memcpy");
  const auto is = [&](std::string_view a, std::string_view b) {
    return kind.starts_with(a) || kind.starts_with(b);
  };
  if (is("h2d", "htod")) return profile::CopyKind::kToDevice;
  if (is("d2h", "dtoh")) return profile::CopyKind::kToHost;
  if (is("d2d", "dtod")) return profile::CopyKind::kOnDevice;
  if (is("p2p", "ptop")) return profile::CopyKind::kToPeer;
  return profile::CopyKind::kUnknown;
}

profile::Transfer ReadTransfer(std::string_view name, std::string_view label) {
  profile::Transfer transfer = ReadReceiveLabel(label);
  if (!transfer.from.empty()) return transfer;
  if (transfer.bytes < 0) transfer.bytes = CopiedBytes(label);
  transfer.kind = CopyKindIn(util::LowerCase(label));
  if (transfer.kind == profile::CopyKind::kUnknown) {
    transfer.kind = CopyKindIn(util::LowerCase(name));
  }
  return transfer;
}

}  // namespace tfprof::tensorflow
