"""Live tracing inside the training process; `tfprof.tracing` is its interface.

    rows        kinds of run, their counts and times
    orders      which runs are traced, and when that ends
    waiting     records on their way to the server: bounded
    program     all of that together, for the training thread
    ranks       the number of this process in a distributed training
    http        requests to the server
    server      the server as a child process, or one that runs already
    folder      the folder of a session, without a server
    collector   the thread that talks to the server
    sessions    sessions of TensorFlow 1: how runs are recognized, and the hook
    patches     of Session.run, and of MonitoredSession
    steps       Keras, tf.function, JAX, PyTorch: a recording for each step

Times are nanoseconds. Durations come from `time.perf_counter_ns`; names end in
`_at_ns` or begin with `start` where they are wall-clock times.
"""
