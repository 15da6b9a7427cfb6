"""`python -m tfprof` is the program: the same arguments, the same exit status.

It is the program of the package (find_program() in _engine/engine.py), so that
it needs no PATH.
"""

import os
import sys

from tfprof._engine.engine import EngineError, find_program


def main() -> None:
    try:
        program = find_program()
    except EngineError as error:
        sys.exit(f"tfprof: {error}")
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
