//! The results of provider checks, as text and as JSON.

use std::io::{self, Write};

use serde_json::{Value as Json, json};

use super::usage::token_words;
use fsmsim_adapters::llm::{LinkCheck, LiveCheck};
use fsmsim_syntax::terminal::printable;

/// Writes a paragraph per provider.
pub fn write_link_checks(checks: &[LinkCheck], out: &mut impl Write) -> io::Result<()> {
    for check in checks {
        match check {
            LinkCheck::Local(kind, file) => {
                let file = file
                    .as_deref()
                    .map_or(String::new(), |file| format!(" ({})", printable(file)));
                writeln!(out, "{kind}{file}: needs no server")?;
            }
            LinkCheck::Live(check) => write_live(check, out)?,
        }
    }
    Ok(())
}

fn write_live(check: &LiveCheck, out: &mut impl Write) -> io::Result<()> {
    let provider = &check.provider;
    let name = printable(&provider.name);
    let model = printable(&provider.model);
    let state = if check.answers {
        "answers"
    } else {
        "does not answer"
    };
    writeln!(out, "{name}: {state}")?;
    let mut row = |label: &str, value: &str| writeln!(out, "  {label:11}{value}");
    row(
        "model",
        &format!(
            "{model} ({}, {})",
            provider.wire.kind(),
            printable(&provider.base_url)
        ),
    )?;
    if let Some(proxy) = &check.proxy {
        row("proxy", &printable(proxy))?;
    }
    for (way, why) in &check.refused {
        row("refuses", &format!("{}: {}", way.name(), printable(why)))?;
    }
    if check.answers {
        row("structured", check.structured.name())?;
        let tokens = token_words(check.tokens);
        let seconds = check.latency.as_secs_f64();
        row("took", &format!("{seconds:.2} s, {tokens}"))?;
    }
    for attempt in &check.failed {
        row("failed", &printable(&attempt.failure.reason))?;
    }
    if let Some(remedy) = check.remedy() {
        row("help", &printable(&remedy))?;
    }
    Ok(())
}

/// The results as one JSON object.
pub fn link_checks_json(checks: &[LinkCheck]) -> Json {
    let links: Vec<Json> = checks.iter().map(link_json).collect();
    json!({"links": links, "well": checks.iter().all(LinkCheck::is_well)})
}

fn link_json(check: &LinkCheck) -> Json {
    let check = match check {
        LinkCheck::Local(kind, file) => {
            return json!({"kind": kind, "file": file, "status": "local"});
        }
        LinkCheck::Live(check) => check,
    };
    let provider = &check.provider;
    let way = |(way, why): &(fsmsim_adapters::llm::Structured, String)| json!({"structured": way, "why": why});
    let failed = check.failed.iter().map(|attempt| {
        let kind: &str = attempt.failure.kind.into();
        json!({"kind": kind, "why": attempt.failure.reason})
    });
    json!({
        "name": provider.name,
        "kind": provider.wire.kind(),
        "model": provider.model,
        "base_url": provider.base_url,
        "status": if check.answers { "answers" } else { "fails" },
        "structured": check.answers.then_some(check.structured),
        "refused": check.refused.iter().map(way).collect::<Json>(),
        "latency_ms": u64::try_from(check.latency.as_millis()).unwrap_or(u64::MAX),
        "tokens": {"asked": check.tokens.asked, "answered": check.tokens.answered, "cached": check.tokens.cached},
        "proxy": check.proxy,
        "failed": failed.collect::<Json>(),
        "remedy": check.remedy(),
    })
}
