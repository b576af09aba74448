// A server and a session of the official TypeScript packages in revision 2026-07-28. The session prints what the client is told, a JSON
// value a line. Stands beside a node_modules with @modelcontextprotocol/client, server and node.
//     node newest.mjs serve             prints its address
//     node newest.mjs URL | COMMAND [ARG]...
import http from "node:http";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { Server, createMcpHandler, inputRequired } from "@modelcontextprotocol/server";

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

function serve() {
  const copied = (type, name) => ({ type, "x-mcp-header": name });
  const place = { type: "object", properties: { city: copied("string", "City") } };
  const tools = [
    { name: "export", properties: { region: copied("string", "Region"), level: copied("integer", "Level"), dry: copied("boolean", "Dry"), note: copied("string", "Note"), place } },
    ...["slow", "cancelled", "change", "confirm"].map((name) => ({ name, properties: {} })),
  ].map(({ name, properties }) => ({ name, inputSchema: { type: "object", properties } }));
  let cancelled = 0;
  const call = {
    export: ({ params }) => params.arguments,
    slow: async (_, { mcpReq }) => {
      for (let i = 0; i < 100 && !mcpReq.signal.aborted; i++) await wait(50);
      cancelled += mcpReq.signal.aborted;
      return "done";
    },
    cancelled: async () => {
      await wait(200);
      const seen = cancelled;
      cancelled = 0;
      return seen;
    },
    change: () => handler.notify.toolsChanged(),
  };
  const handler = createMcpHandler(() => {
    const server = new Server({ name: "newest", version: "1" }, { capabilities: { tools: { listChanged: true }, prompts: {} }, instructions: "Use the tools." });
    server.setRequestHandler("tools/list", () => ({ tools }));
    server.setRequestHandler("prompts/list", () => ({ prompts: [{ name: "größe" }] }));
    server.setRequestHandler("prompts/get", ({ params }) => ({ messages: [{ role: "user", content: { type: "text", text: params.name } }] }));
    server.setRequestHandler("tools/call", async (request, extra) => {
      const answers = extra.mcpReq.inputResponses;
      if (request.params.name === "confirm" && !answers) {
        const requestedSchema = { type: "object", properties: { sure: { type: "boolean" } } };
        return inputRequired({ inputRequests: { sure: inputRequired.elicit({ message: "Sure?", requestedSchema }) } });
      }
      return { content: [{ type: "text", text: JSON.stringify(answers ?? (await call[request.params.name](request, extra)) ?? null) }] };
    });
    return server;
  });
  const web = http.createServer(toNodeHandler(handler)).listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${web.address().port}/mcp`));
}

async function session(command, ...args) {
  const tell = (what, value) => console.log(JSON.stringify({ what, value }));
  const listChanged = { tools: { onChanged: (_, tools) => tell("changed", tools.length) } };
  const client = new Client({ name: "session", version: "1" }, { versionNegotiation: { mode: "auto" }, capabilities: { elicitation: { form: {} } }, listChanged });
  client.setRequestHandler("elicitation/create", ({ params }) => (tell("asked", params.message), { action: "accept", content: { sure: true } }));
  await client.connect(command.includes("://") ? new StreamableHTTPClientTransport(new URL(command)) : new StdioClientTransport({ command, args, env: process.env }));
  tell("server", [client.getNegotiatedProtocolVersion(), client.getServerVersion(), client.getInstructions()]);
  tell("tools", await client.listTools());
  const call = async (name, input = {}, options = {}) => tell(name, await client.callTool({ name, arguments: input }, options).catch(String));
  await call("export", { region: "a b", level: -7, dry: false, note: "", place: { city: " Köln\n" } });
  await call("slow", {}, { signal: AbortSignal.timeout(500) });
  await call("cancelled");
  await call("confirm");
  tell("prompt", await client.getPrompt({ name: "größe" }));
  await call("change");
  await wait(1000);
  const begin = Date.now();
  await client.close();
  tell("closed at once", Date.now() - begin < 1500);
}

await (process.argv[2] === "serve" ? serve() : session(...process.argv.slice(2)));
