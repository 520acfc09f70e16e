//! Where the line of a note stands: upstream sends the part of the difference above it, of
//! which the last line is the one it is about.

/// The numbers of a line: both for one that is unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numbers {
    pub old: Option<u32>,
    pub new: Option<u32>,
}

impl Numbers {
    pub fn is_unchanged(self) -> bool {
        self.old.is_some() && self.new.is_some()
    }
}

/// The numbers of the last line of a hunk.
pub fn last(hunk: &str) -> Option<Numbers> {
    let (mut next, mut last) = (None, None);
    for line in hunk.lines() {
        if let Some(begin) = begin(line) {
            (next, last) = (Some(begin), None);
            continue;
        }
        let Some((old, new)) = &mut next else {
            continue;
        };
        let numbers = match line.bytes().next() {
            Some(b'\\') => continue,
            Some(b'+') => Numbers { old: None, new: Some(*new) },
            Some(b'-') => Numbers { old: Some(*old), new: None },
            _ => Numbers { old: Some(*old), new: Some(*new) },
        };
        *old = old.saturating_add(u32::from(numbers.old.is_some()));
        *new = new.saturating_add(u32::from(numbers.new.is_some()));
        last = Some(numbers);
    }
    last
}

/// `@@ -7,3 +9,4 @@`: the first line on each side.
fn begin(line: &str) -> Option<(u32, u32)> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let number = |side: &str| side.split(',').next()?.parse().ok();
    Some((number(old)?, number(new)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(old: Option<u32>, new: Option<u32>) -> Option<Numbers> {
        Some(Numbers { old, new })
    }

    #[test]
    fn the_last_line_is_counted() {
        for (hunk, expected) in [
            ("@@ -16,33 +16,40 @@ fn x\n a\n b\n+c", numbers(None, Some(18))),
            ("@@ -16,33 +20,40 @@\n a\n-b\n-c", numbers(Some(18), None)),
            ("@@ -1 +1,2 @@\n-a\n+b\n c", numbers(Some(2), Some(2))),
            ("@@ -0,0 +1,2 @@\n+a\n+b\n\\ No newline at end of file", numbers(None, Some(2))),
            ("@@ -1,2 +1,2 @@\n a\n@@ -9,1 +9,2 @@\n+x", numbers(None, Some(9))),
            ("@@ -5,2 +5,2 @@\n a\n", numbers(Some(5), Some(5))),
            ("@@ -5,2 +5,2 @@\n a\n\n", numbers(Some(6), Some(6))),
        ] {
            assert_eq!(last(hunk), expected, "{hunk}");
        }
        for nonsense in ["", "a\nb", "@@ -x +1 @@\n a", "@@ -1,2 +1,2 @@"] {
            assert_eq!(last(nonsense), None, "{nonsense}");
        }
    }
}
