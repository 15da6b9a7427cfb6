// Converts protobuf text files to their binary form.
//
// libprotobuf parses the text into a message and writes its binary form, which
// the same loader then reads. So text and binary files cannot differ in the
// result. Text files are for people and small; 100 MB take a few seconds.

#ifndef TFPROF_LOADERS_TENSORFLOW_TEXT_PROTO_H_
#define TFPROF_LOADERS_TENSORFLOW_TEXT_PROTO_H_

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <memory>

#include "absl/status/statusor.h"
#include "loaders/core/byte_account.h"
#include "loaders/core/import_log.h"
#include "loaders/core/input_file.h"
#include "util/run/cancellation.h"

namespace tfprof::tensorflow {

// Parses `file` into `message`, which is an empty message of its type. Unknown
// fields are skipped and counted in `log`. InvalidArgument with line and column
// if `file` is not such a text; Cancelled after `cancellation` was requested.
absl::StatusOr<std::shared_ptr<const loaders::InputFile>> TextToBinary(
    const loaders::InputFile& file, google::protobuf::Message& message,
    loaders::ImportLog& log, const util::Cancellation* cancellation = nullptr);

// Returns what became of each byte of a text that was read as this type.
// Unknown fields and comments are of no use.
loaders::ByteAccount AccountText(const loaders::InputFile& file,
                                 const google::protobuf::Descriptor& type,
                                 const util::Cancellation* cancellation);

// The same, for Format::account_text.
template <typename Message>
loaders::ByteAccount AccountText(const loaders::InputFile& file,
                                 const util::Cancellation* cancellation) {
  return AccountText(file, *Message::descriptor(), cancellation);
}

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_TEXT_PROTO_H_
