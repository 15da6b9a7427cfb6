// Finds RunMetadata messages in a Python pickle without running it.
//
// A pickle is a program: instructions that push values and call functions by
// name. tftracer and tfvis kept their traces in such files. Here nothing is
// called and no object is made: the instructions are walked one by one, and a
// message is what the protobuf library keeps under the key "serialized". Which
// functions and classes the pickle names is given for messages to the user.
//
// Protocols 2 to 5 of Python's pickletools. Views are into the bytes. Memory: a
// few words for each value that the pickle remembers (its memo). A file that
// was cut off gives what it has, the last message perhaps in part.

#ifndef TFPROF_LOADERS_TENSORFLOW_PICKLE_PICKLE_H_
#define TFPROF_LOADERS_TENSORFLOW_PICKLE_PICKLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof {

// Where tftracer kept a message: the number of the kind of run, and of the
// trace among those of this kind. -1: it is in no such list.
struct PicklePlace {
  int64_t run = -1;
  int64_t trace = -1;
};

// A kind of run of a session of tftracer.
struct PickledRow {
  int64_t run = -1;          // its number; -1: the file does not say it
  std::string_view fetches;  // as Python writes them
  int64_t runs = 0;          // how often it ran
};

struct PickledMessages {
  std::vector<std::string_view> messages;  // in the order of the file
  std::vector<PicklePlace> places;         // of the messages
  std::vector<PickledRow> rows;            // of a session
  std::vector<std::string> names;          // "os.system", each once
  // Why the walk ended early, with the offset; "": it reached the end.
  std::string damage;
};

// Whether the bytes begin as a pickle does.
bool IsPickle(std::string_view bytes);

PickledMessages ReadPickle(std::string_view bytes);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_TENSORFLOW_PICKLE_PICKLE_H_
