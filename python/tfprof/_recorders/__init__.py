"""The base of the recorders of TensorFlow, JAX and PyTorch.

recording   a block of code that a framework records
dumper      files that a thread writes, so that training goes on
"""
