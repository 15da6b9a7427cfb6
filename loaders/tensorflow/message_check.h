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

#ifndef TFPROF_LOADERS_TENSORFLOW_MESSAGE_CHECK_H_
#define TFPROF_LOADERS_TENSORFLOW_MESSAGE_CHECK_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "google/protobuf/descriptor.h"
#include "util/run/cancellation.h"

namespace tfprof::tensorflow {

class MessageCheck {
 public:
  // libprotobuf's limit for nested messages and groups.
  static constexpr size_t kMaxDepth = 100;

  // `type` and the types that it refers to may be destroyed afterwards.
  explicit MessageCheck(const google::protobuf::Descriptor& type);

  // Returns where the innermost damaged field begins, or nullptr if `message`
  // is undamaged or the search was cancelled.
  const char* FirstDamage(
      std::string_view message,
      const util::Cancellation* cancellation = nullptr) const;

 private:
  // The kind of a length-delimited field: kLeaf and so on, or kMessage plus the
  // index of its type.
  using Kind = uint16_t;
  static constexpr Kind kLeaf = 0, kVarints = 1, kFixed32 = 2, kFixed64 = 3,
                        kMessage = 4;

  // A message type: the kinds of its fields by field number.
  struct Type {
    std::array<Kind, 32> low = {};
    std::vector<std::pair<uint32_t, Kind>> high;  // all others except kLeaf
    Kind KindOf(uint32_t number) const {
      if (number < low.size()) return low[number];
      for (const auto& [known, kind] : high) {
        if (known == number) return kind;
      }
      return kLeaf;
    }
  };

  std::vector<Type> types_;  // [0]: the message itself
};

// Returns the offset of the first damaged field in a message of a generated
// type. Suitable for Format::find_damage.
template <typename Message>
std::optional<uint64_t> FindDamage(std::string_view bytes,
                                   const util::Cancellation* cancellation) {
  static const auto* const check = new MessageCheck(*Message::descriptor());
  const char* const damage = check->FirstDamage(bytes, cancellation);
  if (damage == nullptr) return std::nullopt;
  return static_cast<uint64_t>(damage - bytes.data());
}

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_MESSAGE_CHECK_H_
