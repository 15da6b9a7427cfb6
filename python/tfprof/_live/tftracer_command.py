"""`tftracer FILE`: the command of tensorflow-tracer, with `tfprof serve`.

    tftracer [--port PORT] [--ip IP] session_file

FILE is a session: a pickle of tensorflow-tracer, which is read and never run, a
folder or a zip archive of tfprof; or anything else that tfprof opens. This
process becomes the server, which ends with Ctrl-C. The first line on stdout is
the address. A file that cannot be read is an error before anything listens: the
exit status is 1, and 2 for wrong arguments, as in the original. A free port is
taken if none was asked for and the usual one is taken.
"""

from __future__ import annotations

import argparse
import os
import socket
import sys

from tfprof._engine.engine import EngineError, find_program

_PORT = 9999
_IP = "127.0.0.1"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tftracer", description="Shows a saved session in a browser."
    )
    parser.add_argument(
        "--port",
        type=int,
        help=f"the port; {_PORT} without it, or a free one if that is taken",
    )
    parser.add_argument(
        "--ip",
        default=_IP,
        help=f"the address to listen on; {_IP} without it, which no other "
        "machine reaches",
    )
    parser.add_argument("session_file", help="the session")
    return parser


def _is_free(ip: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in ip else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((ip, port))
        except OSError:
            return False
    return True


def _command(
    program: str, session: str, ip: str, port: int | None
) -> list[str]:
    if port is None and _is_free(ip, _PORT):
        port = _PORT
    # A name that begins with '-' is no option.
    command = [program, "serve", os.path.abspath(session)]
    if port is not None:
        command += ["-port", str(port)]
    if ip != _IP:
        command += ["-listen", ip]
    return command


def main(words: list[str] | None = None) -> int:
    arguments = _parser().parse_args(words)
    path = arguments.session_file
    if not os.path.exists(path):
        print(f"File not found: {path}", file=sys.stderr)
        return 2
    try:
        program = find_program()
    except EngineError as error:
        print(f"tftracer: {error}", file=sys.stderr)
        return 1
    command = _command(program, path, arguments.ip, arguments.port)
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        # This process becomes the server, so a signal reaches the server.
        os.execv(program, command)
    except OSError as error:
        print(f"tftracer: {program}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
