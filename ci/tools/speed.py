"""Whole-process medians, as ratios: python3 ci/tools/speed.py [--cpu] PINPROOF [PINPROOF...]

Makes captures of five sizes from made-up tools, locks them, and times verify against
--version, against a bare cobra program built for it, and against a plain Python script that
does the same with json and hashlib. All commands take turns, several binaries too, so that
before and after are measured in one run. --cpu counts CPU time, for a machine that is not
idle. Needs hyperfine and go.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from instructions import tool  # noqa: E402

PLAIN = """
import hashlib, json, sys
def form(v): return json.dumps(v, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
def sha(v): return "sha256:" + hashlib.sha256(form(v)).hexdigest()
tools = json.load(open(sys.argv[1], encoding="utf-8"))["tools"]
pins = next(iter(json.load(open(sys.argv[2], encoding="utf-8"))["servers"].values()))["tools"]
bad = [n for n, p in pins.items() if sha(p["definition"]) != p["digest"]]
now = {t["name"]: sha(t) for t in tools}
sys.exit(2 if bad else now != {n: p["digest"] for n, p in pins.items()})
"""


SIZES = (("13 kB", 14, 850), ("141 kB", 49, 2800), ("551 tools", 551, 1400), ("2 MB", 2000, 950), ("20 MB", 20000, 950))

BARE = """package main

import "github.com/spf13/cobra"

func main() {
	c := &cobra.Command{Use: "bare", Version: "1"}
	for _, name := range []string{"lock", "verify", "diff", "relock"} {
		c.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	c.Execute()
}
"""


def bare_cobra(root):
    """Builds a program of nothing but cobra, with the modules of this checkout."""
    os.mkdir("bare")
    open("bare/main.go", "w").write(BARE)
    for name in ("go.mod", "go.sum"):
        open(f"bare/{name}", "w").write(open(os.path.join(root, name)).read())
    subprocess.run(["go", "build", "-mod=mod", "-trimpath", "-o", "../bare-cobra", "."], cwd="bare", check=True,
                   env={**os.environ, "GOWORK": "off", "CGO_ENABLED": "0"})
    return os.path.abspath("bare-cobra")


def medians(commands, rounds, cpu):
    """Milliseconds by command, of CPU time or on the clock. Each round times each command a few times, in turn."""
    times = {c: [] for c in commands}
    for _ in range(rounds):
        subprocess.run(["hyperfine", "-N", "-w", "1", "-r", "4", "--export-json", "out.json", *commands],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for r in json.load(open("out.json"))["results"]:
            times[r["command"]] += [r["user"] + r["system"]] if cpu else r["times"]
    return {c: statistics.median(t) * 1000 for c, t in times.items()}


def peak(command):
    """Peak memory in bytes, as the kernel counts it for a child of a small process."""
    count = "import os,sys; pid=os.posix_spawn(sys.argv[1],sys.argv[1:],os.environ,file_actions=[(os.POSIX_SPAWN_OPEN,1,'/dev/null',1,0)]); print(os.wait4(pid,0)[2].ru_maxrss)"
    out = subprocess.run([sys.executable, "-I", "-S", "-c", count, *command.split()], check=True, capture_output=True, text=True).stdout
    return int(out) * 1024


def main():
    root = os.path.dirname(sys.path[0])
    cpu = sys.argv[1] == "--cpu"
    programs = [os.path.abspath(p) for p in sys.argv[1 + cpu:]]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        bare = bare_cobra(root) + " --version"
        open("plain.py", "w").write(PLAIN)
        short, long = [bare] + [f"{p} --version" for p in programs], []
        scripts = {"python3": f"{sys.executable} plain.py", "python3 -I -S": f"{sys.executable} -I -S plain.py"}
        for i, (name, count, size) in enumerate(SIZES):
            text = json.dumps({"tools": [tool(n, size) for n in range(count)]}, separators=(",", ":"))
            open(f"{i}.json", "w").write(text)
            commands = short if count < 1000 else long
            for n, p in enumerate(programs):  # each reads the lockfile that it wrote itself
                lock = [p, "lock", f"{i}.json", f"{i}-{n}.lock"]
                if subprocess.run(lock + ["--accept-warnings"], capture_output=True).returncode != 0:
                    subprocess.run(lock, check=True, stdout=subprocess.DEVNULL)  # from before there were warnings
                commands += [f"{p} verify {i}.json {i}-{n}.lock", f"{p} verify -q {i}.json {i}-{n}.lock"]
            commands += [f"{script} {i}.json {i}-0.lock" for script in scripts.values()]
        ms = medians(short, 15, cpu) | medians(long, 3, cpu)  # a start is over so soon that a busy machine shows
        print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; a bare cobra program: {ms[bare]:.2f} ms" + " of CPU time" * cpu)
        for n, p in enumerate(programs):
            version = ms[f"{p} --version"]
            print(f"\n{p}\n--version: {version:.2f} ms = {version / ms[bare]:.2f} x bare cobra")
            print("| capture | verify | x --version | -q x --version | python3 / verify | python3 -I -S / verify | peak memory / input |\n|---|--:|--:|--:|--:|--:|--:|")
            for i, (name, _, _) in enumerate(SIZES):
                command, size = f"{p} verify {i}.json {i}-{n}.lock", os.path.getsize(f"{i}.json")
                ours = ms[command]
                plain = [ms[f"{script} {i}.json {i}-0.lock"] / ours for script in scripts.values()]
                memory = peak(command)
                quiet = ms[command.replace(" verify ", " verify -q ", 1)] / version
                print(f"| {name}, {size / 1000:,.0f} kB | {ours:.1f} ms | {ours / version:.2f} | {quiet:.2f} | {plain[0]:.1f} | {plain[1]:.1f} "
                      f"| {memory / size:.1f} ({memory / 1e6:.0f} MB) |")


main()
