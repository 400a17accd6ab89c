"""Pipes lines through a command as Ray tasks: `with_ray.py IN OUT COMMAND...`. Each block of lines has a separate process. The
results are in the order of the lines."""

import itertools
import subprocess
import sys

import ray

source, target, *command = sys.argv[1:]
LINES = 5_000
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")


@ray.remote
def through(block):
    return subprocess.run(command, input=block, stdout=subprocess.PIPE, check=True).stdout


with open(source, "rb") as lines, open(target, "wb") as out:
    blocks = iter(lambda: b"".join(itertools.islice(lines, LINES)), b"")
    waiting = []
    # At most eight blocks are in progress, to limit memory.
    for block in blocks:
        waiting.append(through.remote(block))
        if len(waiting) == 8:
            out.write(ray.get(waiting.pop(0)))
    for block in waiting:
        out.write(ray.get(block))
