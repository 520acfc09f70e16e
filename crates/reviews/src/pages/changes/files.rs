//! A part of the files as it is shown: by itself for the script of the page, else in the
//! page.

use super::said::Said;
use askama::Template;
use askama::filters::HtmlSafe;
use code::pages::parts::diff::FileView;
use kernel::error::{Error, Result};
use kernel::html::ui;

/// Some files, and the ways to those before and behind them.
#[derive(Debug, Template)]
#[template(path = "merge_request/files.html")]
pub struct FilesView {
    pub files: Vec<FileView>,
    /// What was said about files that are none of these.
    pub rest: Said,
    /// Addresses of the parts beside it.
    pub before: Option<String>,
    pub next: Option<String>,
    /// What is not shown, in words.
    pub note: String,
    /// Why there are no files: in short, and what is done about it.
    pub nothing: (&'static str, &'static str),
}

impl HtmlSafe for FilesView {}

/// What the heading of a file has beside its name.
#[derive(Debug, Template)]
#[template(path = "ui/file_head.html")]
pub struct FileHead {
    pub id: String,
    pub path: String,
    pub url: String,
    pub csrf: String,
    /// Where the file as a whole is commented on, for who may.
    pub say_at: Option<String>,
    /// What the file is now, and whether it was looked at so, for who marks that.
    pub mark: Option<(String, bool)>,
}

impl FileHead {
    pub fn html(&self) -> Result<String> {
        self.render().map_err(Error::internal)
    }
}
