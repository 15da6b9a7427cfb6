// Gradients by name: finds the forward operation of a gradient node from the
// node's name.
//
// tf.gradients puts the gradient of "tower/conv1" into the scope
// "gradients/tower/conv1_grad/". This is exactly the reference's rule. Formats
// that record the forward nodes fill NodeTable::forward_of, and then the rule
// is not used.

#ifndef TFPROF_ACCOUNTING_GRADIENTS_H_
#define TFPROF_ACCOUNTING_GRADIENTS_H_

#include <string_view>

namespace tfprof::accounting {

// Returns the name of the forward node, which may not exist, or "" if `name` is
// not the name of a gradient. It is the text between the first "gradients/" and
// the first "_grad/" in the name. If "_grad/" comes first, the result is all
// text after "gradients/", because the reference's length is unsigned.
std::string_view ForwardName(std::string_view name);

}  // namespace tfprof::accounting

#endif  // TFPROF_ACCOUNTING_GRADIENTS_H_
