//! What differs of a file, line by line, as pages show it.

pub mod generated;
pub mod words;

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Both sides have it.
    Same,
    Removed,
    Added,
    /// What git says of the line before: its file ends without an end of line.
    Remark,
}

/// A line of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line<'t> {
    pub kind: Kind,
    /// Its number on each side, or that of the next line there.
    pub old: u32,
    pub new: u32,
    pub text: &'t str,
}

/// Lines that follow each other on both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk<'t> {
    /// What git says of it: `@@ -1,3 +1,4 @@ fn main()`.
    pub heading: &'t str,
    pub lines: Vec<Line<'t>>,
}

/// Reads the hunks of a difference, of at most so many lines; also whether there are
/// more.
pub fn hunks(text: &str, most: usize) -> (Vec<Hunk<'_>>, bool) {
    let mut hunks: Vec<Hunk<'_>> = Vec::new();
    let (mut old, mut new) = (0_u32, 0_u32);
    for (count, line) in text.split('\n').enumerate() {
        if count >= most && !line.is_empty() {
            return (hunks, true);
        }
        if let Some(begins) = beginnings(line) {
            (old, new) = begins;
            hunks.push(Hunk { heading: line, lines: Vec::new() });
            continue;
        }
        let Some(hunk) = hunks.last_mut() else { continue };
        let Some(first) = line.bytes().next() else { continue };
        let kind = match first {
            b'+' => Kind::Added,
            b'-' => Kind::Removed,
            b'\\' => Kind::Remark,
            _ => Kind::Same,
        };
        let text = line.get(1..).unwrap_or_default();
        hunk.lines.push(Line { kind, old, new, text });
        old = old.saturating_add(u32::from(matches!(kind, Kind::Same | Kind::Removed)));
        new = new.saturating_add(u32::from(matches!(kind, Kind::Same | Kind::Added)));
    }
    (hunks, false)
}

/// Where the two sides of `@@ -12,3 +14,4 @@` begin.
fn beginnings(line: &str) -> Option<(u32, u32)> {
    let mut words = line.strip_prefix("@@ ")?.split(' ');
    let mut next = |sign| {
        let word = words.next()?.strip_prefix(sign)?;
        word.split(',').next()?.parse().ok()
    };
    Some((next('-')?, next('+')?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_their_numbers() {
        let text = "@@ -1,3 +1,3 @@ fn a()\n one\n-two\n+2\n three\n\\ No newline at end of file\n\
                    @@ -9 +9,2 @@\n-@@ -1 +1 @@\n+x\n+y\n";
        let (found, is_cut) = hunks(text, 100);
        assert_eq!((found.len(), is_cut), (2, false));
        assert_eq!(found[0].heading, "@@ -1,3 +1,3 @@ fn a()");
        let told: Vec<_> = found[0]
            .lines
            .iter()
            .map(|line| (line.kind, line.old, line.new, line.text))
            .collect();
        assert_eq!(
            told,
            [
                (Kind::Same, 1, 1, "one"),
                (Kind::Removed, 2, 2, "two"),
                (Kind::Added, 3, 2, "2"),
                (Kind::Same, 3, 3, "three"),
                (Kind::Remark, 4, 4, " No newline at end of file"),
            ]
        );
        assert_eq!(found[1].lines[0].text, "@@ -1 +1 @@");
        assert_eq!((found[1].lines[2].old, found[1].lines[2].new), (10, 10));
    }

    #[test]
    fn what_is_read_is_bounded() {
        let (found, is_cut) = hunks("@@ -1 +1 @@\n-a\n+b\n", 2);
        assert!(is_cut && found[0].lines.len() == 1);
        assert_eq!(hunks("", 1), (Vec::new(), false));
        assert_eq!(hunks("Binary files a and b differ\n", 9), (Vec::new(), false));
        assert!(!hunks("@@ -4294967295 +1 @@\n-a\n-b\n", 9).1);
    }
}
