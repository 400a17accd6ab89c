// Reads pictures as Mermaid reads them: `mermaid.mjs node_modules FOLDER`, where FOLDER holds NAME.mmd. What Mermaid would draw, each
// text in its place, goes to NAME.mermaid.json: it is compared with what Graphviz draws.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [modules, folder] = process.argv.slice(2);
const library = (file) => import(pathToFileURL(path.join(modules, file)));
const { JSDOM } = (await library("jsdom/lib/api.js")).default;
// What cleans texts of scripts wants a document before it is loaded.
const { window } = new JSDOM("");
Object.assign(globalThis, { window, document: window.document });
const mermaid = (await library("mermaid/dist/mermaid.core.mjs")).default;
mermaid.initialize({ startOnLoad: false });
// More than this is not drawn, whatever it says.
const { maxTextSize } = mermaid.mermaidAPI.defaultConfig;

// Mermaid keeps `#38;` in marks of its own until it draws.
const plain = (text) =>
    text.replace(/ﬂ°°(\d+)¶ß/gu, (_, number) => String.fromCodePoint(Number(number)));
const lines = (text) => text.split(/<br\s*\/?>/u).map(plain);

let refused = 0;
const files = fs.readdirSync(folder).filter((name) => name.endsWith(".mmd")).sort();
for (const file of files) {
    const text = fs.readFileSync(path.join(folder, file), "utf8");
    try {
        if (text.length > maxTextSize) throw new Error(`${text.length} characters, Mermaid draws ${maxTextSize}`);
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
        console.log(`pictures: Mermaid refuses ${file}: ${error.message}`);
    }
}
console.log(`pictures: Mermaid reads ${files.length - refused} of ${files.length} models`);
process.exit(refused === 0 ? 0 : 1);
