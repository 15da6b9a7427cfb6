// Runs every fuzz entry without libFuzzer: over its seeds, over inputs that
// once crashed it, over all of these cut off at every length, and over
// mutations of them. The test is deterministic and bounded.
//
// Inputs are passed in a buffer of exactly their size, so that the address
// sanitizer detects a read past the end. When an entry ends the process, the
// last line names the entry and the input, and the input is kept in the test's
// outputs.

#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "tests/fuzz/entries.h"
#include "tests/fuzz/mutator.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// The sanitizers' reports end with a signal, whose handler names the entry.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" const char* __asan_default_options() { return "abort_on_error=1"; }
extern "C" const char* __ubsan_default_options() { return "abort_on_error=1"; }
// NOLINTEND(bugprone-reserved-identifier)

namespace tfprof {
namespace {

// $TFPROF_FUZZ_SCALE: the factor by which each test runs longer.
size_t Scale() {
  const char* scale = getenv("TFPROF_FUZZ_SCALE");
  return scale == nullptr ? 1 : static_cast<size_t>(std::max(1, atoi(scale)));
}

// Limits of one test, in bytes that are passed to the entry.
size_t TruncationBytes() { return (size_t{4} << 20) * Scale(); }
size_t MutationBytes() { return (size_t{12} << 20) * Scale(); }
// Longer inputs are cut off at some lengths only.
constexpr size_t kEveryLength = 2000;

struct Input {
  std::string name;
  std::string bytes;
};

// The running entry and its input, for the signal handler.
char running[512];
std::string_view running_input;
char output_path[4096];

void OnSignal(int signal) {
  // A signal handler may only make async-signal-safe calls.
  const auto say = [](const char* text) {
    if (write(STDERR_FILENO, text, std::strlen(text)) < 0) _exit(1);
  };
  say("\nfuzz_driver: crashed on: ");
  say(running);
  say("\n");
  if (FILE* file = fopen(output_path, "wb")) {
    fwrite(running_input.data(), 1, running_input.size(), file);
    fclose(file);
    say("fuzz_driver: that input is now in ");
    say(output_path);
    say("\n");
  }
  ::signal(signal, SIG_DFL);
  raise(signal);
}

void FuzzCheckpoint(std::string_view input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()),
                         input.size());
}

std::vector<FuzzEntry> AllEntries() {
  const auto entries = FuzzEntries();
  std::vector<FuzzEntry> all(entries.begin(), entries.end());
  all.push_back({"checkpoint", FuzzCheckpoint});
  return all;
}

// Adds the files of a folder by name; none if it does not exist.
void AddFiles(const std::string& folder, std::vector<Input>& inputs) {
  const size_t first = inputs.size();
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    std::ifstream file(entry.path(), std::ios::binary);
    inputs.push_back({entry.path().string(),
                      std::string(std::istreambuf_iterator<char>(file), {})});
  }
  std::sort(inputs.begin() + static_cast<ptrdiff_t>(first), inputs.end(),
            [](const Input& a, const Input& b) { return a.name < b.name; });
}

// $TFPROF_FUZZ_CORPUS: a folder that replaces the seeds, with one folder for
// each entry, for example with whole recordings to cut off at every byte.
std::vector<Input> InputsOf(const FuzzEntry& entry) {
  std::vector<Input> inputs;
  if (const char* corpus = getenv("TFPROF_FUZZ_CORPUS"); corpus != nullptr) {
    AddFiles(fmt::format("{}/{}", corpus, entry.name), inputs);
    return inputs;
  }
  AddFiles(fmt::format("tests/fuzz/corpus/{}", entry.name), inputs);
  AddFiles(fmt::format("tests/regress/{}", entry.name), inputs);
  return inputs;
}

class FuzzTest : public testing::TestWithParam<FuzzEntry> {
 protected:
  FuzzTest() : inputs_(InputsOf(GetParam())) {}

  void Run(std::string_view what, std::string_view bytes) {
    const size_t size =
        what.copy(running, std::min(what.size(), sizeof(running) - 1));
    running[size] = '\0';
    const std::unique_ptr<char[]> exact(new char[bytes.size()]);
    bytes.copy(exact.get(), bytes.size());
    running_input = {exact.get(), bytes.size()};
    GetParam().run(running_input);
    ++runs_;
  }

  const std::vector<Input> inputs_;
  int64_t runs_ = 0;
};

TEST_P(FuzzTest, Seeds) {
  ASSERT_FALSE(inputs_.empty());
  for (const Input& input : inputs_) Run(input.name, input.bytes);
  Run("nothing", "");
}

TEST_P(FuzzTest, CutOff) {
  ASSERT_FALSE(inputs_.empty());
  size_t budget = TruncationBytes();
  for (const Input& input : inputs_) {
    const size_t step = 1 + input.bytes.size() / (kEveryLength * Scale());
    // Each input gets an equal share, so that all inputs are cut at some
    // lengths.
    const size_t share = TruncationBytes() / inputs_.size();
    const size_t lengths =
        std::max<size_t>(share / (input.bytes.size() + 1), 8);
    const size_t stride = std::max(
        step, input.bytes.size() / std::min(lengths, kEveryLength * Scale()));
    for (size_t n = 0; n < input.bytes.size(); n += stride) {
      Run(fmt::format("{}, the first {} bytes", input.name, n),
          std::string_view(input.bytes).substr(0, n));
      budget -= std::min(budget, n);
    }
    if (budget == 0) break;
  }
  EXPECT_GT(runs_, 0);
  fmt::print("{}: {} lengths of {} inputs\n", GetParam().name, runs_,
             inputs_.size());
}

TEST_P(FuzzTest, Mutations) {
  size_t bytes = 0;
  for (uint64_t number = 0; bytes < MutationBytes() && number < 30000 * Scale();
       ++number) {
    const Input& input = inputs_[number % inputs_.size()];
    const Input& other = inputs_[number / 7 % inputs_.size()];
    const std::string mutated = Mutate(input.bytes, other.bytes, number);
    Run(fmt::format("{}, mutation {}", input.name, number), mutated);
    // Each call costs as much as some bytes, whatever the size of its input.
    bytes += mutated.size() + 500;
  }
  EXPECT_GE(runs_, static_cast<int64_t>(inputs_.size()));
  fmt::print("{}: {} mutations\n", GetParam().name, runs_);
}

INSTANTIATE_TEST_SUITE_P(Fuzz, FuzzTest, testing::ValuesIn(AllEntries()),
                         [](const testing::TestParamInfo<FuzzEntry>& info) {
                           return std::string(info.param.name);
                         });

}  // namespace
}  // namespace tfprof

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // As in the program, libprotobuf logs nothing: the loaders' errors are
  // better.
  google::protobuf::SetLogHandler(nullptr);
  const char* outputs = getenv("TEST_UNDECLARED_OUTPUTS_DIR");
  snprintf(tfprof::output_path, sizeof(tfprof::output_path), "%s/crash_input",
           outputs != nullptr ? outputs : "/tmp");
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    ::signal(signal, tfprof::OnSignal);
  }
  return RUN_ALL_TESTS();
}
