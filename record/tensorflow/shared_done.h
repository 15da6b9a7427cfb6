// CallBefore: combines a callback that was given to TensorFlow with a function
// of ours that runs before it.

#ifndef TFPROF_RECORD_TENSORFLOW_SHARED_DONE_H_
#define TFPROF_RECORD_TENSORFLOW_SHARED_DONE_H_

#include "record/tensorflow/library_abi.h"

namespace tfprof::record {

struct DoneArguments {
  Word first = 0, second = 0, third = 0;
};

// `before` gets `arguments` on the thread that first calls `done`; it runs at
// most once. Returns false, and leaves `done` as it is, if too many callbacks
// are open.
bool CallBefore(StdFunction& done, void (*before)(const DoneArguments&),
                const DoneArguments& arguments);

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_TENSORFLOW_SHARED_DONE_H_
