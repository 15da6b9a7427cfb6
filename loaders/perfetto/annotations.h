// Annotations: the arguments of a slice, as members of a JSON object.
//
// An annotation has a name and a value: a number, a text, a list or a
// dictionary. Values may nest; what is deeper than kMaxDepth is left out. The
// text of one event has at most kMaxArguments bytes; annotations beyond are
// left out. Numbers beyond those of JSON (nan) become texts. Both are counted,
// as are texts that were never sent.
//
// Source: perfetto/trace/track_event/debug_annotation.proto

#ifndef TFPROF_LOADERS_PERFETTO_ANNOTATIONS_H_
#define TFPROF_LOADERS_PERFETTO_ANNOTATIONS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "loaders/perfetto/packet_log.h"
#include "loaders/perfetto/texts.h"

namespace tfprof::perfetto {

inline constexpr int kMaxDepth = 16;
inline constexpr size_t kMaxArguments = size_t{4} << 20;

// Texts of a packet by number.
struct TextFinder {
  const Texts& texts;
  PacketLog* log = nullptr;  // nullptr: counts nothing

  // Returns "(name lost)", and counts it, if the text was never sent. `at` is
  // the message that names it.
  std::string_view Get(TextTable table, uint64_t id,
                       std::string_view at) const {
    const std::string_view* const text = texts.Find(table, id);
    return text != nullptr ? *text : Lost(id, at);
  }

 private:
  std::string_view Lost(uint64_t id, std::string_view at) const;
};

// Returns the name of an annotation.
std::string_view AnnotationKey(std::string_view annotation,
                               const TextFinder& texts);
// Returns its value if that is an integer, or a text of one.
std::optional<int64_t> AnnotationInteger(std::string_view annotation,
                                         const TextFinder& texts);
// Returns whether it has one value, which is an integer.
bool HasPlainNumber(std::string_view annotation);
// Returns its value if that is a text.
std::string_view AnnotationText(std::string_view annotation,
                                const TextFinder& texts);

// Appends "key":value, with a comma before it unless `json` ends in '{'.
// Appends nothing if `json` would have more than kMaxArguments bytes.
void AppendAnnotation(std::string_view annotation, const TextFinder& texts,
                      std::string& json);
// Returns whether that would count nothing, if the annotation is not too large.
bool IsWhole(std::string_view annotation, const Texts& texts);
// Appends one member in the same way.
void AppendText(std::string_view key, std::string_view value,
                std::string& json);
void AppendNumber(std::string_view key, int64_t value, std::string& json);
// Appends a number, or a string with its quotes.
void AppendInteger(int64_t value, std::string& json);
void AppendString(std::string_view text, std::string& json);
// Returns whether the text is the same inside of the quotes of a JSON string.
bool NeedsNoEscape(std::string_view text);

}  // namespace tfprof::perfetto

#endif  // TFPROF_LOADERS_PERFETTO_ANNOTATIONS_H_
