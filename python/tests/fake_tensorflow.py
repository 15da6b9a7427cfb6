"""Stand-ins for TensorFlow's graph and session, made of recorded bytes.

`Graph` has the operations of a GraphDef, call stacks and trainable variables
of an op log. `modules()` are the few modules that tfprof looks up, with a
BaseSession whose runs return what a list says.
"""

import contextlib
import sys
import types

from tfprof._reference.messages import GraphDef, OpLogProto, RunMetadata


class _Operation:
    def __init__(self, node, traceback):
        self.name, self.type = node.name, node.op
        self.traceback, self.outputs = traceback, ()
        self.op = self  # a variable is its operation


class _Bytes:
    def __init__(self, data):
        self._data = data

    def SerializeToString(self):
        return self._data


class Graph:
    def __init__(self, data, op_log=b""):
        self._data, self.version = data, 1
        log = OpLogProto.FromString(op_log)
        entries = {e.name: e for e in log.log_entries}
        names = dict(log.id_to_string)
        self._operations = []
        for node in GraphDef.FromString(data).node:
            traces = []
            if node.name in entries:
                traces = [
                    (
                        names.get(t.file_id),
                        t.lineno,
                        names.get(t.function_id),
                        names.get(t.line_id),
                    )
                    for t in entries[node.name].code_def.traces
                ]
            self._operations.append(_Operation(node, traces))
        self._trainable = [
            op
            for op in self._operations
            if op.name in entries
            and "_trainable_variables" in entries[op.name].types
        ]

    def add(self, name, kind):
        """One more operation."""
        node = GraphDef()
        node.node.add(name=name, op=kind)
        self._data += node.SerializeToString()
        self._operations.append(_Operation(node.node[0], []))
        self.version += 1

    def get_operations(self):
        return self._operations

    def get_collection(self, name):
        return self._trainable if name == "trainable_variables" else []

    def as_graph_def(self, add_shapes=False):
        assert add_shapes
        return _Bytes(self._data)


class Tensor:
    def __init__(self, name):
        self.name = name


@contextlib.contextmanager
def modules(graph, answer):
    """TensorFlow's modules. answer(session, fetches, ...) is a run."""

    class BaseSession:
        def __init__(self):
            self.graph = graph

        def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
            return answer(self, fetches, options, run_metadata)

    class RunOptions:
        FULL_TRACE = 3

        def __init__(self, trace_level=0):
            self.trace_level = trace_level

    made = {
        "tensorflow.python.client.session": {"BaseSession": BaseSession},
        "tensorflow.core.protobuf.config_pb2": {
            "RunOptions": RunOptions,
            "RunMetadata": RunMetadata,
        },
    }
    old = {name: sys.modules.get(name) for name in made}
    for name, values in made.items():
        module = types.ModuleType(name)
        module.__dict__.update(values)
        sys.modules[name] = module
    try:
        yield types.SimpleNamespace(
            BaseSession=BaseSession, RunOptions=RunOptions
        )
    finally:
        for name, module in old.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module
