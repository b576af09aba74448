"""Private words in comments: python3 ci/language.py [FOLDER...] [--list] [--most N]

Counts the lines of Go comments with words that this project used as terms of its own, where a technical verb or
noun is plain: print, return, accept, contain, next to, no. More than N of 1,000 lines, or 30, end the script with
exit code 1. --list prints them.
"""

import os
import re
import sys

PRIVATE = re.compile(r"\b(say|says|said|saying|stand|stands|stood|standing|hold|holds|held|none|beside|whatever)\b", re.I)
COMMENT = re.compile(r"^\s*//(?!go:)(.*)|^[^\"`]*\s// (.*)")

def comments(folder):
    """The lines of comments below a folder, each with its place."""
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in (".git", "testdata", "node_modules"))
        for name in sorted(names):
            if name.endswith(".go"):
                path = os.path.join(where, name)
                for n, line in enumerate(open(path, encoding="utf-8"), 1):
                    if found := COMMENT.match(line):
                        yield f"{path}:{n}", found[1] or found[2] or ""


def main():
    args = sys.argv[1:]
    most = 30
    if "--most" in args:
        at = args.index("--most")
        most = int(args[at + 1])
        del args[at:at + 2]
    folders = [a for a in args if a != "--list"] or ["."]
    lines = private = 0
    for folder in folders:
        for place, text in comments(folder):
            lines += 1
            if PRIVATE.search(text):
                private += 1
                if "--list" in sys.argv:
                    print(f"{place}: {text.strip()}")
    rate = 1000 * private / max(1, lines)
    print(f"{private} of {lines:,} lines of comments have private words: {rate:.0f} in 1,000, at most {most}")
    return rate > most


sys.exit(main())
