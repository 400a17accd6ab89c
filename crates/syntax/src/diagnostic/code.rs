//! The stable codes of all findings, in one table.

use strum::{Display, EnumString, IntoStaticStr, VariantArray};

macro_rules! codes {
    ($($name:ident = $number:literal, $title:literal, $explanation:literal;)*) => {
        /// The stable code of a kind of finding. A code never changes its meaning and is never used again.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, IntoStaticStr, VariantArray)]
        #[strum(ascii_case_insensitive)]
        pub enum Code {
            $(#[doc = $title] #[strum(serialize = $number)] $name,)*
        }

        impl Code {
            /// All codes, by number.
            pub const ALL: &'static [Code] = Self::VARIANTS;

            /// The code as it is written: `FS` and four digits.
            pub fn as_str(self) -> &'static str {
                self.into()
            }

            /// What the code stands for, in a few words.
            pub fn title(self) -> &'static str {
                match self { $(Code::$name => $title,)* }
            }

            /// What usually causes the finding and what to do about it.
            pub fn explanation(self) -> &'static str {
                match self { $(Code::$name => $explanation,)* }
            }
        }
    };
}

codes! {
    FileUnreadable = "FS0001", "a file or folder cannot be read",
        "The path does not exist, is of the wrong kind, or may not be read. Check the spelling; paths inside files start at the folder of the nearest `fsmsim.toml`, or at the working directory where there is none. A path that starts with `./` starts beside the file that names it.";
    FileTooLarge = "FS0002", "a file is too large",
        "Every file has a size limit, so that a wrong path cannot fill the memory. Definitions may have 4 MiB, one scenario document 1 MiB, one line of a turns file 4 MiB. Split the file.";
    NotUtf8 = "FS0003", "a file is not UTF-8 text",
        "All files are read as UTF-8. Save the file again with this encoding (editors often offer Windows-1251 or UTF-16 for Russian text).";
    YamlSyntax = "FS0004", "the text is not valid YAML",
        "The parser stops at the first mistake of a document, so mend it and run again. Usual causes: a tab in the indentation, a quotation mark that is not closed, a colon followed by a space inside plain text (quote the text).";
    TooDeep = "FS0005", "a document is too deep or grows too large",
        "Nesting, aliases (`*name`), includes and placeholders have a budget, so that a few lines cannot grow into gigabytes. A real flow never comes near it.";
    DuplicateKey = "FS0006", "a key is given twice",
        "YAML maps have one value a key. The later value would silently win, so it is an error. Remove or rename one of the two.";
    WrongType = "FS0007", "a value has the wrong type",
        "The place expects another kind of value: a text, a number, `true` or `false`, a list, or a map.";
    UnknownKey = "FS0008", "a key is not known here",
        "A key that nobody reads is usually a slip of the finger, so it is an error. The message names the nearest known key.";
    MissingKey = "FS0009", "a required key is missing",
        "The map lacks a key without which it means nothing.";
    EmptyFile = "FS0010", "a file is empty",
        "The file has no content where a definition is expected.";
    UnknownValue = "FS0011", "a value is none of the allowed ones",
        "The place takes one word of a fixed list; the message gives the list.";
    Markdown = "FS0012", "markdown is not as it is usually written",
        "The rest of the document is read even so. The message says what was taken and what was not.";
    ForeignFormat = "FS0013", "a file of another tool cannot become a flow",
        "`fsmsim import` reads what other tools write. Either the file is not of the format that was named, or it says something that no flow can say; the message says which, and where. What a flow can do without is left out and only told.";
    YamlSlip = "FS0020", "YAML reads something else than was meant",
        "In braces, `{a:b}` is one name, `{goal: Greet, and ask}` ends the goal at the comma, and `{{x}}` is a map in a map. Write a blank behind the colon; put text with a comma, a colon or a placeholder in quotes. The rest of the file is read as it was probably meant, so that this is the only finding.";

    UnknownState = "FS0101", "a target is not a state",
        "Each transition must lead to a state that there is: in a flow, to one that the flow or its base defines; in markdown, to a file of the folder or a row of the table. Under the profile `reference`, a single-file flow only gets a warning, and a turn that would take the transition is given up, as in the bot that the documents describe.";
    UnknownCondition = "FS0102", "a condition is not known",
        "`when:` takes the name of a built-in condition, of one under `conditions:` (also as `custom:name`), or a map with `and`, `or`, `not` or a question such as `{slot: company_size, at_least: 100}`. Under the profile `reference` an unknown name only gives a warning and counts as false.";
    UnknownMixin = "FS0103", "a mixin is not known",
        "`mixins:` and `includes:` name entries of the `mixins` map of the base, or of the flow itself where it is a single file.";
    UnknownParent = "FS0104", "a state extends an unknown state",
        "`extends:` names one state of the same file or of the base.";
    ExtendsCycle = "FS0105", "states extend each other in a circle",
        "A state cannot inherit from itself, not even through others. The message names the whole circle; take one `extends` out of it.";
    IncludesCycle = "FS0106", "mixins include each other in a circle",
        "A mixin cannot include itself, not even through others. The message names the whole circle; take one `includes` out of it.";
    ConditionCycle = "FS0107", "conditions refer to each other in a circle",
        "A condition cannot ask itself, not even through others. The message names the whole circle.";
    UnresolvedPlaceholder = "FS0108", "a placeholder has no value",
        "`{{name}}` takes its value from the state's `parameters` (also inherited ones) or from the flow's `variables`. Define the name in one of them.";
    BadRule = "FS0109", "a rule or transition has an unusable form",
        "A rule is a name; or a map with `when` and `then`; or a list of such maps that may end in a name.";
    UnknownPhaseState = "FS0110", "a phase is mapped to an unknown state",
        "`phases.mapping` gives each phase its state. The state must exist.";
    UnknownEntryPoint = "FS0111", "an entry point is not a state",
        "`entry_points` names states of the flow.";
    UnknownFlag = "FS0112", "a feature flag is not known",
        "Flags are those built in, those of `settings.yaml`, and those that a priority entry names.";
    UnknownCategory = "FS0113", "an intent category is not known",
        "Categories are those under `intents.categories` and `intents.composed_categories` of the constants. A composed category may use only base categories and composed ones above it.";
    ConstantsDisagree = "FS0114", "constants contradict each other",
        "Two constants that must agree do not: the frustration threshold of the guard and of the tone analysis; or a state table names a state that it does not define.";
    NoStates = "FS0115", "there are no states",
        "A flow needs at least one state that is not abstract; a folder of markdown states needs a file with one.";
    UnknownModel = "FS0116", "the path is no dialogue definition",
        "A model is a folder with `flow.yaml`, a YAML file with `states:` (or with `kind:`), a folder of markdown states (or one that holds `states/`), or a markdown document with a table of transitions.";
    NoInitialState = "FS0117", "the initial state does not exist",
        "A dialogue starts in `entry_points.default`, else in `greeting` (under the profile `reference` always in `greeting`). Define that state, or start the dialogue elsewhere with `start: {state: …}`. With markdown states it starts where `initial: NAME` says (in the front matter of `instructions/system.md`), else in `init`, else in the only state that no other leads to.";
    BadCondition = "FS0118", "a condition is not well formed",
        "A condition is a name; `and:`/`or:` with a list of at least two conditions; `not:` with one; or a question with one subject (`slot`, `intent`, `category`, `streak`, `total`, `turn`, `state`, `phase`, `signal`, `flag`, `counter`, `missing`, `valid`) and one test (`is`, `in`, `at_least`, `at_most`, `more_than`, `less_than`, `between`, `contains`, `starts_with`, `known`, `filled`).";
    UnknownKind = "FS0119", "the kind of definition is not known",
        "`kind:` is one of `flow`, `interview`, `contract`, `cycle`. This version plays flows.";
    NameTaken = "FS0120", "a name is taken",
        "A flow's own condition may not have the name of a built-in one, since rules could not tell the two apart.";
    UnknownSource = "FS0121", "a source is not known",
        "`sources:` switches knowledge sources on or off; the message lists their names.";
    UnknownPriority = "FS0122", "a priority entry cannot be used",
        "An override names an entry of the default priorities; an entry needs `name` and a whole number under `priority`.";
    BadNode = "FS0123", "a choice, fork, join or parallel state is not well formed",
        "A choice has `choices` (a list of `condition` and `next`) and `default`. A fork has `branches` (a list of `id` and `start_at`, perhaps `condition`, `handles`, `priority`), `join_at`, and perhaps `routing` and `join_condition`. A parallel state has `regions` (a name with `initial`), `join_at`, and perhaps `exit_when`. A join has `expects_branches`, `join_condition` and `on_join: {action: NAME}`. `join_condition` is `all_complete`, `any_complete`, `majority`, `{n_of_m: N}` or `{timeout_turns: T}`.";
    NodeCycle = "FS0124", "choices and forks lead to each other in a circle",
        "A choice or a fork is passed within one turn, so a circle of them would never end. The message names the whole circle; let one of them lead to an ordinary state.";
    BadBranches = "FS0125", "branches cannot come together",
        "A join may only wait for branches that a fork starts, the `join_at` of a fork is a join, and from the start of each branch some transition must lead to `_branch_complete`, to the join, or to the end of the dialogue.";
    Stranger = "FS0126", "a condition asks about a name that nothing else knows",
        "The slot is collected by no state, or the intent stands in no category, rule or transition, so the condition can hardly ever hold. Mend the spelling; or, where the data comes from outside, add the slot to the `optional_data` of a state.";
    UnknownCounter = "FS0127", "a counter is not known",
        "Counters are declared under `counters:` of a flow, a contract, or the `contract.yaml` of a set of states: `asked: {initial: 0, limit: 3}`. `counts: {asked: 1}` on a rule, a transition, a way of a choice or a class counts one.";

    UnknownEffect = "FS0128", "an effect is not known",
        "Kinds of effects are declared under `effects:` of a flow, a contract, or the `contract.yaml` of a set of states: `book: {gates: [agreed], outcomes: {full: {next: sorry}}}`. `effects: [book]` on a rule, a transition, a way of a choice, a class, or under `on_enter` of a state does one.";
    BadEffect = "FS0129", "an effect, or what is said, cannot be read",
        "A kind of effect has `does` (`read`, `write` or `invoke`), a `schema`, `gates` and `outcomes`; an outcome leads to one place (`next`, `aside` or `hold: true`). What is said is a text, or `{phrase: WHAT, or: TEXT}`; a reply of a flow is a text, or `{text: TEXT, phrase: true, when: CONDITION}`.";

    DuplicateState = "FS0130", "a state is described twice",
        "Two files of a folder of markdown states give their state the same name. The name stands in the front matter (`state: NAME`), else in the heading (`# State: NAME`), else it is the name of the file.";
    BadTransition = "FS0131", "a transition of markdown cannot be read",
        "A row of a table of transitions has a condition and a next state, in columns that are called so, in any order. A document with a table has a column for the state that is left too.";
    BadSchema = "FS0132", "a JSON Schema cannot be used",
        "Files of `schemas/` are JSON and valid JSON Schemas. They stand alone: nothing is fetched from elsewhere.";
    BadLimit = "FS0133", "a limit of replies cannot be used",
        "`limits:` in the front matter of `instructions/system.md` is a list of `{name: TEXT, pattern: REGEX, most: N}`: what the pattern finds may stand in the replies of one visit to a state at most so often.";
    DeadEnd = "FS0134", "nothing leads out of a state",
        "The state has no transitions and does not say that the dialogue ends there. Add transitions, or mark the state as final.";
    NotTaken = "FS0135", "a table or column is only text",
        "A table of transitions has columns for the state that is left (in a document), the condition and the next state. Other columns, and tables without these columns, are not taken; nor are moves that a document says elsewhere than in its tables, lines of a diagram that are not understood, and keys of front matter for other readers. `fsmsim lint --explain-reading FILE` shows what is taken out of a document.";
    UnknownSchema = "FS0136", "a schema is not known",
        "`writes:` names a file of `schemas/`, without `.json`.";
    UnknownPhase = "FS0137", "a phase is not in the order",
        "`mapping`, `skip_conditions` and `progress_intents` of `phases` name the phases of its `order`. This one is nearly one of them. Phases of another name may stand outside the order.";
    LonelyIntent = "FS0138", "an intent is nearly another one",
        "The intent stands at one place only, is in no category, and nothing says what it means; but it is nearly one that is known. Most likely that was meant, and this rule is never taken. Write the known name; or give the intent a meaning under `intents`. A finding of `fsmsim lint`.";

    UnknownFrame = "FS0150", "a frame is not known",
        "Frames are declared under `frames` of the contract: a name, and the fields that it owns.";
    UnknownField = "FS0151", "no frame has such a field",
        "A field belongs to the frame that declares it, and is written `FRAME.FIELD`. A class cannot carry what its source frame does not own.";
    BadFrame = "FS0152", "a frame or a field of it is not well formed",
        "A frame has `fields`: names, each with `text`, `number`, `flag`, `reference`, `list`, or a list of the values that are allowed.";
    BadReading = "FS0153", "a reading is not well formed",
        "A reading has `say`: regular expressions of the phrases that trigger it, upper and lower case alike. A named group `(?P<NAME>…)` is data that the phrase brings; `{NAME}` stands for what is declared before under `patterns`.";
    BadClass = "FS0154", "a class of transitions is not well formed",
        "Each class declares its entry condition (`reads`, `when`), the prior state that it `requires`, the `carryover` that is allowed, what it `sets`, what it `forbids` to be carried over, and how it `answers`; and an `owner`. Where there is nothing to say, say so: `requires: nothing`, `sets: {}`, `forbids: []`.";
    UnknownClass = "FS0155", "a class of transitions is not known",
        "Classes are declared under `classes` of the contract.";
    BadOutcome = "FS0156", "an outcome is not well formed",
        "An outcome says what it `sets`, how it is to be answered (`answer`), and, where another class takes the turn over, which (`becomes`).";
    NoProducer = "FS0157", "no class produces what another requires",
        "A class requires a frame, or a field of one, into which no class and no outcome ever puts anything: it can never be taken.";
    Overlap = "FS0158", "two classes take the same turn",
        "Both entry conditions hold for one turn; the witness is such a turn. The class that is declared first takes it. Put the narrower class first, or make the conditions exclude each other.";
    BoldAnswer = "FS0159", "what is blocked is answered as a fact",
        "An outcome that blocks the coverage gate must not be answered as confirmed.";
    BadPoint = "FS0160", "a point of an interview is not well formed",
        "A point has a `name` and a `priority` (P0 to P3), and may have `about`, `depends_on`, `hints`, `questions`, `criteria`, `tags`, `label` and `field`. Points do not wait for each other in a circle.";
    SameQuestion = "FS0161", "a question is asked twice in the same words",
        "No question of an interview is asked twice in the same words. Two points have the same one, or one of them has too few `questions` for as often as it may be asked.";
    BadNodeOfCycle = "FS0162", "a node of a cycle is not well formed",
        "A cycle has one node for each of the phases ANALYZE, PLAN, EXECUTE, VALIDATE and COMMIT. A node has a `phase`, and may have `role`, `about`, `reads` and `writes`. Shared memory (semantic, procedural) is written by the node of COMMIT alone.";
    BadCapability = "FS0163", "a capability is not well formed",
        "A capability has `inputs`, `effects`, `rollback_supported`, `risk_level` (low, medium, high), `enabled` and `tests`. Nothing may be called `write_shared_memory`: that is what the node of COMMIT does.";
    GateOut = "FS0164", "a gate of a cycle is taken out",
        "A cycle without one of its gates does not keep to what it promises. Take gates out only in a copy, to see what each is good for.";
    BadSlot = "FS0165", "a slot is not well formed",
        "A slot of `slots:` may have `initial`, `type` (`text`, `integer`, `number`, `boolean`, `list`), `values`, `at_least` and `at_most` of numbers, `format` of texts (`date`, `time`, `date_time`, `email`, `phone`) and a `description`. What keys say together must be possible, and what a slot begins with must be something that it can hold.";
    NoKnowledge = "FS0169", "knowledge of an interview cannot be used",
        "`knowledge` names markdown files, or folders with such, inside the project. One that is missing, too large or no text is passed over, and so are all where the program was built without SQLite: questions are phrased without them.";

    BadLine = "FS0201", "a line of a turns file cannot be read",
        "Each line holds one dialogue as a JSON object.";
    DuplicateDialogue = "FS0202", "two dialogues have one id",
        "Traces are aligned by id, so each dialogue of a file needs its own.";
    NoInput = "FS0203", "a turn has no input",
        "A turn needs one of `intent`, `say`, `goto`, `tick`, `observe`, `open`. A flow takes `intent`; `say` may stand beside it.";
    UnknownOperation = "FS0204", "an operation is not known",
        "`before` takes the operations `snapshot`, `reset`, `set_state`, `sync_phase`, `set_data` and `transition_to`.";
    NoModel = "FS0205", "a scenario names no model",
        "Write `model: PATH` in the scenario, or set `model` in `fsmsim.toml`.";
    SlugCollision = "FS0206", "two scenarios would share one snapshot or cassette",
        "The name of a scenario's snapshot and cassette is made from its title. Give the two scenarios different titles.";
    NoScenario = "FS0207", "no scenario was found",
        "A run that tests nothing is not a pass. Check the path and the filter.";
    UnknownStart = "FS0208", "a dialogue starts in an unknown state",
        "`start: {state: …}` names a state of the model.";
    UnknownProfile = "FS0209", "a profile is not known",
        "The profiles are `documented` (the default) and `reference`.";
    BadExpectation = "FS0210", "an expectation is not well formed",
        "`expect` takes the fields of the record. A value is exact; a map is partial; a list is exact. A map of the operators `contains`, `in_order`, `any`, `in`, `not`, `matches`, `at_least`, `at_most` and `between` says otherwise.";
    WrongInput = "FS0211", "the model does not take this input",
        "Flows are driven by intents. Other inputs belong to other dialects.";
    BadSession = "FS0212", "a saved session cannot be used",
        "`start: {session: FILE}` takes a session as this program, or the bot that the documents describe, saves it: a JSON object with `state`, `collected_data`, `intent_tracker` and `circular_flow`. Its state must be one of the model.";
    BadPersona = "FS0213", "a persona cannot be used",
        "A persona is a YAML file with `persona: NAME`, as the file is named, and `weights:`, a list of `{intent: NAME, weight: N}` or `{category: NAME, weight: N}`, each perhaps with `in: [STATE]`. Intents, categories and states are those of the model. Some weight above 0 must hold in every state.";
    UnknownPersona = "FS0214", "a persona is not known",
        "`--persona` takes the name of a file of the folder of personas (`fixtures/personas`, or `--personas DIR`) without `.yaml`, or `all`.";

    BadMock = "FS0215", "a mock is not well formed",
        "A mock has `queue` and `rules`, lists of rules. A rule has `answer` (for `classify` a map with `intent`, and perhaps `confidence`, `also`, `data`) or `fault`, and perhaps `need`, `state`, `say` (a regular expression; its named groups become data) and `times`.";
    BadCassette = "FS0216", "a cassette cannot be used",
        "A cassette is a file of JSON lines: the header `{\"fsmsim_cassette\":1,\"scenario\":TITLE}`, then a recording a line. It belongs to the scenario whose title it bears. `fsmsim test --llm record` writes it anew.";
    NotRecorded = "FS0217", "a cassette has no recording of what is asked",
        "A replay asks nobody: what was not recorded for this turn, this need and exactly this request stays without an answer. The message shows the nearest recording and what differs. Usual causes: the utterance, the goal of the state or the intents of the flow were edited. Record the scenario again; or name what changes from run to run under `volatile` of `[llm.cassette]` in `fsmsim.toml`.";
    CassetteKept = "FS0218", "an old cassette stays, since nobody answered",
        "A recording in which nobody answered at some turn would only replay that failure, so it does not take the place of a cassette that is there. It stands beside it with `.new` behind its name; record again when the model answers.";
    BadTwin = "FS0219", "a twin cannot be used",
        "A twin is the store of a user's data that a dialogue starts with: a JSON object, a key for each kind of data; or, where the file is called `.sqlite`, `.sqlite3` or `.db`, a database that `fsmsim run MODEL --twin FILE` created, with the data of many users. JSON that is no object is taken as a store with unusable data, so that this can be tested; what is no JSON at all, no database, or a database of another program is a mistake.";

    NoTranscript = "FS0220", "a markdown file is no transcript",
        "A transcript begins with front matter between two lines `---` that names the model, and holds one dialogue with a speaker before each line (`User:`, `**LLM:**`, `[CLIENT]`). Where a document holds several dialogues, `section: HEADING` in the front matter chooses one. In a folder, markdown files without `scenario` or `model` in their front matter are left alone.";
    UnknownSpeaker = "FS0221", "nobody knows who speaks a line of a transcript",
        "A line that begins with a word and a colon, or a name in brackets, is taken for a speaker's. Name your own speakers in the front matter: `speakers: {user: [Ann], assistant: [Door], narrator: [Note]}`. A line that goes on with the one before is indented.";
    BadCall = "FS0222", "a call in a transcript cannot be read",
        "A call is written `[calls get_instruction(state: \"NAME\")]`, or without a state `[calls get_instruction()]`; in Russian `[вызывает …]`.";
    BadNote = "FS0223", "a note on a turn of a transcript cannot be read",
        "A comment `<!-- intent: NAME, data: {SLOT: VALUE}, expect: {state: NAME} -->` behind a line adds to the turn of that line what a turn of a scenario may say, as a YAML map; so does `` `{intent: NAME}` `` at the end of a user's line. Comments that begin otherwise are only comments.";
    LaterTwin = "FS0224", "a twin was written by a later version",
        "The format of a database of twins stands in its `user_version`. A version that does not know the format leaves the file alone. Use the version that wrote it, or a later one.";
    SilentTwin = "FS0225", "a twin does not answer",
        "The database is locked by another process, damaged, or cannot be read in its folder. The dialogue goes on without data, as its states say for the case, and the store is tried anew each time.";
    FilledTwin = "FS0226", "a twin has data already",
        "`--twin-from FILE.json` fills the store of a user who has no data there yet; it never writes over what is there. Leave it out, or name another user: `--twin FILE:USER`.";
    BadSessionStore = "FS0227", "the sessions of a project cannot be used",
        "`fsmsim run MODEL --session NAME` keeps dialogues in `.fsmsim/sessions.sqlite` at the root of the project. The file is damaged, no database of this program, or held by somebody else. It is left as it is: bring back a copy of it, or move it away; sessions begin anew then.";
    LaterSessionStore = "FS0228", "sessions were written by a later version",
        "The format of `.fsmsim/sessions.sqlite` stands in its `user_version`. A version that does not know the format leaves the file alone. Use the version that wrote it, or a later one.";
    SessionInUse = "FS0229", "a session is played elsewhere",
        "One process plays a session at a time. Whoever holds it lets go of it when it ends, however it ends; nothing is to be cleaned up.";

    BadBackend = "FS0230", "a data backend cannot be used",
        "A backend of fixtures is a YAML file with `answers`: a list of maps with `give` (a map with `status`, as the outcomes of the contract are called), and perhaps `route` and `when` (what must be known). The first that fits answers.";

    NoFamily = "FS0231", "a class of transitions has no scenario",
        "`fsmsim test --coverage` counts the scenarios with turns of each class. A class without any is not tested. `--require classes=100%` makes that a failure.";

    OtherSession = "FS0232", "a session cannot go on so",
        "A session goes on with the model, the profile, the start and the twin with which it began; they need not be named again, but for the twin. Leave out what differs, or give another name: another session begins then.";
    ChangedModel = "FS0233", "the model of a session has changed",
        "The files of the model are not those with which the session was played last. It goes on where it was, by the rules as they are now. Notes tell what no longer goes as it was played: the first turn that differs when the session is played again, and points of an interview that are gone. Where its state is gone, it cannot go on: bring the state back, or begin another session.";

    UnknownName = "FS0234", "a scenario names what its model does not have",
        "Names in scenarios are closed: an intent, slot, state, phase, action, class, counter or reason that the model does not have can neither be said nor expected nor ruled out. It is usually a slip of the finger; the message gives the nearest known name. A name that is foreign on purpose stands under `start: {foreign: [NAME]}`; in the REPL it begins with `!`. Turns files and recorded traces may hold any name.";
    OutOfRange = "FS0235", "a number is out of its range",
        "`confidence` is a number from 0 to 1, `frustration` a whole number from 0 to 10.";
    UnknownSession = "FS0236", "there is no session of this name",
        "Sessions are kept by `fsmsim run MODEL --session NAME`, for each project by itself. `fsmsim sessions list` shows those of this project.";
    BadMemory = "FS0237", "a memory of cycles cannot be used",
        "Memory and audit of cycles are one SQLite database, which `fsmsim run MODEL --memory FILE` creates. The file is another thing, is damaged, or is held by a program that does not let go of it. It is left as it is.";
    LaterMemory = "FS0238", "a memory of cycles was written by a later version",
        "The database says in which format it is written, and this version does not know it. Use the version of fsmsim that wrote it, or a later one.";
    UnknownArtifact = "FS0239", "there is no artifact of this id",
        "`fsmsim why` takes the id of something that a cycle remembered, as records and audit tell it, or the beginning of one. What a turn wrote is there once the turn is whole.";
    BrokenState = "FS0240", "the state of a task breaks its schema",
        "What goes out of a cycle keeps to its schema. Data of a dialogue may be anything that somebody put there, by `start` or by an operation: such a state is told and not handed on.";
    BadCases = "FS0241", "the cases of a scenario cannot be used",
        "`cases` is a list of maps (`[{size: 5}, {size: 50}]`), a map of lists, of which all combinations are taken (`{size: [5, 50], tone: [calm, rushed]}`), `{pairwise: {…}}`, which takes so many of them that every pair of values occurs, or the path of a CSV file whose first line names the parameters. Each case is a scenario of its own, so no two are the same.";
    UnknownParameter = "FS0242", "a parameter is unknown, missing or unused",
        "`\"{{name}}\"` in a scenario stands for a parameter of its `cases`; in shared turns, for one of their `parameters`, which `with` gives. A parameter that nobody gives, or that nothing uses, is usually a slip of the finger.";
    BadSharedTurns = "FS0243", "shared turns cannot be used",
        "A turn `{use: FILE, with: {NAME: VALUE}}` stands for the turns of another file. That has `turns` and perhaps `parameters: {NAME: DEFAULT}` (without a default, `with` must give it), and is no scenario. Such files may use others, but not themselves.";
    BadDefaults = "FS0244", "the defaults of a folder cannot be used",
        "`_defaults.yaml` in a folder of scenarios has `model`, `profile`, `signals`, `tags`, `llm`, `subject` and `start` for all scenarios below it. The nearest one wins, key by key, and a scenario's own keys win over all; tags add up. As long as there is a mistake in it, the scenarios below it cannot be used.";
    LinkLoop = "FS0250", "a link leads back to a folder above it",
        "Links below the folders of scenarios are followed. This one leads to a folder in which it stands itself, so it is not: what is there is looked at once, under its own path. Remove the link.";
    BadSubject = "FS0251", "a subject cannot be asked",
        "`subject: {http: {url: …, body: …, map: …}}` or `subject: {mcp: {command: …, tool: …, arguments: …, map: …}}` in a scenario has somebody else's dialogue system play. `body` and `arguments` have `\"{{say}}\"`, `\"{{history}}\"` and other placeholders where the subject expects them; `map` says by JSON Pointers where `replies`, `state`, `intent` and so on stand in its answer. Of what the answer does not tell, nothing can be expected.";
    SilentSubject = "FS0252", "a subject gave no answer",
        "A subject that cannot be reached, takes too long, breaks off, ends, redirects, answers with a status that is no success, with what is no JSON or too large, or without a place that `map` names, says nothing that can be judged: the scenario is unavailable, and not failed. A tool that says that it failed (`isError`) has given no answer either. Append `?` to a place that an answer need not have.";
    BadLabelled = "FS0255", "labelled utterances cannot be used",
        "`fsmsim eval` reads a list in YAML, lines of JSON, or a table with a header in CSV. Each utterance has `say` and `intent`, and perhaps `state`, `data`, `also`, `id`, `lang`, `tags`, `known` and `history`; docs/eval.md shows them. The same words in the same state have one label: what they mean may depend on `state`, `known` and `history`, but not on chance.";

    BadProject = "FS0301", "the project file cannot be used",
        "`fsmsim.toml` is TOML; the message gives the place of the mistake.";
    BadArguments = "FS0302", "the arguments cannot be used together",
        "See `fsmsim help` and the message.";
    CannotWrite = "FS0303", "a file cannot be written",
        "The folder may be missing or read-only, or the disk full. Nothing was changed: files are written under a temporary name and then renamed.";
    OpenPort = "FS0304", "a server can be reached from other machines",
        "Without a token the server asks nobody who they are, and with one it speaks no TLS: what is said goes over the network as it is. On a loopback address only programs of this machine reach it; a proxy before it lets others in (docs/assistants.md, \"For a team\").";
    OutsideProject = "FS0305", "a file names what lies outside the project",
        "Paths in files stay inside the project, links resolved: the folder of `fsmsim.toml`, else the working directory; or the folder of the file that names them. A project that comes from elsewhere reads nothing else on this machine. What a person names on the command line may lie anywhere.";
    Untrusted = "FS0306", "a project wants to reach what its user has not agreed to",
        "`[[llm.chain]]` of `fsmsim.toml` may send what is said in dialogues to any address, and the content of any environment variable with it; and the file may be somebody else's. So addresses that are not of this machine, and variables, need the consent of whoever runs the program: a terminal asks once, and keeps the folder and a hash of the lines in `fsmsim/trust.toml` of the user's configuration; where a line changes, it asks again. Every `subject:` of a scenario needs it as well, since a command is run or what is said is sent: of each, what it runs, its address and its variables are kept. `--trust` allows one run. Mocks and cassettes need no consent.";
    BadFilter = "FS0307", "a filter cannot be read",
        "`-E` says which scenarios are wanted: `tag(smoke) & !model(bant*)`. There are `tag`, `title`, `path`, `model`, `covers(KIND:NAME)`, `class`, `asks()` and `changed(REVISION)`, joined by `&` (and), `|` (or), `!` (not) and brackets. Between the brackets of each stands a glob over the whole value (`*` is any text, also with `/`; `?` is one character), `=exact`, `~contained` or `/regular expression/`; `\\(`, `\\)` and `\\\\` stand for themselves. In a shell, put the whole filter in single quotes.";
    CannotWatch = "FS0308", "files cannot be watched",
        "`fsmsim test --watch` asks the system to tell when files are saved. Systems watch only so many folders for a user (on Linux, `fs.inotify.max_user_watches` says how many), and some network file systems tell nothing.";
    BadPrompt = "FS0310", "a prompt of the project cannot be used",
        "`[llm.prompts]` of `fsmsim.toml` names a template for a need, such as `classify = \"prompts/classify.md\"`. It is a template of Jinja; docs/models.md lists the variables of each need. Behind a line `---` stands what changes from turn to turn, and there the variable with what was said has to be.";

    NoGoal = "FS0401", "a state has no goal",
        "A state has one goal, and a section that says it. Without it, neither a person nor a model knows when the state is done. A finding of `fsmsim lint`.";
    SeveralGoals = "FS0402", "a state has several goals",
        "Each paragraph and each item of a list below the heading of the goal is one; an introduction that ends in a colon is none, and what stands below an item belongs to it. Two goals are two states, one after the other. A finding of `fsmsim lint`.";
    MagicMove = "FS0403", "a state is named as the next one, but no transition leads there",
        "The steps, or what is done without data, name a state in backticks or behind an arrow, and the transitions of the state lack it; a model that follows the text is refused the move. Add the transition; or, where the state is only talked about, leave the backticks out. Not counted are names behind `from`, `after`, `of` (`из`, `от`, `после`), states that load data (`dt_load_…`), and, where the state has to do with data, the states for consent and for going on without data. With `--permissive` the finding is not made, since the move would be taken.";
    Unreachable = "FS0404", "no way leads to a state",
        "No chain of transitions leads from the initial state to this one. Other places where a dialogue may begin, or go by itself, count as initial: entry points of a flow, the states to which guards lead, the states for consent and for going on without data. States of a base that several flows share are not looked at. Lead to the state, or remove it. A finding of `fsmsim lint`.";
    NoFallback = "FS0405", "a state needs data and has no way to do without",
        "Data may be missing, and the user may refuse it. The state needs a section that says what is done then; or the set needs a state for going on without data (`no_dt_mode`, or `without_data: NAME` in the front matter of `instructions/system.md`). A finding of `fsmsim lint`.";
    NoConsentState = "FS0406", "data is read, and nobody asks for consent",
        "Without consent nothing is read, and where no state asks for it there will be none. Add a state `dt_consent`, or name another by `consent: NAME` in the front matter of `instructions/system.md`. A finding of `fsmsim lint`.";
    IdleData = "FS0407", "a state asks for data that its text does not name",
        "Only what is needed may be asked for. A key under `reads` must be used by the text of the state: it stands there in backticks (`` `week` ``), or a state does that loads it (`` `dt_load_week` ``). Name the key where it is used, or take it out of `reads`. A finding of `fsmsim lint`.";
    IdleField = "FS0408", "nothing is ever put into a field of a frame",
        "No class, no outcome and no start value puts anything there, so conditions on it never find anything. Let a class or an outcome set the field, or take it out of its frame. A finding of `fsmsim lint`.";
    IdleReading = "FS0409", "no class takes a reading",
        "What is said is read so, and then no class takes the turn: it is `unclassified`. Name the reading under `reads` of a class, or take it out. A finding of `fsmsim lint`.";
    IdleValue = "FS0410", "a listed value is never put into its field",
        "The field of a frame lists the value, but no class, no outcome and no start value puts it there, so conditions on it never hold. Put it there, or take it out of the list. A finding of `fsmsim lint`.";
    NeverHolds = "FS0411", "what must hold after a turn never can",
        "A `must` of a class asks for values that nobody ever puts into their fields, so every turn of the class breaks it. A finding of `fsmsim lint`.";

    StepBackOff = "FS0420", "steps back are declared and switched off",
        "A state has a transition `go_back`, and steps back need the flag `circular_flow`, which is off unless somebody switches it on: `feature_flags: {circular_flow: true}` in the flow or in `settings.yaml`, or `start: {flags: {circular_flow: true}}` in one dialogue. A flow that says `circular_flow: false` does so on purpose, and nothing is told.";
    ObjectionState = "FS0421", "objections lead to a state from which no dialogue returns",
        "After an objection, a dialogue goes back to where it came up from the state `handle_objection` only. A state of another name, to which nothing but objections lead, is probably meant as that state. Call it so, or name it in the constants: `states: {handle_objection: NAME}`.";
    DataLeadsNowhere = "FS0422", "a state requires data, and the data lead nowhere",
        "When all required data of a state is there, the dialogue goes where its transition `data_complete` leads. The state has none, and what other ways there are only give up, object or step back. Add `data_complete: STATE` to its transitions, or a transition for an intent that goes on.";
    PhaseWithoutState = "FS0423", "a phase has no state",
        "`phases.order` names a phase to which no state belongs: none says `phase: NAME`, and `phases.mapping` does not lead to one. No dialogue ever comes to it, and what waits for it waits in vain.";
    NoEnd = "FS0424", "no way leads to an end",
        "Some states of the definition end the dialogue, and from these none can be reached: they lead only to each other. Add a transition to an end, or mark one of them as final (`is_final: true`). The one finding stands for all states of the circle. A finding of `fsmsim lint`.";
    EmptyTarget = "FS0425", "a rule or transition gives nothing",
        "There is no name behind the colon, an empty text, or an empty list, so the intent does nothing at all. Only where it takes away what the state inherits does it mean something, and then nothing is told.";
    HiddenBase = "FS0426", "a state takes the place of a state of the base",
        "A state of the flow stands in the place of the base state of the same name, with nothing of what that one says: its rules and transitions are gone. Give the state another name; or, where that is meant, say all that it needs, and allow the finding in `fsmsim.toml` (`[lint] FS0426 = \"allow\"`).";
    UnreadBase = "FS0427", "a base is not read",
        "What flows share (`_base/states.yaml`, `mixins.yaml`, `priorities.yaml`) is read below a configuration root: the nearest folder above the flow with `constants.yaml`. There is none. Put a `constants.yaml` beside `_base`, or beside the folder that holds it; it may say as little as `limits: {}`. `extends` of a flow names `_base` or is not there: no flow extends another one.";
    UnreadFile = "FS0428", "a file is not read",
        "A folder with a flow holds `flow.yaml` and `states.yaml`; a base holds `states.yaml`, `mixins.yaml` and `priorities.yaml`. A file beside them has nearly such a name, and nobody reads it. Rename it.";
    NodesIdle = "FS0429", "choices and forks are not carried out",
        "The profile `reference` knows no states that are more than a place: it stays in a fork, and never comes to its branches. Play the definition under the profile `documented`.";
    NearHeading = "FS0430", "a heading is nearly a known one",
        "The sections of a markdown state are known by their headings. This one is known by nobody, and one letter away from one that is; it is taken as that one. Mend the heading.";
    NearName = "FS0431", "a name is nearly another one",
        "Where names are not closed, one that nothing else knows may be a slip. What stands in backticks in a markdown state, and is nearly the name of a state, is one. Constants are for all flows below their folder, so they may name states, phases, slots and intents that a flow does not have. This one stands nowhere else, and a letter or two away from one that the flow has: it was most likely meant. Names that differ by a number only, or in words that other names have too, are taken for what they are.";
    IdleParameter = "FS0432", "nothing takes a parameter",
        "`parameters` of states and mixins are what placeholders stand for: `{{NAME}}` in the texts of states and mixins. No text has a placeholder of this name, so the value goes nowhere. The help names the placeholder that is nearest. `variables` of a flow may be for whoever phrases its texts; they are told where a placeholder differs from them by a slip.";
    MissingLanguage = "FS0433", "phrases lack a language that others have",
        "Where the phrases of readings stand by language (`say: {ru: …, en: …}`), each reading has all languages of the others: what is said in the missing one is not understood. A language of two letters that is misspelt is one of its own.";
    IdleReply = "FS0434", "a text stands for an action that is never taken",
        "`replies` of a flow says what is said where an action is taken. No rule, state or source of the flow takes an action of this name, so the text is never said. Most often the name is misspelt; the help names the nearest one.";

    BadTrace = "FS0500", "a trace cannot be read",
        "A trace is JSON lines as `fsmsim trace` writes them: a header a dialogue (`{\"fsmsim_trace\":2,\"dialogue\":NAME}`), then a line a turn with at least `turn` and `state`, and a line that ends it (`{\"end\":NAME,\"turns\":1}`). Each dialogue has a name of its own, and at most 64 MiB. Keys that are not known are passed over. Traces of other systems are read by `fsmsim verify --map FILE`. A last line that breaks off was not written to its end: record the trace again.";
    BadComparison = "FS0501", "two things cannot be compared",
        "`fsmsim diff` compares traces and scenarios with each other, or two models over the scenarios that name one of them. The message says what each side was taken for: a `.jsonl` file and `-` are traces, a folder with `flow.yaml` or with markdown states is a model, of other files and folders the content decides.";
    BadRevision = "FS0502", "a revision cannot be read",
        "`git:REVISION:PATH` takes the path, seen from the working directory, as it was in that revision of the git repository of the working directory; `git:REVISION` takes that of the other side. `git` must be installed, and the revision and the path in it must exist.";
    OldTrace = "FS0503", "a trace is of an earlier version",
        "It is read as it is. In version 1, `reply` is one text where `replies` is a list now, places of rules that decided are missing, and no line says that a dialogue is whole: one that breaks off between two turns cannot be told from one that ends there. Record the trace again, if you can.";
    BrokenOff = "FS0504", "a dialogue of a trace breaks off",
        "A line `{\"end\":NAME,\"turns\":N}` behind the turns says that the dialogue is whole. It is missing, or speaks of other turns than those that are there: whoever wrote the trace was stopped, or lines were lost. What is there is used as far as it goes. Record the trace again; of a dialogue that you shortened yourself, mend the last line.";

    BadTraceMap = "FS0530", "the map of a trace cannot be used",
        "`--map FILE` is YAML with the keys of our own trace: `dialogue`, perhaps `turns` or `events`, `end`, `profile`, `signals`, `start`, and `turn` with `input`, `state` and the fields of a record. Behind each stands where it is in the other trace: a path (`out.next_state`), a place with changes (`{path: …, values: {…}, prefix: …, suffix: …, pick: …}`), or a map of such.";
    UnmetPath = "FS0531", "no line of a trace has a path of its map",
        "The path stands in the file of `--map`, and nothing is there in any line of the trace, so nothing could be compared. Mend the path; where it may be missing, write `?` behind it.";
    EmptyTrace = "FS0532", "a trace holds no dialogue",
        "A trace without dialogues says nothing about a model, and that is no pass. Check the path, and whether the recording was written.";
    Unreplayable = "FS0533", "a recorded turn cannot be played again",
        "`--mode replay` plays what went in. The turn lacks it, or says something that no turn of a turns file may say. Map the input of the turns (`turn: {input: {intent: …}}`), or verify the trace with `--mode structure`, which needs none.";
    CrowdedGroup = "FS0534", "more dialogues are mixed than there is room for",
        "`fsmsim verify --group` gathers the lines of each dialogue, and holds those of all dialogues that are not over: 100,000 lines and 256 MiB at most, or as many lines as `--group=LINES` says. Sort the file by dialogue, with a sort that leaves the rest of the order, and leave `--group` out: then only one dialogue is held. Where a line says that its dialogue is over, `end: PLACE` in the map lets it go at once.";
    BrokenAudit = "FS0540", "an audit is not whole",
        "Each entry of an audit carries a hash over its text and the hash of the entry before it, so an entry that was changed, removed, or put in between shows at its place: what stands before it is as it was written. The last hash is kept beside, so that entries that are missing at the end show too. Bring back a copy of the file.";
}

impl Code {
    /// Whether the finding says that something could not be read at all, and so nothing of what it says.
    pub fn is_unreadable(self) -> bool {
        matches!(
            self,
            Self::FileUnreadable
                | Self::FileTooLarge
                | Self::NotUtf8
                | Self::UnknownModel
                | Self::UnknownKind
                | Self::UnknownProfile
        )
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn codes_are_unique_and_sorted() {
        let names: Vec<_> = Code::ALL.iter().map(|code| code.as_str()).collect();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(names, sorted);
    }

    #[test]
    fn a_code_reads_back() {
        for code in Code::ALL {
            assert_eq!(code.as_str().to_lowercase().parse(), Ok(*code));
        }
        assert!("FS9999".parse::<Code>().is_err());
    }
}
