// TextBuffer: builds a text of limited length without heap memory. Text that
// does not fit is cut, and ok() is then false.

#ifndef TFPROF_RECORD_TEXT_BUFFER_H_
#define TFPROF_RECORD_TEXT_BUFFER_H_

#include <cstdint>
#include <cstring>
#include <string_view>

namespace tfprof::record {

template <uint32_t kBytes>
class TextBuffer {
 public:
  TextBuffer& operator<<(std::string_view text) {
    size_t size = text.size();
    if (size > kBytes - size_) {
      size = kBytes - size_;
      ok_ = false;
    }
    memcpy(text_ + size_, text.data(), size);
    size_ += static_cast<uint32_t>(size);
    text_[size_] = 0;
    return *this;
  }
  TextBuffer& operator<<(const char* text) {
    return *this << std::string_view(text);
  }
  TextBuffer& operator<<(char c) { return *this << std::string_view(&c, 1); }
  TextBuffer& operator<<(uint64_t number) {
    char digits[20];
    char* at = digits + sizeof(digits);
    do {
      *--at = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0);
    return *this << std::string_view(
               at, static_cast<size_t>(digits + sizeof(digits) - at));
  }
  TextBuffer& operator<<(uint32_t number) {
    return *this << static_cast<uint64_t>(number);
  }

  const char* c_str() const { return text_; }
  std::string_view view() const { return {text_, size_}; }
  bool ok() const { return ok_; }
  void Clear() {
    size_ = 0;
    text_[0] = 0;
    ok_ = true;
  }

 private:
  char text_[kBytes + 1] = {};
  uint32_t size_ = 0;
  bool ok_ = true;
};

using Path = TextBuffer<4000>;

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_TEXT_BUFFER_H_
