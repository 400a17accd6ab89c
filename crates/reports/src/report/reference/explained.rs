//! Explanations of single names: finding codes and built-in names.

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
    let help = "run `fsmsim explain` for all codes, or `fsmsim explain sources` for all sources";
    Ok(Diagnostic::unknown_argument("code or built-in name", name)
        .suggest(near.as_deref(), help)
        .fail())
}
