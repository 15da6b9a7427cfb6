// The framework of a program, from the names in its profile: advice has the
// words that its users know.

#ifndef TFPROF_TIMELINE_ACCOUNT_FRAMEWORK_H_
#define TFPROF_TIMELINE_ACCOUNT_FRAMEWORK_H_

#include <cstdint>

#include "profile/profile.h"

namespace tfprof::timeline {

enum class Framework : uint8_t { kUnknown, kTorch, kJax, kTensorFlow };

// PyTorch calls operations "aten::…", JAX calls programs "jit_…", and
// operations of TensorFlow have the types of its graphs. Takes time linear in
// the nodes of the profile.
Framework FrameworkOf(const profile::Profile& profile);

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_ACCOUNT_FRAMEWORK_H_
