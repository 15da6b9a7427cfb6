// Deterministic mutations of fuzz inputs: the same input and number give the
// same bytes on every machine.

#ifndef TFPROF_TESTS_FUZZ_MUTATOR_H_
#define TFPROF_TESTS_FUZZ_MUTATOR_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace tfprof {

// Mutation `number` of `input`: some of flipped bits, changed bytes, inflated
// lengths and numbers, bytes removed or doubled, a piece of `other` put in.
std::string Mutate(std::string_view input, std::string_view other,
                   uint64_t number);

}  // namespace tfprof

#endif  // TFPROF_TESTS_FUZZ_MUTATOR_H_
