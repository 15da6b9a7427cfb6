// JsonWriter: writes JSON value by value.
//
//   JsonWriter json;
//   json.Object().Member("id", 7).Member("name", name);
//   json.Key("steps").Array();
//   for (const Step& step : steps) json.Line().Value(step.number);
//   json.Line().End().End();
//   return json.Take();   // {"id":7,"name":"a","steps":[\n1,\n2\n]}
//
// The writer inserts commas and colons, and no spaces. Line() starts a new line
// to make the text readable. Strings may have any bytes (json_string.h). NaN,
// infinity and an empty optional become null.
//
// The caller must close each object and array. The text is kept in memory, so
// outputs with millions of records use other writers.

#ifndef TFPROF_UTIL_JSON_JSON_WRITER_H_
#define TFPROF_UTIL_JSON_JSON_WRITER_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tfprof::util {

class JsonWriter {
 public:
  JsonWriter& Object() { return Open("{", '}'); }
  JsonWriter& Array() { return Open("[", ']'); }
  // Closes the innermost object or array.
  JsonWriter& End();

  // Writes the key of the next value.
  JsonWriter& Key(std::string_view name);
  // Writes a bool, a number, a text, an optional of these, or a range of
  // values, which becomes an array.
  template <typename T>
  JsonWriter& Value(const T& value);
  JsonWriter& Null() { return Raw("null"); }
  // Writes a value that is JSON already.
  JsonWriter& Raw(std::string_view json);

  template <typename T>
  JsonWriter& Member(std::string_view name, const T& value) {
    return Key(name).Value(value);
  }
  JsonWriter& RawMember(std::string_view name, std::string_view json) {
    return Key(name).Raw(json);
  }

  // Starts a new line before the next item, after the comma if there is one.
  JsonWriter& Line() {
    ++lines_;
    return *this;
  }

  // Returns the text. Nothing may be written afterwards.
  std::string Take();

 private:
  JsonWriter& Open(std::string_view bracket, char end);
  // Writes the comma and line ends before a key, value or opening bracket.
  void Separate();
  void BreakLines() { text_.append(std::exchange(lines_, 0), '\n'); }
  JsonWriter& Signed(int64_t number);
  JsonWriter& Unsigned(uint64_t number);
  JsonWriter& Real(double number);
  JsonWriter& Text(std::string_view text);

  std::string text_;
  std::string ends_;  // closing brackets of all open objects and arrays
  size_t lines_ = 0;  // line ends to write before the next item
  bool after_value_ = false;
};

namespace json_writer {

template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

}  // namespace json_writer

template <typename T>
JsonWriter& JsonWriter::Value(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return Raw(value ? "true" : "false");
  } else if constexpr (std::signed_integral<T>) {
    return Signed(value);
  } else if constexpr (std::unsigned_integral<T>) {
    return Unsigned(value);
  } else if constexpr (std::floating_point<T>) {
    return Real(value);
  } else if constexpr (std::convertible_to<const T&, std::string_view>) {
    return Text(value);
  } else if constexpr (json_writer::kIsOptional<T>) {
    return value.has_value() ? Value(*value) : Null();
  } else {
    Array();
    for (const auto& element : value) Value(element);
    return End();
  }
}

// {"name":value}
template <typename T>
std::string OneMember(std::string_view name, const T& value) {
  JsonWriter json;
  json.Object().Member(name, value).End();
  return json.Take();
}

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_JSON_JSON_WRITER_H_
