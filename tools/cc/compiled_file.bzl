"""compiled_file: a program or a shared library of C++ without Bazel's flags.

It is for files that must not have what cc_binary links into every file, such as
the recorder, which is loaded into programs of other people, and for programs
that stand for theirs in tests.
"""

def compiled_file(name, out, srcs, flags, libraries = "-lstdc++", **kwargs):
    """Compiles and links `srcs` with the compiler of the C++ toolchain.

    Files are found from the root of the project, and a warning is an error.
    --define=recorder_flags=... adds flags, see .bazelrc.

    Args:
      name: of the target.
      out: the file that is made.
      srcs: files and filegroups. All .cc files in them are compiled; the others
        are files that these include or link.
      flags: of the compiler and the linker.
      libraries: flags of the linker that come after the files.
      **kwargs: other attributes of genrule.
    """
    native.genrule(
        name = name,
        srcs = srcs,
        outs = [out],
        cmd = " ".join([
            "$(CC) -std=c++20 -I. -fPIC -Wall -Wextra -Werror",
            "-Wno-missing-field-initializers",
        ] + flags + [
            "-o $@ $$(printf '%s\\n' $(SRCS) | grep -v '\\.h$$')",
            libraries,
            "$(recorder_flags)",
        ]),
        # tools/compile_commands.py looks for this tag.
        tags = ["compiled_file"],
        toolchains = ["@bazel_tools//tools/cpp:current_cc_toolchain"],
        **kwargs
    )
