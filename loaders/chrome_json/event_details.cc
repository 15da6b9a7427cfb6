#include "loaders/chrome_json/event_details.h"

#include <string>

#include "util/json_reader.h"

namespace tfprof {
namespace {

// The value of a member of the event at `offset`; "" if it has none.
std::string_view FindMember(std::string_view text, uint64_t offset,
                            std::string_view member) {
  JsonReader r(text, offset);
  if (!r.EnterObject()) return {};
  std::string_view key, value;
  while (r.NextMember(key)) {
    if (!r.ReadScalar(value)) value = r.Skip();
    if (key == member) return value;
  }
  return {};
}

}  // namespace

ArgumentList ReadArguments(std::string_view object) {
  ArgumentList arguments;
  JsonReader r(object);
  if (!r.EnterObject()) return arguments;
  std::string_view key;
  std::string key_buffer, buffer;
  while (r.NextMember(key)) {
    std::string_view value;
    if (r.ReadString(value)) {
      value = DecodeJsonString(value, buffer);
    } else {
      value = r.Skip();
    }
    arguments.push_back(
        {std::string(DecodeJsonString(key, key_buffer)), std::string(value)});
  }
  return arguments;
}

RecordText EventDetails::Text(uint64_t offset) const {
  RecordText text;
  text.name = FindMember(file_->bytes(), offset, "name");
  return text;
}

ArgumentList EventDetails::Arguments(uint64_t offset) const {
  return ReadArguments(FindMember(file_->bytes(), offset, "args"));
}

}  // namespace tfprof
