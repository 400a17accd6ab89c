//! The reference of built-in names: one name, a kind, or the complete page.

use std::io::{self, Write};

use strum::VariantArray;

use fsmsim_dialects::reference::{Builtin, BuiltinKind};
use fsmsim_syntax::diagnostic::{Checked, Code, Diagnostic, nearest};

/// Writes the description of a built-in name.
pub fn write_builtin<W: Write>(builtin: &Builtin, out: &mut W) -> io::Result<()> {
    writeln!(
        out,
        "{}: {}\n\n{}",
        builtin.name,
        builtin.kind.noun(),
        builtin.says
    )?;
    if !builtin.value.is_empty() {
        writeln!(out, "{}: {}", builtin.kind.value_title(), builtin.value)?;
    }
    if !builtin.set.is_empty() {
        writeln!(out, "set: {}", builtin.set)?;
    }
    Ok(())
}

/// Writes the reference page in Markdown.
pub fn write_reference<W: Write>(builtins: &[Builtin], out: &mut W) -> io::Result<()> {
    writeln!(out, "# Built in\n")?;
    writeln!(
        out,
        "What flows know without saying it. `fsmsim explain NAME` shows one of these, `fsmsim explain KIND` a kind \
         (`intents`, `sources`, …).\nThis page is what `fsmsim explain --page` prints. How they work together is told in \
         [Sales dialogues](sales.md)."
    )?;
    for kind in BuiltinKind::VARIANTS {
        let name = kind.name();
        let title: String = name
            .chars()
            .take(1)
            .flat_map(char::to_uppercase)
            .chain(name.chars().skip(1))
            .collect();
        writeln!(out, "\n## {title}\n")?;
        let entries = || builtins.iter().filter(|builtin| builtin.kind == *kind);
        // A value that all entries share is written once.
        let common = entries()
            .next()
            .map(|first| &first.set)
            .filter(|set| entries().all(|builtin| builtin.set == **set));
        if let Some(set) = common {
            writeln!(out, "Set: {set}.\n")?;
        }
        let columns = [
            kind.value_title(),
            if common.is_none() { "set" } else { "" },
        ];
        let row = |cells: [&str; 2]| -> String {
            let shown = columns
                .iter()
                .zip(cells)
                .filter(|(title, _)| !title.is_empty());
            shown.fold(String::new(), |row, (_, text)| {
                row + " " + &text.replace('|', "\\|") + " |"
            })
        };
        writeln!(out, "| name | what it is |{}", row(columns))?;
        writeln!(out, "|---|---|{}", row(["---"; 2]).replace(' ', ""))?;
        for builtin in entries() {
            let says = builtin.says.replace('|', "\\|");
            writeln!(
                out,
                "| `{}` | {says} |{}",
                builtin.name,
                row([&builtin.value, &builtin.set])
            )?;
        }
    }
    Ok(())
}

/// Writes the explanation of a name: a finding code, a kind of built-in names, or a built-in name.
///
/// # Errors
/// Returns an error if writing fails; the inner result is a finding if the name is unknown.
pub fn write_explained<W: Write>(
    name: &str,
    builtins: &[Builtin],
    out: &mut W,
) -> io::Result<Checked> {
    if let Ok(code) = name.parse::<Code>() {
        writeln!(out, "{code}: {}\n\n{}", code.title(), code.explanation())?;
        return Ok(Ok(()));
    }
    if let Some(kind) = BuiltinKind::VARIANTS
        .iter()
        .find(|kind| kind.name() == name)
    {
        for builtin in builtins.iter().filter(|builtin| builtin.kind == *kind) {
            writeln!(out, "{}  {}", builtin.name, builtin.says)?;
        }
        return Ok(Ok(()));
    }
    let mut matches = builtins
        .iter()
        .filter(|builtin| builtin.is_called(name))
        .peekable();
    if matches.peek().is_some() {
        for (number, builtin) in matches.enumerate() {
            if number > 0 {
                writeln!(out)?;
            }
            write_builtin(builtin, out)?;
        }
        return Ok(Ok(()));
    }
    let code = nearest(
        &name.to_uppercase(),
        Code::ALL.iter().map(|code| code.as_str()),
    );
    let kinds = BuiltinKind::VARIANTS.iter().map(|kind| kind.name());
    let names = builtins
        .iter()
        .flat_map(|builtin| [builtin.last_name(), &*builtin.name])
        .chain(kinds);
    let near = code.or_else(|| nearest(name, names)).map(str::to_owned);
    let title = format!("there is no code `{name}`, and nothing built in is called so");
    let help = "`fsmsim explain` lists the codes, `fsmsim explain sources` the sources";
    Ok(Diagnostic::bad_arguments(title)
        .suggest(near.as_deref(), help)
        .fail())
}
