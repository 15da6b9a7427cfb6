#include "loaders/tensorflow/text_proto.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "fmt/format.h"

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

}  // namespace tfprof::tensorflow
