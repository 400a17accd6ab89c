//! The order of points: by how much they matter, then as the file has them; and what depends on what.

use super::point_draft::PointDraft;
use fsmsim_syntax::diagnostic::{Code, Diagnostic, Diagnostics};

/// In which order points are asked, and in which order it is looked whether they can be.
pub(super) struct PointOrder {
    /// The places of the points, in the order in which they are asked.
    pub(super) agenda: Vec<usize>,
    /// What each point depends on, by places.
    pub(super) depends_on: Vec<Vec<usize>>,
    /// The places of the points, each behind all that it depends on.
    pub(super) dependent: Vec<usize>,
}

impl PointOrder {
    /// Works out the order. Findings about names that are no points, and about circles.
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
                        Diagnostic::error(Code::BadPoint, format!("there is no point `{name}`"))
                            .at(*span, "no such point")
                            .near(
                                name,
                                points.iter().map(|point| point.id),
                                "name a point of this interview",
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

    /// Puts each point behind what it depends on, round by round: first those that depend on nothing, then those that depend
    /// on these alone. What is left when a round finds none waits for a circle. Following one dependency after the other
    /// from any of the left ones comes to a circle, but may begin outside of it: of `a → b → c → b` only `b → c → b` is told.
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
        let mut circle = vec![*first];
        // Among the points that are left, each depends on another one that is left.
        while let Some(next) = circle.last().and_then(|last| {
            self.depends_on
                .get(*last)?
                .iter()
                .find(|on| left.contains(on))
        }) {
            if let Some(start) = circle.iter().position(|place| place == next) {
                circle.drain(..start);
                break;
            }
            circle.push(*next);
        }
        let named: Vec<&str> = circle
            .iter()
            .chain(circle.first())
            .filter_map(|place| Some(points.get(*place)?.id))
            .collect();
        let Some(point) = circle.first().and_then(|place| points.get(*place)) else {
            return;
        };
        Diagnostic::error(
            Code::BadPoint,
            format!("points wait for each other: {}", named.join(" → ")),
        )
        .at(point.span, "never asked")
        .help("take one of them out of the circle")
        .add_to(found);
    }
}
