// Compares a trace with the states of XState: `compare.mjs PLAYED TRACE`. With parallel regions, the running branches must equal
// the open states of XState.
import { readFileSync } from "node:fs";

const lines = (file) => readFileSync(file, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));
const [played, trace] = process.argv.slice(2).map(lines);
const expected = played.flatMap(({ id, turns, states }) => turns.map((turn, at) => ({ id, at, turn, states: states[at] })));
const found = trace.filter((line) => "turn" in line);
if (expected.length === 0 || expected.length !== found.length) {
    console.error(`${expected.length} turns by XState, ${found.length} by fsmsim`);
    process.exit(1);
}
expected.forEach(({ id, at, turn, states }, number) => {
    const { state, branches } = found[number];
    const running = branches.filter((branch) => branch.status === "running" || branch.status === "active").map((branch) => branch.state);
    const places = running.length > 0 ? running : [state.to];
    const open = states.filter((place) => !place.endsWith("_over") && !place.endsWith("_empty") || states.length === 1);
    if (JSON.stringify([...places].sort()) !== JSON.stringify([...open].sort())) {
        console.error(`${id}, turn ${at + 1} (${turn.intent}): XState is in ${states}, fsmsim in ${places}`, JSON.stringify(found[number]));
        process.exit(1);
    }
});
console.log(expected.length);
