//! The order of points: by priority, then by position in the file. Also checks their dependencies.

use super::point_draft::PointDraft;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};

/// The order in which points are asked, and the order in which their dependencies are checked.
pub(super) struct PointOrder {
    /// The indexes of the points, in the order in which they are asked.
    pub agenda: Vec<usize>,
    /// The indexes of the dependencies of each point.
    pub depends_on: Vec<Vec<usize>>,
    /// The indexes of the points, each after its dependencies.
    pub dependent: Vec<usize>,
}

impl PointOrder {
    /// Computes the order. Reports unknown points and circular dependencies.
    pub(super) fn of(points: &[PointDraft<'_>], found: &mut Diagnostics) -> Self {
        let mut agenda: Vec<usize> = (0..points.len()).collect();
        agenda.sort_by_key(|place| points.get(*place).map(|point| point.priority));
        let place = |name: &str| points.iter().position(|point| point.id == name);
        let mut depends_on = Vec::with_capacity(points.len());
        for point in points {
            let mut places = Vec::new();
            for (name, span) in &point.depends_on {
                match place(name) {
                    Some(other) => places.push(other),
                    None => {
                        Diagnostic::undefined(Code::BadPoint, "point", name, *span)
                            .near(
                                name,
                                points.iter().map(|point| point.id),
                                "use a point of this interview",
                            )
                            .add_to(found);
                    }
                }
            }
            depends_on.push(places);
        }
        let mut order = Self {
            agenda,
            depends_on,
            dependent: Vec::new(),
        };
        order.sort(points, found);
        order
    }

    /// Sorts the points topologically, in rounds: first the points without dependencies, then those that depend only on
    /// earlier ones. If a round finds no point, the remaining points depend on a cycle. The chain of dependencies from
    /// any remaining point leads to the cycle, but can start outside of it: for `a → b → c → b` only `b → c → b` is
    /// reported.
    fn sort(&mut self, points: &[PointDraft<'_>], found: &mut Diagnostics) {
        let mut left: Vec<usize> = (0..points.len()).collect();
        loop {
            let is_ready = |place: &usize| {
                self.depends_on
                    .get(*place)
                    .is_none_or(|on| on.iter().all(|other| self.dependent.contains(other)))
            };
            let (ready, rest): (Vec<usize>, Vec<usize>) =
                left.iter().partition(|place| is_ready(place));
            if ready.is_empty() {
                break;
            }
            self.dependent.extend(ready);
            left = rest;
        }
        let Some(first) = left.first() else { return };
        let mut cycle = vec![*first];
        // Each remaining point depends on another remaining point.
        while let Some(next) = cycle.last().and_then(|last| {
            self.depends_on
                .get(*last)?
                .iter()
                .find(|on| left.contains(on))
        }) {
            if let Some(start) = cycle.iter().position(|place| place == next) {
                cycle.drain(..start);
                break;
            }
            cycle.push(*next);
        }
        let named: Vec<&str> = cycle
            .iter()
            .chain(cycle.first())
            .filter_map(|place| Some(points.get(*place)?.id))
            .collect();
        let Some(point) = cycle.first().and_then(|place| points.get(*place)) else {
            return;
        };
        Diagnostic::error(
            Code::BadPoint,
            format!("circular dependency between points: {}", named.join(" → ")),
        )
        .at(point.span, "never asked")
        .help("remove one dependency from the cycle")
        .add_to(found);
    }
}
