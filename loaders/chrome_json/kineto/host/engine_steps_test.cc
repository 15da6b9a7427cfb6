#include "loaders/chrome_json/kineto/host/engine_steps.h"

#include <string>

#include "fmt/format.h"
#include "gtest/gtest.h"

namespace tfprof::kineto {
namespace {

// "decode 3 requests 6 tokens, batch 6".
std::string Read(std::string_view name) {
  const std::optional<EngineStep> step = ReadEngineStep(name);
  if (!step) return "no step";
  return fmt::format("{} {} requests {} tokens, batch {}{}",
                     step->phase == profile::Phase::kNone
                         ? "none"
                         : profile::PhaseName(step->phase),
                     step->requests, step->tokens, step->batch,
                     step->detailed ? ", detailed" : "");
}

TEST(EngineStep, DetailedNamesOfVllm) {
  EXPECT_EQ(Read("execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq40sk9"
                 "sqsq8sqsk7)"),
            "decode 32 requests 40 tokens, batch 40, detailed");
  EXPECT_EQ(Read("execute_60_context_2(sq50sk50sqsq9sqsk9)_generation_10(sq10"
                 "sk90sqsq1sqsk9)"),
            "mixed 12 requests 60 tokens, batch 60, detailed");
}

TEST(EngineStep, ShortNamesOfVllm) {
  EXPECT_EQ(Read("execute_context_2(1500)_generation_0(0)"),
            "prefill 2 requests 1500 tokens, batch 1500");
  EXPECT_EQ(Read("execute_context_0(0)_generation_3(3)"),
            "decode 3 requests 3 tokens, batch 3");
  EXPECT_EQ(Read("execute_context_1(888_788544)_generation_2(2_2)"),
            "mixed 3 requests 890 tokens, batch 890");
  // A run without requests, to warm up.
  EXPECT_EQ(Read("execute_context_0(0)_generation_0(0)"),
            "none 0 requests 0 tokens, batch 0");
}

TEST(EngineStep, NamesOfSglang) {
  EXPECT_EQ(Read("step[EXTEND bs=3 toks=3000]"),
            "prefill 3 requests 3000 tokens, batch 3000");
  EXPECT_EQ(Read("step[EXTEND bs=3 toks=3000 c_sq=2900 c_sqsq=5]"),
            "prefill 3 requests 2900 tokens, batch 2900, detailed");
  EXPECT_EQ(Read("step[DECODE bs=9]"), "decode 9 requests 9 tokens, batch 9");
  EXPECT_EQ(Read("step[DECODE bs=9 g_sq=18 g_sk=4000]"),
            "decode 9 requests 18 tokens, batch 18");
  EXPECT_EQ(Read("step[MIXED bs=5]"), "mixed 5 requests -1 tokens, batch 5");
  EXPECT_EQ(Read("step[MIXED bs=5 c=1 g=4 c_sq=100 g_sq=4]"),
            "mixed 5 requests 104 tokens, batch 104");
}

TEST(EngineStep, NamesOfAtomCountRequestsWithoutPadding) {
  EXPECT_EQ(Read("prefill[bs=2 tok=900 ctx=[500, 400]]"),
            "prefill 2 requests 900 tokens, batch 900");
  EXPECT_EQ(Read("decode[bs=3/4 tok=6 d=3]"),
            "decode 3 requests 6 tokens, batch 6");
}

TEST(EngineStep, ADiffusionModelHasNoPhases) {
  EXPECT_EQ(Read("execute_diffusion_2_256x512"),
            "none 2 requests -1 tokens, batch 2");
}

TEST(EngineStep, OtherNames) {
  for (const char* name :
       {"", "execute_model", "execute_context_1", "execute_context_1(2)",
        "execute_3_context_1(sq1sk1)_generation_0(sq0sk0)",
        "execute_context_1(x)_generation_0(0)", "execute_diffusion_1_256",
        "step[DECODE bs=3", "step[DECODED bs=3]", "step[OTHER bs=3]",
        "decode bs=3", "decode[bs=3", "my step[DECODE bs=3]",
        "execute_context_99999999999999999999(1)_generation_0(0)"}) {
    EXPECT_EQ(Read(name), "no step") << name;
  }
}

}  // namespace
}  // namespace tfprof::kineto
