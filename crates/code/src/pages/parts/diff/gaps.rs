//! Equal lines that are left out between the hunks of a file, and the links to them.

use crate::diff::{Hunk, Kind, Line};
use kernel::html::ui;
use kernel::markup::escape;

/// Equal lines with which a hunk ends, unless the file does before.
const CONTEXT: usize = 3;

pub struct Gaps<'r> {
    /// The address of the file with all of its lines, if there are more.
    whole_at: Option<&'r str>,
    /// The next line of the new side, and what is added to its number on the old side.
    next: u32,
    shift: i64,
    /// Whether more may follow the last hunk.
    is_open: bool,
}

impl<'r> Gaps<'r> {
    pub fn new(whole_at: Option<&'r str>) -> Gaps<'r> {
        Gaps { whole_at, next: 1, shift: 0, is_open: false }
    }

    /// The link to the lines before a hunk; nothing where there are none.
    pub fn before(&mut self, hunk: &Hunk<'_>) -> String {
        let (Some(first), Some(last)) = (hunk.lines.first(), hunk.lines.last()) else {
            return String::new();
        };
        let (from, to) = (self.next, first.new.saturating_sub(1));
        let shift = i64::from(first.old) - i64::from(first.new);
        let mut lines = hunk.lines.iter().filter(|line| line.kind != Kind::Remark);
        let after = lines.next_back().map_or((last.old, last.new), behind);
        self.next = after.1;
        self.shift = i64::from(after.0) - i64::from(after.1);
        let same = hunk.lines.iter().rev().take_while(|line| line.kind == Kind::Same);
        self.is_open = same.count() >= CONTEXT;
        match to >= from {
            true => {
                let words = ui::count(u64::from(to - from) + 1, "more line");
                self.link((from, Some(to)), shift, &format!("Show {words}"))
            }
            false => String::new(),
        }
    }

    /// The link to the lines behind the last hunk, if there may be any.
    pub fn behind(&self) -> String {
        match self.is_open {
            true => self.link((self.next, None), self.shift, "Show more lines"),
            false => String::new(),
        }
    }

    fn link(&self, (from, to): (u32, Option<u32>), shift: i64, words: &str) -> String {
        let Some(at) = self.whole_at else {
            return String::new();
        };
        let to = to.map(|to| format!(" data-to=\"{to}\"")).unwrap_or_default();
        format!(
            "<a class=\"gap\" href=\"{}\" data-from=\"{from}\"{to} data-shift=\"{shift}\">\
             {words}</a> ",
            escape(at)
        )
    }
}

/// The numbers of what follows a line.
fn behind(line: &Line<'_>) -> (u32, u32) {
    let is_old = u32::from(line.kind != Kind::Added);
    let is_new = u32::from(line.kind != Kind::Removed);
    (line.old.saturating_add(is_old), line.new.saturating_add(is_new))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::hunks;

    #[test]
    fn lines_between_hunks_are_led_to() {
        let text = "@@ -5,4 +5,5 @@\n a\n+b\n c\n d\n e\n@@ -20,2 +21,1 @@\n-x\n y\n";
        let (found, _) = hunks(text, 100);
        let mut gaps = Gaps::new(Some("/f?a&b"));
        let first = gaps.before(&found[0]);
        let link =
            "href=\"/f?a&amp;b\" data-from=\"1\" data-to=\"4\" data-shift=\"0\">Show 4 more lines<";
        assert!(first.contains(link), "{first}");
        assert!(gaps.behind().contains("data-from=\"10\" data-shift=\"-1\""));
        let second = gaps.before(&found[1]);
        assert!(second.contains("data-from=\"10\" data-to=\"20\" data-shift=\"-1\""), "{second}");
        assert_eq!(gaps.behind(), "");
        let mut none = Gaps::new(None);
        assert_eq!(none.before(&found[0]), "");
    }

    #[test]
    fn a_file_that_begins_is_whole() {
        let (found, _) = hunks("@@ -0,0 +1,4 @@\n+a\n+b\n+c\n+d\n", 100);
        let mut gaps = Gaps::new(Some("/f"));
        assert_eq!((gaps.before(&found[0]), gaps.behind()), (String::new(), String::new()));
    }
}
