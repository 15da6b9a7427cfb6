// OwnedString: a std::string that a function of TensorFlow has returned. It is
// freed by that library's own operator delete.

#ifndef TFPROF_RECORD_TENSORFLOW_OWNED_STRING_H_
#define TFPROF_RECORD_TENSORFLOW_OWNED_STRING_H_

#include <string_view>

#include "record/tensorflow/library_abi.h"

namespace tfprof::record {

class OwnedString {
 public:
  OwnedString() = default;
  OwnedString(const OwnedString&) = delete;
  OwnedString& operator=(const OwnedString&) = delete;
  ~OwnedString();

  // Where the function writes its result; it must be called once.
  StdString* place() { return &string_; }
  std::string_view text() const { return string_.text(); }

 private:
  StdString string_;
};

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_TENSORFLOW_OWNED_STRING_H_
