// Details: data of the inputs that is not in columns, decoded on demand.
//
// Attributes, function bodies, allocation records, output tensors and thread
// ids are most of a profile's bytes, and no default view needs them. They stay
// in the mapped input; a column holds their offsets. A DetailReader belongs to
// one input and knows its format. Loaders implement it; a Profile owns it
// together with the input.
//
// Units: microseconds, bytes. A reader never fails, because its record was
// valid when it was loaded. Data that a record lacks is absent from the result.

#ifndef TFPROF_PROFILE_DETAILS_H_
#define TFPROF_PROFILE_DETAILS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/transfer.h"

namespace tfprof::profile {

struct Allocation {
  int64_t micros = 0;
  int64_t bytes = 0;  // negative: a release
};

// The memory of one run of a node on its canonical device.
struct MemoryDetail {
  struct Output {
    int32_t slot = 0;
    int64_t bytes = 0;
    uint64_t ptr = 0;
  };
  int64_t micros = 0;  // when the op ended
  int64_t host_temp_bytes = 0;
  int64_t host_persistent_bytes = 0;
  int64_t accelerator_temp_bytes = 0;
  int64_t accelerator_persistent_bytes = 0;
  int64_t requested_bytes = 0;
  int64_t peak_bytes = 0;
  int64_t residual_bytes = 0;
  int64_t output_bytes = 0;
  int64_t allocator_bytes_in_use = 0;  // of the GPU allocator
  std::vector<Output> outputs;         // the last entry of a slot counts
};

struct ExecutionDetail {
  std::vector<MemoryDetail> memory;
  std::vector<Allocation> allocations;  // of GPU allocators
};

// The texts in the record of an execution, empty if the format has none. Views
// are valid as long as the reader.
struct RecordText {
  // The recorded name, including a suffix such as ":Op" or ":MEMCPYHtoD".
  std::string_view name;
  // timeline_label: "a = MatMul(x, y)", "[128B] edge_8_w from /job:ps/… to …".
  std::string_view label;
  // The op type given in the label, such as "MatMul", or "".
  std::string_view op;
};

// Pairs of (key, serialized AttrValue), see attr_value.h.
using AttributeList =
    std::vector<std::pair<std::string_view, std::string_view>>;

// Arguments of an execution as (name, text). Numbers and lists have the form of
// the file.
using ArgumentList = std::vector<std::pair<std::string, std::string>>;

// A function of a graph's library. Its nodes are not nodes of the profile;
// their executions have the name of the calling node. Views are valid as long
// as the reader.
struct FunctionBody {
  struct Argument {
    std::string_view name;
    std::vector<int64_t> shape;  // as in ShapeTable; empty: unknown
  };
  struct Node {
    std::string_view name;
    std::string_view op;
    // "argument", "node:output_name:index" or "^node", as in the file.
    std::vector<std::string_view> inputs;
    AttributeList attributes;
  };
  std::vector<Argument> arguments;
  std::vector<Node> nodes;
};

// The shape of one output at run time.
struct SeenShape {
  int32_t slot = 0;
  std::vector<int64_t> dims;  // as in ShapeTable
};

class DetailReader {
 public:
  virtual ~DetailReader() = default;

  // Returns the attributes of the node whose record is at `offset`, in file
  // order. Views are valid as long as the reader.
  virtual AttributeList Attributes(uint64_t offset) const = 0;

  // Calls its argument with (name, offset) for every function in the input's
  // library, in file order. Pass the offset to Function().
  virtual void VisitFunctions(
      const std::function<void(std::string_view, uint64_t)>&) const {}
  virtual FunctionBody Function(uint64_t) const { return {}; }

  // Returns the output shapes of the execution whose record is at this offset.
  virtual std::vector<SeenShape> OutputShapes(uint64_t) const { return {}; }

  // Returns the inputs of the node whose record is at this offset, by position
  // and as in the file: "name", "name:1", "^name" for a control input. Empty if
  // the format has no such texts.
  virtual std::vector<std::string_view> Inputs(uint64_t) const { return {}; }

  // Returns the memory data of the record at `offset`. `on_cpu`: the device is
  // a CPU, so temporary and persistent memory is host memory.
  virtual ExecutionDetail Execution(uint64_t offset, bool on_cpu) const = 0;

  // Returns the texts of the execution whose record is at this offset.
  virtual RecordText Text(uint64_t) const { return {}; }
  // Returns the data transfer of the execution whose record is at this offset.
  virtual Transfer TransferOf(uint64_t) const { return {}; }

  // Returns the arguments of the execution whose record is at this offset, in
  // file order and in the form of the file: ("Input Dims", "[[64, 128],
  // [128]]").
  virtual ArgumentList Arguments(uint64_t) const { return {}; }

  // Return the record at this offset as a serialized TensorFlow message: a
  // NodeDef or NodeExecStats. Empty if the input is not a GraphDef or
  // RunMetadata. Valid as long as the reader.
  virtual std::string_view NodeDef(uint64_t) const { return {}; }
  virtual std::string_view NodeExecStats(uint64_t) const { return {}; }

  // Returns the serialized StepStats of the input if it is a RunMetadata. Valid
  // as long as the reader.
  virtual std::vector<std::string_view> StepStats() const { return {}; }

  // True if one record holds all executions of a node in a step (ProfileProto),
  // so callers read only the first record of a group. False if each execution
  // has its own record.
  virtual bool record_is_group() const = 0;
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_DETAILS_H_
