// TsdlTypeParser: the types of a text of metadata: integers, structures,
// variants, arrays, and their names, which belong to the block in which they
// are declared.
//
// Recursion is as deep as types are, kMaxTypeDepth at most.

#ifndef TFPROF_LOADERS_CTF_LANGUAGE_TSDL_TYPES_H_
#define TFPROF_LOADERS_CTF_LANGUAGE_TSDL_TYPES_H_

#include <cstdint>
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
  // "typealias TYPE := NAME;" and "typedef TYPE NAME;"
  void Alias();
  // A type. `in_field`: of words that name no inline type, the last one is the
  // name of a field; it goes to declarator_.
  TypeId Specifier(bool in_field);
  // Names that are declared until the block is closed are of the block.
  void OpenBlock() { scopes_.emplace_back(); }
  void CloseBlock() { scopes_.pop_back(); }
  // Integers and reals that do not say their byte order have this one.
  void SetNativeOrder(bool big_endian);

  TraceTypes& types() { return types_; }

 private:
  // The types of the names of one scope. "struct x" and "x" are two names.
  using Names = std::map<std::string, TypeId>;

  TypeId Find(const std::string& name) const;
  TypeId Named(const std::string& name);
  TypeId Words(bool in_field);
  // "{ declaration … }" as fields.
  bool Fields(std::vector<FieldType::Field>& fields);
  TypeId Struct();
  TypeId Variant();
  // "name", "a.b" or "stream.event.context.a".
  std::optional<FieldPath> Path();
  // "TYPE name, name[3], name[length];"
  bool Declared(std::vector<FieldType::Field>& fields);
  // "{ name = value; … }". `entry(name, value)` is false after an error.
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
  std::vector<bool> native_;  // by type: it has the byte order of the trace
  std::string declarator_;
  int depth_ = 0;
};

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_LANGUAGE_TSDL_TYPES_H_
