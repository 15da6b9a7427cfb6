#include "loaders/ctf/language/tsdl_types.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"

namespace tfprof::ctf {

void TsdlTypeParser::SetNativeOrder(bool big_endian) {
  for (TypeId type = 0; type < native_.size(); ++type) {
    if (native_[type]) types_.types[type].big_endian = big_endian;
  }
}

TypeId TsdlTypeParser::Find(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto it = scope->find(name);
    if (it != scope->end()) return it->second;
  }
  return kNoType;
}

TypeId TsdlTypeParser::Named(const std::string& name) {
  const TypeId type = Find(name);
  if (type == kNoType)
    Fail(fmt::format("a type that is declared, not '{}'", name));
  return type;
}

void TsdlTypeParser::Alias() {
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
  while (token().kind == TsdlToken::kWord || Is("*")) {
    if (!name.empty()) name += ' ';
    name.append(token().text);
    Take();
  }
  if (name.empty()) {
    Fail("a name");
    return;
  }
  if (Expect(";")) scopes_.back()[name] = type;
}

TypeId TsdlTypeParser::Specifier(bool in_field) {
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
  return !failed() ? type : kNoType;
}

TypeId TsdlTypeParser::Words(bool in_field) {
  std::string name, last;
  while (token().kind == TsdlToken::kWord || Is("*")) {
    if (!last.empty()) {
      if (!name.empty()) name += ' ';
      name += last;
    }
    last = token().text;
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

bool TsdlTypeParser::Fields(std::vector<FieldType::Field>& fields) {
  if (!Expect("{")) return false;
  OpenBlock();
  while (!failed() && !Is("}")) {
    if (Is("typealias") || Is("typedef")) {
      Alias();
    } else if (!TakeIf(";")) {
      Declared(fields);
    }
  }
  CloseBlock();
  std::vector<std::string_view> names;
  for (const FieldType::Field& field : fields) names.push_back(field.name);
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (!failed() && twice != names.end()) {
    return Fail(fmt::format("fields of different names, not two '{}'", *twice));
  }
  return !failed() && Expect("}");
}

TypeId TsdlTypeParser::Struct() {
  std::string name;
  if (token().kind == TsdlToken::kWord) {
    name = fmt::format("struct {}", token().text);
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
    const TsdlValue value = {token().kind == TsdlToken::kNumber,
                             token().number,
                             token().negative,
                             {}};
    Take();
    if (!Alignment(value, type.alignment) || !Expect(")")) return kNoType;
  }
  const TypeId id = types_.Add(std::move(type));
  if (!name.empty()) scopes_.back()[name] = id;
  return id;
}

TypeId TsdlTypeParser::Variant() {
  std::string name;
  if (token().kind == TsdlToken::kWord) {
    name = fmt::format("variant {}", token().text);
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

std::optional<FieldPath> TsdlTypeParser::Path() {
  FieldPath path;
  std::vector<std::string> words;
  while (token().kind == TsdlToken::kWord) {
    words.emplace_back(token().text);
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
    path.names.push_back(TsdlFieldName(words[i]));
  }
  return path;
}

bool TsdlTypeParser::Declared(std::vector<FieldType::Field>& fields) {
  const TypeId base = Specifier(/*in_field=*/true);
  if (base == kNoType) return false;
  std::string name = std::exchange(declarator_, {});
  for (;;) {
    if (name.empty()) {
      if (token().kind != TsdlToken::kWord) return Fail("the name of a field");
      name = token().text;
      Take();
    }
    std::vector<FieldType> dimensions;
    while (TakeIf("[")) {
      FieldType dimension;
      if (token().kind == TsdlToken::kNumber && !token().negative) {
        dimension.kind = FieldType::kArray;
        dimension.count = token().number;
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
    fields.push_back({TsdlFieldName(name), type});
    if (!TakeIf(",")) return Expect(";");
    name.clear();
  }
}

}  // namespace tfprof::ctf
