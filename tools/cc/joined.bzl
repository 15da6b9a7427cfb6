"""joined_objects: object files of .cc files that are compiled together.

A compiler parses the same headers and instantiates the same templates for each
file of a room, which takes longer than the file itself. For files that are
compiled together it does so once: twelve checkers took 26 s of CPU one by one,
and 10 s together.
"""

load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _joined_objects_impl(ctx):
    files = ctx.files.srcs
    joined = []
    for i in range(0, len(files), ctx.attr.at_most):
        # .bazelrc has options for the files of a folder: this path has it too.
        out = ctx.actions.declare_file("%s_%d.cc" % (ctx.attr.name, i // ctx.attr.at_most))
        lines = ["#include \"%s\"\n" % file.path for file in files[i:i + ctx.attr.at_most]]
        ctx.actions.write(out, "".join(lines))
        joined.append(out)

    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    _, objects = cc_common.compile(
        actions = ctx.actions,
        name = ctx.attr.name,
        feature_configuration = features,
        cc_toolchain = toolchain,
        srcs = joined,
        # These files are inputs of this compile only. If they were headers,
        # all targets that depend on this one would have them as inputs.
        additional_inputs = files,
        private_hdrs = ctx.files.hdrs,
        # g++ warns about types in a header that use an unnamed namespace, and
        # takes a file that is included for a header.
        user_compile_flags = ctx.attr.copts + ["-Wno-subobject-linkage"],
        compilation_contexts = [dep[CcInfo].compilation_context for dep in ctx.attr.deps],
    )
    return [DefaultInfo(files = depset(objects.pic_objects))]

joined_objects = rule(
    implementation = _joined_objects_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = [".cc"], mandatory = True),
        "hdrs": attr.label_list(allow_files = [".h"]),
        # How many files are compiled together.
        "at_most": attr.int(mandatory = True),
        "copts": attr.string_list(),
        "deps": attr.label_list(providers = [CcInfo]),
        "_cc_toolchain": attr.label(
            default = Label("@bazel_tools//tools/cpp:current_cc_toolchain"),
        ),
    },
    fragments = ["cpp"],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
