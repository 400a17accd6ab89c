// Parses diagrams with Mermaid: `mermaid.mjs node_modules FOLDER` reads each FOLDER/NAME.mmd. Writes the texts of states, transitions
// and phases to NAME.mermaid.json, which is compared with the output of Graphviz.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, folder] = process.argv.slice(2);
const library = (file) => import(pathToFileURL(path.join(modules, file)));
const { JSDOM } = (await library("jsdom/lib/api.js")).default;
// The HTML sanitizer of Mermaid needs a document when it is loaded.
const { window } = new JSDOM("");
Object.assign(globalThis, { window, document: window.document });
const mermaid = (await library("mermaid/dist/mermaid.core.mjs")).default;
mermaid.initialize({ startOnLoad: false });
// Mermaid does not draw longer texts.
const { maxTextSize } = mermaid.mermaidAPI.defaultConfig;

// Mermaid replaces `#38;` with its own placeholder until it draws.
const plain = (text) =>
    text.replace(/ﬂ°°(\d+)¶ß/gu, (_, number) => String.fromCodePoint(Number(number)));
const lines = (text) => text.split(/<br\s*\/?>/u).map(plain);

let refused = 0;
const files = fs.readdirSync(folder).filter((name) => name.endsWith(".mmd")).sort();
for (const file of files) {
    const text = fs.readFileSync(path.join(folder, file), "utf8");
    try {
        if (text.length > maxTextSize) throw new Error(`${text.length} characters, limit ${maxTextSize}`);
        await mermaid.parse(text);
        const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
        const seen = {
            states: [...db.getVertices().values()].map((vertex) => plain(vertex.text)),
            ways: db.getEdges().flatMap((edge) => lines(edge.text)),
            phases: db.getSubGraphs().map((group) => plain(group.title)),
        };
        fs.writeFileSync(path.join(folder, file.replace(/mmd$/u, "mermaid.json")), JSON.stringify(seen));
    } catch (error) {
        refused += 1;
        console.log(`diagrams: Mermaid rejects ${file}: ${error.message}`);
    }
}
console.log(`diagrams: Mermaid reads ${files.length - refused} of ${files.length} models`);
process.exit(refused === 0 ? 0 : 1);
