// Mutate(): deterministic mutations of fuzz inputs. The same input and number
// give the same bytes on every machine.

#ifndef TFPROF_TESTS_FUZZ_MUTATOR_H_
#define TFPROF_TESTS_FUZZ_MUTATOR_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace tfprof {

// Mutation `number` of `input`: some combination of flipped bits, changed
// bytes, increased lengths and numbers, removed or doubled bytes, and an
// inserted piece of `other`.
std::string Mutate(std::string_view input, std::string_view other,
                   uint64_t number);

}  // namespace tfprof

#endif  // TFPROF_TESTS_FUZZ_MUTATOR_H_
