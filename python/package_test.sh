#!/bin/sh
# Under Bazel the test is python/package_test, whatever its source is.
exec python3 -B "$(dirname "$0")/tests/package_test.py" "$@"
