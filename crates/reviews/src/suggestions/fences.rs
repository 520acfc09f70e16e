//! Finds suggestions in the texts of notes: blocks of code whose opening fence says
//! `suggestion` or `suggestion:-1+2`. Pure.

/// Most lines above and below that a suggestion reaches.
pub const FARTHEST: u32 = 100;
/// Suggestions of one note.
const MOST: usize = 50;
/// A fence that is indented by more is a block of code by itself.
const DEEPEST: usize = 3;
/// Shortest fence.
const SHORTEST: usize = 3;

/// What one block of a note suggests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    /// Lines above that of the note that are replaced, too.
    pub above: u32,
    /// Likewise below.
    pub below: u32,
    /// Whole lines; empty where they shall go.
    pub content: String,
}

/// A block of code whose end was not met yet.
struct Open<'b> {
    marker: u8,
    length: usize,
    indent: usize,
    /// How far it reaches, if it is a suggestion.
    reach: Option<(u32, u32)>,
    lines: Vec<&'b str>,
    /// The line that opened it.
    first: &'b str,
}

/// The suggestions of a text, in their order; at most 50.
pub fn fences(body: &str) -> Vec<Fence> {
    split(body).0
}

/// A text without the suggestions in it.
pub fn without(body: &str) -> String {
    split(body).1
}

/// The suggestions of a text, and what else stands in it.
fn split(body: &str) -> (Vec<Fence>, String) {
    let (mut found, mut rest) = (Vec::new(), Vec::new());
    let mut open: Option<Open<'_>> = None;
    for line in body.lines() {
        if open.as_ref().is_some_and(|block| block.is_closed_by(line)) {
            let block = open.take();
            found.extend(block.and_then(|block| block.end(Some(line), &mut rest)));
        } else if let Some(block) = open.as_mut() {
            block.lines.push(line);
        } else {
            open = opening(line);
            if open.is_none() {
                rest.push(line);
            }
        }
    }
    // A block without an end goes to that of the text.
    found.extend(open.and_then(|block| block.end(None, &mut rest)));
    found.truncate(MOST);
    (found, rest.join("\n"))
}

/// The block that a line begins.
fn opening(line: &str) -> Option<Open<'_>> {
    let (indent, marker, length, info) = run(line)?;
    let is_code = marker == b'~' || !info.contains('`');
    let reach = if marker == b'`' { reach(info.trim()) } else { None };
    is_code.then_some(Open {
        marker,
        length,
        indent,
        reach,
        lines: Vec::new(),
        first: line,
    })
}

/// How deep a line is indented, of which mark it has how many, and what follows; none if
/// it has too few for a fence.
fn run(line: &str) -> Option<(usize, u8, usize, &str)> {
    let rest = line.trim_start_matches(' ');
    let indent = line.len() - rest.len();
    let marker = *rest.as_bytes().first().filter(|first| matches!(first, b'`' | b'~'))?;
    let info = rest.trim_start_matches(char::from(marker));
    let length = rest.len() - info.len();
    (indent <= DEEPEST && length >= SHORTEST).then_some((indent, marker, length, info))
}

/// What `suggestion:-1+2` says.
fn reach(info: &str) -> Option<(u32, u32)> {
    let rest = info.strip_prefix("suggestion")?;
    if matches!(rest, "" | ":") {
        return Some((0, 0));
    }
    let (above, below) = rest.strip_prefix(":-")?.split_once('+')?;
    Some((lines(above)?, lines(below)?))
}

/// A number of lines; one that is too large is the largest.
fn lines(digits: &str) -> Option<u32> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(FARTHEST).min(FARTHEST))
}

impl<'b> Open<'b> {
    fn is_closed_by(&self, line: &str) -> bool {
        run(line).is_some_and(|(_, marker, length, info)| {
            marker == self.marker && length >= self.length && info.trim().is_empty()
        })
    }

    /// What it suggests; another block is a part of the rest of the text.
    fn end(self, last: Option<&'b str>, rest: &mut Vec<&'b str>) -> Option<Fence> {
        let Some((above, below)) = self.reach else {
            rest.push(self.first);
            rest.extend(self.lines);
            rest.extend(last);
            return None;
        };
        let mut content = String::new();
        for line in self.lines {
            content.push_str(unindented(line, self.indent));
            content.push('\n');
        }
        Some(Fence { above, below, content })
    }
}

/// A line without the blanks that its fence has before it.
fn unindented(line: &str, indent: usize) -> &str {
    let blanks = line.bytes().take(indent).take_while(|byte| *byte == b' ').count();
    line.get(blanks..).unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn one(above: u32, below: u32, content: &str) -> Vec<Fence> {
        vec![Fence { above, below, content: content.into() }]
    }

    #[test]
    fn suggestions_are_found() {
        assert_eq!(fences("so:\n```suggestion\nnew\n```\nok"), one(0, 0, "new\n"));
        assert_eq!(fences("```suggestion:-1+20\na\n\nb\n```"), one(1, 20, "a\n\nb\n"));
        assert_eq!(fences("```suggestion:-0+0\r\na\r\n```\r\n"), one(0, 0, "a\n"));
        assert_eq!(fences("```suggestion\n```"), one(0, 0, ""));
        assert_eq!(fences("```suggestion\n\n```"), one(0, 0, "\n"));
        assert_eq!(fences("``` suggestion:-2+0 \na\n```"), one(2, 0, "a\n"));
        assert_eq!(fences("```suggestion\nno end"), one(0, 0, "no end\n"));
        assert_eq!(fences("  ```suggestion\n    a\n b\n  ```"), one(0, 0, "  a\nb\n"));
    }

    #[test]
    fn longer_fences_hold_shorter_ones() {
        let body = "````suggestion:-0+1\n```sh\nls\n```\n````";
        assert_eq!(fences(body), one(0, 1, "```sh\nls\n```\n"));
        assert!(fences("````md\n```suggestion\na\n```\n````").is_empty());
        assert!(fences("~~~md\n```suggestion\na\n```\n~~~").is_empty());
        assert_eq!(
            fences("```suggestion\n~~~\n`````").first().map(|one| &*one.content),
            Some("~~~\n")
        );
    }

    #[test]
    fn the_rest_of_a_text_stays() {
        let body = "so:\n```suggestion\nnew\n```\nand\n```sh\nls\n```\n~~~\n```suggestion\n~~~";
        assert_eq!(without(body), "so:\nand\n```sh\nls\n```\n~~~\n```suggestion\n~~~");
        assert_eq!(without("```suggestion\nno end"), "");
        assert_eq!(without("```sh\nno end"), "```sh\nno end");
    }

    #[test]
    fn far_is_not_farther_than_the_bound() {
        assert_eq!(fences("```suggestion:-101+99999999999\na\n```"), one(100, 100, "a\n"));
    }

    #[test]
    fn other_blocks_are_none() {
        for body in [
            "```rust\na\n```",
            "``suggestion\na\n``",
            "~~~suggestion\na\n~~~",
            "    ```suggestion\na\n```",
            "```suggestion:+1-1\na\n```",
            "```suggestion:-1\na\n```",
            "```suggestion:-+1\na\n```",
            "```suggestion:-1+1x\na\n```",
            "```suggestions\na\n```",
            "```suggestion `x`\na\n",
            "a ```suggestion\na\n```",
        ] {
            assert!(fences(body).is_empty(), "{body:?}");
        }
        assert_eq!(fences(&"```suggestion\na\n```\n".repeat(60)).len(), 50);
    }

    proptest! {
        #[test]
        fn what_was_fenced_in_comes_out(lines in "([ -_a-z]{0,9}\n){0,5}", above: u8, below: u8) {
            let body = format!("text\n\n```suggestion:-{above}+{below}\n{lines}```\nmore");
            let far = |lines: u8| u32::from(lines).min(FARTHEST);
            prop_assert_eq!(fences(&body), one(far(above), far(below), &lines));
        }

        #[test]
        fn any_text_breaks_nothing(body in "([`~]{0,5}(suggestion)?[:+0-9-]{0,5}.{0,3}\r?\n){0,9}") {
            for fence in fences(&body) {
                prop_assert!(fence.above <= FARTHEST && fence.below <= FARTHEST);
                prop_assert!(fence.content.is_empty() || fence.content.ends_with('\n'));
            }
        }
    }
}
