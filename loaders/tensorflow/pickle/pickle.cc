#include "loaders/tensorflow/pickle/pickle.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "fmt/format.h"

namespace tfprof::tensorflow {
namespace {

constexpr char kProto = '\x80';
constexpr int kMaxProtocol = 5;
// How many instructions are read to recognise a pickle.
constexpr int kLookedAt = 16;
constexpr size_t kMaxNames = 32;

// The key of the bytes of a message.
constexpr std::string_view kKey = "serialized";
// The keys of a session's record of a kind of run, in their order. Its feeds
// are not read, because they contain values.
constexpr std::string_view kFetches = "fetches", kRuns = "runs",
                           kRunId = "run_id";
constexpr size_t kMaxRows = 1 << 16;

// The argument after an instruction.
enum class Argument {
  kNone,
  kOne,  // bytes
  kTwo,
  kFour,
  kEight,
  kLine,   // up to a newline
  kLines,  // two of them
  kCounted1,
  kCounted4,
  kCounted8,
  kUnknown,
};

Argument ArgumentOf(unsigned char op) {
  switch (op) {
    case '(':
    case '.':
    case '0':
    case '1':
    case '2':
    case 'a':
    case 'b':
    case 'd':
    case 'e':
    case 'l':
    case 'o':
    case 'Q':
    case 'R':
    case 's':
    case 't':
    case 'u':
    case ')':
    case ']':
    case '}':
    case 'N':
    case 0x81:
    case 0x85:
    case 0x86:
    case 0x87:
    case 0x88:
    case 0x89:
    case 0x8f:
    case 0x90:
    case 0x91:
    case 0x92:
    case 0x93:
    case 0x94:
    case 0x97:
    case 0x98:
      return Argument::kNone;
    case 'K':
    case 'h':
    case 'q':
    case 0x80:
    case 0x82:
      return Argument::kOne;
    case 'M':
    case 0x83:
      return Argument::kTwo;
    case 'J':
    case 'j':
    case 'r':
    case 0x84:
      return Argument::kFour;
    case 'G':
    case 0x95:
      return Argument::kEight;
    case 'F':
    case 'I':
    case 'L':
    case 'P':
    case 'S':
    case 'V':
    case 'g':
    case 'p':
      return Argument::kLine;
    case 'c':
    case 'i':
      return Argument::kLines;
    case 'U':
    case 'C':
    case 0x8a:
    case 0x8c:
      return Argument::kCounted1;
    case 'T':
    case 'B':
    case 'X':
    case 0x8b:
      return Argument::kCounted4;
    case 0x8d:
    case 0x8e:
    case 0x96:
      return Argument::kCounted8;
    default:
      return Argument::kUnknown;
  }
}

struct Instruction {
  unsigned char op = 0;
  uint64_t number = 0;
  std::string_view data;    // text or bytes
  std::string_view second;  // the second line
};

class Walker {
 public:
  explicit Walker(std::string_view bytes) : bytes_(bytes) {}

  // Returns false at the end and at damage. An instruction that is cut off has
  // the data that is there.
  bool Next(Instruction& next) {
    if (done_ || at_ == bytes_.size()) {
      begin_ = at_;
      if (!done_) damage_ = Text("the pickle has no end");
      return false;
    }
    begin_ = at_;
    next = {};
    next.op = static_cast<unsigned char>(bytes_[at_++]);
    switch (ArgumentOf(next.op)) {
      case Argument::kNone:
        done_ = next.op == '.';
        return true;
      case Argument::kOne:
        return Number(1, next.number);
      case Argument::kTwo:
        return Number(2, next.number);
      case Argument::kFour:
        return Number(4, next.number);
      case Argument::kEight:
        return Number(8, next.number);
      case Argument::kLine:
        return Line(next.data);
      case Argument::kLines:
        return Line(next.data) && Line(next.second);
      case Argument::kCounted1:
        return Number(1, next.number) && Data(next);
      case Argument::kCounted4:
        return Number(4, next.number) && Data(next);
      case Argument::kCounted8:
        return Number(8, next.number) && Data(next);
      case Argument::kUnknown:
        break;
    }
    damage_ = Text(fmt::format("unknown instruction {:#04x}", next.op));
    return false;
  }

  bool done() const { return done_; }
  const std::string& damage() const { return damage_; }
  // Where the pickle ends, or the damaged instruction begins.
  size_t end() const { return damage_.empty() ? at_ : begin_; }

 private:
  std::string Text(std::string_view what) const {
    return fmt::format("byte {}: {}", begin_, what);
  }
  bool Number(size_t size, uint64_t& number) {
    if (bytes_.size() - at_ < size) return Cut();
    number = 0;
    for (size_t i = 0; i < size; ++i) {
      number |= uint64_t{static_cast<unsigned char>(bytes_[at_ + i])} << 8 * i;
    }
    at_ += size;
    return true;
  }
  bool Line(std::string_view& line) {
    const size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) return Cut();
    line = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return true;
  }
  bool Data(Instruction& of) {
    const size_t left = bytes_.size() - at_;
    of.data = bytes_.substr(at_, of.number);
    at_ += of.data.size();
    if (of.number <= left) return true;
    damage_ = Text(fmt::format("a text of {} bytes, of which {} are there",
                               of.number, left));
    done_ = true;
    return true;  // with what is there
  }
  bool Cut() {
    damage_ = Text("an instruction is cut off");
    at_ = bytes_.size();
    done_ = true;
    return false;
  }

  std::string_view bytes_;
  size_t at_ = 0;
  size_t begin_ = 0;
  bool done_ = false;
  std::string damage_;
};

bool IsText(unsigned char op) { return op == 'X' || op == 0x8c || op == 0x8d; }
bool IsBytes(unsigned char op) {
  return op == 'B' || op == 'C' || op == 0x8e || op == 0x96 || op == 'T' ||
         op == 'U';  // Python 2 strings
}

bool IsNumber(unsigned char op) { return op == 'K' || op == 'M' || op == 'J'; }
bool IsGet(unsigned char op) { return op == 'h' || op == 'j'; }

class Finder {
 public:
  PickledMessages Find(std::string_view bytes) {
    Walker walker(bytes);
    Instruction next;
    while (walker.Next(next)) Take(next);
    found_.damage = walker.damage();
    found_.end = walker.end();
    return std::move(found_);
  }

 private:
  void Take(const Instruction& i) {
    FollowLists(i);
    FollowRows(i);
    if (IsText(i.op)) {
      Push(i.data);
    } else if (IsBytes(i.op)) {
      if (last_ == kKey) AddMessage(i.data);
      // Python 2 writes the key in this way.
      Push(i.op == 'T' || i.op == 'U' ? i.data : std::string_view());
    } else if (IsGet(i.op)) {
      Push(Remembered(i.number));
    } else if (i.op == 'q' || i.op == 'r') {
      Remember(i.number);
    } else if (i.op == 0x94) {
      Remember(memo_.size());
    } else if (i.op == 'c' || i.op == 'i') {
      AddName(i.data, i.second);
      Push({});
    } else if (i.op == 0x93) {
      AddName(before_last_, last_);
      Push({});
    } else if (i.op != 0x95) {  // frames change nothing
      Push({});
    }
  }

  // A session stores its traces as {run: [message or None, …]}: a number, a
  // list, and in the list an object or None for each trace.
  void FollowLists(const Instruction& i) {
    if (IsNumber(i.op)) {
      number_ = static_cast<int64_t>(i.number);
    } else if (i.op == ']') {
      list_ = {.run = number_, .trace = 0};
    } else if (i.op == 'N' && list_.run >= 0) {
      ++list_.trace;
    } else if (i.op == 'e' || i.op == 'a') {
      list_ = {};
    }
    // A memo instruction may come between a number and its value.
    const bool is_memo = i.op == 'q' || i.op == 'r' || i.op == 0x94;
    if (!IsNumber(i.op) && !is_memo) number_ = -1;
  }

  // A session stores {'fetches': text, …, 'runs': number, …, 'run_id': number}
  // for each kind of run.
  void FollowRows(const Instruction& i) {
    if (last_ == kFetches && IsText(i.op) && found_.rows.size() < kMaxRows) {
      found_.rows.push_back({.fetches = i.data});
    } else if (last_ == kFetches && IsGet(i.op) && memo_.contains(i.number) &&
               found_.rows.size() < kMaxRows) {
      found_.rows.push_back({.fetches = Remembered(i.number)});
    } else if (IsNumber(i.op) && !found_.rows.empty()) {
      if (last_ == kRuns) {
        found_.rows.back().runs = static_cast<int64_t>(i.number);
      } else if (last_ == kRunId) {
        found_.rows.back().run = static_cast<int64_t>(i.number);
      }
    }
  }

  void AddMessage(std::string_view message) {
    found_.messages.push_back(message);
    found_.places.push_back(list_);
    if (list_.run >= 0) ++list_.trace;
  }

  // Notes the text of the value that was pushed last; "" for other values.
  void Push(std::string_view text) {
    before_last_ = last_;
    last_ = text;
  }

  void Remember(uint64_t number) { memo_[number] = last_; }
  std::string_view Remembered(uint64_t number) const {
    const auto found = memo_.find(number);
    return found == memo_.end() ? std::string_view() : found->second;
  }

  void AddName(std::string_view module, std::string_view name) {
    std::string full = fmt::format("{}.{}", module, name);
    if (found_.names.size() < kMaxNames &&
        std::find(found_.names.begin(), found_.names.end(), full) ==
            found_.names.end()) {
      found_.names.push_back(std::move(full));
    }
  }

  PickledMessages found_;
  int64_t number_ = -1;  // pushed last; -1: another value
  PicklePlace list_;     // where the next message belongs
  std::string_view last_, before_last_;
  // The numbers in a file may have any gaps.
  absl::flat_hash_map<uint64_t, std::string_view> memo_;
};

}  // namespace

bool IsPickle(std::string_view bytes) {
  if (bytes.size() < 3 || bytes[0] != kProto || bytes[1] < 2 ||
      bytes[1] > kMaxProtocol) {
    return false;
  }
  Walker walker(bytes);
  Instruction next;
  for (int i = 0; i < kLookedAt; ++i) {
    if (!walker.Next(next)) return walker.done() && walker.damage().empty();
  }
  return true;
}

PickledMessages ReadPickle(std::string_view bytes) {
  return Finder().Find(bytes);
}

}  // namespace tfprof::tensorflow
