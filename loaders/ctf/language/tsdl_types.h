// TsdlTypeParser: parses the types in a metadata text: integers, structures,
// variants, arrays, and names of types, which are valid in the block that
// declares them.
//
// Recursion is as deep as types are, at most kMaxTypeDepth.

#ifndef TFPROF_LOADERS_CTF_LANGUAGE_TSDL_TYPES_H_
#define TFPROF_LOADERS_CTF_LANGUAGE_TSDL_TYPES_H_

#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/ctf/language/trace_types.h"
#include "loaders/ctf/language/tsdl_words.h"

namespace tfprof::ctf {

class TsdlTypeParser : public TsdlWords {
 public:
  // Types are added to `types`.
  TsdlTypeParser(std::string_view text, TraceTypes& types)
      : TsdlWords(text), types_(types) {
    OpenBlock();
  }

 protected:
  // Parses "typealias TYPE := NAME;" and "typedef TYPE NAME;".
  void Alias();
  // Parses a type. `in_field`: if the type is given by words and not inline,
  // the last word is the name of a field, which goes to declarator_.
  TypeId Specifier(bool in_field);
  // Names that are declared before CloseBlock() are local to the block.
  void OpenBlock() { scopes_.emplace_back(); }
  void CloseBlock() { scopes_.pop_back(); }
  // Sets the byte order of integers and reals that do not give one.
  void SetNativeOrder(bool big_endian);

  // Counts an entry that nobody knows, unless it is one of those. Returns
  // true.
  bool Unknown(const std::string& name,
               std::initializer_list<std::string_view> of_no_use = {});

  TraceTypes& types() { return types_; }

 private:
  // The types of one scope, by name. "struct x" and "x" are different names.
  using Names = std::map<std::string, TypeId>;

  TypeId Find(const std::string& name) const;
  TypeId Named(const std::string& name);
  TypeId Words(bool in_field);
  // Parses "{ declaration … }" into fields.
  bool Fields(std::vector<FieldType::Field>& fields);
  TypeId Struct();
  TypeId Variant();
  // Parses "name", "a.b" or "stream.event.context.a".
  std::optional<FieldPath> Path();
  // Parses "TYPE name, name[3], name[length];".
  bool Declared(std::vector<FieldType::Field>& fields);
  // Parses "{ name = value; … }". `entry(name, value)` returns false after an
  // error.
  template <typename Entry>
  bool Attributes(Entry entry);
  bool Alignment(const TsdlValue& value, uint64_t& alignment);
  TypeId AddNumber(FieldType type, bool native);
  TypeId Integer();
  TypeId Real();
  TypeId String();
  TypeId Enumeration();
  bool EnumValue(int64_t& value);

  TraceTypes& types_;
  std::vector<Names> scopes_;
  std::vector<bool> native_;  // by type: it has the native byte order
  std::string declarator_;
  int depth_ = 0;
};

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_LANGUAGE_TSDL_TYPES_H_
