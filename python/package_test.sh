#!/bin/sh
# Under Bazel the test is python/package_test, whatever its source is. Programs
# that the tests start find the package by PYTHONPATH.
here=$(cd "$(dirname "$0")" && pwd)
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$here exec python3 -B "$here/tests/package_test.py" "$@"
