// Scores how well a file fits a protobuf message, in binary or text form.
//
// Protobuf messages have no magic number. A binary file is matched against the
// first fields of a message (tags, wire types, nesting, strings that must be
// text). A truncated file is matched up to its end. At most 256 fields are
// checked, so a file of any size takes microseconds. A text file is recognised
// by the name of its first field.

#ifndef TFPROF_LOADERS_TENSORFLOW_MESSAGE_FIT_H_
#define TFPROF_LOADERS_TENSORFLOW_MESSAGE_FIT_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "loaders/core/format.h"
#include "util/files/wire.h"

namespace tfprof::tensorflow {

// The fields of a message, as far as needed to distinguish messages. A field
// that is not in the list does not fit.
struct MessageSpec;
struct FieldSpec {
  uint32_t tag;
  const MessageSpec* message = nullptr;  // the type of a nested message
  bool text = false;                     // a string of names
  bool required = false;
};
struct MessageSpec {
  std::span<const FieldSpec> fields;
};

// Map entries: from a number to a message or a string, and to a number.
inline constexpr FieldSpec kIdEntryFields[] = {{util::VarintTag(1)},
                                               {util::LengthTag(2)}};
inline constexpr MessageSpec kIdEntrySpec = {kIdEntryFields};
inline constexpr FieldSpec kIntEntryFields[] = {{util::VarintTag(1)},
                                                {util::VarintTag(2)}};
inline constexpr MessageSpec kIntEntrySpec = {kIntEntryFields};

// Returns how many fields of a binary file fit, or 0 if it is not this message.
int CountFittingFields(std::string_view bytes, const MessageSpec& spec);

// Returns the name of the first field of a text file: its first word after
// blanks and comments. Empty if the text after the word does not fit a field.
std::string_view FirstFieldOfText(std::string_view bytes);

// Returns the fit of a file whose text form begins with one of `words`. If as
// many fields of two messages fit, the `preferred` one fits better.
loaders::Fit MessageFit(std::string_view bytes,
                        std::span<const std::string_view> words,
                        const MessageSpec& spec, bool preferred = false);

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_MESSAGE_FIT_H_
