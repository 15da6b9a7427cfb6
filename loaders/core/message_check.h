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
//
// The same table tells which fields loaders use, for an account of the bytes.

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

#include "absl/container/flat_hash_map.h"
#include "loaders/core/byte_account.h"
#include "loaders/core/input_file.h"
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

  // What the table cannot tell of a field, by the address of its content.
  struct SpecialField {
    bool is_used = true;
    const MessageCheck* message = nullptr;  // of bytes that are a message
  };
  using SpecialFields = absl::flat_hash_map<const char*, SpecialField>;

  // Returns what became of each byte: what is of no use is in fields that are
  // not used, and damage is a field that cannot be read, with all that follows
  // it in its message; of a file that is cut, the messages around its end are
  // read as far as they go. Incomplete after a cancellation. Takes as long as
  // FirstDamage().
  ByteAccount Account(std::string_view message,
                      const util::Cancellation* cancellation = nullptr,
                      const SpecialFields& special = {}) const;

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
  // Are added to one of the others.
  static constexpr Kind kUnused = 0x8000, kSpecial = 0x4000;

  // A message type: the kinds of its fields by field number.
  struct Type {
    std::array<Kind, 32> low = {};
    std::vector<std::pair<uint32_t, Kind>> high;  // all others
    // With kUnused and kSpecial.
    Kind UseOf(uint32_t number) const {
      if (number < low.size()) return low[number];
      for (const auto& [known, kind] : high) {
        if (known == number) return kind;
      }
      return kUnknown;
    }
    Kind KindOf(uint32_t number) const {
      return UseOf(number) & ~(kUnused | kSpecial);
    }
    void Set(uint32_t number, Kind kind);
  };

  static bool TakeField(const char*& at, const char* end, size_t depth,
                        uint64_t& tag, std::string_view& content);
  static bool IsWhole(Kind kind, std::string_view numbers);

  std::vector<Type> types_;  // [0]: the message itself
  std::string wrong_word_;
};

// The check of a generated type; made once.
template <typename Message>
const MessageCheck& CheckOf() {
  static const auto* const check = new MessageCheck(*Message::descriptor());
  return *check;
}

// Suitable for Format::find_damage and Format::account.
template <typename Message>
std::optional<uint64_t> FindDamage(std::string_view bytes,
                                   const util::Cancellation* cancellation) {
  return CheckOf<Message>().FindDamage(bytes, cancellation);
}
template <typename Message>
ByteAccount AccountMessage(const InputFile& file,
                           const util::Cancellation* cancellation) {
  return CheckOf<Message>().Account(file.bytes(), cancellation);
}

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_CORE_MESSAGE_CHECK_H_
