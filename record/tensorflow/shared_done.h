// A function of our own that runs before a callback which was given to
// TensorFlow: the callback becomes one that calls both.

#ifndef TFPROF_RECORD_TENSORFLOW_SHARED_DONE_H_
#define TFPROF_RECORD_TENSORFLOW_SHARED_DONE_H_

#include "record/tensorflow/library_abi.h"

namespace tfprof::record {

struct DoneArguments {
  Word first = 0, second = 0, third = 0;
};

// False: too many callbacks are open, and `done` is as it was. `before` gets
// `arguments`, once, on the thread that calls `done`; never if nobody does.
bool CallBefore(StdFunction& done, void (*before)(const DoneArguments&),
                const DoneArguments& arguments);

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_TENSORFLOW_SHARED_DONE_H_
