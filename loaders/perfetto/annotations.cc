#include "loaders/perfetto/annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>

#include "util/files/wire.h"
#include "util/json/json_string.h"
#include "util/text/decimal.h"

namespace tfprof::perfetto {
namespace {

using util::LengthTag;
using util::VarintTag;

constexpr uint32_t kDoubleTag = 5 << 3 | 1;

class ValueWriter {
 public:
  ValueWriter(const TextFinder& texts, std::string& out)
      : texts_(texts), out_(out) {}

  // Appends the value of an annotation. A list or a dictionary is the repeated
  // field of its elements; the first field decides which of them it is.
  void Append(std::string_view annotation, int depth) {
    util::WireReader r(annotation);
    char close = 0;
    bool done = false;
    while (r.Next()) {
      const bool is_member = r.tag() == LengthTag(11);
      if (is_member || r.tag() == LengthTag(12)) {
        if (done) continue;
        const char closes = is_member ? '}' : ']';
        if (close == 0) {
          close = closes;
          out_ += is_member ? '{' : '[';
        } else if (close != closes) {
          continue;
        }
        AppendElement(r.view(), is_member, depth);
      } else if (close == 0 && !done) {
        done = AppendScalar(r, annotation);
      }
    }
    if (close != 0) {
      out_ += close;
    } else if (!done) {
      out_ += "[]";
    }
    if (r.damaged() && texts_.log != nullptr) {
      texts_.log->Damage("damaged annotation", annotation,
                         "an annotation is damaged; the part before is shown");
    }
  }

 private:
  void AppendElement(std::string_view element, bool is_member, int depth) {
    if (depth >= kMaxDepth || out_.size() > kMaxArguments) {
      if (texts_.log == nullptr) return;
      return texts_.log->Notice(
          "annotation too deep", element,
          fmt::format("an annotation has more than {} levels or {} bytes; its "
                      "inner part is left out",
                      kMaxDepth, kMaxArguments));
    }
    if (out_.back() != '{' && out_.back() != '[') out_ += ',';
    if (is_member) {
      AppendString(AnnotationKey(element, texts_), out_);
      out_ += ':';
    }
    Append(element, depth + 1);
  }

  bool AppendScalar(const util::WireReader& r, std::string_view annotation) {
    switch (r.tag()) {
      case VarintTag(2):
        out_ += r.value() != 0 ? "true" : "false";
        return true;
      case VarintTag(3):
      case VarintTag(7):
        out_ += std::string_view(fmt::format_int(r.value()).c_str());
        return true;
      case VarintTag(4):
        AppendInteger(r.int64(), out_);
        return true;
      case kDoubleTag: {
        const auto value = std::bit_cast<double>(r.value());
        if (std::isfinite(value)) {
          fmt::format_to(std::back_inserter(out_), "{}", value);
        } else {
          AppendString(fmt::format("{}", value), out_);
        }
        return true;
      }
      case LengthTag(6):
      case LengthTag(9):
        AppendString(r.view(), out_);
        return true;
      case VarintTag(17):
        AppendString(texts_.Get(TextTable::kValues, r.value(), annotation),
                     out_);
        return true;
      default:
        return false;
    }
  }

  const TextFinder& texts_;
  std::string& out_;
};

// Returns whether the annotation is at most one number or text: most elements
// are.
bool IsPlainScalar(std::string_view annotation) {
  if (annotation.size() < 2) return annotation.empty();
  const auto tag = static_cast<unsigned char>(annotation[0]);
  const auto value = static_cast<unsigned char>(annotation[1]);
  if (tag == LengthTag(6)) {
    return value < 0x80 && annotation.size() == size_t{2} + value;
  }
  return annotation.size() == 2 && value < 0x80 &&
         (tag == VarintTag(2) || tag == VarintTag(3) || tag == VarintTag(4));
}

// Visits at least what ValueWriter visits.
bool IsWhole(std::string_view annotation, const Texts& texts, int depth) {
  util::WireReader r(annotation);
  while (r.Next()) {
    switch (r.tag()) {
      case VarintTag(1):
        if (texts.Find(TextTable::kKeys, r.value()) == nullptr) return false;
        break;
      case VarintTag(17):
        if (texts.Find(TextTable::kValues, r.value()) == nullptr) return false;
        break;
      case LengthTag(11):
      case LengthTag(12):
        if (depth >= kMaxDepth) return false;
        if (IsPlainScalar(r.view())) break;
        if (!IsWhole(r.view(), texts, depth + 1)) return false;
        break;
      default:
        break;
    }
  }
  return !r.damaged();
}

void AppendKey(std::string_view key, std::string& json) {
  if (json.back() != '{') json += ',';
  AppendString(key, json);
  json += ':';
}

}  // namespace

std::string_view TextFinder::Lost(uint64_t id, std::string_view at) const {
  if (log != nullptr) {
    log->Damage("text that was never sent", at,
                fmt::format("text {} is used, but the packets before do not "
                            "have it: the beginning of the sequence was lost; "
                            "it is shown as (name lost)",
                            id));
  }
  return "(name lost)";
}

std::string_view AnnotationKey(std::string_view annotation,
                               const TextFinder& texts) {
  util::WireReader r(annotation);
  while (r.Next()) {
    if (r.tag() == VarintTag(1)) {
      return texts.Get(TextTable::kKeys, r.value(), annotation);
    }
    if (r.tag() == LengthTag(10)) return r.view();
  }
  return {};
}

std::optional<int64_t> AnnotationInteger(std::string_view annotation,
                                         const TextFinder& texts) {
  util::WireReader r(annotation);
  while (r.Next()) {
    switch (r.tag()) {
      case VarintTag(3):
      case VarintTag(4):
      case VarintTag(7):
        return r.int64();
      case LengthTag(6):
        return util::ParseDecimal(r.view());
      case VarintTag(17):
        return util::ParseDecimal(
            texts.Get(TextTable::kValues, r.value(), annotation));
      default:
        break;
    }
  }
  return std::nullopt;
}

bool HasPlainNumber(std::string_view annotation) {
  int values = 0;
  util::WireReader r(annotation);
  while (r.Next()) {
    switch (r.tag()) {
      case VarintTag(1):
      case LengthTag(10):
        break;
      case VarintTag(3):
      case VarintTag(4):
      case VarintTag(7):
        ++values;
        break;
      default:
        return false;
    }
  }
  return values == 1 && !r.damaged();
}

std::string_view AnnotationText(std::string_view annotation,
                                const TextFinder& texts) {
  util::WireReader r(annotation);
  while (r.Next()) {
    if (r.tag() == VarintTag(17)) {
      return texts.Get(TextTable::kValues, r.value(), annotation);
    }
    if (r.tag() == LengthTag(6)) return r.view();
  }
  return {};
}

void AppendAnnotation(std::string_view annotation, const TextFinder& texts,
                      std::string& json) {
  if (json.size() + annotation.size() > kMaxArguments) {
    if (texts.log == nullptr) return;
    return texts.log->Damage(
        "annotations too large", annotation,
        fmt::format("the annotations of one event have more than {} bytes; "
                    "the rest is left out",
                    kMaxArguments));
  }
  AppendKey(AnnotationKey(annotation, texts), json);
  ValueWriter(texts, json).Append(annotation, 0);
}

bool IsWhole(std::string_view annotation, const Texts& texts) {
  return IsWhole(annotation, texts, 0);
}

void AppendText(std::string_view key, std::string_view value,
                std::string& json) {
  AppendKey(key, json);
  AppendString(value, json);
}

void AppendNumber(std::string_view key, int64_t value, std::string& json) {
  AppendKey(key, json);
  AppendInteger(value, json);
}

void AppendInteger(int64_t value, std::string& json) {
  const fmt::format_int digits(value);
  json.append(digits.data(), digits.size());
}

void AppendString(std::string_view text, std::string& json) {
  if (text.size() > kMaxArguments) text = text.substr(0, kMaxArguments);
  if (!NeedsNoEscape(text)) return util::AppendJsonString(text, &json);
  json += '"';
  json.append(text);
  json += '"';
}

bool NeedsNoEscape(std::string_view text) {
  // Eight bytes at a time, the last ones filled up with spaces. The top bit of
  // some byte of `special` is set if any byte is special.
  constexpr uint64_t kOnes = 0x0101010101010101, kTops = kOnes << 7;
  const auto has = [](uint64_t word, uint64_t byte) {
    const uint64_t zero_if_equal = word ^ (kOnes * byte);
    return (zero_if_equal - kOnes) & ~zero_if_equal;
  };
  uint64_t special = 0;
  while (!text.empty()) {
    uint64_t word = kOnes * ' ';
    const size_t size = std::min(text.size(), sizeof(word));
    std::memcpy(&word, text.data(), size);
    text.remove_prefix(size);
    special |= word | ((word - kOnes * ' ') & ~word) | has(word, '"') |
               has(word, '\\') | has(word, 0x7f);
  }
  return (special & kTops) == 0;
}

}  // namespace tfprof::perfetto
