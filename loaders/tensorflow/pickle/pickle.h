// Finds RunMetadata messages in a Python pickle without running it.
//
// A pickle is a program: instructions that push values and call functions by
// name. tftracer and tfvis stored their traces in such files. Here nothing is
// called and no object is made. The instructions are read one by one, and a
// message is the bytes that the protobuf library stores under the key
// "serialized". The names of functions and classes in the pickle are returned
// for messages to the user.
//
// Supports protocols 2 to 5 of Python's pickletools. Views are into the bytes.
// Memory: a few words for each value in the memo of the pickle. A truncated
// file gives what it has; the last message may be incomplete.

#ifndef TFPROF_LOADERS_TENSORFLOW_PICKLE_PICKLE_H_
#define TFPROF_LOADERS_TENSORFLOW_PICKLE_PICKLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof::tensorflow {

// The position of a message in a session of tftracer: the number of the kind of
// run, and of the trace among the traces of this kind. -1: it is not in such a
// list.
struct PicklePlace {
  int64_t run = -1;
  int64_t trace = -1;
};

// A kind of run in a session of tftracer.
struct PickledRow {
  int64_t run = -1;          // its number; -1: the file lacks it
  std::string_view fetches;  // as Python writes them
  int64_t runs = 0;          // how often it ran
};

struct PickledMessages {
  std::vector<std::string_view> messages;  // in the order of the file
  std::vector<PicklePlace> places;         // of the messages
  std::vector<PickledRow> rows;            // of a session
  std::vector<std::string> names;          // "os.system", each once
  size_t end = 0;  // where the pickle ends, or the first damage begins
  // Why reading ended early, with the offset; "": it reached the end.
  std::string damage;
};

// Returns whether the bytes begin like a pickle.
bool IsPickle(std::string_view bytes);

PickledMessages ReadPickle(std::string_view bytes);

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_PICKLE_PICKLE_H_
