#include "exporters/redact/wire.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "util/files/wire.h"
#include "util/text/utf8.h"

namespace tfprof::exporters {
namespace {

// Deeper messages are searched as text. Those of TensorFlow and XLA have about
// ten levels.
constexpr size_t kMaxDepth = 40;

bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < ' ' && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f;
}

bool IsUtf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const util::Utf8Character character = util::FirstUtf8(bytes);
    if (!character.good) return false;
    bytes.remove_prefix(character.size);
  }
  return true;
}

bool IsText(std::string_view bytes) {
  return std::none_of(bytes.begin(), bytes.end(), IsControl) &&
         (util::IsAscii(bytes) || IsUtf8(bytes));
}

// Whether the bytes are a message. One that looks like text has only strings:
// their lengths and tags are characters by chance.
bool IsMessage(std::string_view bytes, bool is_text) {
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.number() == 0 || (is_text && !r.is_length())) return false;
  }
  return !r.damaged();
}

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) {
    bytes += static_cast<char>(value | 0x80);
  }
  return bytes += static_cast<char>(value);
}

class WireWalk {
 public:
  WireWalk(std::string_view bytes, std::span<const WireField> fields,
           Redactor& redactor, const util::Cancellation* cancellation)
      : bytes_(bytes),
        fields_(fields),
        redactor_(redactor),
        cancellation_(cancellation) {}

  absl::StatusOr<std::vector<Edit>> Run() {
    util::WireReader r(bytes_);
    while (r.Next()) {
    }
    if (r.damaged()) return absl::InvalidArgumentError(r.Describe(0));
    Message(bytes_);
    if (util::IsCancelled(cancellation_)) {
      return absl::CancelledError("cancelled");
    }
    return std::move(edits_);
  }

 private:
  // Adds the edits of a message and returns by how much it grows. The depth is
  // limited by kMaxDepth.
  int64_t Message(std::string_view message) {
    int64_t growth = 0;
    util::WireReader r(message);
    for (size_t begin = 0; r.Next(); begin = r.good_bytes()) {
      if (!r.is_length()) continue;
      if (util::IsCancelled(cancellation_)) return growth;
      // The length is between the tag and the content.
      size_t length = begin;
      while ((message[length] & 0x80) != 0) ++length;
      ++length;
      growth += Field(
          r.number(), r.view(),
          message.substr(
              length,
              static_cast<size_t>(r.view().data() - message.data()) - length));
    }
    return growth;
  }

  // The same for the field of this content, whose length is `length`.
  int64_t Field(uint32_t number, std::string_view content,
                std::string_view length) {
    if (content.size() < 2) return 0;
    const size_t place = edits_.size();
    path_.push_back(number);
    const int64_t growth = Content(content);
    path_.pop_back();
    if (growth == 0) return 0;
    Edit edit = {.begin = Offset(length),
                 .size = length.size(),
                 .text = Varint(static_cast<uint64_t>(
                     static_cast<int64_t>(content.size()) + growth))};
    const int64_t more = static_cast<int64_t>(edit.text.size()) -
                         static_cast<int64_t>(edit.size);
    edits_.insert(edits_.begin() + static_cast<ptrdiff_t>(place),
                  std::move(edit));
    return growth + more;
  }

  int64_t Content(std::string_view content) {
    const FieldMeaning meaning = Meaning();
    const bool is_text = IsText(content);
    // If a text is taken for a message by chance, the worst is a changed
    // character; if a message is taken for text, it is destroyed.
    if (meaning == FieldMeaning::kText && path_.size() < kMaxDepth &&
        IsMessage(content, is_text)) {
      return Message(content);
    }
    if (!is_text) return 0;
    const std::optional<std::string> changed =
        redactor_.Field(meaning, content);
    if (!changed) return 0;
    const int64_t growth = static_cast<int64_t>(changed->size()) -
                           static_cast<int64_t>(content.size());
    edits_.push_back({Offset(content), content.size(), *changed});
    return growth;
  }

  FieldMeaning Meaning() const {
    for (const WireField& field : fields_) {
      const auto end = std::find(field.path.begin(), field.path.end(), 0U);
      if (std::equal(field.path.begin(), end, path_.begin(), path_.end())) {
        return field.meaning;
      }
    }
    return FieldMeaning::kText;
  }

  size_t Offset(std::string_view part) const {
    return static_cast<size_t>(part.data() - bytes_.data());
  }

  const std::string_view bytes_;
  const std::span<const WireField> fields_;
  Redactor& redactor_;
  const util::Cancellation* cancellation_;
  std::vector<uint32_t> path_;
  std::vector<Edit> edits_;
};

}  // namespace

absl::StatusOr<std::vector<Edit>> RedactWire(
    std::string_view bytes, std::span<const WireField> fields,
    Redactor& redactor, const util::Cancellation* cancellation) {
  return WireWalk(bytes, fields, redactor, cancellation).Run();
}

}  // namespace tfprof::exporters
