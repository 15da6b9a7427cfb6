"""precompiled_header: headers that are parsed once, and not once for each file.

Without it, a file takes three to four seconds of CPU, and the same headers of
the standard library, absl and fmt take one of them.

The rule copies HEADER to bazel-bin as NAME.h, and compiles it into NAME.h.gch
beside the copy. If a compile has `-include PACKAGE/NAME.h`, g++ reads NAME.h.gch
instead. The rules of defs.bzl add that flag.

g++ does not tell Bazel that an object file depends on the headers inside of
NAME.h.gch. So NAME_inputs.h has a checksum of them, and is included, too. If one
of them changes, the checksum does, and all files compile again.

HEADER may include headers of the project, from the targets in `deps`. A file
that uses NAME.h sees these headers even if its own target does not name their
targets. So a target may use NAME.h only if it has all of `deps`.
"""

load("@bazel_tools//tools/build_defs/cc:action_names.bzl", "CPP_COMPILE_ACTION_NAME")
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", "find_cpp_toolchain")

def precompiled_copts(name):
    """Returns the flags of a compile that uses precompiled_header `name` of this package."""
    return [
        "-include",
        "tools/cc/%s.h" % name,
        "-include",
        "tools/cc/%s_inputs.h" % name,
        # An unsuitable header is an error. Otherwise g++ would parse all headers
        # again, and nobody would notice.
        "-Werror=invalid-pch",
    ]

def _precompiled_header_impl(ctx):
    header = ctx.actions.declare_file(ctx.attr.name + ".h")
    ctx.actions.symlink(output = header, target_file = ctx.file.header)

    included = cc_common.merge_cc_infos(
        cc_infos = [dep[CcInfo] for dep in ctx.attr.deps],
    ).compilation_context
    inside = depset([header] + ctx.files.included, transitive = [included.headers])

    checksum = ctx.actions.declare_file(ctx.attr.name + "_inputs.h")
    ctx.actions.run_shell(
        inputs = inside,
        outputs = [checksum],
        command = "echo \"// $(cat \"${@:2}\" | sha256sum)\" > $1",
        arguments = [ctx.actions.args().add(checksum).add_all(inside)],
        mnemonic = "CppPrecompileInputs",
    )

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
            # Compiles have --force_pic from .bazelrc, and g++ refuses a header
            # that was compiled with other flags.
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
        inputs = depset(transitive = [inside, toolchain.all_files]),
        outputs = [gch],
        mnemonic = "CppPrecompile",
        progress_message = "Precompiling " + ctx.file.header.short_path,
    )
    return [
        DefaultInfo(files = depset([header, checksum, gch])),
        CcInfo(compilation_context = cc_common.create_compilation_context(
            headers = depset([checksum, gch], transitive = [inside]),
            # A file must define the same macros, or g++ refuses the header.
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
