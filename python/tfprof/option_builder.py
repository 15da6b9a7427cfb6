"""ProfileOptionBuilder: the options of a profile, as the reference builds them.

The result of build() is a plain dictionary for `profile`, `Profiler` and
`ProfileContext.add_auto_profiling`. A key that a dictionary lacks means what
model_analyzer.option_message() says, which is not the builder's default.
Times are microseconds, sizes bytes; filters keep what has at least as much.
"""

from __future__ import annotations

import copy
from typing import Any

_ALL = [".*"]


def _preset(**changes: Any) -> dict[str, Any]:
    options: dict[str, Any] = {
        "max_depth": 10000,
        "min_bytes": 0,
        "min_micros": 0,
        "min_params": 0,
        "min_float_ops": 0,
        "min_occurrence": 0,
        "order_by": "name",
        "account_type_regexes": list(_ALL),
        "start_name_regexes": list(_ALL),
        "trim_name_regexes": [],
        "show_name_regexes": list(_ALL),
        "hide_name_regexes": [],
        "account_displayed_op_only": True,
        "select": ["micros"],
        "step": -1,
        "output": "stdout",
    }
    options.update(changes)
    return options


class ProfileOptionBuilder:
    """Makes options step by step; each method but build() returns self.

    builder = ProfileOptionBuilder(ProfileOptionBuilder.time_and_memory())
    options = builder.with_max_depth(8).order_by("bytes").build()
    """

    def __init__(self, options: dict[str, Any] | None = None) -> None:
        """Starts with a copy of `options`, else with a depth of 100."""
        if options is not None:
            self._options = copy.deepcopy(options)
        else:
            self._options = _preset(
                max_depth=100, account_displayed_op_only=False
            )

    # -- what to start from

    @staticmethod
    def trainable_variables_parameter() -> dict[str, Any]:
        """The parameters of trainable variables."""
        return _preset(
            account_type_regexes=["_trainable_variables"], select=["params"]
        )

    @staticmethod
    def float_operation() -> dict[str, Any]:
        """Floating point operations, the largest first."""
        return _preset(
            min_float_ops=1, order_by="float_ops", select=["float_ops"]
        )

    @staticmethod
    def time_and_memory(
        min_micros: int = 1,
        min_bytes: int = 1,
        min_accelerator_micros: int = 0,
        min_cpu_micros: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> dict[str, Any]:
        """Time and requested memory, the slowest first."""
        return _preset(
            min_micros=min_micros,
            min_bytes=min_bytes,
            min_accelerator_micros=min_accelerator_micros,
            min_cpu_micros=min_cpu_micros,
            min_peak_bytes=min_peak_bytes,
            min_residual_bytes=min_residual_bytes,
            min_output_bytes=min_output_bytes,
            order_by="micros",
            select=["micros", "bytes"],
        )

    def build(self) -> dict[str, Any]:
        """A copy of the options, which is the caller's."""
        return copy.deepcopy(self._options)

    # -- which nodes are shown

    def with_max_depth(self, max_depth: int) -> ProfileOptionBuilder:
        """The levels of a tree, or the rows of the op view."""
        return self._with(max_depth=max_depth)

    def with_min_memory(
        self,
        min_bytes: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> ProfileOptionBuilder:
        """Nodes with this much memory. Omitted values become 0."""
        return self._with(
            min_bytes=min_bytes,
            min_peak_bytes=min_peak_bytes,
            min_residual_bytes=min_residual_bytes,
            min_output_bytes=min_output_bytes,
        )

    def with_min_execution_time(
        self,
        min_micros: int = 0,
        min_accelerator_micros: int = 0,
        min_cpu_micros: int = 0,
    ) -> ProfileOptionBuilder:
        """Nodes with this much time. Omitted values become 0."""
        return self._with(
            min_micros=min_micros,
            min_accelerator_micros=min_accelerator_micros,
            min_cpu_micros=min_cpu_micros,
        )

    def with_min_parameters(self, min_params: int) -> ProfileOptionBuilder:
        """Nodes with this many parameters."""
        return self._with(min_params=min_params)

    def with_min_occurrence(self, min_occurrence: int) -> ProfileOptionBuilder:
        """Rows of the op view with this many nodes."""
        return self._with(min_occurrence=min_occurrence)

    def with_min_float_operations(
        self, min_float_ops: int
    ) -> ProfileOptionBuilder:
        """Nodes with this many floating point operations."""
        return self._with(min_float_ops=min_float_ops)

    def with_accounted_types(
        self, account_type_regexes: list[str]
    ) -> ProfileOptionBuilder:
        """Count only nodes with such an op type, device or user's type."""
        return self._with(account_type_regexes=copy.copy(account_type_regexes))

    def with_node_names(
        self,
        start_name_regexes: list[str] | None = None,
        show_name_regexes: list[str] | None = None,
        hide_name_regexes: list[str] | None = None,
        trim_name_regexes: list[str] | None = None,
    ) -> ProfileOptionBuilder:
        """Regular expressions of names; None leaves them as they are.

        start: the roots of the tree; show, hide: the rows; trim: branches
        that end at these names.
        """
        given = {
            "start_name_regexes": start_name_regexes,
            "show_name_regexes": show_name_regexes,
            "hide_name_regexes": hide_name_regexes,
            "trim_name_regexes": trim_name_regexes,
        }
        return self._with(
            **{k: copy.copy(v) for k, v in given.items() if v is not None}
        )

    # -- what is counted and shown

    def account_displayed_op_only(self, is_true: bool) -> ProfileOptionBuilder:
        """Whether only shown rows count in the totals of their parents."""
        return self._with(account_displayed_op_only=is_true)

    def order_by(self, attribute: str) -> ProfileOptionBuilder:
        """name, depth, bytes, micros, params, float_ops, occurrence, ..."""
        return self._with(order_by=attribute)

    def select(self, attributes: list[str]) -> ProfileOptionBuilder:
        """The columns: micros, bytes, params, float_ops, device, ..."""
        return self._with(select=copy.copy(attributes))

    def with_step(self, step: int) -> ProfileOptionBuilder:
        """One step of the profile; -1 is the average of all."""
        return self._with(step=step)

    # -- where the report goes

    def with_empty_output(self) -> ProfileOptionBuilder:
        """Nowhere: only the returned message."""
        return self._with(output="none")

    def with_stdout_output(self) -> ProfileOptionBuilder:
        """Prints to standard output."""
        return self._with(output="stdout")

    def with_file_output(self, outfile: Any) -> ProfileOptionBuilder:
        """Writes a text file."""
        return self._with(output=f"file:outfile={outfile}")

    def with_timeline_output(self, timeline_file: Any) -> ProfileOptionBuilder:
        """Writes a trace, TIMELINE_FILE_STEP, for chrome://tracing."""
        return self._with(output=f"timeline:outfile={timeline_file}")

    def with_pprof_output(self, pprof_file: Any) -> ProfileOptionBuilder:
        """Writes a pprof file (python view, one selected attribute)."""
        return self._with(output=f"pprof:outfile={pprof_file}")

    def _with(self, **changes: Any) -> ProfileOptionBuilder:
        self._options.update(changes)
        return self
