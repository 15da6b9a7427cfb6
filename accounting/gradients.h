// Gradients by name: which operation a node is the gradient of, where only its
// name says so.
//
// tf.gradients puts the gradient of "tower/conv1" into the scope
// "gradients/tower/conv1_grad/". That is TensorFlow's way and the rule of the
// reference, read literally; formats that say which node is whose gradient
// fill NodeTable::forward_of, and then nobody asks this.

#ifndef TFPROF_ACCOUNTING_GRADIENTS_H_
#define TFPROF_ACCOUNTING_GRADIENTS_H_

#include <string_view>

namespace tfprof {

// The name of the forward node, which may not exist; empty: `name` is none of a
// gradient. It is the text behind the first "gradients/" and before the first
// "_grad/", wherever they are. Where the second comes before the first the
// result is all of the rest, as the reference's unsigned length has it.
std::string_view ForwardName(std::string_view name);

}  // namespace tfprof

#endif  // TFPROF_ACCOUNTING_GRADIENTS_H_
