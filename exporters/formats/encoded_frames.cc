#include "exporters/formats/encoded_frames.h"

namespace tfprof::exporters {
namespace {

// Field numbers of CodeDef and CodeDef.Trace.
constexpr uint32_t kTraces = 1;
constexpr uint32_t kLineno = 2, kFuncStartLine = 5, kFileId = 6,
                   kFunctionId = 7, kLineId = 8;

constexpr int64_t kNoneId = 0;
constexpr std::string_view kNoneString = "none";
constexpr std::string_view kUnknownString = "<unknown>";

constexpr size_t kNowhere = ~size_t{0};

}  // namespace

EncodedFrames::EncodedFrames(const profile::Profile& profile)
    : profile_(profile) {
  const profile::CallStacks& stacks = profile.graph().stacks;
  begin_.assign(stacks.num_frames(), kNowhere);
  end_.assign(stacks.num_frames(), 0);
  std::vector<bool> known(stacks.size(), false);
  known[profile::kNoStack] = true;
  std::vector<profile::FrameId> frames;  // innermost first
  for (const profile::StackId stack : profile.nodes().stack) {
    frames.clear();
    for (profile::StackId s = stack; !known[s]; s = stacks[s].parent) {
      known[s] = true;
      frames.push_back(stacks[s].frame);
    }
    for (; !frames.empty(); frames.pop_back()) Encode(frames.back());
  }
}

void EncodedFrames::Encode(profile::FrameId id) {
  if (begin_[id] != kNowhere) return;
  const profile::Frame& frame = profile_.graph().stacks.frame(id);
  const int64_t file = StringIdOf(frame.file);
  const int64_t function = StringIdOf(frame.function);
  const int64_t line = StringIdOf(frame.line);
  begin_[id] = encoded_.size();
  {
    const util::WireMessage trace(encoded_, kTraces);
    encoded_.Int64IfSet(kLineno, frame.lineno);
    encoded_.Int64IfSet(kFuncStartLine, frame.func_start_line);
    encoded_.Int64IfSet(kFileId, file);
    encoded_.Int64IfSet(kFunctionId, function);
    encoded_.Int64IfSet(kLineId, line);
  }
  end_[id] = encoded_.size();
}

int64_t EncodedFrames::StringIdOf(profile::StringId string) {
  if (strings_.empty()) strings_.push_back(kNoneString);
  const auto [it, is_new] =
      ids_.try_emplace(string, static_cast<int64_t>(strings_.size()));
  if (!is_new) return it->second;
  const std::string_view text = string == profile::kNone
                                    ? kUnknownString
                                    : profile_.strings().Get(string);
  if (text == kNoneString) {
    it->second = kNoneId;
  } else {
    strings_.push_back(text);
  }
  return it->second;
}

std::string_view StackEncoder::CodeDef(profile::StackId stack) {
  path_.clear();
  for (; stack != profile::kNoStack; stack = stacks_[stack].parent) {
    path_.push_back(stack);
  }
  size_t same = 0;
  while (same < path_.size() && same < last_path_.size() &&
         last_path_[same].stack == path_[path_.size() - 1 - same]) {
    ++same;
  }
  last_path_.resize(same);
  encoded_.Truncate(same == 0 ? 0 : last_path_.back().end);
  for (size_t i = path_.size() - same; i-- > 0;) {
    encoded_.Raw(frames_.Field(stacks_[path_[i]].frame));
    last_path_.push_back({path_[i], encoded_.size()});
  }
  return encoded_.bytes();
}

}  // namespace tfprof::exporters
