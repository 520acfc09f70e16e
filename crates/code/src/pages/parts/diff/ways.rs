//! How what differs is shown, and the addresses of the same shown otherwise.

use crate::entity::in_address;
use askama::Template;
use askama::filters::HtmlSafe;
use kernel::error::{Error, Result};
use repositories::diffs::FileDiff;
use repositories::objects::Path;

/// Lines around each change where all are shown: no file has more.
const ALL_LINES: u32 = 100_000_000;

kernel::params! {
    /// How what differs is shown.
    #[derive(Default)]
    pub struct DiffParams {
        /// `parallel` has both sides beside each other.
        pub view: Option<String>,
        /// `1` leaves out changes of white space.
        pub w: Option<String>,
        /// One file alone.
        pub path: Option<String>,
        /// Its path before, if that is another.
        pub old_path: Option<String>,
        /// `full` has all lines of that file.
        pub context: Option<String>,
    }
}

/// How it is shown, and the addresses of the same shown otherwise. As a part of a page it
/// is the links to these.
#[derive(Debug, Clone, Default, Template)]
#[template(path = "ui/diff_views.html")]
pub struct Ways {
    /// The page, without what is told below.
    url: String,
    is_parallel: bool,
    ignores_space: bool,
    path: Option<String>,
    old_path: Option<String>,
    is_whole: bool,
}

impl HtmlSafe for Ways {}

impl Ways {
    /// As the parameters of an address say.
    pub fn of(url: &str, params: &DiffParams) -> Ways {
        let path = |path: &Option<String>| path.clone().filter(|path| !path.is_empty());
        let is = |param: &Option<String>, value: &str| param.as_deref() == Some(value);
        Ways {
            url: url.to_owned(),
            is_parallel: is(&params.view, "parallel"),
            ignores_space: is(&params.w, "1"),
            path: path(&params.path),
            old_path: path(&params.old_path),
            is_whole: path(&params.path).is_some() && is(&params.context, "full"),
        }
    }

    /// Both sides stand beside each other.
    pub fn is_parallel(&self) -> bool {
        self.is_parallel
    }

    /// Changes of white space are left out.
    pub fn ignores_space(&self) -> bool {
        self.ignores_space
    }

    /// All lines of one file are shown.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// The file that is shown alone, if one is.
    pub fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }

    /// The paths of that file on both sides, none of all.
    ///
    /// # Errors
    ///
    /// `NotFound` where one is no path.
    pub fn paths(&self) -> Result<Vec<String>> {
        let paths = self.path.iter().chain(&self.old_path);
        let paths = paths.map(|path| Path::read(path).map(|path| path.to_string()));
        let paths = paths.collect::<std::result::Result<_, _>>();
        paths.map_err(|_| Error::NotFound("File"))
    }

    /// Equal lines around each change, if not the usual number.
    pub fn context(&self) -> Option<u32> {
        self.is_whole.then_some(ALL_LINES)
    }

    /// The address of what is shown.
    pub fn url(&self) -> String {
        let pairs = [
            ("view", self.is_parallel.then_some("parallel")),
            ("w", self.ignores_space.then_some("1")),
            ("path", self.path.as_deref()),
            ("old_path", self.old_path.as_deref()),
            ("context", self.is_whole.then_some("full")),
        ];
        let said = pairs.iter().filter_map(|(name, value)| Some((name, (*value)?)));
        let said: Vec<String> =
            said.map(|(name, value)| format!("{name}={}", in_address(value))).collect();
        match said.is_empty() {
            true => self.url.clone(),
            false => {
                let joint = if self.url.contains('?') { '&' } else { '?' };
                format!("{}{joint}{}", self.url, said.join("&"))
            }
        }
    }

    /// The same beside each other, or below one another.
    pub fn parallel(&self, is_parallel: bool) -> String {
        Ways { is_parallel, ..self.clone() }.url()
    }

    /// The same with changes of white space, or without.
    pub fn space(&self) -> String {
        Ways { ignores_space: !self.ignores_space, ..self.clone() }.url()
    }

    /// All files.
    pub fn all(&self) -> String {
        Ways { path: None, old_path: None, is_whole: false, ..self.clone() }.url()
    }

    /// One file alone.
    pub fn alone(&self, file: &FileDiff) -> String {
        self.of_file(file, false)
    }

    /// One file alone with all of its lines.
    pub fn whole(&self, file: &FileDiff) -> String {
        self.of_file(file, true)
    }

    fn of_file(&self, file: &FileDiff, is_whole: bool) -> String {
        let path = Some(file.new_path.clone());
        let old_path = (file.old_path != file.new_path).then(|| file.old_path.clone());
        Ways { path, old_path, is_whole, ..self.clone() }.url()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_remember_how_it_is_shown() {
        let params = DiffParams {
            view: Some("parallel".into()),
            w: Some("1".into()),
            path: Some("a b&c".into()),
            ..DiffParams::default()
        };
        let ways = Ways::of("/p/-/commit/1", &params);
        assert_eq!(ways.url(), "/p/-/commit/1?view=parallel&w=1&path=a%20b%26c");
        assert_eq!(ways.parallel(false), "/p/-/commit/1?w=1&path=a%20b%26c");
        assert_eq!(ways.all(), "/p/-/commit/1?view=parallel&w=1");
        assert_eq!(Ways::of("/p", &DiffParams::default()).url(), "/p");
        let whole = DiffParams { context: Some("full".into()), ..params };
        let whole = Ways::of("/p?diff_id=1", &whole);
        assert!(whole.url().starts_with("/p?diff_id=1&view=parallel&"));
        assert!(whole.url().ends_with("&context=full") && !whole.all().contains("context"));
        let none = DiffParams { context: Some("full".into()), ..DiffParams::default() };
        assert_eq!(Ways::of("/p", &none).context(), None);
        let wrong = DiffParams { path: Some("../x".into()), ..DiffParams::default() };
        assert!(Ways::of("/p", &wrong).paths().is_err());
    }
}
