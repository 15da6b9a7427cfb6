#!/usr/bin/env python3
"""Checks that time and memory grow with the input and not faster.

    linear.py [--bin PROGRAM] [--part SHARE] [--commands NAME,…] [SHAPE…]

Each shape has one thing in large number, such as steps, threads or levels
(shape.py). Each command runs on n and 2 n of them in a process of its own; 2 n
is SHARE of the largest number of the shape, a million for most. SHAPE is the
beginning of names, such as "kineto" or "xplane_lines".

A line says the CPU time and memory of the most expensive command. A line below
it names each command that costs too much: more than 2.6 times the CPU time for
twice the input, when the larger one takes 0.3 s or more; or more memory than 20
times the input and 64 MB. A slow one is measured three times. The exit status
is 1 if there is any, other than in shapes whose growth is known: their lines
say why. Without --part this takes hours.
"""

import argparse
import os
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import growth

GROWTH = 2.6
LEAST = 0.3  # seconds
MEMORY = 20
PROGRAM = 64 * growth.MEGABYTE


def judge(cost, of_half, size):
    """The words about a cost that is too large; "": none is."""
    if cost.status < 0:
        return "ended by signal %d" % -cost.status
    words = []
    if cost.cpu >= LEAST and cost.cpu > GROWTH * of_half():
        words.append("grows by %.1f" % (cost.cpu / of_half()))
    if cost.memory > MEMORY * size + PROGRAM:
        words.append("memory")
    return ", ".join(words)


def check(binary, shape, commands, share, folder):
    """Prints what a shape costs; returns how many commands cost too much."""
    n = max(int(shape.most * share) // 2, 1)
    half, whole = (growth.Input(shape, k, folder) for k in (n, 2 * n))
    lines, costs = [], {}
    for name in commands:
        words = growth.words(name, folder)

        def run(source, words=words):
            return growth.run(binary, [source.argument, *words], folder)

        cost, halves = run(whole), []

        def of_half(run=run, halves=halves):
            if not halves:
                halves.append(run(half).cpu)
            return max(halves[0], 0.01)

        for _ in range(2):
            if cost.status < 0 or cost.cpu < max(LEAST, GROWTH * of_half()):
                break
            again = run(whole)
            cost = min(cost, again, key=lambda c: c.cpu)
        costs[name] = cost
        found = judge(cost, of_half, whole.bytes)
        if found:
            lines.append(
                "    %-14s %6.2f s %6d MB: %s %s"
                % (
                    name,
                    cost.cpu,
                    cost.memory // growth.MEGABYTE,
                    found,
                    cost.err.strip()[-100:] if cost.status < 0 else "",
                )
            )
    slowest = max(costs, key=lambda name: costs[name].cpu)
    memory = max(cost.memory for cost in costs.values())
    print(
        "%-36s %8d %6.1f MB; %-13s %6.2f s; %5d MB, %.0f times"
        % (
            shape.name,
            2 * n,
            whole.bytes / 1e6,
            slowest,
            costs[slowest].cpu,
            memory // growth.MEGABYTE,
            memory / whole.bytes,
        )
    )
    print("".join(line + "\n" for line in lines), end="", flush=True)
    if shape.grows:
        print("    known: " + shape.grows)
    half.close()
    whole.close()
    return 0 if shape.grows else len(lines)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--bin", default="bazel-bin/profiler/tfprof")
    parser.add_argument("--part", type=float, default=1, metavar="SHARE")
    parser.add_argument("--commands", default=",".join(growth.COMMANDS))
    parser.add_argument("shapes", nargs="*", metavar="SHAPE")
    args = parser.parse_args()
    shapes = growth.chosen(args.shapes)
    if not shapes:
        parser.error("no shape has such a name")
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        for shape in shapes:
            bad += check(
                os.path.abspath(args.bin),
                shape,
                args.commands.split(","),
                args.part,
                folder,
            )
    print("%d shapes, %d commands that cost too much" % (len(shapes), bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
