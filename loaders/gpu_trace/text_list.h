// TextList: keeps many texts, and equal ones as often as they are added.
//
//   const uint32_t number = texts.Add("aten::mm, op_id = 7");
//   texts[number]
//
// Ranges of programs often have a text of their own each, so looking for equal
// ones would cost a cache miss for each text and find nothing. Numbers count up
// from 0. Views are valid as long as the list or one that it was moved to. A
// text takes its bytes and 16 more.

#ifndef TFPROF_LOADERS_GPU_TRACE_TEXT_LIST_H_
#define TFPROF_LOADERS_GPU_TRACE_TEXT_LIST_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace tfprof::gpu_trace {

class TextList {
 public:
  uint32_t Add(std::string_view text) {
    if (text.size() > free_) {
      free_ = std::max(text.size(), kChunk);
      chunks_.push_back(std::make_unique_for_overwrite<char[]>(free_));
      at_ = chunks_.back().get();
    }
    std::ranges::copy(text, at_);
    texts_.emplace_back(at_, text.size());
    at_ += text.size();
    free_ -= text.size();
    return static_cast<uint32_t>(texts_.size() - 1);
  }

  std::string_view operator[](uint32_t number) const { return texts_[number]; }
  size_t size() const { return texts_.size(); }

 private:
  static constexpr size_t kChunk = 64 << 10;

  std::vector<std::string_view> texts_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  char* at_ = nullptr;
  size_t free_ = 0;
};

}  // namespace tfprof::gpu_trace

#endif  // TFPROF_LOADERS_GPU_TRACE_TEXT_LIST_H_
