//! Lines of Markdown, told apart by whether they stand in a block of code.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'t> {
    pub text: &'t str,
    /// It belongs to a fenced block, or is indented as code.
    pub is_code: bool,
}

/// The lines of a text. Fences are read as renderers do; a block that is not
/// closed goes to the end.
pub fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    let mut fence: Option<(char, usize)> = None;
    let mut after_blank = true;
    text.lines().map(move |line| {
        let trimmed = line.trim_start_matches(' ');
        let indent = line.len() - trimmed.len();
        let mark = fence_of(trimmed).filter(|_| indent < 4);
        let is_code = match (fence, mark) {
            (None, Some((c, length, _))) => {
                fence = Some((c, length));
                true
            }
            (Some((open, least)), Some((c, length, bare))) => {
                if c == open && length >= least && bare {
                    fence = None;
                }
                true
            }
            (Some(_), None) => true,
            // Indented after a blank line only, else it continues a paragraph.
            (None, None) => after_blank && (indent >= 4 || line.starts_with('\t')),
        };
        after_blank = trimmed.trim().is_empty() || (is_code && fence.is_none());
        Line { text: line, is_code }
    })
}

/// The mark of a fence, its length, and whether nothing follows it.
fn fence_of(line: &str) -> Option<(char, usize, bool)> {
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    let rest = &line[length..];
    let opens = length >= 3 && !(mark == '`' && rest.contains('`'));
    opens.then(|| (mark, length, rest.trim().is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_told_apart() {
        let text = "a\n```rust\nb\n~~~\n```\nc\n\n    d\ne\n    f\n~~~\ng";
        let code: Vec<&str> =
            lines(text).filter(|line| line.is_code).map(|line| line.text).collect();
        assert_eq!(code, ["```rust", "b", "~~~", "```", "    d", "~~~", "g"]);
    }

    #[test]
    fn inline_code_opens_no_block() {
        assert!(lines("```a``` b\nc").all(|line| !line.is_code));
    }
}
