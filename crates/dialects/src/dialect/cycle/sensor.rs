//! Sensors: sources of observations other than models.

use strum::{EnumString, IntoStaticStr, VariantArray};

use fsmsim_syntax::diagnostic::Diagnostics;
use fsmsim_syntax::document::{Fields, Key, Node, word_of};
use fsmsim_syntax::shapes;

/// The category of a sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(super) enum SensorCategory {
    /// The execution of the task.
    System,
    /// External systems and users.
    Environment,
    /// Deadlines and schedules.
    Temporal,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Sensor<'n> {
    pub name: &'n str,
    pub category: SensorCategory,
}

/// The sensors of every cycle (docs/src/explanation/agent-cycles.md). The engine derives `hang`, `budget`,
/// `memory_error` and `deadline` from the task. The other sensors send events.
const BUILT_IN_SENSORS: [(&str, SensorCategory); 11] = [
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
    /// The built-in and the declared sensors. A declared sensor replaces a built-in sensor of the same name.
    pub(super) fn all(declared: &'n [(Key, Node)], found: &mut Diagnostics) -> Vec<Self> {
        let mut sensors: Vec<Self> = BUILT_IN_SENSORS
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
