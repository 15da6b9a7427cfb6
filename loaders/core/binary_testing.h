// Makes binary messages from their text form, for tests.

#ifndef TFPROF_LOADERS_CORE_BINARY_TESTING_H_
#define TFPROF_LOADERS_CORE_BINARY_TESTING_H_

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace tfprof::loaders {

// Returns the binary form of a message in text form. Map entries are in
// ascending order of their keys.
template <typename Message>
std::string Binary(std::string_view text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(std::string(text),
                                                            &message));
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return bytes;
}

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_CORE_BINARY_TESTING_H_
