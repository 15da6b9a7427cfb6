"""`python -m tfprof` is the program: the same arguments, the same exit status.

It is the program of the package (find_program() in _engine/engine.py), so that
it needs no PATH. Only `python -m tfprof fleet` stays in Python.
"""

import os
import sys

from tfprof._engine.engine import EngineError, find_program


def main() -> None:
    if sys.argv[1:2] == ["fleet"]:
        from tfprof._fleet import command

        sys.exit(command.main(sys.argv[2:]))
    try:
        program = find_program()
    except EngineError as error:
        sys.exit(f"tfprof: {error}")
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
