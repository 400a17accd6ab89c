//! The page of profile switches.

use super::markdown_page::MarkdownPage;
use fsmsim_core::machine::Switches;
use fsmsim_syntax::terminal::Joined;

/// The page of the switches in which the profiles differ.
pub(super) fn profile_switches() -> MarkdownPage {
    let introduction = "The [profiles](../explanation/profiles.md) `documented` and `reference` differ in these switches. The files \
         `scenarios/profiles/SWITCH.yaml` show most of them.";
    let mut page = MarkdownPage::new("Profile switches", introduction);
    let switches = Switches::NAMES.iter().zip(Switches::COMMENTS);
    let rows = switches.map(|(name, comment)| {
        let mut behaviors = comment.split(|line| line.is_empty()).map(|lines| {
            let lines = lines.iter().map(|line| line.trim());
            lines.joined(" ")
        });
        let mut behavior = || {
            let text = behaviors.next().unwrap_or_default();
            text.trim_start_matches("`reference`: ").to_owned()
        };
        [format!("`{name}`"), behavior(), behavior()]
    });
    page.table(["switch", "`documented`", "`reference`"], rows);
    page
}
