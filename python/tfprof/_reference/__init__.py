"""The parts behind the interface of TensorFlow's own profiler.

messages            its messages, which need no protobuf
wire, containers    their bytes, and their fields
text_format         messages as text
session             one profile in one process of the program
inputs              graphs, run metadata and op logs of the caller
tensorflow          TensorFlow's errors and files, if it is imported
tftracer_timeline   the page of a run, as tftracer and tfvis have it
"""
