//! The page of findings.

use super::markdown_page::MarkdownPage;
use fsmsim_syntax::diagnostic::Code;

/// The shortest mistake of `fixtures/mistakes` for each code: a section per code with the files, the command and its output. The test
/// `mistakes` writes this file.
const MISTAKES: &str = include_str!("mistakes.md");

/// The page of all findings, by code.
pub(super) fn findings() -> MarkdownPage {
    let introduction = "Every error and every warning has a code. `fsmsim explain CODE` prints the text of one code. Codes keep \
         their meaning in later versions. `[lint]` in `fsmsim.toml` sets their levels. In an example, the first line of the file \
         is the command, and `FILE` is the path of the file.";
    let mut page = MarkdownPage::new("Findings", introduction);
    for code in Code::ALL {
        page.section(&format!("{code}: {}", code.title()));
        let example = MISTAKES
            .split_once(&format!("\n## {code}\n"))
            .and_then(|(_, after)| after.split("\n## FS").next());
        // A complete example replaces the short one.
        let is_shown = |paragraph: &&str| example.is_none() || !paragraph.starts_with("Example:");
        for paragraph in code.explanation().split("\n\n").filter(is_shown) {
            page.paragraph(paragraph);
        }
        if let Some(example) = example {
            page.verbatim(example.trim());
        }
    }
    page
}
