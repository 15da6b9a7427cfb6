// Gradients by name: finds the operation of which a node is the gradient, if
// only its name says so.
//
// tf.gradients puts the gradient of "tower/conv1" into the scope
// "gradients/tower/conv1_grad/". This rule is the reference's, taken literally.
// Formats that know the forward nodes fill NodeTable::forward_of, and then the
// rule is not used.

#ifndef TFPROF_ACCOUNTING_GRADIENTS_H_
#define TFPROF_ACCOUNTING_GRADIENTS_H_

#include <string_view>

namespace tfprof {

// The name of the forward node, which may not exist; empty if `name` is not
// that of a gradient. It is the text after the first "gradients/" and before
// the first "_grad/", wherever they are. If the second comes before the first,
// the result is the whole rest, because the reference's length is unsigned.
std::string_view ForwardName(std::string_view name);

}  // namespace tfprof

#endif  // TFPROF_ACCOUNTING_GRADIENTS_H_
