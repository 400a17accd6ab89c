//! A sensor as it is written: somebody who observes the world, and no model.

use strum::{EnumString, IntoStaticStr, VariantArray};

use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::document::{Fields, Key, Node, word_of};
use fsmsim_syntax::shapes;

/// What a sensor looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(super) enum SensorCategory {
    /// The work itself.
    System,
    /// The world around it.
    Environment,
    /// The time.
    Temporal,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Sensor<'n> {
    pub(super) name: &'n str,
    pub(super) category: SensorCategory,
}

/// The sensors of every cycle (docs/cycles.md, "Sensors"). `hang`, `budget`, `memory_error` and `deadline` are read off the
/// task itself; the others come as events.
const OF_EVERY_CYCLE: [(&str, SensorCategory); 11] = [
    ("task_state", SensorCategory::System),
    ("hang", SensorCategory::System),
    ("budget", SensorCategory::System),
    ("memory_error", SensorCategory::System),
    ("api", SensorCategory::Environment),
    ("ci", SensorCategory::Environment),
    ("git", SensorCategory::Environment),
    ("user_feedback", SensorCategory::Environment),
    ("deadline", SensorCategory::Temporal),
    ("timeout", SensorCategory::Temporal),
    ("cron", SensorCategory::Temporal),
];

impl<'n> Sensor<'n> {
    /// The sensors of a cycle that declares these.
    pub(super) fn all(declared: &'n [(Key, Node)], found: &mut Diagnostics) -> Vec<Self> {
        let mut sensors: Vec<Self> = OF_EVERY_CYCLE
            .into_iter()
            .map(|(name, category)| Self { name, category })
            .collect();
        for (key, node) in declared {
            let Some(sensor) = Self::read(key, node, found) else {
                continue;
            };
            match sensors.iter_mut().find(|known| known.name == sensor.name) {
                Some(known) => *known = sensor,
                None => sensors.push(sensor),
            }
        }
        sensors
    }

    fn read(key: &'n Key, node: &'n Node, found: &mut Diagnostics) -> Option<Self> {
        let mut fields = Fields::of(node, &shapes::SENSOR, found)?;
        fields.text("about");
        let category = fields.required("category");
        fields.finish();
        let category = word_of(category?, "category", found)?;
        Some(Self {
            name: &key.text,
            category,
        })
    }
}
