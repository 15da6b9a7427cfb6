"""The C++ rules of the project: tfprof_cc_library and tfprof_cc_test.

They are cc_library and cc_test with two differences, which save two thirds of
the time of a build, because parsing headers takes most of it:

*   The headers of libraries come from a precompiled header (precompiled.bzl).
*   The .cc files are compiled together: joined.bzl writes files of
    `#include "a.cc"` lines. So files of one target share their unnamed
    namespaces, and names in these must differ. Where two files want the same
    name, it is in a namespace that is called as its file:

        namespace tfprof {
        namespace {
        namespace copies {

Both are off with --define=precompiled=off: then each file is compiled alone, as
cc_library does it. The sanitizers and the clang-tidy of `./dev lint` build so and
report a missing include. `./dev tidy` joins all sources of a folder where it can.
"""

load("@rules_cc//cc:defs.bzl", "cc_library", "cc_test")
load(":joined.bzl", "joined_objects")
load(":precompiled.bzl", "precompiled_copts")

_ON = "//tools/cc:precompiled_on"

# Libraries that do little work of their own have these `copts`: those that run
# once for a command, and not once for each record of a profile. This saves a
# fifth of the time of a compile.
COMPILE_QUICKLY = ["-O1"]

# A small test runs for a moment: optimizing it takes longer than it saves.
_COPTS_OF_TESTS = ["-O0", "-U_FORTIFY_SOURCE"]

# More tests than this in one file would leave one core of two without work.
_LIBRARY_FILES_TOGETHER = 16
_TEST_FILES_TOGETHER = 6

def _sources(name, srcs, hdrs, copts, deps, header, at_most, testonly):
    """Returns `srcs`, `copts` and `deps` of a target with both differences."""
    files = [src for src in srcs if src.endswith(".cc")]
    rest = [src for src in srcs if not src.endswith(".cc")]
    copts = copts + select({_ON: precompiled_copts(header), "//conditions:default": []})
    deps = deps + select({_ON: ["//tools/cc:" + header], "//conditions:default": []})
    if len(files) == 1:
        return dict(srcs = srcs, copts = copts, deps = deps)
    joined_objects(
        name = name + "_joined",
        testonly = testonly,
        srcs = files,
        hdrs = rest + hdrs,
        at_most = at_most,
        copts = copts,
        # `//...` does not build it: the target `name` does, if it needs it.
        tags = ["manual"],
        visibility = ["//visibility:private"],
        deps = deps,
    )
    srcs = rest + select({
        _ON: [":%s_joined" % name],
        "//conditions:default": files,
    })
    return dict(srcs = srcs, copts = copts, deps = deps)

def tfprof_cc_library(
        name,
        srcs,
        hdrs = [],
        copts = [],
        deps = [],
        testonly = False,
        **kwargs):
    """A cc_library with a precompiled header, whose files compile together.

    Args:
      name: of the target.
      srcs: as in cc_library, with at least one .cc file.
      hdrs: as in cc_library.
      copts: as in cc_library.
      deps: as in cc_library. A target that names //views gets a precompiled
        header that has the views, too.
      testonly: as in cc_library.
      **kwargs: other attributes of cc_library.
    """
    header = "precompiled_views" if "//views" in deps else "precompiled"
    sources = _sources(name, srcs, hdrs, copts, deps, header, _LIBRARY_FILES_TOGETHER, testonly)
    cc_library(name = name, hdrs = hdrs, testonly = testonly, **dict(kwargs, **sources))

def tfprof_cc_test(name, srcs, copts = [], deps = [], size = "small", **kwargs):
    """A cc_test with a precompiled header, whose files compile together.

    The names of its test suites must differ. It is for unit tests that run for
    a moment: its files are not optimized. The libraries that it tests are.

    Args:
      name: of the target.
      srcs: as in cc_test, with at least one .cc file.
      copts: as in cc_test.
      deps: as in cc_test.
      size: as in cc_test.
      **kwargs: other attributes of cc_test.
    """
    copts = copts + select({_ON: _COPTS_OF_TESTS, "//conditions:default": []})
    sources = _sources(name, srcs, [], copts, deps, "precompiled_test", _TEST_FILES_TOGETHER, True)
    cc_test(name = name, size = size, **dict(kwargs, **sources))
