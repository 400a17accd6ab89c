//! The page of findings.

use super::markdown_page::MarkdownPage;
use fsmsim_syntax::diagnostic::Code;

/// The page of all findings, by code.
pub(super) fn findings() -> MarkdownPage {
    let introduction = "Every error and every warning has a code. `fsmsim explain CODE` prints the text of one code. Codes keep \
         their meaning in later versions. `[lint]` in `fsmsim.toml` sets their levels.";
    let mut page = MarkdownPage::new("Findings", introduction);
    for code in Code::ALL {
        page.section(&format!("{code}: {}", code.title()));
        for paragraph in code.explanation().split("\n\n") {
            page.paragraph(paragraph);
        }
    }
    page
}
