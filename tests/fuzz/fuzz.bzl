"""Binaries that libFuzzer drives; ./dev fuzz builds and runs them."""

load("@rules_cc//cc:defs.bzl", "cc_binary")

def fuzz_target(name, entry = None, deps = None):
    """A libFuzzer binary.

    Its seeds are in corpus/NAME.

    Args:
      name: of the target.
      entry: the function of entries.h; None: deps have LLVMFuzzerTestOneInput.
      deps: of an entry of its own.
    """
    cc_binary(
        name = name,
        testonly = True,
        srcs = ["libfuzzer_main.cc"] if entry else [],
        linkopts = ["-fsanitize=fuzzer"],
        local_defines = ["FUZZ_ENTRY=" + entry] if entry else [],
        # Only clang has libFuzzer, so these targets are not part of //...
        tags = ["manual"],
        deps = deps or [":entries"],
    )
