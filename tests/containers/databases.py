"""Random exports of Nsight Systems and databases of rocprof, and what plain SQL
says of them."""

import sqlite3

NSYS = """
CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, streamId,
    correlationId, globalPid, demangledName, shortName);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start, end, deviceId, streamId,
    correlationId, globalPid, bytes, copyKind);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, globalTid, correlationId,
    nameId);
CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid, textId);
CREATE TABLE OSRT_API(start, end, globalTid, nameId);
CREATE TABLE COMPOSITE_EVENTS(id, start, threadState, globalTid);
CREATE TABLE SAMPLING_CALLCHAINS(id, symbol, module, stackDepth);
"""

# Work with its kind and launch, one form for both databases.
NSYS_VIEWS = """
CREATE TEMP VIEW work AS
    SELECT start, end, deviceId AS device, correlationId AS launch,
        globalPid >> 24 AS process, value AS name,
        CASE WHEN value LIKE 'nccl%' THEN 'communication' ELSE 'compute' END
            AS kind
    FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName
    UNION ALL SELECT start, end, deviceId, correlationId, globalPid >> 24,
        'Memcpy ' || copyKind, 'copy' FROM CUPTI_ACTIVITY_KIND_MEMCPY;
CREATE TEMP VIEW call AS
    SELECT start, end, globalTid AS thread, globalTid >> 24 AS process,
        correlationId AS launch, value AS name
    FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds ON id = nameId;
CREATE TEMP VIEW range AS
    SELECT rowid AS number, start, end, globalTid AS thread, text AS name
    FROM NVTX_EVENTS WHERE eventType = 59;
"""

ROCPD = """
CREATE TABLE rocpd_string_0a(id, string);
CREATE TABLE rocpd_event_0a(id, stack_id, category_id);
CREATE TABLE rocpd_info_agent_0a(id, type, absolute_index);
CREATE TABLE rocpd_info_kernel_symbol_0a(id, display_name);
CREATE TABLE rocpd_region_0a(start, end, name_id, tid, event_id);
CREATE TABLE rocpd_kernel_dispatch_0a(start, end, agent_id, kernel_id,
    stream_id, event_id);
CREATE TABLE rocpd_memory_copy_0a(start, end, dst_agent_id, src_agent_id,
    name_id, stream_id, event_id, size);
"""

ROCPD_VIEWS = """
CREATE TEMP VIEW work AS
    SELECT start, end, absolute_index AS device, stack_id AS launch,
        0 AS process, display_name AS name,
        CASE WHEN display_name LIKE 'nccl%' THEN 'communication'
            ELSE 'compute' END AS kind
    FROM rocpd_kernel_dispatch_0a AS k
    JOIN rocpd_info_agent_0a AS a ON a.id = agent_id
    JOIN rocpd_info_kernel_symbol_0a AS s ON s.id = kernel_id
    LEFT JOIN rocpd_event_0a AS e ON e.id = event_id
    UNION ALL SELECT start, end, absolute_index, stack_id, 0, string, 'copy'
    FROM rocpd_memory_copy_0a
    JOIN rocpd_info_agent_0a AS a ON a.id = dst_agent_id
    JOIN rocpd_string_0a AS s ON s.id = name_id
    LEFT JOIN rocpd_event_0a AS e ON e.id = event_id;
CREATE TEMP VIEW host AS
    SELECT r.rowid AS number, start, end, tid AS thread, 0 AS process,
        stack_id AS launch, s.string AS name, c.string AS category
    FROM rocpd_region_0a AS r
    JOIN rocpd_event_0a AS e ON e.id = r.event_id
    JOIN rocpd_string_0a AS s ON s.id = r.name_id
    JOIN rocpd_string_0a AS c ON c.id = e.category_id;
CREATE TEMP VIEW call AS SELECT * FROM host WHERE category LIKE 'HIP%';
CREATE TEMP VIEW range AS SELECT * FROM host WHERE category LIKE 'MARKER%';
"""

# The time in which any of the work ran: a piece adds what none before it has.
BUSY = """
SELECT device, SUM(MAX(0, end - MAX(start, seen))) FROM (
    SELECT device, start, end, COALESCE(MAX(end) OVER (
        PARTITION BY device ORDER BY start, end
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), start) AS seen
    FROM work WHERE kind IN (%s)) GROUP BY device
"""

# Work belongs to the innermost range around its launch, else to the launch.
BY_OPERATION = """
SELECT name, SUM(time) FROM (
    SELECT end - start AS time, COALESCE((
        SELECT COALESCE((
            SELECT name FROM range WHERE range.thread = call.thread
                AND range.start <= call.start AND call.start <= range.end
            ORDER BY range.start DESC, range.end, number DESC LIMIT 1), name)
        FROM call WHERE call.launch = work.launch
            AND call.process = work.process), name) AS name
    FROM work) GROUP BY name
"""

KERNELS = """
SELECT name, COUNT(*), SUM(end - start) FROM work
WHERE kind <> 'copy' GROUP BY name
"""

NAMES = ["gemm", "relu", "softmax", "ncclAllReduce", "cudaLaunchKernel"]
WAITS = ["poll", "sem_wait"]
FUNCTIONS = ["inner", "middle", "outer"]


class Database:
    """A random database of one program."""

    def __init__(self, random, path):
        self.random = random
        self.db = sqlite3.connect(path)
        self.db.execute("PRAGMA synchronous = OFF")

    def close(self):
        self.db.commit()
        self.db.close()

    def add(self, table, *rows):
        for row in rows:
            marks = ", ".join("?" * len(row))
            self.db.execute("INSERT INTO %s VALUES (%s)" % (table, marks), row)

    def span(self, longest=60, until=400):
        start = self.random.randint(0, until)
        return start, start + self.random.randint(0, longest)

    def busy(self, *kinds):
        return dict(
            self.db.execute(BUSY % ", ".join("'%s'" % kind for kind in kinds))
        )

    def by_operation(self):
        times = dict(self.db.execute(BY_OPERATION))
        return {name: time for name, time in times.items() if time}

    def kernels(self):
        return {row[0]: row[1:] for row in self.db.execute(KERNELS)}


class Nsys(Database):
    def __init__(self, random, path):
        super().__init__(random, path)
        page = random.choice((512, 1024, 4096, 65536))
        self.db.execute("PRAGMA page_size = %d" % page)
        if random.random() < 0.2:
            self.db.execute("PRAGMA encoding = 'UTF-16'")
        self.db.executescript(NSYS)
        names = enumerate(NAMES + WAITS + FUNCTIONS + ["lib.so"])
        self.add("StringIds", *names)
        for process in range(random.randint(1, 2)):
            self.add_process(process)
        self.db.executescript(NSYS_VIEWS)

    def add_process(self, process):
        random = self.random
        pid = process << 24
        threads = [pid | thread for thread in range(1, random.randint(2, 3))]
        for _ in range(random.randint(0, 15)):
            row = (
                59,
                "range %d" % random.randint(0, 4),
                random.choice(threads),
            )
            self.add("NVTX_EVENTS", (*self.span(), *row, None))
        launched = random.sample(range(100), random.randint(0, 30))
        for correlation in launched:
            start = random.randint(0, 400)
            self.add(
                "CUPTI_ACTIVITY_KIND_RUNTIME",
                (
                    start,
                    start + random.randint(0, 5),
                    random.choice(threads),
                    correlation,
                    NAMES.index("cudaLaunchKernel"),
                ),
            )
        for number in range(random.randint(1, 40)):
            # Some launches are not in the file.
            launch = random.choice(launched + [1000 + number])
            where = (random.randint(0, 1), random.randint(1, 3), launch, pid)
            if random.random() < 0.2:
                self.add(
                    "CUPTI_ACTIVITY_KIND_MEMCPY",
                    (*self.span(), *where, random.randint(0, 99), 1),
                )
            else:
                name = random.randint(0, 3)
                self.add(
                    "CUPTI_ACTIVITY_KIND_KERNEL",
                    (*self.span(), *where, name, name),
                )
        self.add_waits(pid)
        self.add_samples(process)

    def add_waits(self, pid):
        """Calls one behind the other, on a thread of their own."""
        at = 0
        for _ in range(self.random.randint(0, 6)):
            end = at + self.random.randint(1, 30)
            name = len(NAMES) + self.random.randint(0, 1)
            self.add("OSRT_API", (at, end, pid | 90, name))
            at = end + self.random.randint(0, 9)

    def add_samples(self, process):
        first = len(NAMES) + len(WAITS)
        at = 0
        for number in range(self.random.randint(0, 12)):
            at += self.random.randint(5, 7)
            sample = process * 100 + number
            state = self.random.choice((None, 0, 1, 1, 7))
            thread = (process << 24) | 91
            self.add("COMPOSITE_EVENTS", (sample, at, state, thread))
            for depth in range(self.random.randint(1, 3)):
                function = first + self.random.randint(0, 2)
                self.add(
                    "SAMPLING_CALLCHAINS",
                    (sample, function, len(NAMES + WAITS + FUNCTIONS), depth),
                )

    def waits(self):
        return dict(
            self.db.execute(
                "SELECT value, SUM(end - start) FROM OSRT_API"
                " JOIN StringIds ON id = nameId GROUP BY value"
            )
        )

    def samples(self):
        """The number of samples by innermost function, and the time of each."""
        running = "COALESCE(threadState, 0) IN (0, 1)"
        counts = dict(
            self.db.execute(
                "SELECT value, COUNT(*) FROM COMPOSITE_EVENTS AS e"
                " JOIN SAMPLING_CALLCHAINS AS c ON c.id = e.id"
                " JOIN StringIds AS s ON s.id = symbol"
                " WHERE stackDepth = 0 AND %s GROUP BY value" % running
            )
        )
        gaps = [
            row[0]
            for row in self.db.execute(
                "SELECT gap FROM (SELECT start - LAG(start) OVER (PARTITION BY"
                " globalTid ORDER BY start) AS gap FROM COMPOSITE_EVENTS"
                " WHERE %s) WHERE gap > 0 ORDER BY gap" % running
            )
        ]
        return counts, gaps[len(gaps) // 4] if gaps else 0


class Rocpd(Database):
    def __init__(self, random, path):
        super().__init__(random, path)
        self.db.executescript(ROCPD)
        names = NAMES + ["HIP_RUNTIME_API", "MARKER_CORE_API", "CopyToDevice"]
        self.add("rocpd_string_0a", *enumerate(names))
        self.add("rocpd_info_agent_0a", (1, "GPU", 4), (2, "GPU", 5))
        self.add("rocpd_info_kernel_symbol_0a", *enumerate(NAMES))
        event = 0
        stacks = random.sample(range(100), random.randint(1, 30))
        for _ in range(random.randint(0, 15)):
            event += 1
            category = names.index("MARKER_CORE_API")
            self.add("rocpd_event_0a", (event, 500 + event, category))
            row = (random.randint(0, 2), random.randint(1, 2), event)
            self.add("rocpd_region_0a", (*self.span(), *row))
        for stack in stacks[: random.randint(0, len(stacks))]:
            event += 1
            category = names.index("HIP_RUNTIME_API")
            self.add("rocpd_event_0a", (event, stack, category))
            row = (NAMES.index("cudaLaunchKernel"), random.randint(1, 2), event)
            self.add("rocpd_region_0a", (*self.span(5), *row))
        for _ in range(random.randint(1, 40)):
            event += 1
            self.add("rocpd_event_0a", (event, random.choice(stacks), 0))
            agent, stream = random.randint(1, 2), random.randint(0, 2)
            if random.random() < 0.2:
                self.add(
                    "rocpd_memory_copy_0a",
                    (
                        *self.span(),
                        agent,
                        None,
                        names.index("CopyToDevice"),
                        stream,
                        event,
                        8,
                    ),
                )
            else:
                self.add(
                    "rocpd_kernel_dispatch_0a",
                    (*self.span(), agent, random.randint(0, 3), stream, event),
                )
        self.db.executescript(ROCPD_VIEWS)
