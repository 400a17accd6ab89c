//! Interviews whose process is killed. Every answer is saved once the next question was shown, the next question is correct,
//! and no request is sent twice.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::process::Output;
use std::time::{Duration, Instant};

use fsmsim_adapters::llm::SeededRng;
use serde_json::{Value as Json, json};
use xxhash_rust::xxh3::xxh3_64;

use super::diary::{Kept, kept, store};
use crate::support::loopback::{Reaction, Seen, Server, Shape};
use crate::support::{Invocation, Project, tries_everything, turns};

/// The seed of the kill times. Failure messages contain it.
const SEED: u64 = 17;

/// The lines of a talkative user, more than the interview asks for. Some answers are incomplete and lead to a follow-up.
const ANSWERS: [&str; 24] = [
    "Стрельба из лука для школьников",
    "Помочь людям",
    "Помочь школьникам района заниматься спортом и не сидеть без дела, 10 / 20 занятий в год",
    "Проблема в том, что детям негде заниматься после уроков, а секции далеко и дороги",
    "Школьники от 10 до 16 лет из трёх школ района, всего 120 человек",
    "Не знаю",
    "Проведём еженедельные занятия с тренером, мастер-классы и летний турнир между школами",
    "За год 120 детей получат 80 занятий, 40 сдадут нормативы, турнир увидят 500 зрителей",
    "Бюджет 500 000 рублей: луки 200 000, зал 150 000, тренер 150 000 рублей",
    "Тренер Анна с опытом 10 лет, администратор Пётр и два волонтёра из университета",
    "С января по декабрь 2026 года: набор в январе, занятия с февраля, турнир в июне",
    "Риски: травмы и отток детей, поэтому есть страховка, медик и запасной набор",
    "После гранта занятия оплатит школа, а оборудование останется в районе на много лет",
    "Партнёры: администрация района, федерация стрельбы и три школы, письма поддержки есть",
    "Отчёты, фотографии и публикации в газете района и в группе проекта каждый месяц",
    "Детализация: луки 20 штук по 10 000, мишени 10 штук, стрелы 200 штук, аренда 12 месяцев",
    "Опыт: два похожих проекта в 2023 и 2024 годах, в них было 80 детей",
    "Показатели: посещаемость, нормативы, опрос родителей в начале и в конце года",
    "Ещё будут сборы в августе для тех, кто хочет стрелять дальше",
    "Нам поможет и университет, там есть свой зал",
    "Это всё, что я хотел сказать о проекте",
    "Больше мне нечего добавить, спасибо",
    "Спасибо и до свидания",
    "До встречи на турнире",
];

/// The response time of the model. It takes most of the time of a turn.
const PAUSE: Duration = Duration::from_millis(12);
/// The start of the prompt of an assessment. All other prompts request a reply text.
const ASSESSES: &str = "You assess answers in an interview";

/// The answer depends on a hash of the prompt. So lost context changes the dialogue.
fn react(seen: &Seen) -> Reaction {
    let messages = seen.json()["messages"].to_string();
    let hash = xxh3_64(messages.as_bytes());
    let answer = if messages.contains(ASSESSES) {
        json!({"completeness": if hash.is_multiple_of(4) { 0.4 } else { 0.9 }, "missing": ["сроки"]})
    } else {
        json!({"reply": format!("А что вы скажете о деле {hash:016x}?")})
    };
    Reaction::Late(PAUSE, Box::new(Shape::OpenAi.says(&answer.to_string())))
}

/// The reference for killed interviews: an undisturbed interview with its requests.
struct Calm {
    project: Project,
    /// The model, if the interview has one.
    server: Option<Server>,
    /// The turns of the trace.
    turns: Vec<Json>,
    /// The turn and the need of each request body.
    asked: BTreeMap<String, (usize, &'static str)>,
    /// The duration of all turns.
    took: Duration,
}

/// The moment to kill the process.
#[derive(Clone, Copy)]
struct Moment {
    /// Wait until the program has reported that the session starts or resumes.
    has_begun: bool,
    /// The delay after that.
    after: Duration,
    /// Send at most this number of lines, so that the program waits for input.
    lines: Option<usize>,
}

impl Moment {
    /// A random moment within the given time.
    fn some(rng: &mut SeededRng, longest: Duration) -> Self {
        let window = u32::try_from(longest.as_micros()).unwrap();
        Self {
            // One of six might be killed during startup.
            has_begun: rng.below(6) > 0,
            after: Duration::from_micros(u64::from(rng.below(window))),
            lines: (rng.below(3) == 0).then_some(1 + rng.below(3) as usize),
        }
    }
}

/// Counts of the killed interviews.
#[derive(Debug, Default)]
struct Tally {
    sessions: usize,
    kills: usize,
    in_turns: usize,
    after_answers: usize,
    acknowledged: usize,
    reprinted: usize,
}

impl Calm {
    fn new(server: Option<Server>) -> Self {
        let mut project = Project::library();
        if let Some(server) = &server {
            let url = &server.url;
            project = project.file(
                "fsmsim.toml",
                format!("[[llm.chain]]\nname = \"tiny\"\nbase_url = \"{url}\"\nmodel = \"tiny\"\n"),
            );
        }
        let mut calm = Self {
            project,
            server,
            turns: Vec::new(),
            asked: BTreeMap::new(),
            took: Duration::ZERO,
        };
        let mut child = calm.play("calm").spawn();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(left(&Kept::default()).as_bytes())
            .unwrap();
        let mut notes = BufReader::new(child.stderr.as_mut().unwrap());
        notes.read_line(&mut String::new()).unwrap();
        let begun = Instant::now();
        let output = child.wait_with_output().unwrap();
        calm.took = begun.elapsed();
        assert!(output.status.success(), "{output:?}");
        calm.turns = calm.kept_turns("calm");
        assert_eq!(calm.turns.len(), ANSWERS.len() + 1);
        let traced = turns(&calm.play("calm").stdin(":trace\n").run().stdout);
        assert_eq!(traced, calm.turns);
        calm.asked = calm.asked_by_turn();
        calm
    }

    fn play(&self, name: &str) -> Invocation {
        let live: &[&str] = if self.server.is_some() {
            &["--llm", "live"]
        } else {
            &[]
        };
        self.project
            .fsmsim(["run", "flows/grant_interview.yaml", "--session", name])
            .args(live)
    }

    /// The complete turns of a session from its store.
    fn kept_turns(&self, name: &str) -> Vec<Json> {
        let store = store(&self.project);
        let Ok(mut select) =
            store.prepare("SELECT record FROM turns WHERE session = ?1 ORDER BY number")
        else {
            return Vec::new();
        };
        let records = select
            .query_map([name], |row| row.get::<_, String>(0))
            .unwrap();
        records
            .map(|record| serde_json::from_str(&record.unwrap()).unwrap())
            .collect()
    }

    /// The requests of an undisturbed interview: one per answer of the model, in their order.
    fn asked_by_turn(&self) -> BTreeMap<String, (usize, &'static str)> {
        let Some(server) = &self.server else {
            return BTreeMap::new();
        };
        let of_turn = |(turn, record): (usize, &Json)| {
            let answers = record["answers"].as_array().cloned().unwrap_or_default();
            let needs =
                answers
                    .into_iter()
                    .filter_map(move |answer| match answer["need"].as_str()? {
                        "assess" => Some((turn, "assess")),
                        "phrase" => Some((turn, "phrase")),
                        _ => None,
                    });
            needs.collect::<Vec<_>>()
        };
        let needs: Vec<(usize, &str)> = self.turns.iter().enumerate().flat_map(of_turn).collect();
        let requests = server.requests();
        assert_eq!(requests.len(), needs.len());
        let asked: BTreeMap<_, _> = requests
            .into_iter()
            .map(|seen| seen.body)
            .zip(needs)
            .collect();
        assert!(
            asked
                .iter()
                .all(|(body, (_, need))| body.contains(ASSESSES) == (*need == "assess"))
        );
        // An undisturbed interview sends no request twice either.
        assert_eq!(asked.len(), server.requests().len());
        asked
    }

    /// The number of requests per turn and need, without the first `since` requests.
    fn counts(&self, since: usize) -> BTreeMap<(usize, &'static str), usize> {
        let mut counts = BTreeMap::new();
        for seen in self
            .server
            .iter()
            .flat_map(|server| server.requests().into_iter().skip(since))
        {
            let what = self.asked.get(&seen.body);
            let what = what.unwrap_or_else(|| {
                panic!(
                    "an undisturbed interview does not send this request: {}",
                    seen.body
                )
            });
            *counts.entry(*what).or_default() += 1;
        }
        counts
    }

    /// The last reply after the given number of turns. `None` if the interview had ended.
    fn open_question(&self, turns: usize) -> Option<&str> {
        let turns = &self.turns[..turns];
        let mut said = turns
            .iter()
            .rev()
            .filter_map(|turn| turn["replies"].as_array()?.last()?.as_str());
        said.next()
            .filter(|_| turns.last().is_some_and(|last| last["final"] == false))
    }

    /// Runs the rest of a session, and kills the process at the given moment.
    fn play_on(&self, name: &str, before: &Kept, kill: Option<Moment>) -> Output {
        let mut child = self.play(name).spawn();
        let lines = kill.and_then(|moment| moment.lines);
        let said: String = left(before)
            .split_inclusive('\n')
            .take(lines.unwrap_or(ANSWERS.len()))
            .collect();
        let mut stdin = child.stdin.take().unwrap();
        // The buffer of the pipe takes all lines.
        stdin.write_all(said.as_bytes()).unwrap();
        let waits = lines.map(|_| stdin);
        if let Some(moment) = kill {
            if moment.has_begun {
                let mut notes = BufReader::new(child.stderr.as_mut().unwrap());
                notes.read_line(&mut String::new()).unwrap();
            }
            std::thread::sleep(moment.after);
            child.kill().unwrap();
        }
        drop(waits);
        child.wait_with_output().unwrap()
    }

    /// Runs sessions to their ends and kills them `most` times in total.
    fn kill(&self, most: usize) -> Tally {
        let mut rng = SeededRng::of(SEED, "interview", u64::from(self.server.is_some()));
        let mut tally = Tally::default();
        while tally.kills < most {
            tally.sessions += 1;
            self.kill_session(&format!("s{}", tally.sessions), most, &mut rng, &mut tally);
        }
        tally
    }

    fn kill_session(&self, name: &str, most: usize, rng: &mut SeededRng, tally: &mut Tally) {
        let about = format!("seed {SEED}, session {name}");
        let since = self
            .server
            .as_ref()
            .map_or(0, |server| server.requests().len());
        let (mut heard, mut known) = (Vec::new(), BTreeMap::new());
        loop {
            let before = kept(&self.project, name);
            let moment = Moment::some(rng, self.took / 3);
            let is_killed = tally.kills < most;
            let output = self.play_on(name, &before, is_killed.then_some(moment));
            let stdout = String::from_utf8_lossy(&output.stdout);
            // An incomplete line does not count as shown.
            let shown_text = stdout.rsplit_once('\n').map_or("", |(lines, _)| lines);
            let prompt = shown_text.find(" > ").unwrap_or(shown_text.len());
            let (first, rest) = shown_text.split_at(prompt);
            // A session resumed between two turns repeats the open question. In the middle of a turn no question is open.
            if !shown_text.is_empty() {
                let question = if before.line.is_none() {
                    self.open_question(before.turns)
                } else {
                    None
                };
                let open = said(first);
                assert_eq!(open.first().map(String::as_str), question, "{about}");
                assert!(open.len() < 2, "{about}: {open:?}");
                tally.reprinted += open.len();
            }
            heard.extend(said(rest));
            let after = kept(&self.project, name);
            // An answer that was followed by the next question is saved with the complete turn.
            let shown = rest
                .lines()
                .filter(|line| line.starts_with("  why "))
                .count();
            tally.acknowledged += shown;
            assert!(
                after.turns >= before.turns + shown,
                "{about}: {before:?}, then {after:?}: {stdout}"
            );
            let turns = self.kept_turns(name);
            assert_eq!(turns.len(), after.turns, "{about}");
            assert_eq!(turns, self.turns[..after.turns], "{about}");
            // A request that the model has answered is never sent again.
            let counts = self.counts(since);
            known.extend(
                counts
                    .iter()
                    .filter(|((turn, _), _)| *turn < after.turns)
                    .map(|(what, count)| (*what, *count)),
            );
            for (need, ..) in &after.answers {
                let what = counts
                    .iter()
                    .find(|((turn, asked), _)| *turn == after.turns && asked == need);
                known.extend(what.map(|(what, count)| (*what, *count)));
            }
            if output.status.success() {
                assert_eq!(
                    (after.turns, after.line),
                    (self.turns.len(), None),
                    "{about}"
                );
                break;
            }
            assert!(
                is_killed,
                "{about}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            tally.kills += 1;
            tally.in_turns += usize::from(after.line.is_some());
            tally.after_answers += usize::from(!after.answers.is_empty());
        }
        let counts = self.counts(since);
        for (what, count) in known {
            assert_eq!(
                counts[&what], count,
                "{about}: {what:?} was requested again"
            );
        }
        // The user sees the replies of the undisturbed interview in their order, and each question once.
        let mut rest = self
            .turns
            .iter()
            .flat_map(|turn| turn["replies"].as_array().into_iter().flatten());
        let is_next = |heard: &String| rest.any(|calm| calm == heard.as_str());
        assert!(heard.iter().all(is_next), "{about}: {heard:#?}");
    }
}

/// The remaining lines of a session. The first turn is the opening of the agent and has no line.
fn left(kept: &Kept) -> String {
    let turns = kept.turns + usize::from(kept.line.is_some());
    ANSWERS
        .iter()
        .skip(turns.saturating_sub(1))
        .map(|line| format!("{line}\n"))
        .collect()
}

/// The replies of the agent in the output.
fn said(output: &str) -> Vec<String> {
    output
        .lines()
        .filter_map(|line| Some(line.strip_prefix("  says       ")?.to_owned()))
        .collect()
}

/// Number of kills in a normal run.
const KILLS: usize = 15;

fn kills(all: usize) -> usize {
    if tries_everything() { all } else { KILLS }
}

#[test]
fn interview_killed_at_random_moments_loses_no_answer() {
    let tally = Calm::new(None).kill(kills(150));
    println!("{tally:?}");
    assert!(
        tally.acknowledged > 0 && tally.in_turns + tally.reprinted > 0,
        "seed {SEED}: {tally:?}"
    );
}

#[test]
fn interview_killed_during_a_request_repeats_only_that_request() {
    let calm = Calm::new(Some(Server::reacting(react)));
    let tally = calm.kill(kills(150));
    println!("{tally:?}");
    let Tally {
        kills,
        in_turns,
        after_answers,
        ..
    } = tally;
    // Most of the time is spent in requests, and often after an answer that is already saved.
    assert!(
        in_turns >= kills / 5 && after_answers >= kills / 10,
        "seed {SEED}: {tally:?}"
    );
    calm.server.unwrap().stop();
}
