#!/bin/sh
# Debian has no `python`, which py_test would need.
exec python3 -B "$(dirname "$0")/bad_input_test.py" "$@"
