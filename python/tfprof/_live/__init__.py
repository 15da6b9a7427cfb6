"""The training process' side of live tracing.

    rows        kinds of run, their counts and times
    orders      what is traced, and when

Times are nanoseconds. Durations come from `time.perf_counter_ns`; names end in
`_at_ns` or begin with `start` where they are wall-clock times.
"""
