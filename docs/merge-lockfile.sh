#!/bin/sh
# A merge driver of git's for lockfiles: sh merge-lockfile.sh BASE OURS THEIRS writes the merged lockfile to OURS. It takes each pin
# whole, with its records, from the side that changed it. A pin that both sides changed is a conflict, also where git would merge its
# lines: nobody approved what the two make together. Where pinproof refuses the outcome, git merges line by line as usual.
# Needs jq, and pinproof on the path. Keep it out of the work tree, or git runs the copy of whatever branch is checked out.
set -u
if ! jq --slurp '
def three($depth; $base; $ours; $theirs): # a lockfile, its servers, a server, a list in it: these are joined
  if $ours == $theirs or $theirs == $base then $ours
  elif $ours == $base then $theirs
  elif $depth > 0 and ([$ours, $theirs | type == "object"] | all) then
    reduce ([$base, $ours, $theirs | objects | keys[]] | unique[]) as $key ({};
      three(if $depth > 2 or ($key | IN("tools", "prompts", "resourceTemplates", "resources", "skills")) then $depth - 1 else 0 end;
        $base[$key]?; $ours[$key]; $theirs[$key]) as $merged | if $merged == null then . else .[$key] = $merged end)
  else error("both sides changed one pin") end;
three(4; .[0]; .[1]; .[2])' "$1" "$2" "$3" >"$2.merged"; then
	git merge-file -p "$2" "$1" "$3" >"$2.merged" && rm "$2.merged" # no marker shows what to decide: ours stays
	test -s "$2.merged" && mv "$2.merged" "$2"
	exit 1
elif pinproof diff "$2.merged" --against "$2.merged" >/dev/null 2>&1; then
	mv "$2.merged" "$2"
else
	rm -f "$2.merged"
	git merge-file "$2" "$1" "$3"
fi
