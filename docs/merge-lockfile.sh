#!/bin/sh
# A merge driver of git's for lockfiles: sh merge-lockfile.sh BASE OURS THEIRS writes the merged lockfile to OURS. It takes each pin
# from the side that changed it. Two changes of one pin differ in its digest: then, and where pinproof refuses the outcome, git merges
# line by line as usual.
# Needs jq, and pinproof on the path.
set -u
if jq --slurp '
def three($base; $ours; $theirs):
  if $ours == $theirs or $theirs == $base then $ours
  elif $ours == $base then $theirs
  elif [$ours, $theirs | type == "object"] | all then
    reduce ([$base, $ours, $theirs | objects | keys[]] | unique[]) as $key ({};
      three($base[$key]?; $ours[$key]; $theirs[$key]) as $merged | if $merged == null then . else .[$key] = $merged end)
  else error("both changed it") end;
three(.[0]; .[1]; .[2])' "$1" "$2" "$3" >"$2.merged" 2>/dev/null &&
	pinproof diff "$2.merged" --against "$2.merged" >/dev/null 2>&1; then
	mv "$2.merged" "$2"
else
	rm -f "$2.merged"
	git merge-file "$2" "$1" "$3"
fi
