// Notes in the recording about the TensorFlow that the program has loaded: its
// version, and what cannot be recorded of it. Each note is written once.

#ifndef TFPROF_RECORD_TENSORFLOW_LOADED_VERSION_H_
#define TFPROF_RECORD_TENSORFLOW_LOADED_VERSION_H_

namespace tfprof::record {

// Called for each op. `has_facts`: its name is known.
void NoteOp(bool has_facts);

// Called when the recording ends; notes what was never seen.
void NoteEnd();

}  // namespace tfprof::record

#endif  // TFPROF_RECORD_TENSORFLOW_LOADED_VERSION_H_
