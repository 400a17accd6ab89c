// Parses a TAP file: `tap.mjs PARSER FILE`. Prints the counts of the parser, and fails if a line is not valid TAP.
import { readFileSync } from "node:fs";

const [parser, file] = process.argv.slice(2);
const { Parser } = await import(parser);
const reader = new Parser({ strict: true });
const odd = [];
let diagnostics = 0;
reader.on("extra", (line) => odd.push(line));
reader.on("assert", (test) => {
    diagnostics += test.diag ? 1 : 0;
    if (!test.ok && !test.diag) odd.push(`no diagnostics: ${test.name}`);
});
reader.on("complete", (results) => {
    const strict = results.failures.filter((failure) => failure.tapError);
    if (odd.length || strict.length) {
        console.error(odd.slice(0, 5), strict.slice(0, 5));
        process.exit(1);
    }
    const { count, pass, fail, todo, skip } = results;
    console.log(`${count} tests, ${pass} passed, ${fail} failed, ${todo} to do, ${skip} skipped`);
});
reader.end(readFileSync(file, "utf8"));
