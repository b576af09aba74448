// A stand-in of the part of GitHub's API that drift.yml calls: node github.mjs FOLDER. It listens on the loopback address, writes
// its port to FOLDER/port, keeps its state in memory, and appends each request to FOLDER/requests as a line of JSON.
import { appendFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";

const folder = process.argv[2];
const refs = new Map();
const pulls = [];
const comments = [{ id: 1, user: { login: "somebody" }, body: "<!-- pinproof --> not the workflow's" }];
let number = 10;

function answer(method, path, query, body) {
  const [, name] = path.match(/^git\/refs?\/heads\/(.*)$/) ?? [];
  const [, id] = path.match(/(?:pulls|comments)\/(\d+)$/) ?? [];
  switch (`${method} ${path.replace(/\d+/, "N").replace(/^(git\/(refs?\/heads|commits))\/.*/, "$1/…")}`) {
    case "GET pulls":
      return [200, pulls.filter((p) => p.state === query.get("state") && `owner:${p.head}` === query.get("head") && p.base === query.get("base"))];
    case "POST pulls":
      if (!refs.has(body.head) || pulls.some((p) => p.state === "open" && p.head === body.head)) return [422, { message: "Validation Failed" }];
      pulls.push({ ...body, number: ++number, state: "open" });
      return [201, pulls.at(-1)];
    case "PATCH pulls/N":
      return [200, Object.assign(pulls.find((p) => p.number == id), body)];
    case "GET git/commits/…":
      return [200, { tree: { sha: "the-tree" } }];
    case "POST git/commits":
      return [201, { sha: `commit-${++number}` }];
    case "GET git/ref/heads/…":
      return refs.has(decodeURIComponent(name)) ? [200, { ref: name }] : [404, { message: "Not Found" }];
    case "PATCH git/refs/heads/…":
      refs.set(decodeURIComponent(name), body.sha);
      return [200, {}];
    case "POST git/refs":
      if (refs.has(body.ref.slice("refs/heads/".length))) return [422, { message: "Reference already exists" }];
      refs.set(body.ref.slice("refs/heads/".length), body.sha);
      return [201, {}];
    case "GET issues/N/comments":
      return [200, comments];
    case "POST issues/N/comments":
      comments.push({ ...body, id: ++number, user: { login: "github-actions[bot]" } });
      return [201, comments.at(-1)];
    case "PATCH issues/comments/N":
      return [200, Object.assign(comments.find((c) => c.id == id), body)];
    case "POST close": // not of the API: a person closes what is open
      for (const p of pulls) p.state = "closed";
      return [200, {}];
  }
  return [404, { message: "Not Found" }];
}

createServer((request, response) => {
  let text = "";
  request.on("data", (data) => (text += data));
  request.on("end", () => {
    const url = new URL(request.url, "http://localhost");
    const path = url.pathname.replace("/repos/owner/repository/", "");
    let body;
    let isWhole = true; // GitHub refuses what is no JSON
    try {
      body = text ? JSON.parse(text) : undefined;
    } catch {
      isWhole = false;
    }
    if (!body && /^(POST|PATCH)$/.test(request.method) && !path.endsWith("close")) isWhole = false;
    if (!isWhole) {
      response.writeHead(400).end("{}");
      return;
    }
    appendFileSync(`${folder}/requests`, JSON.stringify({ method: request.method, path, body, length: [...(body?.body ?? "")].length }) + "\n");
    let [status, result] = request.headers.authorization === "Bearer secret-token" ? answer(request.method, path, url.searchParams, body) : [401, {}];
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(result));
  });
}).listen(0, "127.0.0.1", function () {
  writeFileSync(`${folder}/port.new`, `${this.address().port}`);
  renameSync(`${folder}/port.new`, `${folder}/port`);
});
