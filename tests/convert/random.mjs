// Prints a random XState machine: `random.mjs SEED`. It has nested states and all features that a flow can express, except those
// that need code or time.
let state = (Number(process.argv[2]) * 2654435761) >>> 0;
const random = (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
};
const events = ["GO", "STOP", "price_question", "rejection", "user.login", "open door"];
const all = [];

// Creates the states. Transitions are added when all states are known.
const grow = (path, depth) => {
    const node = { path, inner: [], children: {} };
    all.push(node);
    const count = depth === 0 ? 3 + random(3) : random(3) === 0 && depth < 3 ? 2 + random(2) : 0;
    for (let number = 0; number < count; number += 1) {
        const name = `s${number}`;
        node.children[name] = grow([...path, name], depth + 1);
    }
    return node;
};
const root = grow([], 0);
const inside = (node) => Object.keys(node.children).length > 0;

const target = (from) => {
    const to = all[1 + random(all.length - 1)];
    const isSibling = from.path.slice(0, -1).join(".") === to.path.slice(0, -1).join(".");
    return isSibling && from.path.length > 0 ? to.path.at(-1) : `#m.${to.path.join(".")}`;
};

const write = (node) => {
    const out = {};
    const names = Object.keys(node.children);
    const last = node.path.at(-1);
    if (names.length > 0) {
        out.initial = names[0];
        out.states = Object.fromEntries(names.map((name) => [name, write(node.children[name])]));
        if (node.path.length > 0 && random(2) === 0) {
            out.states.end = { type: "final" };
            // The transition of a completed state must not target the state itself.
            if (random(3) > 0) out.onDone = last === "s0" ? "s1" : "s0";
        }
    }
    const on = {};
    for (const event of events.filter(() => random(3) === 0)) {
        on[event] = random(8) === 0 ? {} : target(node);
        if (out.states?.end && random(3) === 0) on[event] = ".end";
    }
    if (random(5) === 0) on["*"] = target(node);
    if (Object.keys(on).length > 0) out.on = on;
    return out;
};
const machine = { id: "m", ...write(root) };
machine.states.over = { type: "final" };
machine.states.s0.on = { ...machine.states.s0.on, FINISH: "over" };
console.log(JSON.stringify(machine, null, 1));
