#include "loaders/core/pickle_values.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "fmt/format.h"

namespace tfprof::loaders {
namespace {

using Kind = PickleValue::Kind;

// Instructions between two looks at cancellation.
constexpr size_t kFrequentAtOnce = 256;
constexpr size_t kCheckEvery = size_t{1} << 14;  // others

// The instructions that import or call something.
bool Calls(unsigned char op) {
  constexpr std::string_view kCalls = "cioRbPQ\x81\x82\x83\x84\x92\x93\x97";
  return kCalls.find(static_cast<char>(op)) != std::string_view::npos;
}

}  // namespace

PickleValues::PickleValues(std::string_view bytes,
                           std::span<const std::string_view> known_keys,
                           PickleFolder& folder)
    : bytes_(bytes), folder_(folder) {
  // Position 0 of the pool stands for "no chunk".
  pool_.emplace_back();
  for (const std::string_view key : known_keys) {
    text_ids_.emplace(key, static_cast<int64_t>(texts_.size()));
    texts_.push_back(key);
  }
}

absl::Status PickleValues::Error(std::string_view what) const {
  return absl::InvalidArgumentError(
      fmt::format("byte {}: {}; the pickle was read, not run", begin_, what));
}

// Runs the next instructions as long as they are frequent ones and nothing
// about them is unusual. Step() can run them, too, but takes several times as
// long.
void PickleValues::RunFrequent() {
  // An instruction and its longest argument.
  constexpr size_t kLongest = 10;
  for (size_t i = 0; i < kFrequentAtOnce; ++i) {
    if (bytes_.size() - at_ < kLongest) return;
    const char* const from = bytes_.data() + at_;
    const auto load = [from](auto number) {
      std::memcpy(&number, from + 1, sizeof(number));
      return number;
    };
    size_t size = 1;
    switch (static_cast<unsigned char>(*from)) {
      case 'h':
      case 'j': {
        const bool is_short = *from == 'h';
        const size_t index = is_short ? load(uint8_t{}) : load(uint32_t{});
        if (index >= memo_.size()) return;
        stack_.push_back(memo_[index]);
        size += is_short ? 1 : 4;
        break;
      }
      case 'K':
        Push(Kind::kNumber, load(uint8_t{}));
        size += 1;
        break;
      case 'M':
        Push(Kind::kNumber, load(uint16_t{}));
        size += 2;
        break;
      case 'J':
        Push(Kind::kNumber, load(int32_t{}));
        size += 4;
        break;
      case 0x8a: {
        const size_t length = load(uint8_t{});
        if (length == 0 || length > 7) return;
        uint64_t number = 0;
        std::memcpy(&number, from + 2, sizeof(number));
        const auto unused = static_cast<int>(64 - 8 * length);
        Push(Kind::kNumber, static_cast<int64_t>(number << unused) >> unused);
        size += 1 + length;
        break;
      }
      case 0x94:
        if (stack_.empty()) return;
        memo_.push_back(stack_.back());
        break;
      case '(':
        marks_.push_back(stack_.size());
        break;
      case '}':
        PushObject(Kind::kDict);
        break;
      default:
        return;
    }
    at_ += size;
  }
}

absl::Status PickleValues::Read(const util::TaskOptions& work) {
  bool done = false;
  for (size_t count = 0; !done; ++count) {
    if (count % kCheckEvery == 0 && work.cancelled()) {
      return absl::CancelledError("cancelled");
    }
    if (notes_ == nullptr) RunFrequent();
    begin_ = at_;
    if (at_ == bytes_.size()) {
      return Error("the pickle is cut off; write the file again");
    }
    absl::Status status = Step(static_cast<unsigned char>(bytes_[at_++]), done);
    if (!status.ok()) return status;
    // A value that was made of others begins where the first of them does.
    if (notes_ != nullptr) begins_.resize(stack_.size(), begin_);
  }
  if (notes_ != nullptr) {
    notes_->Note(ByteNotes::kUnused, at_, bytes_.size());
  }
  if (stack_.size() != 1 || !marks_.empty()) {
    return Error("the pickle ends with other than one value");
  }
  root_ = stack_.back();
  stack_ = {};
  memo_ = {};
  far_memo_.clear();
  return absl::OkStatus();
}

bool PickleValues::KeepComplete() {
  if (marks_.empty() || marks_[0] != 1 || !stack_[0].is(Kind::kObject)) {
    return false;
  }
  size_t lost = begin_;
  // Drops the value to which the values from `mark` on belong.
  const auto drop = [&](size_t mark) {
    if (mark > stack_.size()) return;
    if (mark - 1 < begins_.size()) lost = std::min(lost, begins_[mark - 1]);
    stack_.resize(mark - 1);
  };
  if (marks_.size() > 2) drop(marks_[2]);
  if (marks_.size() > 1) {
    const size_t first = marks_[1];
    if (first > stack_.size() || first < 2) return false;
    if (Resolve(stack_[first - 1]).is(Kind::kList)) {
      // The last one may have had more.
      if (stack_.size() > first && SizeOf(stack_.back()) == 0) {
        stack_.pop_back();
      }
      if (!Fill(first, /*dict=*/false).ok()) return false;
    } else {
      drop(first);
    }
  }
  size_t end = 1;
  while (end + 1 < stack_.size() && stack_[end].is(Kind::kText)) end += 2;
  stack_.resize(end);
  if (!Fill(1, /*dict=*/true).ok()) return false;
  if (notes_ != nullptr) {
    notes_->Note(ByteNotes::kDamaged, lost, bytes_.size());
  }
  root_ = stack_[0];
  return true;
}

void PickleValues::NoteBytes(std::span<const std::string_view> used_keys,
                             ByteNotes& notes) {
  notes_ = &notes;
  for (const std::string_view key : used_keys) {
    const auto [found, is_new] =
        text_ids_.try_emplace(key, static_cast<int64_t>(texts_.size()));
    if (is_new) texts_.push_back(key);
    used_keys_.insert(found->second);
  }
}

// Returns where the bytes of a value of the stack end: where the next begins.
size_t PickleValues::EndOf(size_t value) const {
  return value + 1 < begins_.size() ? begins_[value + 1] : begin_;
}

// Notes the members from `first` on, which a dictionary gets.
void PickleValues::NoteMembers(size_t first, PickleValue dict) {
  for (size_t key = first; key + 1 < stack_.size(); key += 2) {
    const PickleValue value = stack_[key + 1];
    NotePlace(key + 1);
    const bool is_text = stack_[key].is(Kind::kText);
    if ((is_text && used_keys_.contains(stack_[key].data())) ||
        HasUsedKey(value)) {
      used_.insert(dict.data());
    } else if (is_text) {
      notes_->Note(ByteNotes::kUnused, begins_[key], EndOf(key + 1));
    }
  }
}

// Remembers where the items from `first` on are, which a list gets.
void PickleValues::NoteItems(size_t first, PickleValue list) {
  for (size_t item = first; item < stack_.size(); ++item) {
    if (HasUsedKey(stack_[item])) used_.insert(list.data());
    NotePlace(item);
  }
}

// The first place holds: others recall the object.
void PickleValues::NotePlace(size_t value) {
  if (!stack_[value].is(Kind::kObject)) return;
  places_.try_emplace(stack_[value].data(), begins_[value], EndOf(value));
}

std::optional<std::pair<size_t, size_t>> PickleValues::PlaceOf(
    PickleValue item) const {
  if (!item.is(Kind::kObject)) return std::nullopt;
  const auto place = places_.find(item.data());
  return place == places_.end() ? std::nullopt : std::optional(place->second);
}

void PickleValues::NoteItem(ByteNotes::Part part, PickleValue item) {
  const auto place = PlaceOf(item);
  if (place) notes_->Note(part, place->first, place->second);
}

bool PickleValues::Number(size_t size, uint64_t& number) {
  if (bytes_.size() - at_ < size) return false;
  // The least significant byte is first, as on this machine.
  static_assert(std::endian::native == std::endian::little);
  number = 0;
  const char* const from = bytes_.data() + at_;
  switch (size) {
    case 1:
      number = static_cast<unsigned char>(*from);
      break;
    case 2:
      std::memcpy(&number, from, 2);
      break;
    case 4:
      std::memcpy(&number, from, 4);
      break;
    default:
      std::memcpy(&number, from, size);
      break;
  }
  at_ += size;
  return true;
}

absl::Status PickleValues::PushText(uint64_t size) {
  if (bytes_.size() - at_ < size) {
    return Error(fmt::format("a text of {} bytes, of which {} are there", size,
                             bytes_.size() - at_));
  }
  const std::string_view text = bytes_.substr(at_, size);
  at_ += size;
  const auto [found, is_new] =
      text_ids_.try_emplace(text, static_cast<int64_t>(texts_.size()));
  if (is_new) texts_.push_back(text);
  Push(Kind::kText, found->second);
  return absl::OkStatus();
}

absl::Status PickleValues::Skip(uint64_t size) {
  if (bytes_.size() - at_ < size) {
    return Error(fmt::format("{} bytes of data, of which {} are there", size,
                             bytes_.size() - at_));
  }
  at_ += size;
  Push(Kind::kOther);
  return absl::OkStatus();
}

// A number in two's complement.
absl::Status PickleValues::Long(uint64_t size) {
  if (size > 8) return Skip(size);
  uint64_t number = 0;
  if (!Number(size, number)) return Error("a number is cut off");
  if (size > 0 && size < 8 && (number >> (8 * size - 1)) != 0) {
    number |= ~uint64_t{0} << (8 * size);
  }
  const auto value = static_cast<int64_t>(number);
  if (value > PickleValue::kMaxNumber || value < -PickleValue::kMaxNumber) {
    Push(Kind::kWide, static_cast<int64_t>(wide_.size()));
    wide_.push_back(value);
  } else {
    Push(Kind::kNumber, value);
  }
  return absl::OkStatus();
}

void PickleValues::PushObject(Kind kind) {
  Push(Kind::kObject, static_cast<int64_t>(objects_.size()));
  objects_.emplace_back(kind, 0);
}

void PickleValues::Append(PickleValue& object,
                          std::span<const PickleValue> values) {
  if (values.empty()) return;
  const auto chunk = static_cast<int64_t>(pool_.size());
  const auto last = static_cast<size_t>(object.data());
  const int64_t first = last == 0 ? chunk : pool_[last + 1].data();
  pool_.emplace_back(Kind::kNumber, static_cast<int64_t>(values.size()));
  pool_.emplace_back(Kind::kNumber, first);
  pool_.insert(pool_.end(), values.begin(), values.end());
  if (last != 0) pool_[last + 1] = PickleValue(Kind::kNumber, chunk);
  object = PickleValue(object.kind(), chunk);
}

bool PickleValues::PopMark(size_t& first) {
  if (marks_.empty() || marks_.back() > stack_.size()) return false;
  first = marks_.back();
  marks_.pop_back();
  return true;
}

// Moves the values from `first` into the list or dictionary before them.
// Python has no dictionary with other keys.
absl::Status PickleValues::CheckKeys(std::span<const PickleValue> items) const {
  for (size_t i = 0; i < items.size(); i += 2) {
    if (items[i].is(Kind::kObject)) {
      return Error("a list or dictionary as the key of a dictionary");
    }
  }
  return absl::OkStatus();
}

absl::Status PickleValues::Fill(size_t first, bool dict) {
  if (first == 0 || !stack_[first - 1].is(Kind::kObject)) {
    return Error("values without a list or dictionary to which they belong");
  }
  PickleValue& object = objects_[static_cast<size_t>(stack_[first - 1].data())];
  const std::span<const PickleValue> items = std::span(stack_).subspan(first);
  if (notes_ != nullptr) {
    const PickleValue to = stack_[first - 1];
    dict ? NoteMembers(first, to) : NoteItems(first, to);
  }
  if (!items.empty()) {
    if (dict) {
      if (!object.is(Kind::kDict) || items.size() % 2 != 0) {
        return Error("keys and values for something else than a dictionary");
      }
      absl::Status keys = CheckKeys(items);
      if (!keys.ok()) return keys;
      std::optional<int64_t> record;
      if (object.data() == 0) record = folder_.FoldDict(*this, items);
      if (record) {
        object = PickleValue(Kind::kRecord, *record);
      } else {
        Append(object, items);
      }
    } else {
      const bool folded = object.is(Kind::kRecord);
      if (!folded && !object.is(Kind::kList)) {
        return Error("values for something else than a list");
      }
      std::optional<int64_t> record;
      if (folded) {
        record = folder_.FoldList(*this, object.data(), items);
        if (!record) return Error("a list of frames has other values");
      } else if (object.data() == 0) {
        record = folder_.FoldList(*this, std::nullopt, items);
      }
      if (record) {
        object = PickleValue(Kind::kRecord, *record);
      } else {
        Append(object, items);
      }
    }
  }
  stack_.resize(first);
  return absl::OkStatus();
}

absl::Status PickleValues::TupleFrom(size_t first) {
  const PickleValue made(Kind::kTuple, static_cast<int64_t>(objects_.size()));
  if (notes_ != nullptr) NoteItems(first, made);
  PickleValue tuple(Kind::kList, 0);
  Append(tuple, std::span(stack_).subspan(first));
  stack_.resize(first);
  stack_.push_back(made);
  objects_.push_back(tuple);
  return absl::OkStatus();
}

absl::Status PickleValues::Remember(uint64_t index) {
  if (stack_.empty()) return Error("nothing to remember");
  // Indexes are nearly always consecutive. Others must not make the table
  // large.
  if (index < memo_.size()) {
    memo_[index] = stack_.back();
  } else if (index == memo_.size()) {
    memo_.push_back(stack_.back());
  } else {
    far_memo_[index] = stack_.back();
  }
  return absl::OkStatus();
}

absl::Status PickleValues::Recall(uint64_t index) {
  if (index < memo_.size()) {
    stack_.push_back(memo_[index]);
    return absl::OkStatus();
  }
  const auto found = far_memo_.find(index);
  if (found == far_memo_.end()) {
    return Error(fmt::format("value {} is used but was never stored", index));
  }
  stack_.push_back(found->second);
  return absl::OkStatus();
}

absl::Status PickleValues::Step(unsigned char op, bool& done) {
  uint64_t number = 0;
  size_t first = 0;
  // Reads the argument of `size` bytes.
  const auto argument = [&](size_t size) { return Number(size, number); };
  const auto cut = [&] {
    return Error("an instruction is cut off; write the file again");
  };
  switch (op) {
    case 'h':
      return argument(1) ? Recall(number) : cut();
    case 'j':
      return argument(4) ? Recall(number) : cut();
    case 'K':
    case 'M':
      if (!argument(op == 'K' ? 1 : 2)) return cut();
      Push(Kind::kNumber, static_cast<int64_t>(number));
      return absl::OkStatus();
    case 'J':
      return bytes_.size() - at_ < 4 ? cut() : Long(4);
    case 0x8a:
      return argument(1) ? Long(number) : cut();
    case 0x8b:
      return argument(4) ? Long(number) : cut();
    case 'G':
      return Skip(8);
    case 0x94:
      return Remember(memo_.size());
    case 'q':
      return argument(1) ? Remember(number) : cut();
    case 'r':
      return argument(4) ? Remember(number) : cut();
    case '(':
      marks_.push_back(stack_.size());
      return absl::OkStatus();
    case '}':
      PushObject(Kind::kDict);
      return absl::OkStatus();
    case ']':
      PushObject(Kind::kList);
      return absl::OkStatus();
    case ')':
      return TupleFrom(stack_.size());
    case 'u':
    case 'e':
      return PopMark(first) ? Fill(first, op == 'u')
                            : Error("an end without a beginning");
    case 's':
      return stack_.size() < 3 ? Error("a key without a dictionary")
                               : Fill(stack_.size() - 2, true);
    case 'a':
      return stack_.size() < 2 ? Error("a value without a list")
                               : Fill(stack_.size() - 1, false);
    case 't':
      return PopMark(first) ? TupleFrom(first)
                            : Error("an end without a beginning");
    case 0x85:
    case 0x86:
    case 0x87: {
      const size_t size = op - size_t{0x84};
      return stack_.size() < size ? Error("a tuple without its values")
                                  : TupleFrom(stack_.size() - size);
    }
    case 'N':
      Push(Kind::kNone);
      return absl::OkStatus();
    case 0x88:
    case 0x89:
      Push(Kind::kBool, op == 0x88 ? 1 : 0);
      return absl::OkStatus();
    case 0x8c:
    case 'U':
      return argument(1) ? PushText(number) : cut();
    case 'X':
    case 'T':
      return argument(4) ? PushText(number) : cut();
    case 0x8d:
      return argument(8) ? PushText(number) : cut();
    case 'C':
      return argument(1) ? Skip(number) : cut();
    case 'B':
      return argument(4) ? Skip(number) : cut();
    case 0x8e:
    case 0x96:
      return argument(8) ? Skip(number) : cut();
    case 0x95:  // the size of a part of the pickle
      return argument(8) && number <= bytes_.size() - at_ ? absl::OkStatus()
                                                          : cut();
    case 0x80:
      if (!argument(1)) return cut();
      return number <= 5
                 ? absl::OkStatus()
                 : Error(fmt::format("protocol {}; 2 to 5 are known", number));
    case '.':
      done = true;
      return absl::OkStatus();
    default:
      if (Calls(op)) {
        return Error(fmt::format(
            "instruction {:#04x} imports or calls Python code, which plain "
            "data never does; do not load this file in Python",
            op));
      }
      return Error(fmt::format("unknown instruction {:#04x}", op));
  }
}

size_t PickleValues::SizeOf(PickleValue value) const {
  value = Resolve(value);
  if (!value.is(Kind::kList) && !value.is(Kind::kDict)) return 0;
  const auto last = static_cast<size_t>(value.data());
  size_t size = 0;
  for (size_t chunk = last; last != 0;) {
    size += static_cast<size_t>(pool_[chunk].data());
    chunk = static_cast<size_t>(pool_[chunk + 1].data());
    if (chunk == last) break;
  }
  return size;
}

bool PickleValues::ForEach(PickleValue value,
                           const std::function<void(PickleValue)>& visit) {
  value = Resolve(value);
  if (!value.is(Kind::kList) && !value.is(Kind::kDict)) return false;
  const auto last = static_cast<size_t>(value.data());
  if (last == 0) return true;
  auto chunk = static_cast<size_t>(pool_[last + 1].data());
  for (;;) {
    const auto size = static_cast<size_t>(pool_[chunk].data());
    visited_ += size;
    if (visited_ > pool_.size()) return false;
    for (size_t i = 0; i < size; ++i) visit(pool_[chunk + 2 + i]);
    if (chunk == last) return true;
    chunk = static_cast<size_t>(pool_[chunk + 1].data());
  }
}

}  // namespace tfprof::loaders
