// The tea shop as a tool of a server with the TypeScript SDK. Its result is JSON in a text block.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const fault = process.argv[2] ?? "";
const require = createRequire(process.env.SDK + "/");
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { McpServer } = await load("@modelcontextprotocol/sdk/server/mcp.js");
const { StdioServerTransport } = await load("@modelcontextprotocol/sdk/server/stdio.js");
const { z } = await load("zod");

const table = JSON.parse(readFileSync(new URL("table.json", import.meta.url)));
const words = [["tea, please", "order"], ["black", "tea_named"], ["green", "tea_named"], ["thank", "thanks"], ["bye", "goodbye"]];
let state = "greeting", tea, turns = 0;

const server = new McpServer({ name: "tea", version: "1" });
server.registerTool("say", { description: "Says something to the shop", inputSchema: { text: z.string() } }, async ({ text }) => {
    turns += 1;
    const said = text.toLowerCase();
    const intent = words.find(([word]) => said.includes(word))?.[1] ?? "unclear";
    if (intent === "tea_named") tea = said.includes("black") ? "black" : "green";
    const [to, reply] = table[state][intent] ?? [state, "What can I do for you?"];
    state = to;
    if (turns === 2 && fault === "state") state = "greeting";
    if (turns === 2 && fault === "garbage") process.stdout.write("\x1b[2Jno message\n");
    if (turns === 2 && fault === "error") throw new Error("out of tea");
    const answer = { state: state.toUpperCase(), intent, reply: reply.replace("{tea}", tea), over: state === "parting", tea };
    return { content: [{ type: "text", text: JSON.stringify(answer) }] };
});
await server.connect(new StdioServerTransport());
