#include "loaders/tensorflow/text_proto.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "util/text/ascii.h"

namespace tfprof::tensorflow {
namespace {

class Errors : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (first_.empty()) {
      first_ =
          fmt::format("line {}, column {}: {}", line + 1, column + 1, message);
    }
  }
  void AddWarning(int line, google::protobuf::io::ColumnNumber column,
                  const std::string&) override {
    if (warnings_++ > 0) return;
    first_warning_ = fmt::format("line {}, column {}", line + 1, column + 1);
  }
  const std::string& first() const { return first_; }
  int64_t warnings() const { return warnings_; }
  const std::string& first_warning() const { return first_warning_; }

 private:
  std::string first_;
  std::string first_warning_;
  int64_t warnings_ = 0;
};

// A stream that ends when the work is cancelled: libprotobuf has no other way
// to cancel parsing.
class CancelledInput : public google::protobuf::io::ArrayInputStream {
 public:
  CancelledInput(std::string_view bytes, const util::Cancellation* cancellation)
      : ArrayInputStream(bytes.data(), static_cast<int>(bytes.size()), kBlock),
        cancellation_(cancellation) {}
  bool Next(const void** data, int* size) override {
    return !util::IsCancelled(cancellation_) &&
           ArrayInputStream::Next(data, size);
  }

 private:
  static constexpr int kBlock = 1 << 16;
  const util::Cancellation* cancellation_;
};

constexpr std::string_view kSpaces = " \t\r\n\v\f";

bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || util::IsDigit(c) ||
         c == '_' || c == '.';
}

// Takes the next part of a text: spaces, a comment, a string, a word (a name or
// number), or one character. libprotobuf has read the text, so it is whole.
std::string_view TakePart(std::string_view& rest) {
  const char first = rest[0];
  size_t end = 1;
  if (kSpaces.find(first) != kSpaces.npos) {
    end = rest.find_first_not_of(kSpaces);
  } else if (first == '#') {
    end = rest.find('\n');
  } else if (first == '"' || first == '\'') {
    while (end < rest.size() && rest[end] != first) {
      end += rest[end] == '\\' ? 2 : 1;
    }
    ++end;
  } else if (IsWord(first)) {
    const bool is_number = first == '.' || util::IsDigit(first);
    while (end < rest.size() &&
           (IsWord(rest[end]) || (is_number && rest[end] == '+') ||
            (is_number && rest[end] == '-'))) {
      ++end;
    }
  }
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(part.size());
  return part;
}

// Follows the fields of a text.
class FieldWalk {
 public:
  using Class = int64_t loaders::ByteAccount::*;

  explicit FieldWalk(const google::protobuf::Descriptor& type) {
    levels_.push_back({.type = &type});
  }

  // Takes a part that is neither spaces nor a comment, and returns its class.
  Class Take(std::string_view part) {
    Level& level = levels_.back();
    const Class use = level.use;
    switch (part[0]) {
      case '{':
      case '<': {
        const auto* const type =
            level.field == nullptr ? nullptr : level.field->message_type();
        if (level.at == At::kValue) level.at = At::kName;
        levels_.push_back({.type = type});
        return use;
      }
      case '}':
      case '>':
        if (levels_.size() > 1) levels_.pop_back();
        return levels_.back().use;
      case '[':
        if (level.at == At::kValue) {
          level.at = At::kInList;
        } else if (level.at == At::kName) {
          // The name of an extension, of which none is known.
          Begin(level, "");
          level.at = At::kInName;
        }
        return level.use;
      case ']':
        level.at = level.at == At::kInName ? At::kValue : At::kName;
        return use;
      case '"':
      case '\'':
        // A value may be several strings.
        if (level.at == At::kValue) level.at = At::kName;
        return use;
      default:
        break;
    }
    if (!IsWord(part[0])) return use;
    if (level.at == At::kName) {
      Begin(level, part);
    } else if (level.at == At::kValue) {
      level.at = At::kName;
    }
    return level.use;
  }

 private:
  // What a word is here: the name of a field or its value, or a part of a list
  // of values or of a name.
  enum class At { kName, kValue, kInList, kInName };
  struct Level {
    const google::protobuf::Descriptor* type = nullptr;  // nullptr: unknown
    const google::protobuf::FieldDescriptor* field = nullptr;
    Class use = &loaders::ByteAccount::unused;  // of the field
    At at = At::kName;
  };

  static void Begin(Level& level, std::string_view name) {
    level.field = level.type == nullptr
                      ? nullptr
                      : level.type->FindFieldByName(std::string(name));
    level.use = level.field == nullptr ? &loaders::ByteAccount::unused
                                       : &loaders::ByteAccount::read;
    level.at = At::kValue;
  }

  std::vector<Level> levels_;
};

// Sets a field of the entry of a map to the value that it has when it is left
// out.
void SetToDefault(const google::protobuf::FieldDescriptor& field,
                  google::protobuf::Message& entry) {
  using google::protobuf::FieldDescriptor;
  const google::protobuf::Reflection& fields = *entry.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return fields.SetInt32(&entry, &field, 0);
    case FieldDescriptor::CPPTYPE_INT64:
      return fields.SetInt64(&entry, &field, 0);
    case FieldDescriptor::CPPTYPE_UINT32:
      return fields.SetUInt32(&entry, &field, 0);
    case FieldDescriptor::CPPTYPE_STRING:
      return fields.SetString(&entry, &field, "");
    case FieldDescriptor::CPPTYPE_MESSAGE:
      fields.MutableMessage(&entry, &field);
      return;
    default:
      return;
  }
}

// A text leaves out the key 0 of a map. Libprotobuf then writes the entry with
// a key, and with the length that it has without one.
void CompleteMaps(google::protobuf::Message& message) {
  const google::protobuf::Reflection& fields = *message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> present;
  fields.ListFields(message, &present);
  for (const auto* const field : present) {
    if (field->message_type() == nullptr) continue;
    if (!field->is_repeated()) {
      CompleteMaps(*fields.MutableMessage(&message, field));
      continue;
    }
    for (int i = 0; i < fields.FieldSize(message, field); ++i) {
      google::protobuf::Message& element =
          *fields.MutableRepeatedMessage(&message, field, i);
      for (int f = 0; field->is_map() && f < 2; ++f) {
        const auto& part = *element.GetDescriptor()->field(f);
        if (!element.GetReflection()->HasField(element, &part)) {
          SetToDefault(part, element);
        }
      }
      CompleteMaps(element);
    }
  }
}

}  // namespace

absl::StatusOr<std::shared_ptr<const loaders::InputFile>> TextToBinary(
    const loaders::InputFile& file, google::protobuf::Message& message,
    loaders::ImportLog& log, const util::Cancellation* cancellation) {
  const std::string_view bytes = file.bytes();
  if (bytes.size() > INT32_MAX) {
    return absl::InvalidArgumentError(fmt::format(
        "{}: text files are read up to 2 GiB; save it in binary form",
        file.path()));
  }
  Errors errors;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.AllowUnknownField(true);
  parser.SetRecursionLimit(200);
  CancelledInput input(bytes, cancellation);
  const bool good = parser.Parse(&input, &message);
  if (util::IsCancelled(cancellation)) return absl::CancelledError("cancelled");
  if (!good) {
    return absl::InvalidArgumentError(
        fmt::format("{}: {}: not a {} in text form", file.path(),
                    errors.first(), message.GetDescriptor()->name()));
  }
  if (const int64_t unknown = errors.warnings(); unknown > 0) {
    constexpr std::string_view kUnknown =
        "unknown field of a text file skipped";
    log.Add(loaders::ImportLog::kNotice, kUnknown,
            fmt::format("{}: {} fields are unknown and were skipped, the first "
                        "at {}",
                        file.path(), unknown, errors.first_warning()),
            unknown);
  }
  CompleteMaps(message);
  std::string binary;
  {
    // Maps are in the order of their keys, so that the order of nodes is fixed.
    google::protobuf::io::StringOutputStream stream(&binary);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  // Offsets in later messages refer to the binary form.
  return loaders::InputFile::FromBytes(file.path() + " (in binary form)",
                                       std::move(binary));
}

loaders::ByteAccount AccountText(const loaders::InputFile& file,
                                 const google::protobuf::Descriptor& type,
                                 const util::Cancellation* cancellation) {
  constexpr int kPartsBetweenChecks = 1 << 14;
  loaders::ByteAccount account;
  FieldWalk walk(type);
  int left = kPartsBetweenChecks;
  for (std::string_view rest = file.bytes(); !rest.empty();) {
    if (--left == 0) {
      if (util::IsCancelled(cancellation)) return account;
      left = kPartsBetweenChecks;
    }
    const std::string_view part = TakePart(rest);
    const auto of = kSpaces.find(part[0]) != kSpaces.npos
                        ? &loaders::ByteAccount::white_space
                    : part[0] == '#' ? &loaders::ByteAccount::unused
                                     : walk.Take(part);
    account.*of += static_cast<int64_t>(part.size());
  }
  return account;
}

}  // namespace tfprof::tensorflow
