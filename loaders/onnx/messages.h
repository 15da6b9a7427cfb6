// The messages of an ONNX model for MessageCheck. Source: onnx.proto of ONNX.
//
// All messages and packed numbers are there, so that damage is found in the
// parts, too, that no report uses. Plain has neither.

#ifndef TFPROF_LOADERS_ONNX_MESSAGES_H_
#define TFPROF_LOADERS_ONNX_MESSAGES_H_

#include "loaders/core/message_check.h"

namespace tfprof::onnx {

// Made once.
const loaders::MessageCheck& ModelMessages();

}  // namespace tfprof::onnx

#endif  // TFPROF_LOADERS_ONNX_MESSAGES_H_
