// A server with a skill and the page of an app, and a session that reads all of it, both of the official TypeScript package. The session
// prints what the client is told, a JSON value a line. Needs @modelcontextprotocol/sdk in the working folder.
//     node skills.mjs serve [CHANGE]
//     node skills.mjs session COMMAND [ARG]...
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.cwd()}/`);
const load = (name) => import(pathToFileURL(require.resolve(name)));
const sdk = (name) => load(`@modelcontextprotocol/sdk/${name}`);
const { z } = await load("zod");
const types = await sdk("types.js");
const extension = "io.modelcontextprotocol/skills";
const asks = (method) => z.object({ method: z.literal(method), params: z.any() });

const folder = "skill://acme/pdf/";
const head = (description) => `---\nname: pdf\ndescription: ${description}\n---\n`;
const listed = (uri, text) => ({ uri, digest: `sha256:${createHash("sha256").update(text).digest("hex")}`, size: Buffer.byteLength(text) });

function served(change) {
  const files = { "SKILL.md": `${head("Reads PDF files.")}Run scripts/a.py.\n`, "scripts/a.py": "print('a')\n" };
  const served = { ...files }; // what resources/read answers
  let description = "Reads PDF files.";
  if (change === "frontmatter") {
    description = "UNAPPROVED text.";
    files["SKILL.md"] = served["SKILL.md"] = `${head(description)}Run scripts/a.py.\n`;
  }
  if (change === "body") files["SKILL.md"] = served["SKILL.md"] += "UNAPPROVED step.\n";
  if (change === "script") files["scripts/a.py"] = served["scripts/a.py"] = "UNAPPROVED()\n";
  if (change === "more") files["more.md"] = served["more.md"] = "UNAPPROVED file.\n";
  if (change === "unlisted") served["more.md"] = "UNAPPROVED file.\n";
  if (change === "less") delete files["scripts/a.py"];
  if (change === "digest") served["scripts/a.py"] = "UNAPPROVED()\n";
  const resources = Object.entries(files).map(([name, text]) => listed(folder + name, text));
  if (change === "size") resources[1].size = 99;
  const entry = { uri: `${folder}SKILL.md`, frontmatter: { name: "pdf", description }, resources: change === "dynamic" ? "dynamic" : resources };
  const other = "skill://other/pdf/SKILL.md";
  const text = `${head("UNAPPROVED skill.")}`;
  const second = { uri: other, frontmatter: { name: "pdf", description: "UNAPPROVED skill." }, resources: [listed(other, text)] };
  const texts = Object.fromEntries(Object.entries(served).map(([name, text]) => [folder + name, text]));
  texts["ui://acme/map.html"] = "<p>map";
  texts["file:///notes.txt"] = "notes";
  const pages = { "": { skills: [entry] } };
  if (change === "second") {
    texts[other] = text;
    pages[""].nextCursor = "2";
    pages["2"] = { skills: [second] };
  }
  if (change === "partial") pages[""].skills = [];
  const csp = { connectDomains: ["https://maps.acme.test", ...(change === "page" ? ["https://UNAPPROVED.test"] : [])] };
  const listing = [{ uri: "ui://acme/map.html", name: "map", _meta: { ui: { csp } } }, { uri: "file:///notes.txt", name: change === "notes" ? "other" : "notes" }];
  return { entry, pages, texts, listing };
}

async function serve(change) {
  const { Server } = await sdk("server/index.js");
  const { StdioServerTransport } = await sdk("server/stdio.js");
  const { entry, pages, texts, listing } = served(change);
  const server = new Server({ name: "acme", version: "1" }, { capabilities: { tools: {}, resources: {}, extensions: { [extension]: {} } } });
  const tool = { name: "show_map", description: "Shows a map.", inputSchema: { type: "object" }, _meta: { ui: { resourceUri: "ui://acme/map.html" } } };
  server.setRequestHandler(types.ListToolsRequestSchema, () => ({ tools: [tool] }));
  server.setRequestHandler(types.ListResourcesRequestSchema, () => ({ resources: listing }));
  server.setRequestHandler(types.ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [] }));
  server.setRequestHandler(types.ReadResourceRequestSchema, ({ params: { uri } }) => {
    if (!(uri in texts)) throw new Error("no such resource");
    return { contents: [{ uri, text: texts[uri] }] };
  });
  server.setRequestHandler(asks("skills/list"), ({ params }) => {
    const page = pages[params?.cursor ?? ""];
    if (!page) throw new Error("no such page");
    return page;
  });
  server.setRequestHandler(asks("skills/get"), ({ params: { uri } }) => {
    if (uri !== entry.uri) throw new Error("no such skill");
    return { skill: entry };
  });
  await server.connect(new StdioServerTransport());
}

async function session(command, ...args) {
  const { Client } = await sdk("client/index.js");
  const { StdioClientTransport } = await sdk("client/stdio.js");
  const tell = (what, value) => console.log(JSON.stringify({ what, value }));
  const client = new Client({ name: "session", version: "1" }, { capabilities: {} });
  await client.connect(new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" }));
  const ask = async (method, params) => {
    const answer = await client.request({ method, params }, z.any()).catch((error) => ({ error: error.code }));
    tell(`${method} ${params.uri ?? params.cursor ?? ""}`, answer);
    return answer;
  };
  await ask("tools/list", {});
  await ask("resources/list", {});
  await ask("skills/list", {});
  await ask("skills/list", { cursor: "2" });
  await ask("skills/get", { uri: `${folder}SKILL.md` });
  for (const uri of ["SKILL.md", "scripts/a.py", "more.md", "./SKILL.md", "%53KILL.md"]) await ask("resources/read", { uri: folder + uri });
  for (const uri of ["skill://other/pdf/SKILL.md", "ui://acme/map.html", "file:///notes.txt"]) await ask("resources/read", { uri });
  await client.close();
}

const [part, ...rest] = process.argv.slice(2);
await (part === "serve" ? serve(rest[0]) : session(...rest));
