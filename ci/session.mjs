// A session of the official TypeScript client: lists, calls, progress, sampling, elicitation, roots. Prints what the client is told,
// a JSON value a line, without times and random ids. Needs @modelcontextprotocol/sdk in the working folder.
//     node session.mjs COMMAND [ARG]...
//     node session.mjs URL [--sse]
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(`${process.cwd()}/`);
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}`)));
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");
const { StreamableHTTPClientTransport } = await load("client/streamableHttp.js");
const { SSEClientTransport } = await load("client/sse.js");
const types = await load("types.js");

const [command, ...args] = process.argv.slice(2);
const passing = /\d{4}-\d\d-\d\dT[0-9:.-]+Z|\d+:\d\d:\d\d [AP]M|[0-9a-f]{8}-[0-9a-f-]{27}/g;
const tell = (what, value) => console.log(JSON.stringify({ what, value }).replace(passing, "*"));

const capabilities = process.env.CLAIMS_NOTHING ? {} : { sampling: {}, elicitation: {}, roots: {} };
const client = new Client({ name: "session", version: "1" }, { capabilities });
if (!process.env.CLAIMS_NOTHING) {
  client.setRequestHandler(types.CreateMessageRequestSchema, (request) => {
    tell("sampling", request.params);
    return { model: "m", role: "assistant", content: { type: "text", text: "sampled" } };
  });
  client.setRequestHandler(types.ElicitRequestSchema, (request) => {
    tell("elicitation", request.params);
    return { action: "decline" };
  });
  client.setRequestHandler(types.ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///tmp", name: "tmp" }] }));
}
let changed = false; // a client asks again then, before it calls
client.setNotificationHandler(types.ToolListChangedNotificationSchema, () => {
  changed = true;
});
const At = args[0] === "--sse" ? SSEClientTransport : StreamableHTTPClientTransport;
await client.connect(command.includes("://") ? new At(new URL(command)) : new StdioClientTransport({ command, args, env: process.env, stderr: process.env.SERVER_STDERR ?? "ignore" }));

const offers = client.getServerCapabilities();
tell("server", [client.getServerVersion(), offers, client.getInstructions()]);
let { tools } = await client.listTools();
tell("tools", tools);
if (offers.prompts) tell("prompts", await client.listPrompts());
if (offers.resources) {
  tell("resources", await client.listResources());
  tell("templates", await client.listResourceTemplates());
}
const call = async (name, input, options) => {
  if (changed) {
    changed = false;
    ({ tools } = await client.listTools());
    tell("tools", tools);
  }
  if (tools.some((tool) => tool.name === name)) tell(name, await client.callTool({ name, arguments: input }, undefined, options).catch(String));
};
await call("echo", { message: "a \u2028 \u{1f600}" });
await call("get-sum", { a: 1, b: 2 });
const unlisted = process.env.CALLS_UNLISTED;
if (unlisted) tell(`a call of ${unlisted}`, await client.callTool({ name: unlisted, arguments: {} }).catch(String));
// The client drops the last one if it comes in one read with the answer.
const onprogress = (at) => at.progress < at.total && tell("progress", at);
await call("trigger-long-running-operation", { duration: 1, steps: 4 }, { onprogress });
await call("trigger-sampling-request", { prompt: "x", maxTokens: 10 });
await call("trigger-elicitation-request", {});
await call("get-roots-list", {});
// This server asks for the roots in the background, and its answer depends on them.
if (tools.some((tool) => tool.name === "list_allowed_directories")) {
  const saysRoot = async () => (await client.callTool({ name: "list_allowed_directories", arguments: {} })).content[0].text.endsWith("\n/tmp");
  for (let n = 0; n < 100 && !(await saysRoot()); n++) await new Promise((done) => setTimeout(done, 100));
}
await call("list_allowed_directories", {});
await call("read_text_file", { path: "shared/file.txt" });
await call("browser_close", {});
await call("browser_navigate", { url: "data:text/html,<title>T</title><p>Hello</p>" });
await call("browser_snapshot", {});
if (offers.prompts) tell("prompt", await client.getPrompt({ name: "simple-prompt" }).catch(String));
await client.close();
process.exit(); // also where a server, or what started it, stays and keeps the pipes open
