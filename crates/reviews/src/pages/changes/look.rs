//! How the changes are shown, as their address says it, and the addresses of the same
//! shown otherwise.

use super::points::PointText;
use code::entity::in_address;
use code::pages::parts::diff::{DiffParams, Ways};
use http::header;
use kernel::http::params::{FromParams, Source, parse_form};
use kernel::http::{Flat, RequestContext};

kernel::params! {
    /// What of the changes is shown, and how.
    #[derive(Default)]
    pub struct Look {
        /// The version, by its id; else the newest.
        pub diff_id: Option<i64>,
        /// The head of the version that it is compared with; else the target branch.
        pub start_sha: Option<String>,
        pub diff: Flat<DiffParams>,
        /// Which part of the files.
        pub page: Option<i64>,
        /// The files alone, without the page around them.
        pub part: Option<bool>,
        /// The line, or the file, that is commented on.
        pub comment: Option<String>,
        /// The first line, where these are several.
        pub from: Option<String>,
        /// The point of a picture that is commented on.
        pub point: Flat<PointText>,
        /// The comment begins with a suggestion.
        pub suggest: Option<bool>,
        /// The note or the thread that is looked for.
        pub note: Option<i64>,
        pub thread: Option<String>,
        /// The draft note that is looked for.
        pub draft: Option<i64>,
        /// The file that is looked for, by its name on the page.
        pub file: Option<String>,
        /// The note whose form to change it is open.
        pub edit: Option<i64>,
    }
}

impl Look {
    /// How the page looks that a form was sent from, as far as it says so.
    pub fn of_referrer(request: &RequestContext) -> Look {
        let address = request.header(header::REFERER).unwrap_or_default();
        let query = address.split_once('?').map_or("", |(_, query)| query);
        let query = query.split('#').next().unwrap_or_default();
        let mut source = Source::new();
        if parse_form(query.as_bytes(), &mut source).is_err() {
            return Look::default();
        }
        Look::from_params(&source).unwrap_or_default()
    }

    /// The changes of which version: their address, without how they are shown.
    fn version_url(&self, url: &str) -> String {
        let id = self.diff_id.map(|id| format!("diff_id={id}"));
        let sha = self.start_sha.as_deref().filter(|sha| !sha.is_empty());
        let sha = sha.map(|sha| format!("start_sha={}", in_address(sha)));
        let said: Vec<String> = id.into_iter().chain(sha).collect();
        match said.is_empty() {
            true => url.to_owned(),
            false => format!("{url}?{}", said.join("&")),
        }
    }

    /// The ways to show it; `url` is the address of the changes.
    pub fn ways(&self, url: &str) -> Ways {
        Ways::of(&self.version_url(url), &self.diff)
    }

    /// The address to which a parameter is added.
    pub fn here(&self, url: &str) -> String {
        let shown = self.ways(url).url();
        let joint = if shown.contains('?') { '&' } else { '?' };
        format!("{shown}{joint}")
    }

    /// The same without what is before the question mark.
    pub fn query(&self) -> String {
        self.here("")
    }

    /// Where a note stands.
    pub fn at_note(&self, url: &str, id: i64) -> String {
        format!("{}note={id}#note_{id}", self.here(url))
    }

    /// Where a thread stands.
    pub fn at_thread(&self, url: &str, id: &str) -> String {
        format!("{}thread={}#discussion_{id}", self.here(url), in_address(id))
    }

    /// Where a draft note stands.
    pub fn at_draft(&self, url: &str, id: i64) -> String {
        format!("{}draft={id}#draft_{id}", self.here(url))
    }

    /// Where a file stands; without one, where the files begin.
    pub fn at_file(&self, url: &str, file: Option<&str>) -> String {
        match file {
            Some(file) => format!("{}file={file}#{file}", self.here(url)),
            None => self.ways(url).url(),
        }
    }

    /// A part of all files.
    pub fn at_page(&self, url: &str, page: usize) -> String {
        let all = Look {
            diff: Flat(DiffParams {
                path: None,
                old_path: None,
                context: None,
                ..self.diff.0.clone()
            }),
            ..self.clone()
        };
        match page {
            0 | 1 => all.ways(url).url(),
            page => format!("{}page={page}", all.here(url)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(query: &str) -> Look {
        let mut source = Source::new();
        parse_form(query.as_bytes(), &mut source).unwrap();
        Look::from_params(&source).unwrap()
    }

    #[test]
    fn addresses_remember_what_is_shown() {
        let look = look("diff_id=7&start_sha=ab&view=parallel&w=1&page=3&comment=x");
        let at = "/p/diffs?diff_id=7&start_sha=ab&view=parallel&w=1";
        assert_eq!(look.ways("/p/diffs").url(), at);
        assert_eq!(look.query(), "?diff_id=7&start_sha=ab&view=parallel&w=1&");
        assert_eq!(look.at_note("/p/diffs", 5), format!("{at}&note=5#note_5"));
        assert_eq!(look.at_page("/p/diffs", 2), format!("{at}&page=2"));
        assert_eq!(look.at_page("/p/diffs", 1), at);
        assert_eq!(Look::default().at_thread("/p", "ab"), "/p?thread=ab#discussion_ab");
        assert_eq!(Look::default().query(), "?");
    }
}
