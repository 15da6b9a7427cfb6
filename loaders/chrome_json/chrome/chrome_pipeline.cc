#include "loaders/chrome_json/chrome/chrome_pipeline.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <string>

#include "util/json/json_reader.h"
#include "util/text/ascii.h"
#include "util/text/decimal.h"

namespace tfprof::chrome_json {
namespace {

std::optional<int32_t> Number(std::string_view text) {
  const std::optional<int64_t> number = util::ParseDecimal(text);
  return number && *number >= 0 && *number < std::numeric_limits<int32_t>::max()
             ? std::optional(static_cast<int32_t>(*number))
             : std::nullopt;
}

// Returns the number after the first of `words` that is followed by one, as in
// "pp rank [3]", "stage 3" or "dp3". All texts are in lower case.
std::optional<int32_t> NumberAfter(
    std::string_view text, std::initializer_list<std::string_view> words) {
  constexpr std::string_view kBetween = " -_:=#[";
  const auto skip = [&](size_t at) {
    return std::min(text.find_first_not_of(kBetween, at), text.size());
  };
  for (const std::string_view word : words) {
    for (size_t at = text.find(word); at != text.npos;
         at = text.find(word, at + 1)) {
      if (at > 0 && text[at - 1] >= 'a' && text[at - 1] <= 'z') continue;
      size_t begin = skip(at + word.size());
      if (text.substr(begin).starts_with("rank")) begin = skip(begin + 4);
      const size_t end =
          std::min(text.find_first_not_of("0123456789", begin), text.size());
      if (const auto number = Number(text.substr(begin, end - begin))) {
        return number;
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<PipelineNumbers> ReadPipelineNumbers(std::string_view args) {
  if (args.find("\"seq_id\"") == args.npos) return std::nullopt;
  PipelineNumbers numbers;
  std::string_view key, value;
  util::JsonReader r(args);
  for (bool in = r.EnterObject(); in && r.NextDecodedMember(key);) {
    if (!r.ReadScalar(value)) value = r.Skip();
    if (key == "step") {
      numbers.step = util::ParseDecimal(value).value_or(-1);
    } else if (key == "seq_id") {
      numbers.sequence = Number(value).value_or(-1);
    } else if (key == "mb_id") {
      numbers.micro_batch = Number(value).value_or(-1);
    } else if (key == "model_chunk") {
      numbers.model_chunk = Number(value).value_or(-1);
    }
  }
  return numbers.step >= 0 && numbers.sequence >= 0 ? std::optional(numbers)
                                                    : std::nullopt;
}

std::optional<PipelineWorker> WorkerOfThread(std::string_view process,
                                             std::string_view process_key,
                                             std::string_view thread) {
  const std::string name = util::LowerCase(thread);
  const auto stage = NumberAfter(name, {"pp", "pipeline", "stage"});
  if (!stage) return std::nullopt;
  auto dp = NumberAfter(util::LowerCase(process),
                        {"dp", "data parallel", "data-parallel"});
  if (!dp && process.empty()) dp = Number(process_key);
  if (!dp) return std::nullopt;
  return PipelineWorker{.dp = *dp,
                        .stage = *stage,
                        .kind = name.ends_with("comm")
                                    ? profile::LaneKind::kCommunication
                                    : profile::LaneKind::kCompute};
}

}  // namespace tfprof::chrome_json
