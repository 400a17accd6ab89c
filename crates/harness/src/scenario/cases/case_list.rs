//! Reads the cases of a scenario.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::case_table::{CaseRow, CaseTable};
use super::pairwise::pairwise;
use super::parameter_values::{ParameterValues, unknown_parameter};
use super::scenario_case::ScenarioCase;
use crate::limits::{MAX_CASES, MAX_PAIRS};
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics, FileId, Span};
use fsmsim_syntax::document::{Content, Map, Node, is_of_placeholder, wrong_type};

/// The key for cases.
pub(crate) const CASES: &str = "cases";
/// The key that limits combinations to a set that covers every pair of values.
const PAIRWISE: &str = "pairwise";

/// Reads the cases of a scenario. If they are in a CSV table, `table` is its file and text. `used` contains the
/// placeholders in the scenario. Returns `None`, with findings, if a case is invalid.
pub(crate) fn read_cases(
    node: &Node,
    table: Option<(FileId, &str)>,
    used: &BTreeMap<String, Span>,
    found: &mut Diagnostics,
) -> Option<Vec<ScenarioCase>> {
    let errors = found.error_count();
    let rows = match (&node.content, table) {
        (_, Some((file, text))) => CaseTable::read(file, text, found)?,
        (Content::List(items), None) => list(items, found)?,
        (Content::Map(map), None) => combinations(map, node.span, found)?,
        (Content::Scalar(_), None) => {
            wrong_type(
                node,
                "`cases` is a list of maps, a map of lists, or the path of a CSV file",
                found,
            );
            return None;
        }
    };
    if rows.is_empty() {
        return no_cases(node.span, found);
    }
    if rows.len() > MAX_CASES {
        return too_many(rows.len(), node.span, found);
    }
    let names = check_names(&rows, used, found);
    let cases: Vec<ScenarioCase> = rows
        .into_iter()
        .map(|CaseRow { pairs, span }| {
            ScenarioCase::new(ParameterValues::of(pairs).among(Some(span), &names), span)
        })
        .collect();
    let mut seen: BTreeMap<&str, Span> = BTreeMap::new();
    for case in &cases {
        if let Some(other) = seen.insert(&case.name, case.span) {
            Diagnostic::error(Code::BadCases, format!("duplicate case `{}`", case.name))
                .at(case.span, "second use")
                .at(other, "first use")
                .help("remove one of the two")
                .add_to(found);
        }
    }
    found.no_errors_since(errors).then_some(cases)
}

/// Reports placeholders that have no value and parameters that have no placeholder. Returns all names.
fn check_names(
    rows: &[CaseRow],
    used: &BTreeMap<String, Span>,
    found: &mut Diagnostics,
) -> Arc<[Box<str>]> {
    let mut names: Vec<(Box<str>, Span)> = Vec::new();
    for row in rows {
        // Most cases have the same names as the first one, in the same order.
        let is_like_first = row
            .pairs
            .iter()
            .map(|(name, _)| &**name)
            .eq(names.iter().map(|(name, _)| &**name));
        if is_like_first {
            continue;
        }
        for (name, _) in &row.pairs {
            if !names.iter().any(|(known, _)| **known == **name) {
                names.push(((**name).into(), row.span));
            }
        }
    }
    let known = || names.iter().map(|(name, _)| &**name);
    for (name, span) in used {
        if !known().any(|known| known == name) {
            found.push(unknown_parameter(name, *span, known()));
        }
    }
    for (name, span) in &names {
        if !name.chars().all(is_of_placeholder) || name.is_empty() {
            Diagnostic::error(Code::BadCases, format!("invalid parameter name `{name}`"))
                .at(*span, "parameter name")
                .help("use only letters, digits and `_`")
                .add_to(found);
        } else if !used.contains_key(&**name) {
            Diagnostic::error(
                Code::UnknownParameter,
                format!("parameter `{name}` is never used"),
            )
            .at(*span, "defined here")
            .near(
                name,
                used.keys().map(String::as_str),
                &*format!("use it as `\"{{{{{name}}}}}\"`, or remove it"),
            )
            .add_to(found);
        }
    }
    names.into_iter().map(|(name, _)| name).collect()
}

/// Reads cases from a list of maps.
fn list(items: &[Node], found: &mut Diagnostics) -> Option<Vec<CaseRow>> {
    let errors = found.error_count();
    let mut rows = Vec::with_capacity(items.len());
    for item in items {
        match item.map() {
            Some(map) if map.entries.is_empty() => {
                Diagnostic::error(Code::BadCases, "the case has no parameters")
                    .at(item.span, "empty")
                    .help("write `{NAME: VALUE}`")
                    .add_to(found);
            }
            Some(map) => {
                let pairs = map
                    .entries
                    .iter()
                    .map(|(key, value)| ((*key.text).into(), Arc::new(value.clone())));
                rows.push(CaseRow {
                    pairs: pairs.collect(),
                    span: item.span,
                });
            }
            None => wrong_type(item, "a case is a map", found),
        }
    }
    found.no_errors_since(errors).then_some(rows)
}

/// Reads cases from a map of lists: all combinations or, with `pairwise`, enough combinations to cover every pair.
fn combinations(map: &Map, span: Span, found: &mut Diagnostics) -> Option<Vec<CaseRow>> {
    match map.entries.as_slice() {
        [(key, value)] if &*key.text == PAIRWISE && value.list().is_none() => {
            let Some(map) = value.map() else {
                wrong_type(value, "`pairwise` is a map", found);
                return None;
            };
            let columns = columns(map, found)?;
            let sizes: Vec<usize> = columns.iter().map(|(_, values)| values.len()).collect();
            let all: usize = sizes.iter().sum();
            // Each pair is counted twice.
            let pairs = sizes
                .iter()
                .map(|size| size.saturating_mul(all - size))
                .fold(0, usize::saturating_add)
                / 2;
            if pairs > MAX_PAIRS {
                return Diagnostic::error(
                    Code::BadCases,
                    format!("too many pairs of values: {pairs}, limit {MAX_PAIRS}"),
                )
                .at(value.span, "too many pairs")
                .help("use shorter lists")
                .refuse(found);
            }
            match pairwise(&sizes, MAX_CASES) {
                Some(rows) => Some(
                    rows.iter()
                        .map(|row| combination(&columns, row, value.span))
                        .collect(),
                ),
                None => too_many(MAX_CASES + 1, value.span, found),
            }
        }
        [] => no_cases(span, found),
        _ => {
            let columns = columns(map, found)?;
            let count = columns.iter().try_fold(1_usize, |count, (_, values)| {
                count.checked_mul(values.len())
            });
            let count = count.unwrap_or(usize::MAX);
            if count > MAX_CASES {
                return too_many(count, span, found);
            }
            let row = |number: usize| {
                let mut rest = number;
                let mut row: Vec<usize> = columns
                    .iter()
                    .rev()
                    .map(|(_, values)| {
                        let value = rest % values.len();
                        rest /= values.len();
                        value
                    })
                    .collect();
                row.reverse();
                combination(&columns, &row, span)
            };
            Some((0..count).map(row).collect())
        }
    }
}

/// The parameters in a map of lists, each with its values.
type Columns = Vec<(Arc<str>, Vec<Arc<Node>>)>;

fn columns(map: &Map, found: &mut Diagnostics) -> Option<Columns> {
    let errors = found.error_count();
    let mut columns = Columns::new();
    for (key, value) in &map.entries {
        match value.list() {
            Some([]) => {
                let _ = no_cases::<()>(value.span, found);
            }
            Some(items) => columns.push((
                (*key.text).into(),
                items.iter().cloned().map(Arc::new).collect(),
            )),
            None => wrong_type(
                value,
                &format!("the values of `{}` are a list", key.text),
                found,
            ),
        }
    }
    found.no_errors_since(errors).then_some(columns)
}

fn combination(columns: &Columns, row: &[usize], span: Span) -> CaseRow {
    let pairs = columns
        .iter()
        .zip(row)
        .filter_map(|((name, values), value)| {
            Some((Arc::clone(name), Arc::clone(values.get(*value)?)))
        });
    CaseRow {
        pairs: pairs.collect(),
        span,
    }
}

/// Reports that a scenario has no cases, so that it would not test anything.
fn no_cases<T>(span: Span, found: &mut Diagnostics) -> Option<T> {
    Diagnostic::error(Code::BadCases, "the scenario has no cases")
        .at(span, "empty")
        .help(
            "write a list of maps, `[{NAME: VALUE}]`, or a map of lists, `{NAME: [VALUE]}`; in a table, one case per line",
        )
        .refuse(found)
}

fn too_many<T>(count: usize, span: Span, found: &mut Diagnostics) -> Option<T> {
    let count = if count == usize::MAX || count == MAX_CASES + 1 {
        format!("more than {MAX_CASES}")
    } else {
        count.to_string()
    };
    Diagnostic::error(
        Code::BadCases,
        format!("too many cases in the scenario: {count}, limit {MAX_CASES}"),
    )
    .at(span, "too many cases")
    .help("use fewer values, or `pairwise` for fewer combinations of the same values")
    .refuse(found)
}
