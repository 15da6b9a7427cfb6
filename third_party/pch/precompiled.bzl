"""precompiled_header: library headers that are parsed once, not once per file.

Without it, a file takes three to four seconds, and one of them goes into the
same headers of the standard library, absl and fmt.

The rule copies HEADER to its package's folder in bazel-bin, as NAME.h, and
compiles it into NAME.h.gch beside the copy, with the flags of all compiles. If
a compile has `-include PACKAGE/NAME.h`, g++ reads NAME.h.gch instead.
third_party/rules_cc/cc/defs.bzl adds that flag to every target of the project.

NAME.h.gch has other bytes each time that g++ makes it, so all files compile
again after a new one. A disk cache (--disk_cache) keeps the first one.

HEADER may include headers of the project, from the targets in `deps`. A file
that uses NAME.h compiles again if one of them changes. It can see these headers
even if its own target does not name theirs, so a target may use NAME.h only if
its room may use all of `deps`.
"""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "CPP_COMPILE_ACTION_NAME")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def _precompiled_header_impl(ctx):
    header = ctx.actions.declare_file(ctx.attr.name + ".h")
    ctx.actions.symlink(output = header, target_file = ctx.file.header)

    included = cc_common.merge_cc_infos(
        cc_infos = [dep[CcInfo] for dep in ctx.attr.deps],
    ).compilation_context
    toolchain = find_cpp_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    gch = ctx.actions.declare_file(ctx.attr.name + ".h.gch")
    flags = cc_common.get_memory_inefficient_command_line(
        feature_configuration = features,
        action_name = CPP_COMPILE_ACTION_NAME,
        variables = cc_common.create_compile_variables(
            feature_configuration = features,
            cc_toolchain = toolchain,
            source_file = header.path,
            output_file = gch.path,
            quote_include_directories = depset(["."], transitive = [included.quote_includes]),
            user_compile_flags = ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts + ctx.attr.copts,
            # As --force_pic in .bazelrc: g++ refuses a header that was compiled
            # with other flags.
            use_pic = True,
            preprocessor_defines = depset(ctx.attr.defines, transitive = [included.defines]),
        ),
    )
    ctx.actions.run(
        executable = cc_common.get_tool_for_action(
            feature_configuration = features,
            action_name = CPP_COMPILE_ACTION_NAME,
        ),
        arguments = ["-x", "c++-header"] + flags,
        inputs = depset([header] + ctx.files.included, transitive = [included.headers, toolchain.all_files]),
        outputs = [gch],
        mnemonic = "CppPrecompile",
        progress_message = "Precompiling " + ctx.file.header.short_path,
    )
    return [
        DefaultInfo(files = depset([header, gch])),
        CcInfo(compilation_context = cc_common.create_compilation_context(
            headers = depset([header, gch] + ctx.files.included, transitive = [included.headers]),
            # g++ refuses the header where one of them is not defined.
            defines = included.defines,
        )),
    ]

precompiled_header = rule(
    implementation = _precompiled_header_impl,
    attrs = {
        "header": attr.label(allow_single_file = [".h"], mandatory = True),
        # Headers of this package that `header` includes.
        "included": attr.label_list(allow_files = [".h"]),
        # The targets of all other headers of the project that it includes.
        "deps": attr.label_list(providers = [CcInfo]),
        # Flags of all targets that use it, for example another -O.
        "copts": attr.string_list(),
        # Macros of the libraries in it, which every target that uses it has.
        "defines": attr.string_list(),
        "_cc_toolchain": attr.label(
            default = Label("@bazel_tools//tools/cpp:current_cc_toolchain"),
        ),
    },
    fragments = ["cpp"],
    provides = [CcInfo],
    toolchains = ["@bazel_tools//tools/cpp:toolchain_type"],
)
