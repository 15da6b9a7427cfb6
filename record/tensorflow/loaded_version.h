// What the recording says about the TensorFlow that it met, once: its version,
// and what of it cannot be recorded.

#ifndef TFPROF_RECORD_TENSORFLOW_LOADED_VERSION_H_
#define TFPROF_RECORD_TENSORFLOW_LOADED_VERSION_H_

namespace tfprof::record {

// An op runs; `has_facts`: its name is known.
void NoteOp(bool has_facts);

// The recording ends: says what was never met.
void NoteEnd();

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_TENSORFLOW_LOADED_VERSION_H_
