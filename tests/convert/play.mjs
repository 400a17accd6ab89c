// Runs dialogues with the real XState: `play.mjs XSTATE MACHINE SEED COUNT` writes JSON Lines, one line per dialogue, with its turns
// and the states after each turn. State names are those of the import: the names of the parents and of the innermost state.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [xstate, file, seed, count] = process.argv.slice(2);
const { createMachine, createActor } = await import(pathToFileURL(xstate).href);
const machine = createMachine(JSON.parse(readFileSync(file, "utf8")));

// A deterministic generator: it gives the same numbers on every computer.
let state = Number(seed) >>> 0;
const random = (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
};

const places = (value, path = []) =>
    typeof value === "string"
        ? [[...path, value].join("_")]
        : Object.entries(value).flatMap(([name, inner]) =>
              Object.keys(inner).length === 0 ? [[...path, name].join("_")] : places(inner, [...path, name]),
          );

const events = [...new Set(machine.events.filter((event) => !event.includes("*") && !event.startsWith("xstate."))), "SOMETHING"];
for (let number = 0; number < Number(count); number += 1) {
    const actor = createActor(machine).start();
    const turns = [];
    const states = [];
    for (let turn = 0; turn < 50; turn += 1) {
        const type = events[random(events.length)];
        actor.send({ type });
        turns.push({ intent: type });
        states.push(places(actor.getSnapshot().value));
    }
    actor.stop();
    console.log(JSON.stringify({ id: `d${number}`, turns, states }));
}
