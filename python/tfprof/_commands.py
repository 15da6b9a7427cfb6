"""The commands of the program as methods.

Made from the program's tables by python/make_commands.py; do not edit.
"""

from __future__ import annotations

import typing
from typing import Any, Literal, Mapping, Optional, Sequence, Union

if typing.TYPE_CHECKING:
    from tfprof._answer import Answer

Texts = Union[str, Sequence[str]]
Values = Union[str, Sequence[str], Mapping[str, Any]]

# Options whose value is a list, with what an element may be; (): anything.
LISTS: dict[str, tuple[str, ...]] = {
    "account_type_regexes": (),
    "start_name_regexes": (),
    "trim_name_regexes": (),
    "show_name_regexes": (),
    "hide_name_regexes": (),
    "select": (
        "bytes",
        "micros",
        "params",
        "float_ops",
        "tensor_value",
        "device",
        "op_types",
        "occurrence",
        "input_shapes",
        "accelerator_micros",
        "cpu_micros",
        "peak_bytes",
        "residual_bytes",
        "output_bytes",
    ),
    "checkers": (
        "AcceleratorUtilizationChecker",
        "OperationChecker",
        "ExpensiveOperationChecker",
        "CopyChecker",
        "IdleChecker",
        "ShortKernelChecker",
        "OverlapChecker",
        "SkewChecker",
        "InputPipelineChecker",
        "PlacementChecker",
        "BatchNormChecker",
        "LayoutChecker",
        "MemoryPeakChecker",
        "StepVarianceChecker",
        "StepDifferenceChecker",
        "DominantNodeChecker",
        "JobChecker",
        "UnaccountedTimeChecker",
        "SynchronizationChecker",
        "PeakShareChecker",
        "PythonOverheadChecker",
        "RecompilationChecker",
        "MemoryGrowthChecker",
        "ImportChecker",
        "GraphChecker",
        "StepsChecker",
        "CoverageChecker",
        "KernelsChecker",
        "StartTimesChecker",
        "StepOrderChecker",
        "DeviceClocksChecker",
        "TracingOverheadChecker",
        "MemoryChecker",
        "ShapesChecker",
        "CodeChecker",
        "FloatOpsChecker",
    ),
    "checker_options": (),
    "source_path": (),
    "steps": (),
    "fail_if": (),
    "communication_regexes": (),
    "what_if": (),
}

# Columns that order_by does not take.
UNORDERED = ("device", "input_shapes", "op_types", "tensor_value")


def _given(values: dict[str, Any]) -> dict[str, Any]:
    """The options that a call has, from its local variables."""
    return {
        name: value
        for name, value in values.items()
        if value is not None and name not in ("self", "arguments")
    }


class Commands:
    """The commands that show a profile. Options have the program's names."""

    def _ask(
        self, command: str, arguments: Sequence[Any], options: dict[str, Any]
    ) -> Answer:
        raise NotImplementedError

    def scope(
        self,
        *,
        max_depth: Optional[int] = None,
        min_bytes: Optional[int] = None,
        min_peak_bytes: Optional[int] = None,
        min_residual_bytes: Optional[int] = None,
        min_output_bytes: Optional[int] = None,
        min_micros: Optional[int] = None,
        min_accelerator_micros: Optional[int] = None,
        min_cpu_micros: Optional[int] = None,
        min_params: Optional[int] = None,
        min_float_ops: Optional[int] = None,
        min_occurrence: Optional[int] = None,
        step: Optional[Union[int, str]] = None,
        order_by: Optional[
            Literal[
                "name",
                "bytes",
                "peak_bytes",
                "residual_bytes",
                "output_bytes",
                "micros",
                "accelerator_micros",
                "cpu_micros",
                "params",
                "float_ops",
                "occurrence",
            ]
        ] = None,
        account_type_regexes: Optional[Texts] = None,
        start_name_regexes: Optional[Texts] = None,
        trim_name_regexes: Optional[Texts] = None,
        show_name_regexes: Optional[Texts] = None,
        hide_name_regexes: Optional[Texts] = None,
        account_displayed_op_only: Optional[bool] = None,
        select: Optional[Texts] = None,
        real_output_index: Optional[bool] = None,
        flops: Optional[Literal["op_log", "auto", "graph", "off"]] = None,
    ) -> Answer:
        """The profile by name scopes: the layers of the model as a tree.

        Which layers take the time, the memory, the parameters? Names form a
        tree of scopes, as paths form a tree of folders; a row is the sum of
        all nodes below it.

        Args:
            max_depth: Show rows up to this depth: 1 is the root, 2 its
                children. In the op view, show at most N + 1 rows. Default: all
                rows.
            min_bytes: Hide rows that requested fewer bytes in total. Default:
                0.
            min_peak_bytes: Hide rows with fewer peak bytes in total. Default:
                0.
            min_residual_bytes: Hide rows that left fewer bytes allocated in
                total. Default: 0.
            min_output_bytes: Hide rows that output fewer bytes in total.
                Default: 0.
            min_micros: Hide rows that took fewer microseconds in total.
                Default: 0.
            min_accelerator_micros: Hide rows with fewer microseconds on
                accelerators in total. Default: 0.
            min_cpu_micros: Hide rows with fewer CPU microseconds in total.
                Default: 0.
            min_params: Hide rows with fewer parameters: of the node itself in
                scope and graph, in total in op and code. Default: 0.
            min_float_ops: Hide rows with fewer float operations: of the node
                itself in scope and graph, in total in op and code. Default: 0.
            min_occurrence: Hide rows that ran less often (scope, graph) or
                have fewer nodes (op). Default: 0.
            step: Show this step. -1 is the average over the steps in which a
                node ran; in a trace, over all steps. 'all' is the sum of
                everything in the file. Default: -1.
            order_by: Sort by name, or descending by a statistic. Default: the
                first number of select.
            account_type_regexes: Account only nodes with a type (op, device,
                custom type) that matches. Default: .*.
            start_name_regexes: Begin at the rows whose name matches. Default:
                .*.
            trim_name_regexes: Show nothing below rows whose name matches. In
                code, hide these rows too; in op, end the list there. Default:
                nothing.
            show_name_regexes: Show rows whose name matches. Default: .*.
            hide_name_regexes: Hide rows whose name matches. Default: nothing.
            account_displayed_op_only: Totals of shown rows only (not in code).
                Default: false.
            select: The columns of the report. Of: bytes, micros, params,
                float_ops, tensor_value, device, op_types, occurrence,
                input_shapes, accelerator_micros, cpu_micros, peak_bytes,
                residual_bytes, output_bytes. Default: micros.
            real_output_index: In input_shapes, the shape of the output that
                the graph names instead of output 0, which the reference shows.
                Default: false.
            flops: The source of float_ops: the op_log (or what a ProfileProto
                saved of one), as in the reference; the graph, by formulas over
                its shapes; auto, the graph for nodes that the op log has no
                figure of; off, none. help flops lists the formulas. Default:
                op_log.
        """
        return self._ask("scope", (), _given(locals()))

    def graph(
        self,
        *,
        max_depth: Optional[int] = None,
        min_bytes: Optional[int] = None,
        min_peak_bytes: Optional[int] = None,
        min_residual_bytes: Optional[int] = None,
        min_output_bytes: Optional[int] = None,
        min_micros: Optional[int] = None,
        min_accelerator_micros: Optional[int] = None,
        min_cpu_micros: Optional[int] = None,
        min_params: Optional[int] = None,
        min_float_ops: Optional[int] = None,
        min_occurrence: Optional[int] = None,
        step: Optional[Union[int, str]] = None,
        order_by: Optional[
            Literal[
                "name",
                "bytes",
                "peak_bytes",
                "residual_bytes",
                "output_bytes",
                "micros",
                "accelerator_micros",
                "cpu_micros",
                "params",
                "float_ops",
                "occurrence",
            ]
        ] = None,
        account_type_regexes: Optional[Texts] = None,
        start_name_regexes: Optional[Texts] = None,
        trim_name_regexes: Optional[Texts] = None,
        show_name_regexes: Optional[Texts] = None,
        hide_name_regexes: Optional[Texts] = None,
        account_displayed_op_only: Optional[bool] = None,
        select: Optional[Texts] = None,
        real_output_index: Optional[bool] = None,
        flops: Optional[Literal["op_log", "auto", "graph", "off"]] = None,
    ) -> Answer:
        """The profile by the graph: each operation above its inputs.

        What does an operation wait for? A row's children are the operations
        that it reads from. With -output timeline, when did each of them run?

        Args:
            max_depth: Show rows up to this depth: 1 is the root, 2 its
                children. In the op view, show at most N + 1 rows. Default: all
                rows.
            min_bytes: Hide rows that requested fewer bytes in total. Default:
                0.
            min_peak_bytes: Hide rows with fewer peak bytes in total. Default:
                0.
            min_residual_bytes: Hide rows that left fewer bytes allocated in
                total. Default: 0.
            min_output_bytes: Hide rows that output fewer bytes in total.
                Default: 0.
            min_micros: Hide rows that took fewer microseconds in total.
                Default: 0.
            min_accelerator_micros: Hide rows with fewer microseconds on
                accelerators in total. Default: 0.
            min_cpu_micros: Hide rows with fewer CPU microseconds in total.
                Default: 0.
            min_params: Hide rows with fewer parameters: of the node itself in
                scope and graph, in total in op and code. Default: 0.
            min_float_ops: Hide rows with fewer float operations: of the node
                itself in scope and graph, in total in op and code. Default: 0.
            min_occurrence: Hide rows that ran less often (scope, graph) or
                have fewer nodes (op). Default: 0.
            step: Show this step. -1 is the average over the steps in which a
                node ran; in a trace, over all steps. 'all' is the sum of
                everything in the file. Default: -1.
            order_by: Sort by name, or descending by a statistic. Default: the
                first number of select.
            account_type_regexes: Account only nodes with a type (op, device,
                custom type) that matches. Default: .*.
            start_name_regexes: Begin at the rows whose name matches. Default:
                .*.
            trim_name_regexes: Show nothing below rows whose name matches. In
                code, hide these rows too; in op, end the list there. Default:
                nothing.
            show_name_regexes: Show rows whose name matches. Default: .*.
            hide_name_regexes: Hide rows whose name matches. Default: nothing.
            account_displayed_op_only: Totals of shown rows only (not in code).
                Default: false.
            select: The columns of the report. Of: bytes, micros, params,
                float_ops, tensor_value, device, op_types, occurrence,
                input_shapes, accelerator_micros, cpu_micros, peak_bytes,
                residual_bytes, output_bytes. Default: micros.
            real_output_index: In input_shapes, the shape of the output that
                the graph names instead of output 0, which the reference shows.
                Default: false.
            flops: The source of float_ops: the op_log (or what a ProfileProto
                saved of one), as in the reference; the graph, by formulas over
                its shapes; auto, the graph for nodes that the op log has no
                figure of; off, none. help flops lists the formulas. Default:
                op_log.
        """
        return self._ask("graph", (), _given(locals()))

    def code(
        self,
        *,
        max_depth: Optional[int] = None,
        min_bytes: Optional[int] = None,
        min_peak_bytes: Optional[int] = None,
        min_residual_bytes: Optional[int] = None,
        min_output_bytes: Optional[int] = None,
        min_micros: Optional[int] = None,
        min_accelerator_micros: Optional[int] = None,
        min_cpu_micros: Optional[int] = None,
        min_params: Optional[int] = None,
        min_float_ops: Optional[int] = None,
        min_occurrence: Optional[int] = None,
        step: Optional[Union[int, str]] = None,
        order_by: Optional[
            Literal[
                "name",
                "bytes",
                "peak_bytes",
                "residual_bytes",
                "output_bytes",
                "micros",
                "accelerator_micros",
                "cpu_micros",
                "params",
                "float_ops",
                "occurrence",
            ]
        ] = None,
        account_type_regexes: Optional[Texts] = None,
        start_name_regexes: Optional[Texts] = None,
        trim_name_regexes: Optional[Texts] = None,
        show_name_regexes: Optional[Texts] = None,
        hide_name_regexes: Optional[Texts] = None,
        select: Optional[Texts] = None,
        real_output_index: Optional[bool] = None,
        flops: Optional[Literal["op_log", "auto", "graph", "off"]] = None,
    ) -> Answer:
        """The profile by the lines of Python that created the operations
        (needs their call stacks).

        Which lines of Python created the expensive operations? Needs the call
        stacks of an op log or of a ProfileProto.

        Args:
            max_depth: Show rows up to this depth: 1 is the root, 2 its
                children. In the op view, show at most N + 1 rows. Default: all
                rows.
            min_bytes: Hide rows that requested fewer bytes in total. Default:
                0.
            min_peak_bytes: Hide rows with fewer peak bytes in total. Default:
                0.
            min_residual_bytes: Hide rows that left fewer bytes allocated in
                total. Default: 0.
            min_output_bytes: Hide rows that output fewer bytes in total.
                Default: 0.
            min_micros: Hide rows that took fewer microseconds in total.
                Default: 0.
            min_accelerator_micros: Hide rows with fewer microseconds on
                accelerators in total. Default: 0.
            min_cpu_micros: Hide rows with fewer CPU microseconds in total.
                Default: 0.
            min_params: Hide rows with fewer parameters: of the node itself in
                scope and graph, in total in op and code. Default: 0.
            min_float_ops: Hide rows with fewer float operations: of the node
                itself in scope and graph, in total in op and code. Default: 0.
            min_occurrence: Hide rows that ran less often (scope, graph) or
                have fewer nodes (op). Default: 0.
            step: Show this step. -1 is the average over the steps in which a
                node ran; in a trace, over all steps. 'all' is the sum of
                everything in the file. Default: -1.
            order_by: Sort by name, or descending by a statistic. Default: the
                first number of select.
            account_type_regexes: Account only nodes with a type (op, device,
                custom type) that matches. Default: .*.
            start_name_regexes: Begin at the rows whose name matches. Default:
                .*.
            trim_name_regexes: Show nothing below rows whose name matches. In
                code, hide these rows too; in op, end the list there. Default:
                nothing.
            show_name_regexes: Show rows whose name matches. Default: .*.
            hide_name_regexes: Hide rows whose name matches. Default: nothing.
            select: The columns of the report. Of: bytes, micros, params,
                float_ops, tensor_value, device, op_types, occurrence,
                input_shapes, accelerator_micros, cpu_micros, peak_bytes,
                residual_bytes, output_bytes. Default: micros.
            real_output_index: In input_shapes, the shape of the output that
                the graph names instead of output 0, which the reference shows.
                Default: false.
            flops: The source of float_ops: the op_log (or what a ProfileProto
                saved of one), as in the reference; the graph, by formulas over
                its shapes; auto, the graph for nodes that the op log has no
                figure of; off, none. help flops lists the formulas. Default:
                op_log.
        """
        return self._ask("code", (), _given(locals()))

    def op(
        self,
        *,
        max_depth: Optional[int] = None,
        min_bytes: Optional[int] = None,
        min_peak_bytes: Optional[int] = None,
        min_residual_bytes: Optional[int] = None,
        min_output_bytes: Optional[int] = None,
        min_micros: Optional[int] = None,
        min_accelerator_micros: Optional[int] = None,
        min_cpu_micros: Optional[int] = None,
        min_params: Optional[int] = None,
        min_float_ops: Optional[int] = None,
        min_occurrence: Optional[int] = None,
        step: Optional[Union[int, str]] = None,
        order_by: Optional[
            Literal[
                "name",
                "bytes",
                "peak_bytes",
                "residual_bytes",
                "output_bytes",
                "micros",
                "accelerator_micros",
                "cpu_micros",
                "params",
                "float_ops",
                "occurrence",
            ]
        ] = None,
        account_type_regexes: Optional[Texts] = None,
        start_name_regexes: Optional[Texts] = None,
        trim_name_regexes: Optional[Texts] = None,
        show_name_regexes: Optional[Texts] = None,
        hide_name_regexes: Optional[Texts] = None,
        account_displayed_op_only: Optional[bool] = None,
        select: Optional[Texts] = None,
        real_output_index: Optional[bool] = None,
        flops: Optional[Literal["op_log", "auto", "graph", "off"]] = None,
    ) -> Answer:
        """The profile by the type of operation.

        Which kinds of operations are the most expensive, and how many of them
        are there?

        Args:
            max_depth: Show rows up to this depth: 1 is the root, 2 its
                children. In the op view, show at most N + 1 rows. Default: all
                rows.
            min_bytes: Hide rows that requested fewer bytes in total. Default:
                0.
            min_peak_bytes: Hide rows with fewer peak bytes in total. Default:
                0.
            min_residual_bytes: Hide rows that left fewer bytes allocated in
                total. Default: 0.
            min_output_bytes: Hide rows that output fewer bytes in total.
                Default: 0.
            min_micros: Hide rows that took fewer microseconds in total.
                Default: 0.
            min_accelerator_micros: Hide rows with fewer microseconds on
                accelerators in total. Default: 0.
            min_cpu_micros: Hide rows with fewer CPU microseconds in total.
                Default: 0.
            min_params: Hide rows with fewer parameters: of the node itself in
                scope and graph, in total in op and code. Default: 0.
            min_float_ops: Hide rows with fewer float operations: of the node
                itself in scope and graph, in total in op and code. Default: 0.
            min_occurrence: Hide rows that ran less often (scope, graph) or
                have fewer nodes (op). Default: 0.
            step: Show this step. -1 is the average over the steps in which a
                node ran; in a trace, over all steps. 'all' is the sum of
                everything in the file. Default: -1.
            order_by: Sort by name, or descending by a statistic. Default: the
                first number of select.
            account_type_regexes: Account only nodes with a type (op, device,
                custom type) that matches. Default: .*.
            start_name_regexes: Begin at the rows whose name matches. Default:
                .*.
            trim_name_regexes: Show nothing below rows whose name matches. In
                code, hide these rows too; in op, end the list there. Default:
                nothing.
            show_name_regexes: Show rows whose name matches. Default: .*.
            hide_name_regexes: Hide rows whose name matches. Default: nothing.
            account_displayed_op_only: Totals of shown rows only (not in code).
                Default: false.
            select: The columns of the report. Of: bytes, micros, params,
                float_ops, tensor_value, device, op_types, occurrence,
                input_shapes, accelerator_micros, cpu_micros, peak_bytes,
                residual_bytes, output_bytes. Default: micros.
            real_output_index: In input_shapes, the shape of the output that
                the graph names instead of output 0, which the reference shows.
                Default: false.
            flops: The source of float_ops: the op_log (or what a ProfileProto
                saved of one), as in the reference; the graph, by formulas over
                its shapes; auto, the graph for nodes that the op log has no
                figure of; off, none. help flops lists the formulas. Default:
                op_log.
        """
        return self._ask("op", (), _given(locals()))

    def overview(
        self,
        *,
        checker_options: Optional[Values] = None,
        communication_regexes: Optional[Texts] = None,
    ) -> Answer:
        """What the profile shows at first sight: steps, devices, operations,
        memory, the worst problem, and what to ask next.

        What is in this file, what takes the time of a step, and where do I
        look first?

        Args:
            checker_options: In advise and doctor, set options of checkers,
                such as thresholds; help advise lists them. Default: nothing.
            communication_regexes: Operations whose type matches, and kernels
                whose name does, are communication, besides those that are
                known as such. Default: nothing.
        """
        return self._ask("overview", (), _given(locals()))

    def explain(
        self,
        *arguments: Union[str, int],
        step: Optional[Union[int, str]] = None,
    ) -> Answer:
        """Why a step or an operation is slow: step, device, operation, scope
        and line, each with its time and the command that shows it. Without
        an argument, the step that differs most.

        Why does this step, or this operation, take so long?

        Args:
            arguments: [step N|NODE].
            step: Show this step. -1 is the average over the steps in which a
                node ran; in a trace, over all steps. 'all' is the sum of
                everything in the file. Default: -1.
        """
        return self._ask("explain", arguments, _given(locals()))

    def status(self) -> Answer:
        """The loaded files, the size of the profile, what was dropped, and how
        much memory it takes.

        What did I load, was all of it read, and is it the right profile?
        """
        return self._ask("status", (), _given(locals()))

    def ls(
        self,
        *arguments: Union[str, int],
        step: Optional[Union[int, str]] = None,
        order_by: Optional[
            Literal[
                "name",
                "bytes",
                "peak_bytes",
                "residual_bytes",
                "output_bytes",
                "micros",
                "accelerator_micros",
                "cpu_micros",
                "params",
                "float_ops",
                "occurrence",
            ]
        ] = None,
        account_type_regexes: Optional[Texts] = None,
        flops: Optional[Literal["op_log", "auto", "graph", "off"]] = None,
    ) -> Answer:
        """The content of a scope, with time and bytes, sorted by -order_by.

        What is in this scope, and which part of it is expensive?

        Args:
            arguments: [SCOPE].
            step: Show this step. -1 is the average over the steps in which a
                node ran; in a trace, over all steps. 'all' is the sum of
                everything in the file. Default: -1.
            order_by: Sort by name, or descending by a statistic. Default:
                name.
            account_type_regexes: Account only nodes with a type (op, device,
                custom type) that matches. Default: .*.
            flops: The source of float_ops: the op_log (or what a ProfileProto
                saved of one), as in the reference; the graph, by formulas over
                its shapes; auto, the graph for nodes that the op log has no
                figure of; off, none. help flops lists the formulas. Default:
                op_log.
        """
        return self._ask("ls", arguments, _given(locals()))

    def top(
        self,
        *arguments: Union[str, int],
        step: Optional[Union[int, str]] = None,
        order_by: Optional[
            Literal[
                "name",
                "bytes",
                "peak_bytes",
                "residual_bytes",
                "output_bytes",
                "micros",
                "accelerator_micros",
                "cpu_micros",
                "params",
                "float_ops",
                "occurrence",
            ]
        ] = None,
        account_type_regexes: Optional[Texts] = None,
        flops: Optional[Literal["op_log", "auto", "graph", "off"]] = None,
    ) -> Answer:
        """The N most expensive nodes in the current scope (10 by default), by
        time or by -order_by.

        Which operations are the most expensive here?

        Args:
            arguments: [N].
            step: Show this step. -1 is the average over the steps in which a
                node ran; in a trace, over all steps. 'all' is the sum of
                everything in the file. Default: -1.
            order_by: Sort by name, or descending by a statistic. Default:
                name.
            account_type_regexes: Account only nodes with a type (op, device,
                custom type) that matches. Default: .*.
            flops: The source of float_ops: the op_log (or what a ProfileProto
                saved of one), as in the reference; the graph, by formulas over
                its shapes; auto, the graph for nodes that the op log has no
                figure of; off, none. help flops lists the formulas. Default:
                op_log.
        """
        return self._ask("top", arguments, _given(locals()))

    def show(
        self,
        *arguments: Union[str, int],
        step: Optional[Union[int, str]] = None,
        flops: Optional[Literal["op_log", "auto", "graph", "off"]] = None,
    ) -> Answer:
        """All that is known about a node.

        What is this operation: its inputs and consumers, its attributes, when
        it ran, the memory it took, the Python code that created it?

        Args:
            arguments: NODE.
            step: Show this step. -1 is the average over the steps in which a
                node ran; in a trace, over all steps. 'all' is the sum of
                everything in the file. Default: -1.
            flops: The source of float_ops: the op_log (or what a ProfileProto
                saved of one), as in the reference; the graph, by formulas over
                its shapes; auto, the graph for nodes that the op log has no
                figure of; off, none. help flops lists the formulas. Default:
                op_log.
        """
        return self._ask("show", arguments, _given(locals()))

    def peek(
        self,
        *arguments: Union[str, int],
        step: Optional[Union[int, str]] = None,
    ) -> Answer:
        """The inputs and consumers of a node, with times and bytes.

        Where do this operation's inputs come from, where do its outputs go,
        how large are they, and how expensive are those around it?

        Args:
            arguments: NODE.
            step: Show this step. -1 is the average over the steps in which a
                node ran; in a trace, over all steps. 'all' is the sum of
                everything in the file. Default: -1.
        """
        return self._ask("peek", arguments, _given(locals()))

    def list(
        self,
        *arguments: Union[str, int],
        step: Optional[Union[int, str]] = None,
        account_type_regexes: Optional[Texts] = None,
        source_path: Optional[Texts] = None,
    ) -> Answer:
        """Source lines with their times.

        Which lines of this file created expensive operations? Shows the source
        code if the file can be read.

        Args:
            arguments: FILE[:LINE].
            step: Show this step. -1 is the average over the steps in which a
                node ran; in a trace, over all steps. 'all' is the sum of
                everything in the file. Default: -1.
            account_type_regexes: Account only nodes with a type (op, device,
                custom type) that matches. Default: .*.
            source_path: In list, read source files below these folders too.
                Without it, only those below the current folder are read,
                whatever the profile names. Default: nothing.
        """
        return self._ask("list", arguments, _given(locals()))

    def steps(
        self,
        *,
        step: Optional[Union[int, str]] = None,
        communication_regexes: Optional[Texts] = None,
    ) -> Answer:
        """A line for each step: span, idle time, what devices did, memory.

        Are some steps slower than others, and do devices wait?

        Args:
            step: Show this step. -1 is the average over the steps in which a
                node ran; in a trace, over all steps. 'all' is the sum of
                everything in the file. Default: -1.
            communication_regexes: Operations whose type matches, and kernels
                whose name does, are communication, besides those that are
                known as such. Default: nothing.
        """
        return self._ask("steps", (), _given(locals()))

    def average(
        self,
        *arguments: Union[str, int],
    ) -> Answer:
        """A line for each operation over all steps of a run: runs, mean,
        standard deviation, least and most. RUN is the beginning of the
        names of its steps, as 'run 3'.

        What does each operation cost, and how much does that vary?

        Args:
            arguments: [RUN].
        """
        return self._ask("average", arguments, _given(locals()))

    def skew(
        self,
        *,
        step: Optional[Union[int, str]] = None,
    ) -> Answer:
        """When each rank of a distributed run was in each step, the slowest
        one, and how long the others waited for it in collectives.

        Which rank is the straggler, and what does it cost?

        Args:
            step: Show this step. -1 is the average over the steps in which a
                node ran; in a trace, over all steps. 'all' is the sum of
                everything in the file. Default: -1.
        """
        return self._ask("skew", (), _given(locals()))

    def devices(
        self,
        *,
        step: Optional[Union[int, str]] = None,
        communication_regexes: Optional[Texts] = None,
    ) -> Answer:
        """A line for each device: nodes, executions, busy time, memory.
        Without -step, the sum of all steps.

        How busy is each device, and with how much memory?

        Args:
            step: Show this step. -1 is the average over the steps in which a
                node ran; in a trace, over all steps. 'all' is the sum of
                everything in the file. Default: -1.
            communication_regexes: Operations whose type matches, and kernels
                whose name does, are communication, besides those that are
                known as such. Default: nothing.
        """
        return self._ask("devices", (), _given(locals()))

    def critical_path(
        self,
        *,
        step: Optional[Union[int, str]] = None,
        what_if: Optional[Values] = None,
    ) -> Answer:
        """The chain of operations, transfers, launches and waits that made a
        step as long as it was; of a typical step without -step. -what_if
        says what the step would take if operations were faster.

        Which operations must be faster to make the step faster?

        Args:
            step: Show this step. -1 is the average over the steps in which a
                node ran; in a trace, over all steps. 'all' is the sum of
                everything in the file. Default: -1.
            what_if: For critical_path: what the step would take if the
                operations whose type or name matches were N times faster, as
                'MatMul=2x'. Default: nothing.
        """
        return self._ask("critical_path", (), _given(locals()))

    def kernels(
        self,
        *arguments: Union[str, int],
        step: Optional[Union[int, str]] = None,
    ) -> Answer:
        """A line for each kernel, copy and collective of a trace: count,
        times, the operations that launched it. With a device, of that one.
        Without -step, of everything in the file.

        Which kernels take the time of the accelerators, and how much do copies
        move?

        Args:
            arguments: [DEVICE].
            step: Show this step. -1 is the average over the steps in which a
                node ran; in a trace, over all steps. 'all' is the sum of
                everything in the file. Default: -1.
        """
        return self._ask("kernels", arguments, _given(locals()))

    def roofline(
        self,
        *,
        step: Optional[Union[int, str]] = None,
        device_peaks: Optional[str] = None,
    ) -> Answer:
        """What limits each type of operation, computing or memory, and how
        much of the device's peak it reaches; MFU of each step.

        Which operations could be faster on this device, and how far from its
        peak is the program?

        Args:
            step: Show this step. -1 is the average over the steps in which a
                node ran; in a trace, over all steps. 'all' is the sum of
                everything in the file. Default: -1.
            device_peaks: In roofline, the operations and the bytes that a
                device can do in a second, as 989e12,3.35e12; without it, those
                of the file or of data sheets. Default: nothing.
        """
        return self._ask("roofline", (), _given(locals()))

    def flame(
        self,
        *arguments: Union[str, int],
        max_depth: Optional[int] = None,
        min_bytes: Optional[int] = None,
        min_peak_bytes: Optional[int] = None,
        min_residual_bytes: Optional[int] = None,
        min_output_bytes: Optional[int] = None,
        min_micros: Optional[int] = None,
        min_accelerator_micros: Optional[int] = None,
        min_cpu_micros: Optional[int] = None,
        min_params: Optional[int] = None,
        min_float_ops: Optional[int] = None,
        min_occurrence: Optional[int] = None,
        step: Optional[Union[int, str]] = None,
        order_by: Optional[
            Literal[
                "name",
                "bytes",
                "peak_bytes",
                "residual_bytes",
                "output_bytes",
                "micros",
                "accelerator_micros",
                "cpu_micros",
                "params",
                "float_ops",
                "occurrence",
            ]
        ] = None,
        account_type_regexes: Optional[Texts] = None,
        start_name_regexes: Optional[Texts] = None,
        trim_name_regexes: Optional[Texts] = None,
        show_name_regexes: Optional[Texts] = None,
        hide_name_regexes: Optional[Texts] = None,
        select: Optional[Texts] = None,
        real_output_index: Optional[bool] = None,
        flops: Optional[Literal["op_log", "auto", "graph", "off"]] = None,
    ) -> Answer:
        """A flame graph of the scopes or of the code, from the current place
        or from NODE: each row of blocks divides the one above it by cost.
        -select or -order_by choose the cost.

        Which part of the model, or of the code, takes the time, at one look?

        Args:
            arguments: [scope|code] [NODE].
            max_depth: Show rows up to this depth: 1 is the root, 2 its
                children. In the op view, show at most N + 1 rows. Default: all
                rows.
            min_bytes: Hide rows that requested fewer bytes in total. Default:
                0.
            min_peak_bytes: Hide rows with fewer peak bytes in total. Default:
                0.
            min_residual_bytes: Hide rows that left fewer bytes allocated in
                total. Default: 0.
            min_output_bytes: Hide rows that output fewer bytes in total.
                Default: 0.
            min_micros: Hide rows that took fewer microseconds in total.
                Default: 0.
            min_accelerator_micros: Hide rows with fewer microseconds on
                accelerators in total. Default: 0.
            min_cpu_micros: Hide rows with fewer CPU microseconds in total.
                Default: 0.
            min_params: Hide rows with fewer parameters: of the node itself in
                scope and graph, in total in op and code. Default: 0.
            min_float_ops: Hide rows with fewer float operations: of the node
                itself in scope and graph, in total in op and code. Default: 0.
            min_occurrence: Hide rows that ran less often (scope, graph) or
                have fewer nodes (op). Default: 0.
            step: Show this step. -1 is the average over the steps in which a
                node ran; in a trace, over all steps. 'all' is the sum of
                everything in the file. Default: -1.
            order_by: Sort by name, or descending by a statistic. Default: the
                first number of select.
            account_type_regexes: Account only nodes with a type (op, device,
                custom type) that matches. Default: .*.
            start_name_regexes: Begin at the rows whose name matches. Default:
                .*.
            trim_name_regexes: Show nothing below rows whose name matches. In
                code, hide these rows too; in op, end the list there. Default:
                nothing.
            show_name_regexes: Show rows whose name matches. Default: .*.
            hide_name_regexes: Hide rows whose name matches. Default: nothing.
            select: The columns of the report. Of: bytes, micros, params,
                float_ops, tensor_value, device, op_types, occurrence,
                input_shapes, accelerator_micros, cpu_micros, peak_bytes,
                residual_bytes, output_bytes. Default: micros.
            real_output_index: In input_shapes, the shape of the output that
                the graph names instead of output 0, which the reference shows.
                Default: false.
            flops: The source of float_ops: the op_log (or what a ProfileProto
                saved of one), as in the reference; the graph, by formulas over
                its shapes; auto, the graph for nodes that the op log has no
                figure of; off, none. help flops lists the formulas. Default:
                op_log.
        """
        return self._ask("flame", arguments, _given(locals()))

    def lanes(
        self,
        *arguments: Union[str, int],
        step: Optional[Union[int, str]] = None,
        communication_regexes: Optional[Texts] = None,
    ) -> Answer:
        """What each device did over the time of a step, as bars of its busy
        share, with the longest gaps. Without -step, a typical step; -step
        all shows everything.

        When do devices wait, what runs at the same time, and what is around
        the gaps?

        Args:
            arguments: [DEVICE].
            step: Show this step. -1 is the average over the steps in which a
                node ran; in a trace, over all steps. 'all' is the sum of
                everything in the file. Default: -1.
            communication_regexes: Operations whose type matches, and kernels
                whose name does, are communication, besides those that are
                known as such. Default: nothing.
        """
        return self._ask("lanes", arguments, _given(locals()))

    def memory(
        self,
        *arguments: Union[str, int],
        step: Optional[Union[int, str]] = None,
    ) -> Answer:
        """The memory in use over time, for each allocator: its peak, and the
        operations that held the memory then. Without -step, of the whole
        recording.

        When is most memory in use, and who has it?

        Args:
            arguments: [ALLOCATOR].
            step: Show this step. -1 is the average over the steps in which a
                node ran; in a trace, over all steps. 'all' is the sum of
                everything in the file. Default: -1.
        """
        return self._ask("memory", arguments, _given(locals()))

    def doctor(
        self,
        *,
        checker_options: Optional[Values] = None,
    ) -> Answer:
        """Whether the profile is good enough to draw conclusions from.

        Can I trust these numbers? Checks what was recorded, and what is
        missing.

        Args:
            checker_options: In advise and doctor, set options of checkers,
                such as thresholds; help advise lists them. Default: nothing.
        """
        return self._ask("doctor", (), _given(locals()))
