"""Programs of the system that BUILD files call, each with its Debian package.

The C++ compiler is not one of them: it is that of Bazel's toolchain.
"""

ESBUILD = "/usr/bin/esbuild"  # esbuild
TSC = "/usr/bin/tsc"  # node-typescript
