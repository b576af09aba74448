"""What hostile input within the limits costs: python3 ci/limits.py PINPROOF [CASE | "CASE: RUN"]...

Makes the captures that are hardest on a reader, a differ or a page, and runs every
command, every format and the prompt on them. Each run may take 5 s of CPU time and
1 GiB of memory, some of them less, and must end with the code of an answer. A run that
takes more is tried again, twice, by how slow the machine is then. Leaves with 1 if one fails.
"""

import glob
import json
import os
import pty
import shutil
import subprocess
import sys
import tempfile
import time

USUAL = 0.3, 0.07  # seconds of CPU time that the two loops of slowness take on the machine of the bounds
SECONDS, MIB, PATIENCE = 5.0, 1024, 120  # patience: when to give up on a run, in seconds
ATTEMPTS = 3
FORMATS = "text json github sarif junit markdown html".split()


def tools(*definitions):
    return '{"tools":[' + ",".join(definitions) + "]}"


def tool(name, description="", rest=""):
    return f'{{"name":"{name}","description":"{description}"{rest}}}'


def many(n, piece):
    return ",".join(piece.replace("@", str(i)) for i in range(n))


def session(instructions):
    return ('{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","instructions":"' + instructions + '"}}\n'
            '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}]}}\n')


def words(letter, n):
    return " ".join(f"{letter}{i}" for i in range(n))


def named(letter, value):  # 26 MiB of member names, in seven tools
    pad = letter * 14
    return tools(*(f'{{"name":"t{n}",' + many(155_000, f'"{pad}@":{value}') + "}" for n in range(7)))


def scalars(letter, size):  # a tool with a list of so many bytes
    return tools(tool("a", "", ',"inputSchema":{"properties":{"p":{"enum":[' + many(size // 9, f'"{letter}@"') + "]}}}"))


def quoting(n):  # n tools, of which notes quote much
    return tools(*(tool("a", f"You must always call this before anything else, number {i} of it. See https://a{i}.site/x.") for i in range(n)))


def usual(word, first, n):  # n tools such as there are
    option = '"option_@":{"type":["string","null"],"enum":["fast","safe",null],"description":"Sets ' + word + ' @ of it."}'
    return tools(*(tool(f"tool_{i}", f"Works on the records named by the caller and returns what changed in {word} {i}. Long results come in pages.",
                        ',"inputSchema":{"type":"object","properties":{"path":{"type":"string","description":"Where to work."},' + many(7, option)
                        + '},"required":["path"]},"annotations":{"readOnlyHint":' + ("true" if i % 3 else "false") + "}") for i in range(first, first + n)))


def mentions():  # eight texts of half a MiB that name a server's 5,000 tools, or nearly
    other = [f"tool_{i:05d}" for i in range(5_000)]
    units = [" ".join(other), "`a tool_00000 ", "- tool_00001: x\\n", "(tool_00001, a_b, c_d", "=tool_00001 ", "server/", "<a /", "[SYSTEM "]
    here = [tool(f"t{i}", unit * (1 + (1 << 19) // len(unit))) for i, unit in enumerate(units)]
    others = tools(*(tool(name) for name in other))
    return [others, tools(tool("a"))], [others, tools(*here)]


# What is locked, and what is there afterwards: two captures, or two folders of them.
CASES = {
    "50,000 tools of one name": lambda: (tools(tool("a")), tools(*(tool("a", f"no {i}") for i in range(50_000)))),
    "50,000 tools, all changed": lambda: tuple(tools(*(tool(f"t{i}", f"{w} {i}") for i in range(50_000))) for w in ("one", "another")),
    "a tool of 190,000 members": lambda: tuple('{"tools":[{"name":"a",' + many(190_000, f'"k@":{v}') + "}]}" for v in (1, 2)),
    "texts that differ everywhere": lambda: tuple(tools(tool("a", words(c, 480_000))) for c in "xy"),
    "a text that repeats itself": lambda: (tools(tool("a", "ab " * 1_300_000)), tools(tool("a", "ba " * 1_300_000 + "x"))),
    "12 texts that repeat themselves": lambda: tuple(tools(*(tool(f"t{i}", c + "ab " * 1_300_000) for i in range(12))) for c in "xy"),
    "60 MiB outside ASCII in a tool": lambda: (tools(tool("a")), tools(tool("a", "ü" * (30 << 20)))),
    "60 MiB outside ASCII in instructions": lambda: (session("ü" * 9), session("ü" * (30 << 20))),
    "60 MiB outside ASCII in 15 tools": lambda: (tools(tool("a")), tools(*(tool(f"t{i}", "漢字" * 690_000) for i in range(15)))),
    "26 MiB of member names": lambda: (named("m", 1), named("m", 2)),
    "a list of 576 kB of scalars": lambda: tuple(scalars(c, 576_000) for c in "xy"),
    "8,000 copies of one tool": lambda: (tools(tool("a")), quoting(8_000)),
    "texts full of another server's names": mentions,
    "15 MB of drift": lambda: tuple(usual(w, 0, 15_000) for w in ("one", "another")),
    "300 servers": lambda: tuple([usual(w, 100 * i, 20) for i in range(300)] for w in ("one", "another")),
}

# Seconds and MiB of single runs, where an agent or a person waits for them.
BOUNDS = {
    ("15 MB of drift", "verify --terse"): (2, 300),
    ("15 MB of drift", "verify --hook"): (2, 300),
    ("15 MB of drift", "relock --accept-all"): (6, 600),  # it records 6,642 warnings, one of each entry that wasn't read
    ("15 MB of drift", "diff --format text"): (10, 1024),  # a person asked for all of it
    ("15 MB of drift", "diff --full"): (10, 1024),
    ("15 MB of drift", "relock at the prompt"): (10, 1024),
    ("300 servers", "diff --format text"): (5, 400),
}


def make(folder, case):
    for name, side in zip(("old", "new"), CASES[case]()):
        files = {name + ".json": side}
        if isinstance(side, list):
            os.mkdir(os.path.join(folder, name))
            files = {f"{name}/server{i}.json": text for i, text in enumerate(side)}
        for path, text in files.items():
            with open(os.path.join(folder, path), "w", encoding="utf-8") as f:
                f.write(text)


def count():
    n = 0
    for i in range(5_000_000):
        n = (n * 31 + i) & 0xFFFFFFFF


def copy():
    """Makes many small objects, as a reader of JSON does: other programs on the machine slow this down more than a count."""
    for _ in range(6):
        json.loads(json.dumps([{"name": str(i), "size": i} for i in range(10_000)]))


def slowness():
    """How many times slower than the machine of the bounds this one is at this moment, at least 1."""
    most = 1.0
    for loop, usual in zip((count, copy), USUAL):
        least = 60.0
        for _ in range(3):
            begin = time.process_time()
            loop()
            least = min(least, time.process_time() - begin)
        most = max(most, least / usual)
    return most


def size(path):
    if os.path.isdir(path):
        return sum(size(os.path.join(path, name)) for name in os.listdir(path))
    return os.path.getsize(path)


def run(command, terminal=False):
    """Exit code, seconds of CPU time, MiB. A terminal says yes to all that is asked."""
    if terminal:
        pid, fd = pty.fork()
        if pid == 0:
            os.execv(command[0], command)
        os.set_blocking(fd, False)
        tail = b""
    else:
        with open(os.devnull, "wb") as null:
            pid = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=null, stderr=null).pid
    end, answers = time.monotonic() + PATIENCE, [b"y\n", b"?\n", b"yes\n", b"a\n", b"y\n", b"yes\n"] + [b"\x04"] * 50
    while True:
        done, status, used = os.wait4(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
        if time.monotonic() > end:
            os.kill(pid, 9)
        if terminal:
            try:
                tail = (tail + os.read(fd, 1 << 16))[-100:]
                if tail.rstrip().endswith((b"]:", b": ")) and answers:
                    os.write(fd, answers.pop(0))
                    tail = b""
                continue
            except (BlockingIOError, OSError):
                pass
        time.sleep(0.01)


def copy_locks(source, to):
    """Makes the lockfiles of a folder those of another, on disk: this process' memory counts for its children."""
    for path in glob.glob(os.path.join(to, "*.lock")):
        os.remove(path)
    for path in glob.glob(os.path.join(source, "*.lock")):
        shutil.copy(path, to)


def main():
    pinproof, wrong = os.path.abspath(sys.argv[1]), 0
    slower = slowness()
    print(f"this machine takes {slower:.1f} times as long as that of the bounds")
    for case in sys.argv[2:] or CASES:
        case, _, only = case.partition(": ")
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as kept:
            # Another process makes them: this one's memory would count for its children.
            subprocess.run([sys.executable, os.path.abspath(__file__), "--make", folder, case], check=True)
            lock = lambda name: os.path.join(folder, name)
            old, new, pins = lock("old.json"), lock("new.json"), lock("tools.lock")
            yes = ["--accept-warnings", "--server", "s"]
            if not os.path.exists(old):
                old, new, yes = lock("old"), lock("new"), yes[:1]
            print(f"{case}: {size(old) / 2**20:.1f} -> {size(new) / 2**20:.1f} MiB")
            runs = [("lock", [pinproof, "lock", old, pins, *yes], False), ("lock of the second", [pinproof, "lock", new, lock("2.lock"), *yes], False)]
            runs += [(f"{c} --format {f}", [pinproof, c, new, pins, "--format", f], False) for c in ("verify", "diff") for f in FORMATS]
            runs += [("verify --terse", [pinproof, "verify", new, pins, "--format", "json", "--terse"], False)]
            runs += [("verify --hook", [pinproof, "verify", new, pins, "--hook"], False), ("diff --full", [pinproof, "diff", new, pins, "--full"], False),
                     ("relock at the prompt", [pinproof, "relock", new, pins], True),
                     ("relock --accept-all", [pinproof, "relock", new, lock("all.lock"), "--accept-all", *yes], False)]
            for what, command, terminal in runs:
                if only not in ("", what) and what != "lock":
                    continue
                most, room = BOUNDS.get((case, what), (SECONDS, MIB))
                most *= slower
                copy_locks(folder, kept)
                for _ in range(ATTEMPTS):  # what else the machine does costs time and memory, too: the least is the program's
                    copy_locks(kept, folder)
                    code, seconds, mib = run(command, terminal)
                    over = seconds > most or mib > room or code not in (0, 1, 2)
                    if not over:
                        break
                    most = max(most, BOUNDS.get((case, what), (SECONDS, MIB))[0] * slowness())
                if what == "lock" and code == 0:  # the prompt writes the other one
                    shutil.copy(pins, lock("all.lock"))
                over = seconds > most or mib > room or code not in (0, 1, 2)
                wrong += over
                print(f"  {'OVER' if over else '    '} {seconds:6.2f} s {mib:6.0f} MiB  exit {code}  {what}", flush=True)
    print(f"{wrong} runs over their bounds: {SECONDS:.0f} s of CPU time and {MIB} MiB, or what BOUNDS has")
    sys.exit(wrong > 0)


if sys.argv[1] == "--make":
    make(*sys.argv[2:4])
else:
    main()
