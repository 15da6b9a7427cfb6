// The values of options that are more than a number, a text, a list or one of a
// few words: a function that sets each from a word of a line, one that formats
// it back, and the choices that it has. options.cc has the rows that use them.
//
// An error without a message means that the word is no value of the option: the
// caller knows the option's name and writes the message.

#ifndef TFPROF_PROFILER_OPTIONS_OPTION_VALUES_H_
#define TFPROF_PROFILER_OPTIONS_OPTION_VALUES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "profiler/options/options.h"

namespace tfprof::options {

// InvalidArgument without a message.
absl::Status BadValue();

// False: the word is not a boolean.
bool ParseBool(std::string_view word, bool& value);

// -step: a number, or a word that depends on the profile.
absl::Status ParseStep(const OptionText& word, Options& options);
std::string FormatStep(const Options& options);

// -order_by and -select take the word or the name of a statistic.
absl::Status ParseOrder(const OptionText& word, Options& options);
std::string FormatOrder(const Options& options);
std::vector<std::string> OrderChoices();
absl::Status ParseSelect(const OptionText& word, Options& options);
std::string FormatSelect(const Options& options);
std::vector<std::string> SelectChoices();
// What a choice of these two means.
std::string_view FieldChoiceHelp(std::string_view choice);

// -output: the types, and what each means.
std::vector<std::string> OutputChoices();
std::string_view OutputChoiceHelp(std::string_view choice);

// -checkers: the names of all checkers.
std::vector<std::string> CheckerChoices();
// -checker_options: all options of checkers, with their defaults.
std::vector<std::string> CheckerValueChoices();

// -what_if of critical_path: "MatMul=2x,conv.*=1.5"; "": none.
absl::Status ParseWhatIfs(const OptionText& word, Options& options);
std::string FormatWhatIfs(const Options& options);

// -to of convert: "profile:outfile=FILE", "files:outdir=FOLDER"; "" resets it.
absl::Status ParseTo(const OptionText& word, Options& options);
std::string FormatTo(const Options& options);
// -steps of convert: "3", "0,4-7"; "": all steps.
absl::Status ParseSteps(const OptionText& word, Options& options);

// -fail-if of check. Each word adds a rule; an empty one removes all rules.
// Exact values replace all rules.
absl::Status ParseRule(const OptionText& word, Options& options);
// -noise of check: a percentage from 0 to 1000, as "3", "2.5", "3%".
absl::Status ParseNoise(const OptionText& word, Options& options);

}  // namespace tfprof::options

#endif  // TFPROF_PROFILER_OPTIONS_OPTION_VALUES_H_
