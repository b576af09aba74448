"""Instructions of whole runs: python3 ci/instructions.py PINPROOF

Makes captures from made-up tools and counts the instructions of a start, of verify and of a
review with valgrind. Unlike time, they are the same on a busy machine. Each bound is 5 % above
what was measured when it was set; one that is exceeded ends the script with exit code 1.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile

PROSE = ("Works on the records named by the caller and returns what changed. ", "Long results come in pages. ")


def tool(i, size):
    """A made-up tool of about so many bytes."""
    word = hashlib.sha256(str(i).encode()).hexdigest()
    t = {
        "name": f"tool_{i}_{word[:6]}",
        "title": f"Tool {i}",
        "description": PROSE[i % 2] * 3,
        "inputSchema": {
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Where to work, relative to the root."},
                "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100},
            },
            "required": ["path"],
            "additionalProperties": False,
        },
        "annotations": {"readOnlyHint": i % 3 == 0, "openWorldHint": False},
    }
    n = 0
    while len(json.dumps(t, separators=(",", ":"))) < size:
        t["inputSchema"]["properties"][f"option_{n}"] = {
            "type": ["string", "null"], "enum": ["fast", "safe", None], "description": PROSE[n % 2] + word[:n % 40],
        }
        n += 1
    return t


def capture(count, size, more=""):
    """A capture of so many tools, whose descriptions end with more."""
    tools = [tool(i, size) for i in range(count)]
    for t in tools:
        t["description"] += more
    return json.dumps({"tools": tools}, separators=(",", ":"))


# What runs, and the most instructions that it may take, in millions.
BOUNDS = {
    "--version": 1.45,  # the runtime takes one of two ways: 1.22 or 1.31
    "verify 13kB.json 13kB.lock": 4.00,
    "verify 141kB.json 141kB.lock": 23.1,
    "verify changed.json 141kB.lock": 237,
}


def instructions(program, command, runs=3):
    """The instructions of a run, in millions: the least of so many, because the runtime isn't quite the same in each."""
    # Valgrind can't handle the signals by which the runtime preempts goroutines.
    env = {**os.environ, "GODEBUG": "asyncpreemptoff=1", "GOMAXPROCS": "1"}
    counts = []
    for _ in range(20):
        run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, *command.split()], env=env, capture_output=True, text=True)
        # On some processors it ends the program at an instruction that it doesn't know.
        if run.returncode < 2:
            counts.append(int(re.search(r"Collected : (\d+)", run.stderr)[1]) / 1e6)
        if len(counts) == runs:
            return min(counts)
    sys.exit(f"valgrind can't run {program}: {run.stderr[-2000:]}")


def main():
    program = os.path.abspath(sys.argv[1])
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, text in {"13kB": capture(14, 850), "141kB": capture(49, 2800), "changed": capture(49, 2800, "It also keeps a log.")}.items():
            open(name + ".json", "w").write(text)
            if name != "changed":
                subprocess.run([program, "lock", name + ".json", name + ".lock", "--yes"], check=True, stdout=subprocess.DEVNULL)
        for command, bound in BOUNDS.items():
            count = instructions(program, command)
            failed = failed or count > bound
            print(f"{count:8.2f} million instructions, at most {bound}: pinproof {command}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
