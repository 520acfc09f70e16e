//! Where a list goes on that nobody counted.

use askama::Template;
use askama::filters::HtmlSafe;
use kernel::html::ui;

/// Rows of a page.
pub const ROWS: usize = 40;
/// Pages that are led to: what is behind them is found by narrowing the list.
const MOST_PAGES: usize = 2500;

kernel::params! {
    /// Which part of a list.
    #[derive(Default)]
    pub struct PagePart {
        /// From 1.
        pub page: Option<String>,
    }
}

impl PagePart {
    /// From 0.
    fn index(&self) -> usize {
        let number = self.page.as_deref().and_then(|page| page.parse::<usize>().ok());
        number.unwrap_or(1).clamp(1, MOST_PAGES) - 1
    }

    /// Rows before it.
    pub fn skip(&self, rows: usize) -> usize {
        self.index() * rows
    }
}

/// Links to the part before and the part after.
#[derive(Debug, Clone, Default, Template)]
#[template(path = "ui/older.html")]
pub struct Older {
    newer: Option<String>,
    older: Option<String>,
}

impl HtmlSafe for Older {}

impl Older {
    /// The links around a part; `url` is the list's address with its other parameters.
    pub fn of(part: &PagePart, has_more: bool, url: &str) -> Older {
        let joint = if url.contains('?') { '&' } else { '?' };
        let at = part.index() + 1;
        let to = |page: usize| match page {
            1 => url.to_owned(),
            page => format!("{url}{joint}page={page}"),
        };
        Older {
            newer: (at > 1).then(|| to(at - 1)),
            older: (has_more && at < MOST_PAGES).then(|| to(at + 1)),
        }
    }

    /// Takes the one row more that was read off a list to see whether there is more.
    pub fn cut<T>(rows: &mut Vec<T>, most: usize) -> bool {
        let has_more = rows.len() > most;
        rows.truncate(most);
        has_more
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_lead_to_each_other() {
        let part = |page: &str| PagePart { page: Some(page.into()) };
        let third = Older::of(&part("3"), true, "/c?a=b");
        assert_eq!(third.newer.as_deref(), Some("/c?a=b&page=2"));
        assert_eq!(third.older.as_deref(), Some("/c?a=b&page=4"));
        let first = Older::of(&PagePart::default(), false, "/c");
        assert_eq!((first.newer, first.older), (None, None));
        assert_eq!(Older::of(&part("2"), false, "/c").newer.as_deref(), Some("/c"));
        for odd in ["0", "-1", "x", ""] {
            assert_eq!(part(odd).skip(20), 0, "{odd}");
        }
        assert_eq!(part("999999999999").skip(20), (MOST_PAGES - 1) * 20);
        let mut rows = vec![1, 2, 3];
        assert!(Older::cut(&mut rows, 2) && rows == [1, 2] && !Older::cut(&mut rows, 2));
    }
}
