"""The training process' side of live tracing; `tfprof.tracing` is its face.

    rows        kinds of run, their counts and times
    orders      what is traced, and when
    waiting     records on their way to the server: bounded
    program     all of that together; what the training thread calls
    ranks       which process this is
    http        requests to the server
    server      the server as a child process, or one that is there already
    folder      the folder of a session, without a server
    collector   the thread that talks to the server
    sessions    sessions of TensorFlow 1: how runs are known again, and the hook
    patches     of Session.run, and of MonitoredSession
    steps       Keras, tf.function, JAX, PyTorch: a recording for each step

Times are nanoseconds. Durations come from `time.perf_counter_ns`; names end in
`_at_ns` or begin with `start` where they are wall-clock times.
"""
