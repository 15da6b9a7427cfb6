#include "loaders/chrome_json/kineto/host/engine_steps.h"

#include "util/arithmetic.h"
#include "util/text/ascii.h"
#include "util/text/decimal.h"

namespace tfprof::kineto {
namespace {

using profile::Phase;
using profile::StepPhase;

// Reads a text from left to right.
class Text {
 public:
  explicit Text(std::string_view text) : rest_(text) {}

  bool Take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  // Takes digits. The number must fit.
  bool TakeNumber(int64_t& number) {
    size_t digits = 0;
    while (digits < rest_.size() && util::IsDigit(rest_[digits])) ++digits;
    if (digits == 0) return false;
    const auto value = util::ParseDecimal(rest_.substr(0, digits));
    rest_.remove_prefix(digits);
    number = value.value_or(0);
    return value.has_value();
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

// Requests and tokens of one side of a step.
struct Side {
  int64_t requests = 0;
  int64_t tokens = 0;
};

EngineStep StepOf(const Side& prefill, const Side& decode) {
  EngineStep step;
  if (prefill.requests > 0 && decode.requests > 0) {
    step.phase = Phase::kMixed;
  } else if (prefill.requests > 0) {
    step.phase = Phase::kPrefill;
  } else if (decode.requests > 0) {
    step.phase = Phase::kDecode;
  }
  step.requests = util::SaturatingAdd(prefill.requests, decode.requests);
  step.tokens = util::SaturatingAdd(prefill.tokens, decode.tokens);
  step.batch = step.tokens;
  return step;
}

// Reads "(sq590sk590sqsq174050sqsk174050)": the tokens of the queries and of
// the keys, then the sums of squares and of products over the requests.
bool TakeSums(Text& text, int64_t& tokens) {
  int64_t other = 0;
  return text.Take("(sq") && text.TakeNumber(tokens) && text.Take("sk") &&
         text.TakeNumber(other) && text.Take("sqsq") &&
         text.TakeNumber(other) && text.Take("sqsk") &&
         text.TakeNumber(other) && text.Take(")");
}

// Reads "(888)" or "(888_788544)": the tokens, and the sum of their squares.
bool TakeTokens(Text& text, int64_t& tokens) {
  int64_t squares = 0;
  if (!text.Take("(") || !text.TakeNumber(tokens)) return false;
  if (text.Take("_") && !text.TakeNumber(squares)) return false;
  return text.Take(")");
}

std::optional<EngineStep> ReadVllm(Text text) {
  Side prefill, decode;
  int64_t batch = 0;
  if (text.TakeNumber(batch)) {
    if (!text.Take("_context_") || !text.TakeNumber(prefill.requests) ||
        !TakeSums(text, prefill.tokens) || !text.Take("_generation_") ||
        !text.TakeNumber(decode.requests) || !TakeSums(text, decode.tokens)) {
      return std::nullopt;
    }
    EngineStep step = StepOf(prefill, decode);
    step.detailed = true;
    return step;
  }
  if (!text.Take("context_") || !text.TakeNumber(prefill.requests) ||
      !TakeTokens(text, prefill.tokens) || !text.Take("_generation_") ||
      !text.TakeNumber(decode.requests) || !TakeTokens(text, decode.tokens)) {
    return std::nullopt;
  }
  return StepOf(prefill, decode);
}

bool IsWord(char c) {
  return util::IsDigit(c) || c == '_' || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z');
}

// Returns the number after "KEY=" in "bs=2 toks=900 …", of several the last; or
// `otherwise`.
int64_t Field(std::string_view fields, std::string_view key,
              int64_t otherwise) {
  int64_t number = otherwise;
  for (size_t at = fields.find(key); at != fields.npos;
       at = fields.find(key, at + 1)) {
    Text text(fields.substr(at + key.size()));
    int64_t value = 0;
    if ((at == 0 || !IsWord(fields[at - 1])) && text.Take("=") &&
        text.TakeNumber(value)) {
      number = value;
    }
  }
  return number;
}

std::optional<EngineStep> ReadSglang(Text text) {
  const bool extend = text.Take("EXTEND"), decode = text.Take("DECODE");
  if (!extend && !decode && !text.Take("MIXED")) return std::nullopt;
  const std::string_view fields = text.rest().substr(0, text.rest().find(']'));
  const bool closed = fields.size() < text.rest().size();
  if (!closed || (!fields.empty() && IsWord(fields[0]))) return std::nullopt;
  const int64_t requests = Field(fields, "bs", 0);
  EngineStep step;
  if (extend) {
    const int64_t tokens = Field(fields, "toks", 0);
    step = StepOf({requests, Field(fields, "c_sq", tokens)}, {});
  } else if (decode) {
    step = StepOf({}, {requests, Field(fields, "g_sq", requests)});
  } else if (Field(fields, "c", -1) < 0) {
    // The name says neither how many requests of each kind nor how many tokens.
    step.phase = Phase::kMixed;
    step.requests = requests;
  } else {
    step = StepOf({Field(fields, "c", 0), Field(fields, "c_sq", 0)},
                  {Field(fields, "g", 0), Field(fields, "g_sq", 0)});
  }
  step.batch = step.tokens > 0 ? step.tokens : requests;
  step.detailed = fields.find("sqsq=") != fields.npos;
  return step;
}

std::optional<EngineStep> ReadAtom(Text text, bool prefill) {
  const size_t end = text.rest().rfind(']');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view fields = text.rest().substr(0, end);
  const Side side = {Field(fields, "bs", 0), Field(fields, "tok", 0)};
  EngineStep step = prefill ? StepOf(side, {}) : StepOf({}, side);
  step.detailed = fields.find("sqsq=") != fields.npos;
  return step;
}

// Reads "1_256x256".
std::optional<EngineStep> ReadDiffusion(Text text) {
  EngineStep step;
  int64_t side = 0;
  if (!text.TakeNumber(step.requests) || !text.Take("_") ||
      !text.TakeNumber(side) || !text.Take("x") || !text.TakeNumber(side)) {
    return std::nullopt;
  }
  step.batch = step.requests;
  return step;
}

}  // namespace

std::optional<EngineStep> ReadEngineStep(std::string_view name) {
  Text text(name);
  if (text.Take("execute_diffusion_")) return ReadDiffusion(text);
  if (text.Take("execute_")) return ReadVllm(text);
  if (text.Take("step[")) return ReadSglang(text);
  if (text.Take("prefill[")) return ReadAtom(text, /*prefill=*/true);
  if (text.Take("decode[")) return ReadAtom(text, /*prefill=*/false);
  return std::nullopt;
}

}  // namespace tfprof::kineto
