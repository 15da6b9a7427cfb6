// The values of options: for each kind of value that is more than a number or a
// list, a function that sets it from a word of a line and one that formats it
// back; and the choices that a value has.
//
// An error without a message means that the word is no value of the option: the
// caller knows the option's name and writes the message.

#ifndef TFPROF_PROFILER_OPTIONS_OPTION_VALUES_H_
#define TFPROF_PROFILER_OPTIONS_OPTION_VALUES_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "profiler/options/options.h"

namespace tfprof {

// InvalidArgument without a message.
absl::Status BadValue();

// False: the word is not a boolean.
bool ParseBool(std::string_view word, bool& value);

// -order_by and -select take the word or the name of a statistic.
absl::Status ParseOrder(const OptionText& word, Options& options);
std::string FormatOrder(const Options& options);
absl::Status ParseSelect(const OptionText& word, Options& options);
std::string FormatSelect(const Options& options);

absl::Status ParseFlops(const OptionText& word, Options& options);
std::string FormatFlops(const Options& options);
// Of critical_path: "MatMul=2x,conv.*=1.5"; "": none.
absl::Status ParseWhatIfs(const OptionText& word, Options& options);
std::string FormatWhatIfs(const Options& options);

// Of timeline.
absl::Status ParseOpTime(const OptionText& word, Options& options);
std::string FormatOpTime(const Options& options);
absl::Status ParseClocks(const OptionText& word, Options& options);
std::string FormatClocks(const Options& options);
absl::Status ParseColor(const OptionText& word, Options& options);
std::string FormatColor(const Options& options);
absl::Status ParseFrames(const OptionText& word, Options& options);
std::string FormatFrames(const Options& options);

// Of convert: "profile:outfile=FILE", "files:outdir=FOLDER"; "" resets it.
absl::Status ParseTo(const OptionText& word, Options& options);
std::string FormatTo(const Options& options);
// "3", "0,4-7"; "": all steps.
absl::Status ParseSteps(const OptionText& word, Options& options);

// Of check. Each -fail-if adds a rule; an empty one removes all rules.
absl::Status ParseRule(const OptionText& word, Options& options);
// A percentage from 0 to 1000: "3", "2.5", "3%".
absl::Status ParseNoise(const OptionText& word, Options& options);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_OPTIONS_OPTION_VALUES_H_
