#!/usr/bin/env node
"use strict";
// Starts PROGRAM of the package for this platform. What it reads and writes, its exit code and its signals pass unchanged.
// Whatever goes wrong here ends with 2, no answer: Node's own 1 would say drift.
const { spawn } = require("child_process");

function fail(text, hint) {
  process.stderr.write(`error: ${text}\nhint: ${hint}\n`);
  process.exit(2);
}
process.on("uncaughtException", (error) => fail(`PROGRAM can't be started: ${error.message}`, "install pinproof again"));

const platform = `${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`@pinproof/${platform}/bin/PROGRAM${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  fail(
    `the package @pinproof/${platform} is not installed`,
    "install pinproof with its optional dependencies; if there is no package for this platform, build it from source",
  );
}
// The end of the program is ours: a signal is handed on, and does nothing else here. On Windows the console
// tells the program itself, and a signal of Node's would end it, or us, with 1.
const isWindows = process.platform === "win32";
let child;
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) process.on(signal, () => isWindows || child.kill(signal));
child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
child.on("error", (error) => fail(`PROGRAM can't be started: ${error.message}`, "install pinproof again"));
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code);
  if (isWindows) process.exit(2);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  setTimeout(() => process.exit(2), 1000); // a signal that didn't end us
});
