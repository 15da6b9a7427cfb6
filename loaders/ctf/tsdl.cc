#include "loaders/ctf/tsdl.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "loaders/ctf/tsdl_lexer.h"

namespace tfprof::ctf {
namespace {

using Token = TsdlToken;

// LTTng writes an underscore before the names of fields.
std::string FieldName(std::string_view name) {
  if (name.size() > 1 && name[0] == '_') name.remove_prefix(1);
  return std::string(name);
}

bool ParseUuid(std::string_view text, std::array<uint8_t, 16>& uuid) {
  size_t digits = 0;
  uuid = {};
  for (const char c : text) {
    if (c == '-') continue;
    int value = 0;
    const auto [end, error] = std::from_chars(&c, &c + 1, value, 16);
    if (error != std::errc() || end == &c || digits == 32) return false;
    uuid[digits / 2] = static_cast<uint8_t>(uuid[digits / 2] << 4 | value);
    ++digits;
  }
  return digits == 32;
}

// A value of an attribute.
struct Value {
  bool is_number = false;
  uint64_t number = 0;
  bool negative = false;
  std::string text;  // of words and strings

  int64_t Signed() const {
    return static_cast<int64_t>(negative ? 0 - number : number);
  }
};

class Parser {
 public:
  Parser(std::string_view text, TraceTypes& types)
      : text_(text), lexer_(text), types_(types) {
    scopes_.emplace_back();
    Take();
  }

  std::string Run() {
    while (error_.empty() && token_.kind != Token::kEnd) Declaration();
    for (TypeId type = 0; type < native_.size(); ++type) {
      if (native_[type]) types_.types[type].big_endian = types_.big_endian;
    }
    types_.roles_by_name = true;
    return error_;
  }

 private:
  // What a name means in one scope; "struct x" is apart from "x".
  using Names = std::map<std::string, TypeId>;

  // ---- Words

  void Take() {
    token_ = lexer_.Next();
    if (token_.kind == Token::kWrong) Fail("the next word");
  }
  bool Is(std::string_view text) const {
    return token_.text == text &&
           (token_.kind == Token::kSign || token_.kind == Token::kWord);
  }
  bool TakeIf(std::string_view text) {
    if (!Is(text)) return false;
    Take();
    return true;
  }
  bool Expect(std::string_view text) {
    if (TakeIf(text)) return true;
    return Fail(fmt::format("'{}'", text));
  }
  bool Fail(std::string_view expected) {
    if (!error_.empty()) return false;
    const size_t line =
        1 + static_cast<size_t>(
                std::count(text_.begin(), text_.begin() + token_.offset, '\n'));
    error_ = fmt::format(
        "line {}, byte {} of the text: expected {}, found {}", line,
        token_.offset, expected,
        token_.kind == Token::kEnd ? "the end" : Shown(token_.text));
    return false;
  }
  static std::string Shown(std::string_view text) {
    return fmt::format("'{}'", text.substr(0, 40));
  }

  // ---- Names of types

  TypeId Find(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      const auto it = scope->find(name);
      if (it != scope->end()) return it->second;
    }
    return kNoType;
  }
  TypeId Named(const std::string& name) {
    const TypeId type = Find(name);
    if (type == kNoType)
      Fail(fmt::format("a type that is declared, not '{}'", name));
    return type;
  }

  // ---- Declarations

  void Declaration() {
    if (TakeIf(";")) return;
    if (Is("typealias") || Is("typedef")) {
      Alias();
      return;
    }
    if (TakeIf("trace")) return Block([&] { return TraceEntry(); });
    if (TakeIf("env")) return Block([&] { return EnvironmentEntry(); });
    if (TakeIf("clock")) return ClockBlock();
    if (TakeIf("stream")) return StreamBlock();
    if (TakeIf("event")) return EventBlock();
    if (TakeIf("callsite")) return Block([&] { return Ignored(); });
    if (Is("struct") || Is("enum") || Is("variant") || Is("integer") ||
        Is("floating_point") || Is("string")) {
      Specifier(/*in_field=*/false);
      Expect(";");
      return;
    }
    Fail("a declaration");
  }

  // Parses "{ entry … };". Types that are declared inside are of the block.
  template <typename Entry>
  void Block(Entry entry) {
    if (!Expect("{")) return;
    scopes_.emplace_back();
    while (error_.empty() && !Is("}")) {
      if (Is("typealias") || Is("typedef")) {
        Alias();
      } else if (!TakeIf(";") && !entry()) {
        break;
      }
    }
    scopes_.pop_back();
    if (Expect("}")) Expect(";");
  }

  // "packet.header", "model.emf.uri", "id".
  std::string EntryName() {
    std::string name;
    while (token_.kind == Token::kWord) {
      name.append(token_.text);
      Take();
      if (!Is(".") && !Is("->")) break;
      name.append(".");
      Take();
    }
    if (name.empty()) Fail("a name");
    return name;
  }

  // The value after "=".
  bool Assigned(Value& value) {
    if (!Expect("=")) return false;
    switch (token_.kind) {
      case Token::kNumber:
        value.is_number = true;
        value.number = token_.number;
        value.negative = token_.negative;
        value.text = token_.text;
        Take();
        break;
      case Token::kString:
        value.text = UnescapeTsdl(token_.text);
        Take();
        break;
      case Token::kWord:
        value.text = EntryName();
        break;
      default:
        return Fail("a value");
    }
    return error_.empty();
  }
  bool AssignedEnd(Value& value) { return Assigned(value) && Expect(";"); }
  bool AssignedNumber(uint64_t& number) {
    Value value;
    if (!Assigned(value)) return false;
    if (!value.is_number || value.negative) return Fail("a number before this");
    number = value.number;
    return Expect(";");
  }

  bool Ignored() {
    EntryName();
    Value value;
    return AssignedEnd(value);
  }

  // ":= TYPE;"
  bool AssignedType(TypeId& type) {
    if (!Expect(":=")) return false;
    type = Specifier(/*in_field=*/false);
    return type != kNoType && Expect(";");
  }

  bool TraceEntry() {
    const std::string name = EntryName();
    if (name == "packet.header") return AssignedType(types_.packet_header);
    Value value;
    if (!AssignedEnd(value)) return false;
    if (name == "byte_order") {
      bool big = false;
      if (!ByteOrder(value.text, big)) return false;
      types_.big_endian = big;
    } else if (name == "uuid") {
      if (!ParseUuid(value.text, types_.uuid)) {
        return Fail("a uuid of 32 hexadecimal digits before this");
      }
      types_.has_uuid = true;
    }
    return true;
  }
  bool ByteOrder(std::string_view text, bool& big) {
    if (text == "be" || text == "network") {
      big = true;
    } else if (text == "le") {
      big = false;
    } else {
      return Fail("'le' or 'be' before this");
    }
    return true;
  }

  bool EnvironmentEntry() {
    std::string name = EntryName();
    Value value;
    if (!AssignedEnd(value)) return false;
    types_.environment.emplace_back(std::move(name), std::move(value.text));
    return true;
  }

  void ClockBlock() {
    ClockClass clock;
    Block([&] {
      const std::string name = EntryName();
      Value value;
      if (!AssignedEnd(value)) return false;
      if (name == "name") clock.name = value.text;
      if (name == "freq") {
        if (!value.is_number || value.negative || value.number == 0) {
          return Fail("a frequency above 0 before this");
        }
        clock.frequency = value.number;
      }
      if (name == "offset_s") clock.offset_seconds = value.Signed();
      if (name == "offset") clock.offset_cycles = value.Signed();
      return true;
    });
    if (error_.empty()) types_.clocks.push_back(std::move(clock));
  }

  void StreamBlock() {
    StreamClass stream;
    Block([&] {
      const std::string name = EntryName();
      if (name == "id") return AssignedNumber(stream.id);
      if (name == "event.header") return AssignedType(stream.event_header);
      if (name == "event.context") return AssignedType(stream.event_context);
      if (name == "packet.context") return AssignedType(stream.packet_context);
      Value value;
      return AssignedEnd(value);
    });
    if (error_.empty()) types_.streams.push_back(std::move(stream));
  }

  void EventBlock() {
    EventClass event;
    Block([&] {
      const std::string name = EntryName();
      if (name == "id") return AssignedNumber(event.id);
      if (name == "stream_id") return AssignedNumber(event.stream);
      if (name == "fields") return AssignedType(event.payload);
      if (name == "context") return AssignedType(event.context);
      Value value;
      if (!AssignedEnd(value)) return false;
      if (name == "name") event.name = value.text;
      return true;
    });
    if (error_.empty()) types_.events.push_back(std::move(event));
  }

  // "typealias TYPE := NAME;" and "typedef TYPE NAME;"
  void Alias() {
    const bool old = Is("typedef");
    Take();
    if (old) {
      std::vector<FieldType::Field> names;
      if (Declared(names)) {
        for (auto& field : names) {
          scopes_.back()[field.name] = field.type;
        }
      }
      return;
    }
    const TypeId type = Specifier(/*in_field=*/false);
    if (type == kNoType || !Expect(":=")) return;
    std::string name;
    while (token_.kind == Token::kWord || Is("*")) {
      if (!name.empty()) name += ' ';
      name.append(token_.text);
      Take();
    }
    if (name.empty()) {
      Fail("a name");
      return;
    }
    if (Expect(";")) scopes_.back()[name] = type;
  }

  // ---- Types

  // A type. `in_field`: of words that name no inline type, the last one is the
  // name of a field; it goes to declarator_.
  TypeId Specifier(bool in_field) {
    if (depth_ >= kMaxTypeDepth) {
      Fail(fmt::format("types that are at most {} deep", kMaxTypeDepth));
      return kNoType;
    }
    ++depth_;
    declarator_.clear();
    TypeId type = kNoType;
    if (TakeIf("const")) {
    }
    if (TakeIf("integer")) {
      type = Integer();
    } else if (TakeIf("floating_point")) {
      type = Real();
    } else if (TakeIf("string")) {
      type = String();
    } else if (TakeIf("enum")) {
      type = Enumeration();
    } else if (TakeIf("struct")) {
      type = Struct();
    } else if (TakeIf("variant")) {
      type = Variant();
    } else {
      type = Words(in_field);
    }
    --depth_;
    return error_.empty() ? type : kNoType;
  }

  TypeId Words(bool in_field) {
    std::string name, last;
    while (token_.kind == Token::kWord || Is("*")) {
      if (!last.empty()) {
        if (!name.empty()) name += ' ';
        name += last;
      }
      last = token_.text;
      Take();
    }
    if (in_field) {
      declarator_ = last;
    } else {
      if (!name.empty()) name += ' ';
      name += last;
    }
    if (name.empty()) {
      Fail("a type");
      return kNoType;
    }
    return Named(name);
  }

  // "{ name = value; … }". `entry(name, value)` is false after an error.
  template <typename Entry>
  bool Attributes(Entry entry) {
    if (!Expect("{")) return false;
    while (error_.empty() && !Is("}")) {
      const std::string name = EntryName();
      Value value;
      if (!AssignedEnd(value) || !entry(name, value)) return false;
    }
    return Expect("}");
  }

  bool Alignment(const Value& value, uint64_t& alignment) {
    constexpr uint64_t kMaxAlignment = 1 << 20;
    if (!value.is_number || value.negative || value.number > kMaxAlignment ||
        !std::has_single_bit(value.number)) {
      return Fail("an alignment that is a power of 2 before this");
    }
    alignment = value.number;
    return true;
  }

  TypeId AddNumber(FieldType type, bool native) {
    const TypeId id = types_.Add(std::move(type));
    native_.resize(types_.types.size(), false);
    native_[id] = native;
    return id;
  }

  TypeId Integer() {
    FieldType type;
    uint64_t alignment = 0;
    bool native = true;
    const bool ok =
        Attributes([&](const std::string& name, const Value& value) {
          if (name == "size") {
            if (!value.is_number || value.negative || value.number == 0 ||
                value.number > 64) {
              return Fail("a size from 1 to 64 before this");
            }
            type.size = static_cast<uint32_t>(value.number);
          } else if (name == "align") {
            return Alignment(value, alignment);
          } else if (name == "signed") {
            type.is_signed = value.is_number
                                 ? value.number != 0
                                 : value.text == "true" || value.text == "TRUE";
          } else if (name == "byte_order") {
            if (value.text == "native") return true;
            native = false;
            return ByteOrder(value.text, type.big_endian);
          } else if (name == "encoding") {
            type.is_text = value.text != "none" && value.text != "NONE";
          } else if (name == "map") {
            type.clock = value.text;
            if (type.clock.starts_with("clock.")) type.clock.erase(0, 6);
            if (type.clock.ends_with(".value")) {
              type.clock.resize(type.clock.size() - 6);
            }
          }
          return true;
        });
    if (!ok) return kNoType;
    if (type.size == 0) {
      Fail("an integer with a size before this");
      return kNoType;
    }
    if (alignment == 0) alignment = type.size % 8 == 0 ? 8 : 1;
    type.alignment = alignment;
    return AddNumber(std::move(type), native);
  }

  TypeId Real() {
    FieldType type;
    type.kind = FieldType::kReal;
    uint64_t exponent = 0, mantissa = 0;
    bool native = true;
    const bool ok =
        Attributes([&](const std::string& name, const Value& value) {
          if (name == "exp_dig") exponent = value.number;
          if (name == "mant_dig") mantissa = value.number;
          if (name == "align") return Alignment(value, type.alignment);
          if (name == "byte_order" && value.text != "native") {
            native = false;
            return ByteOrder(value.text, type.big_endian);
          }
          return true;
        });
    if (!ok) return kNoType;
    const bool single = exponent == 8 && mantissa == 24;
    if (!single && (exponent != 11 || mantissa != 53)) {
      Fail("a floating point of 32 or 64 bits before this");
      return kNoType;
    }
    type.size = single ? 32 : 64;
    return AddNumber(std::move(type), native);
  }

  TypeId String() {
    if (Is("{") &&
        !Attributes([](const std::string&, const Value&) { return true; })) {
      return kNoType;
    }
    FieldType type;
    type.kind = FieldType::kString;
    type.alignment = 8;
    return types_.Add(std::move(type));
  }

  TypeId Enumeration() {
    std::string name;
    if (token_.kind == Token::kWord) {
      name = fmt::format("enum {}", token_.text);
      Take();
    }
    TypeId container = kNoType;
    if (TakeIf(":")) {
      container = Specifier(/*in_field=*/false);
      if (container == kNoType) return kNoType;
    }
    if (!Is("{")) {
      if (container == kNoType && !name.empty()) return Named(name);
      Fail("'{'");
      return kNoType;
    }
    if (container == kNoType) container = Named("int");
    if (container == kNoType) return kNoType;
    FieldType type = types_.types[container];
    if (type.kind != FieldType::kInteger) {
      Fail("an enumeration of integers before this");
      return kNoType;
    }
    type.ranges.clear();
    Take();
    int64_t next = 0;
    while (error_.empty() && !Is("}")) {
      FieldType::Range range;
      if (token_.kind == Token::kString) {
        range.label = UnescapeTsdl(token_.text);
      } else if (token_.kind == Token::kWord) {
        range.label = FieldName(token_.text);
      } else {
        Fail("a label");
        return kNoType;
      }
      Take();
      range.first = range.last = next;
      if (TakeIf("=")) {
        if (!EnumValue(range.first)) return kNoType;
        range.last = range.first;
        if (TakeIf("...") && !EnumValue(range.last)) return kNoType;
      }
      next = static_cast<int64_t>(static_cast<uint64_t>(range.last) + 1);
      type.ranges.push_back(std::move(range));
      if (!TakeIf(",")) break;
    }
    if (!Expect("}")) return kNoType;
    const TypeId id = AddNumber(std::move(type), native_[container]);
    if (!name.empty()) scopes_.back()[name] = id;
    return id;
  }
  bool EnumValue(int64_t& value) {
    if (token_.kind != Token::kNumber) return Fail("a number");
    value = static_cast<int64_t>(token_.negative ? 0 - token_.number
                                                 : token_.number);
    Take();
    return error_.empty();
  }

  // "{ declaration … }" as fields.
  bool Fields(std::vector<FieldType::Field>& fields) {
    if (!Expect("{")) return false;
    scopes_.emplace_back();
    while (error_.empty() && !Is("}")) {
      if (Is("typealias") || Is("typedef")) {
        Alias();
      } else if (!TakeIf(";")) {
        Declared(fields);
      }
    }
    scopes_.pop_back();
    return error_.empty() && Expect("}");
  }

  TypeId Struct() {
    std::string name;
    if (token_.kind == Token::kWord) {
      name = fmt::format("struct {}", token_.text);
      Take();
    }
    if (!Is("{")) {
      if (!name.empty()) return Named(name);
      Fail("'{'");
      return kNoType;
    }
    FieldType type;
    type.kind = FieldType::kStruct;
    if (!Fields(type.fields)) return kNoType;
    if (TakeIf("align")) {
      if (!Expect("(")) return kNoType;
      const Value value = {
          token_.kind == Token::kNumber, token_.number, token_.negative, {}};
      Take();
      if (!Alignment(value, type.alignment) || !Expect(")")) return kNoType;
    }
    const TypeId id = types_.Add(std::move(type));
    if (!name.empty()) scopes_.back()[name] = id;
    return id;
  }

  TypeId Variant() {
    std::string name;
    if (token_.kind == Token::kWord) {
      name = fmt::format("variant {}", token_.text);
      Take();
    }
    std::optional<FieldPath> tag;
    if (TakeIf("<")) {
      tag = Path();
      if (!tag || !Expect(">")) return kNoType;
    }
    TypeId id = kNoType;
    if (Is("{")) {
      std::vector<FieldType::Field> fields;
      if (!Fields(fields)) return kNoType;
      FieldType type;
      type.kind = FieldType::kVariant;
      for (FieldType::Field& field : fields) {
        type.options.push_back({std::move(field.name), field.type, {}});
      }
      if (tag) type.path = *tag;
      id = types_.Add(std::move(type));
      if (!name.empty()) scopes_.back()[name] = id;
      return id;
    }
    if (name.empty()) {
      Fail("'{'");
      return kNoType;
    }
    id = Named(name);
    if (id == kNoType || !tag) return id;
    FieldType type = types_.types[id];
    type.path = *tag;
    return types_.Add(std::move(type));
  }

  // "name", "a.b" or "stream.event.context.a".
  std::optional<FieldPath> Path() {
    FieldPath path;
    std::vector<std::string> words;
    while (token_.kind == Token::kWord) {
      words.emplace_back(token_.text);
      Take();
      if (!TakeIf(".")) break;
    }
    if (words.empty()) {
      Fail("the name of a field");
      return std::nullopt;
    }
    struct Root {
      std::vector<std::string_view> words;
      Scope scope;
    };
    static const std::vector<Root>& roots = *new std::vector<Root>{
        {{"trace", "packet", "header"}, Scope::kPacketHeader},
        {{"stream", "packet", "context"}, Scope::kPacketContext},
        {{"stream", "event", "header"}, Scope::kEventHeader},
        {{"stream", "event", "context"}, Scope::kStreamContext},
        {{"event", "context"}, Scope::kEventContext},
        {{"event", "fields"}, Scope::kPayload},
    };
    size_t skipped = 0;
    for (const Root& root : roots) {
      if (words.size() > root.words.size() &&
          std::equal(root.words.begin(), root.words.end(), words.begin())) {
        path.absolute = true;
        path.scope = root.scope;
        skipped = root.words.size();
        break;
      }
    }
    for (size_t i = skipped; i < words.size(); ++i) {
      path.names.push_back(FieldName(words[i]));
    }
    return path;
  }

  // "TYPE name, name[3], name[length];"
  bool Declared(std::vector<FieldType::Field>& fields) {
    const TypeId base = Specifier(/*in_field=*/true);
    if (base == kNoType) return false;
    std::string name = std::exchange(declarator_, {});
    for (;;) {
      if (name.empty()) {
        if (token_.kind != Token::kWord) return Fail("the name of a field");
        name = token_.text;
        Take();
      }
      std::vector<FieldType> dimensions;
      while (TakeIf("[")) {
        FieldType dimension;
        if (token_.kind == Token::kNumber && !token_.negative) {
          dimension.kind = FieldType::kArray;
          dimension.count = token_.number;
          Take();
        } else {
          auto path = Path();
          if (!path) return false;
          dimension.kind = FieldType::kSequence;
          dimension.path = *std::move(path);
        }
        if (!Expect("]")) return false;
        if (dimensions.size() >= kMaxTypeDepth) {
          return Fail(fmt::format("at most {} dimensions", kMaxTypeDepth));
        }
        dimensions.push_back(std::move(dimension));
      }
      TypeId type = base;
      for (size_t i = dimensions.size(); i-- > 0;) {
        const FieldType& element = types_.types[type];
        dimensions[i].element = type;
        dimensions[i].is_text = element.kind == FieldType::kInteger &&
                                element.is_text && element.size == 8 &&
                                element.alignment <= 8;
        type = types_.Add(std::move(dimensions[i]));
      }
      fields.push_back({FieldName(name), type});
      if (!TakeIf(",")) return Expect(";");
      name.clear();
    }
  }

  const std::string_view text_;
  TsdlLexer lexer_;
  Token token_;
  TraceTypes& types_;
  std::vector<Names> scopes_;
  std::vector<bool> native_;  // by type: it has the byte order of the trace
  std::string declarator_;
  std::string error_;
  int depth_ = 0;
};

}  // namespace

std::string ParseTsdl(std::string_view text, TraceTypes& types) {
  return Parser(text, types).Run();
}

}  // namespace tfprof::ctf
