// PickleValues: reads the plain values of a Python pickle: numbers, texts,
// lists, tuples and dictionaries.
//
//   PickleValues values(bytes, known_keys, folder);
//   absl::Status status = values.Read(work);
//   values.ForEach(values.root(), …);
//
// A pickle is a program, which may import modules and call functions. Nothing
// is called here: a pickle that wants it is refused with an error, and so is
// one of protocol 0 or 1 (Python's pickletools describes protocols 2 to 5).
//
// A value takes 8 bytes, a list or dictionary some more. A PickleFolder turns a
// dictionary or list into a record of its own as soon as it is complete, so
// that a file with millions of equal dictionaries takes little memory. Memory
// and time are linear in the size of the file. There is no recursion. Values
// may contain each other in cycles: ForEach() visits one level, and in total at
// most as many values as the file has.
//
// Errors: InvalidArgument with the byte, what was found and what was expected;
// Cancelled. Views are into the bytes.

#ifndef TFPROF_LOADERS_CORE_PICKLE_VALUES_H_
#define TFPROF_LOADERS_CORE_PICKLE_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "loaders/core/byte_notes.h"
#include "util/run/task_options.h"

namespace tfprof::loaders {

class PickleValue {
 public:
  enum class Kind : uint8_t {
    kNone,
    kBool,
    kNumber,  // data() is the number
    kWide,    // a number of 60 to 64 bits, see PickleValues::Integer()
    kOther,   // a float, bytes, or a number of more than 64 bits
    kText,    // data() is an index for PickleValues::Text()
    kObject,  // a list, dictionary or record; see Resolve()
    kTuple,   // a tuple; Resolve() makes it a list
    kList,    // also a tuple
    kDict,
    kRecord,  // data() is what the PickleFolder returned
  };
  static constexpr int64_t kMaxNumber = (int64_t{1} << 59) - 1;

  PickleValue() = default;
  PickleValue(Kind kind, int64_t data)
      : bits_(static_cast<int64_t>(static_cast<uint64_t>(data) << 4) |
              static_cast<int64_t>(kind)) {}

  Kind kind() const { return static_cast<Kind>(bits_ & 15); }
  bool is(Kind kind) const { return this->kind() == kind; }
  int64_t data() const { return bits_ >> 4; }
  friend bool operator==(PickleValue, PickleValue) = default;

 private:
  int64_t bits_ = 0;
};

class PickleValues;

// Turns complete dictionaries and lists into records. A record is a number of
// the folder, at least 0 and below 2^59.
class PickleFolder {
 public:
  virtual ~PickleFolder() = default;
  // `items` alternates between keys and values. nullopt: not a record.
  virtual std::optional<int64_t> FoldDict(
      PickleValues& values, std::span<const PickleValue> items) = 0;
  // `before` is the record of the items before these; nullopt: the first ones.
  virtual std::optional<int64_t> FoldList(
      PickleValues& values, std::optional<int64_t> before,
      std::span<const PickleValue> items) = 0;
};

class PickleValues {
 public:
  // The text index of known_keys[i] is i. All arguments must outlive this.
  PickleValues(std::string_view bytes,
               std::span<const std::string_view> known_keys,
               PickleFolder& folder);

  // Makes Read() note what becomes of the bytes, which takes it several times
  // as long. Of no use is a member of a dictionary whose key is not in
  // `used_keys`, if no such key is inside of it, and what follows the pickle.
  // `notes` must outlive this.
  void NoteBytes(std::span<const std::string_view> used_keys, ByteNotes& notes);
  absl::Status Read(const util::TaskOptions& work);
  // After an error of Read(): keeps what the outermost dictionary and the list
  // that it was reading have of complete values. False: they have none.
  bool KeepComplete();
  // If bytes are noted: where an object is that is in a list or dictionary.
  std::optional<std::pair<size_t, size_t>> PlaceOf(PickleValue item) const;
  // Notes what these bytes are; nothing if bytes are not noted.
  void NoteItem(ByteNotes::Part part, PickleValue item);

  PickleValue root() const { return root_; }
  // Returns the list, dictionary or record of an object; other values stay.
  PickleValue Resolve(PickleValue value) const {
    return value.is(PickleValue::Kind::kObject) ||
                   value.is(PickleValue::Kind::kTuple)
               ? objects_[static_cast<size_t>(value.data())]
               : value;
  }
  std::string_view Text(int64_t index) const {
    return texts_[static_cast<size_t>(index)];
  }
  // nullopt: not an integer.
  std::optional<int64_t> Integer(PickleValue value) const {
    if (value.is(PickleValue::Kind::kNumber)) return value.data();
    if (!value.is(PickleValue::Kind::kWide)) return std::nullopt;
    return wide_[static_cast<size_t>(value.data())];
  }
  // Returns the number of values of a list, or of keys and values of a
  // dictionary; 0 for other values.
  size_t SizeOf(PickleValue value) const;
  // Calls `visit` with each value of a list, or each key and value of a
  // dictionary. Returns false if `value` is neither, or if lists are shared so
  // often that their values are more than those in the file.
  bool ForEach(PickleValue value,
               const std::function<void(PickleValue)>& visit);

 private:
  using Kind = PickleValue::Kind;

  absl::Status Error(std::string_view what) const;
  void RunFrequent();
  size_t EndOf(size_t value) const;
  bool HasUsedKey(PickleValue value) const {
    return (value.is(Kind::kObject) || value.is(Kind::kTuple)) &&
           used_.contains(value.data());
  }
  void NoteMembers(size_t first, PickleValue dict);
  void NoteItems(size_t first, PickleValue list);
  void NotePlace(size_t value);
  absl::Status Step(unsigned char op, bool& done);
  bool Number(size_t size, uint64_t& number);
  absl::Status PushText(uint64_t size);
  absl::Status Skip(uint64_t size);
  absl::Status Long(uint64_t size);
  absl::Status Fill(size_t first, bool dict);
  absl::Status CheckKeys(std::span<const PickleValue> items) const;
  absl::Status TupleFrom(size_t first);
  absl::Status Remember(uint64_t index);
  absl::Status Recall(uint64_t index);
  void Push(Kind kind, int64_t data = 0) { stack_.emplace_back(kind, data); }
  void PushObject(Kind kind);
  // Appends values to the chain of a list or dictionary.
  void Append(PickleValue& object, std::span<const PickleValue> values);
  bool PopMark(size_t& first);

  const std::string_view bytes_;
  PickleFolder& folder_;
  size_t at_ = 0;
  size_t begin_ = 0;  // of the instruction
  PickleValue root_;
  std::vector<PickleValue> stack_;
  std::vector<size_t> marks_;
  // Lists and dictionaries; data() is the last chunk of the chain, or 0. A
  // chunk is its size, the next chunk (of the last one: the first), and values.
  std::vector<PickleValue> objects_;
  std::vector<PickleValue> pool_;
  std::vector<PickleValue> memo_;
  absl::flat_hash_map<uint64_t, PickleValue> far_memo_;
  std::vector<int64_t> wide_;
  std::vector<std::string_view> texts_;
  absl::flat_hash_map<std::string_view, int64_t> text_ids_;
  size_t visited_ = 0;
  // While bytes are noted.
  ByteNotes* notes_ = nullptr;
  absl::flat_hash_set<int64_t> used_keys_;  // text indexes
  std::vector<size_t> begins_;              // of the values of the stack
  absl::flat_hash_set<int64_t> used_;       // objects with a used key inside
  // Where the objects are that are in others.
  absl::flat_hash_map<int64_t, std::pair<size_t, size_t>> places_;
};

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_CORE_PICKLE_VALUES_H_
