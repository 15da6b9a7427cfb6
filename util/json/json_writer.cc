#include "util/json/json_writer.h"

#include <cmath>

#include "fmt/format.h"
#include "util/json/json_string.h"

namespace tfprof::util {

void JsonWriter::Separate() {
  if (after_value_) text_ += ',';
  BreakLines();
}

JsonWriter& JsonWriter::Open(std::string_view bracket, char end) {
  Separate();
  text_ += bracket;
  ends_ += end;
  after_value_ = false;
  return *this;
}

JsonWriter& JsonWriter::End() {
  BreakLines();
  text_ += ends_.back();
  ends_.pop_back();
  after_value_ = true;
  return *this;
}

JsonWriter& JsonWriter::Key(std::string_view name) {
  Separate();
  AppendJsonString(name, &text_);
  text_ += ':';
  after_value_ = false;
  return *this;
}

JsonWriter& JsonWriter::Raw(std::string_view json) {
  Separate();
  text_ += json;
  after_value_ = true;
  return *this;
}

JsonWriter& JsonWriter::Signed(int64_t number) {
  return Raw(fmt::format_int(number).c_str());
}

JsonWriter& JsonWriter::Unsigned(uint64_t number) {
  return Raw(fmt::format_int(number).c_str());
}

JsonWriter& JsonWriter::Real(double number) {
  return std::isfinite(number) ? Raw(fmt::format("{}", number)) : Null();
}

JsonWriter& JsonWriter::Text(std::string_view text) {
  Separate();
  AppendJsonString(text, &text_);
  after_value_ = true;
  return *this;
}

std::string JsonWriter::Take() {
  BreakLines();
  return std::move(text_);
}

}  // namespace tfprof::util
