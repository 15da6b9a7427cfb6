// Protobuf text files, by way of their binary form.
//
// libprotobuf parses the text into a message and writes its binary form, which
// then goes through the same loader as any other file: text and binary cannot
// come out differently. Text files are for people and small; 100 MB take some
// seconds.

#ifndef TFPROF_LOADERS_TENSORFLOW_TEXT_PROTO_H_
#define TFPROF_LOADERS_TENSORFLOW_TEXT_PROTO_H_

#include <google/protobuf/message.h>

#include <memory>

#include "absl/status/statusor.h"
#include "loaders/import_log.h"
#include "loaders/input_file.h"
#include "util/cancellation.h"

namespace tfprof {

// Parses `file` into `message`, which is an empty one of its kind. Fields that
// we do not know are skipped and counted in `log`. InvalidArgument with line
// and column when `file` is not such a text. Cancelled: `cancellation` was
// requested meanwhile.
absl::StatusOr<std::shared_ptr<const InputFile>> TextToBinary(
    const InputFile& file, google::protobuf::Message& message, ImportLog& log,
    const Cancellation* cancellation = nullptr);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_TENSORFLOW_TEXT_PROTO_H_
