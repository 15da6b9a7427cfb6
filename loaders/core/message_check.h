// MessageCheck: checks whether libprotobuf would read a whole message.
//
// Loaders decode the fields that reports need and skip the rest: output
// tensors, allocation records, attributes. Damage there is harmless until a
// command needs the field. But it must be counted when the file is loaded,
// because otherwise the report "everything was read" would be wrong. A
// MessageCheck knows which fields of a type are messages or packed numbers, and
// walks through all of them: lengths, tags, numbers, groups, and the depth that
// libprotobuf allows. It builds no objects, allocates nothing and does not
// recurse, so it takes half the time of loading such a file (1.9 GB/s).
//
// It does not check whether text is UTF-8: libprotobuf rejects such text in
// proto3, but nothing is lost, and reports show it unchanged.

#ifndef TFPROF_LOADERS_CORE_MESSAGE_CHECK_H_
#define TFPROF_LOADERS_CORE_MESSAGE_CHECK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "util/run/cancellation.h"

namespace google::protobuf {
class Descriptor;
}  // namespace google::protobuf

namespace tfprof::loaders {

class MessageCheck {
 public:
  // libprotobuf's limit for nested messages and groups.
  static constexpr size_t kMaxDepth = 100;

  // `type` and the types that it refers to may be destroyed afterwards.
  explicit MessageCheck(const google::protobuf::Descriptor& type);

  // Takes the types from a text, for formats whose messages are not generated:
  // a line for each type, the message itself first; a line with an indent
  // continues the one before. A line has the name of the type and its fields:
  // "1:Shape" is a message of that type, "3:int", "4:fixed32" and "5:fixed64"
  // are packed numbers, and a number alone is any other field. "2,4:Shape" are
  // two fields. Groups are never messages of the table.
  explicit MessageCheck(std::string_view table);

  // The first word of the table that is wrong, which is a leaf then; empty: the
  // table is right. For tests.
  const std::string& wrong_word() const { return wrong_word_; }

  // Returns where the innermost damaged field begins, or nullptr if `message`
  // is undamaged or the search was cancelled.
  const char* FirstDamage(
      std::string_view message,
      const util::Cancellation* cancellation = nullptr) const;

  // The same as an offset, for Format::find_damage.
  std::optional<uint64_t> FindDamage(
      std::string_view message,
      const util::Cancellation* cancellation = nullptr) const;

 private:
  // The kind of a field: kUnknown and so on, or kMessage plus the index of its
  // type.
  using Kind = uint16_t;
  static constexpr Kind kUnknown = 0, kLeaf = 1, kVarints = 2, kFixed32 = 3,
                        kFixed64 = 4, kMessage = 5;

  // A message type: the kinds of its fields by field number.
  struct Type {
    std::array<Kind, 32> low = {};
    std::vector<std::pair<uint32_t, Kind>> high;  // all others
    Kind KindOf(uint32_t number) const {
      if (number < low.size()) return low[number];
      for (const auto& [known, kind] : high) {
        if (known == number) return kind;
      }
      return kUnknown;
    }
    void Set(uint32_t number, Kind kind);
  };

  std::vector<Type> types_;  // [0]: the message itself
  std::string wrong_word_;
};

// Returns the offset of the first damaged field in a message of a generated
// type. Suitable for Format::find_damage.
template <typename Message>
std::optional<uint64_t> FindDamage(std::string_view bytes,
                                   const util::Cancellation* cancellation) {
  static const auto* const check = new MessageCheck(*Message::descriptor());
  return check->FindDamage(bytes, cancellation);
}

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_CORE_MESSAGE_CHECK_H_
