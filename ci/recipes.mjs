// Takes the recipes out of Markdown files: node recipes.mjs FOLDER FILE... writes FOLDER/N.sh, one a recipe, whose first line names the
// shell that runs it and whose second says where it stands. A recipe is a block fenced as sh, one of nothing but command lines, a step
// of a GitHub workflow, or a job of GitLab's.
import { readFileSync, writeFileSync } from "node:fs";

const [folder, ...files] = process.argv.slice(2);
const commands = /^(npm|npx|git|docker|go|pinproof|pinproof-capture)\s/;
let count = 0;
function add(shell, where, lines) {
  writeFileSync(`${folder}/${String(++count).padStart(2, "0")}.sh`, `# ${shell}\n# ${where}\n${lines.join("\n")}\n`);
}
const indent = (line) => line.search(/\S/);

// The items of the list under a key, each a script: "- one line", or "- |" with the lines below it.
function items(lines, key) {
  const at = lines.findIndex((line) => line.trim() === `${key}:`);
  const found = [];
  for (let i = at + 1; at >= 0 && i < lines.length && (lines[i] === "" || indent(lines[i]) > indent(lines[at])); i++) {
    const item = lines[i].trim().replace(/^- /, "");
    if (item !== "|") {
      found.push(item);
      continue;
    }
    const inner = indent(lines[i + 1]);
    for (; i + 1 < lines.length && indent(lines[i + 1]) >= inner; i++) found.push(lines[i + 1].slice(inner));
  }
  return found;
}

for (const file of files) {
  const all = readFileSync(file, "utf8").split("\n");
  for (let i = 0; i < all.length; i++) {
    const fence = all[i].match(/^```(\w*)$/);
    if (!fence) continue;
    const begin = i;
    for (i++; all[i] !== "```"; i++);
    const lines = all.slice(begin + 1, i);
    const where = `${file}:${begin + 1}`;
    switch (fence[1]) {
      case "sh":
        add("sh -eu", where, lines.filter((line) => !line.startsWith("go test ")));
        break;
      case "":
        if (lines.every((line) => commands.test(line))) add("sh -eu", where, lines);
        break;
      case "yaml":
        for (const line of lines) {
          const run = line.match(/^\s*(?:- )?run: ([^|].*)$/);
          if (run) add("bash -e", where, [run[1]]); // as GitHub's runner does where no shell is named
        }
        for (const job of lines.join("\n").split(/\n(?=\S)/).map((text) => text.split("\n"))) {
          const script = items(job, "script");
          if (script.length > 0) add("bash -e -o pipefail", `${where} ${job[0]}`, [...items(lines, "before_script"), ...script]);
        }
    }
  }
}
