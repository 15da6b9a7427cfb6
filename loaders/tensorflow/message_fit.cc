#include "loaders/tensorflow/message_fit.h"

#include <algorithm>

#include "util/files/wire.h"

namespace tfprof::tensorflow {
namespace {

// The number of fields that are checked. The first records suffice.
constexpr int kMaxFields = 256;

// A name nearly never begins with a control character, and a nested message
// nearly always does.
bool BeginsLikeText(std::string_view s) {
  return s.empty() || static_cast<unsigned char>(s[0]) >= 0x20 || s[0] == '\t';
}

// Names may have any bytes. One that begins like a message but is none is text.
bool LooksLikeText(std::string_view s) {
  if (BeginsLikeText(s)) return true;
  util::WireReader r(s);
  while (r.Next()) {
  }
  return r.damaged();
}

// Returns the number of fields that fit, or 0 if it is not this message. `cut`:
// the file ends inside the message.
int Match(std::string_view bytes, const MessageSpec& spec, int depth,
          int& budget, bool cut = false) {
  int fits = 0;
  uint64_t seen = 0;
  util::WireReader r(bytes);
  bool more = r.Next();
  while (more && budget-- > 0) {
    const FieldSpec* field = nullptr;
    for (size_t i = 0; i < spec.fields.size(); ++i) {
      if (spec.fields[i].tag != r.tag()) continue;
      field = &spec.fields[i];
      seen |= uint64_t{1} << i;
    }
    if (field == nullptr) return 0;
    ++fits;
    if (field->text && !LooksLikeText(r.view())) return 0;
    // If the budget is used up, nothing is checked, so nothing can mismatch.
    if (field->message != nullptr && depth < 4 && budget > 0 &&
        !r.view().empty()) {
      const int inner = Match(r.view(), *field->message, depth + 1, budget);
      if (inner == 0) return 0;
      fits += inner;
    }
    more = r.Next();
  }
  if (r.damaged()) {
    // A file that ends inside a long field may still fit; any other damage does
    // not.
    if (r.rest().empty() || depth > 3) {
      return cut ? fits : fits > 0 && depth == 0 ? 1 : 0;
    }
    const FieldSpec* field = nullptr;
    for (const FieldSpec& f : spec.fields) {
      if (f.tag == r.tag()) field = &f;
    }
    if (field == nullptr) return 0;
    if (field->text && !BeginsLikeText(r.rest())) return 0;
    if (field->message == nullptr) return fits + 1;
    return fits + Match(r.rest(), *field->message, depth + 1, budget,
                        /*cut=*/true);
  }
  for (size_t i = 0; budget > 0 && i < spec.fields.size(); ++i) {
    if (spec.fields[i].required && !(seen >> i & 1)) return 0;
  }
  return fits;
}

}  // namespace

int CountFittingFields(std::string_view bytes, const MessageSpec& spec) {
  int budget = kMaxFields;
  return Match(bytes, spec, 0, budget);
}

std::string_view FirstFieldOfText(std::string_view bytes) {
  // Skips blanks and comments up to the first word, which must begin a field.
  size_t i = 0;
  for (;;) {
    while (i < bytes.size() && (bytes[i] == ' ' || bytes[i] == '\t' ||
                                bytes[i] == '\r' || bytes[i] == '\n')) {
      ++i;
    }
    if (i == bytes.size() || bytes[i] != '#') break;
    while (i < bytes.size() && bytes[i] != '\n') ++i;
  }
  size_t end = i;
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || c == '_';
  };
  while (end < bytes.size() && is_word(bytes[end])) ++end;
  const std::string_view word = bytes.substr(i, end - i);
  while (end < bytes.size() && bytes[end] == ' ') ++end;
  if (end == bytes.size() ||
      (bytes[end] != '{' && bytes[end] != ':' && bytes[end] != '<' &&
       bytes[end] != '\n' && bytes[end] != '[')) {
    return {};
  }
  return word;
}

loaders::Fit MessageFit(std::string_view bytes,
                        std::span<const std::string_view> words,
                        const MessageSpec& spec, bool preferred) {
  const std::string_view word = FirstFieldOfText(bytes);
  if (std::find(words.begin(), words.end(), word) != words.end()) {
    return {.score = loaders::Fit::kWord, .text = true};
  }
  const int fields = CountFittingFields(bytes, spec);
  return {.score = fields == 0 ? 0 : 2 * fields + (preferred ? 1 : 0)};
}

}  // namespace tfprof::tensorflow
