"""Broken databases, pickles and packets.

Each change keeps the file readable for its own library, so it reaches the code
behind the parser."""

import pickletools
import sqlite3

import wire

HUGE = [0, 1, -1, 2**31, 2**62, -(2**63), 2**63 - 1]

SQL = [
    "DELETE FROM {table}",
    "UPDATE {table} SET {column} = NULL",
    "UPDATE {table} SET {column} = 'text'",
    "UPDATE {table} SET {column} = zeroblob(100)",
    "UPDATE {table} SET {column} = 1e300",
    "UPDATE {table} SET {column} = {huge} WHERE rowid % 3 = 1",
    "UPDATE {table} SET {column} = {column} * {huge}",
    "INSERT INTO {table} SELECT * FROM {table}",
    "ALTER TABLE {table} DROP COLUMN {column}",
    "ALTER TABLE {table} RENAME COLUMN {column} TO other",
    "ALTER TABLE {table} RENAME TO other; CREATE VIEW {table} AS WITH RECURSIVE"
    " r(start) AS (SELECT 1 UNION ALL SELECT start FROM r) SELECT * FROM r",
    "DROP TABLE {table}; CREATE TABLE {table}(x)",
    "CREATE TRIGGER t AFTER INSERT ON {table} BEGIN DELETE FROM {table}; END",
    "CREATE INDEX i ON {table}({column})",
    "DROP TABLE {table}; CREATE VIRTUAL TABLE {table} USING fts5(start, end)",
    "ALTER TABLE {table} ADD COLUMN made AS ({column} + 1)",
    "PRAGMA journal_mode = WAL",
    "DROP TABLE {table}; CREATE TABLE {table}(start PRIMARY KEY, end)"
    " WITHOUT ROWID",
]


def change_database(random, path):
    """Changes tables, columns and values, with SQL."""
    db = sqlite3.connect(path, isolation_level=None)
    for _ in range(random.randint(1, 4)):
        tables = [
            row[0]
            for row in db.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'"
                " AND name NOT LIKE 'sqlite%' AND sql NOT LIKE '%VIRTUAL%'"
            )
        ]
        if not tables:
            break
        table = random.choice(tables)
        columns = [
            row[1] for row in db.execute("PRAGMA table_info(%s)" % table)
        ]
        change = random.choice(SQL).format(
            table=table,
            column='"%s"' % random.choice(columns),
            huge=random.choice(HUGE),
        )
        try:
            db.executescript(change)
        except sqlite3.Error:
            pass  # a change that an earlier one excludes
    db.close()


def change_pickle(random, data):
    """Removes, doubles, exchanges and replaces opcodes."""
    places = [place for _, _, place in pickletools.genops(data)] + [len(data)]
    ops = [data[a:b] for a, b in zip(places, places[1:])]
    for _ in range(random.randint(1, 2)):
        at = random.randrange(len(ops) - 1)
        kind = random.randrange(6)
        if kind == 0:
            del ops[at]
        elif kind == 1:
            ops.insert(at, ops[at])
        elif kind == 2:
            other = random.randrange(len(ops))
            ops[at], ops[other] = ops[other], ops[at]
        elif kind == 3:  # a number for whatever was there
            number = random.choice(HUGE) & (2**64 - 1)
            ops[at] = b"\x8a\x08" + number.to_bytes(8, "little")
        elif kind == 4:  # a call
            ops[at] = random.choice(
                (b"cos\nsystem\n", b"(\x8c\x02os\x8c\x06system\x93", b"R", b"b")
            )
        else:  # a value that was noted
            ops[at] = b"h" + bytes([random.randrange(256)])
    return b"".join(ops)


def message_of(value):
    """The fields of a message; []: it is none."""
    try:
        return wire.fields(value) if isinstance(value, bytes) else []
    except (IndexError, ValueError):
        return []


def change_message(random, data, depth=0):
    """Removes, doubles, exchanges and renumbers fields, at any level."""
    parts = message_of(data)
    for _ in range(random.randint(1, 3)):
        if not parts:
            break
        at = random.randrange(len(parts))
        number, value, whole = parts[at]
        dice = random.randrange(6)
        new = whole
        if depth < 6 and dice < 4 and message_of(value):
            changed = change_message(random, value, depth + 1)
            new = wire.field(number, changed)
        elif dice == 0:
            new = b""
        elif dice == 1:
            new = whole + whole
        elif dice == 2:
            new = wire.field(number, random.choice(HUGE))
        elif dice == 3:
            new = wire.field(random.randint(1, 100), value)
        elif dice == 4 and isinstance(value, bytes):
            for _ in range(random.choice((1, 3, 200))):
                new = wire.field(number, new)
        else:
            other = random.randrange(len(parts))
            parts[at], parts[other] = parts[other], parts[at]
            continue
        parts[at] = (number, value, new)
    return b"".join(whole for _, _, whole in parts) if parts else data
