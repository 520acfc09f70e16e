//! Feeds of commits, tags and releases, for readers that speak Atom (RFC 4287).

use super::parts::commit_rows::{name, title};
use crate::visible::visible;
use askama::Template;
use http::{HeaderValue, StatusCode, header};
use identity::feed_tokens;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::html::Page;
use kernel::http::{Response, reply};
use kernel::time::{Timestamp, wire};
use repositories::objects::{Commit, Person};

/// Letters of what a commit says.
const SUMMARY: usize = 10_000;

kernel::params! {
    /// As what a list is asked for.
    #[derive(Default)]
    pub struct FeedParams {
        /// `atom` is a feed.
        pub format: Option<String>,
    }
}

impl FeedParams {
    /// Whether the feed is asked for.
    pub fn is_feed(&self) -> bool {
        self.format.as_deref() == Some("atom")
    }
}

/// Scopes of tokens that read feeds.
pub const SCOPES: &[&str] = &["api", "read_api", "read_user"];

/// A page that says where its feed is, which stands on this path.
pub fn offered(app: &App, viewer: &Viewer, page: Page, path: &str) -> Page {
    feed_tokens::offer(app, viewer, page, &address(path))
}

/// The feed of the page on this path.
fn address(path: &str) -> String {
    format!("{path}?format=atom")
}

#[derive(Template)]
#[template(path = "feed.xml")]
pub struct AtomFeed {
    title: String,
    /// Its own address, without what the reader proved itself by.
    url: String,
    /// The page it is about.
    page: String,
    updated: String,
    entries: Vec<Entry>,
}

struct Entry {
    url: String,
    title: String,
    updated: String,
    name: String,
    email: String,
    summary: String,
}

impl AtomFeed {
    /// A feed of the page on this path, which is asked for there.
    pub fn new(app: &App, title: String, path: &str) -> AtomFeed {
        AtomFeed::on(app, title, path, &address(path))
    }

    /// The same of one with an address of its own.
    pub fn on(app: &App, title: String, path: &str, own: &str) -> AtomFeed {
        AtomFeed {
            title: clean(&title),
            url: app.url(own),
            page: app.url(path),
            updated: wire::text(Timestamp::UNIX_EPOCH),
            entries: Vec::new(),
        }
    }

    /// Adds something that somebody made, the newest first.
    pub fn add(&mut self, url: String, title: &str, person: &Person, text: &str) {
        let updated = wire::text(person.at);
        if self.entries.is_empty() {
            self.updated.clone_from(&updated);
        }
        let summary: String = text.trim().chars().take(SUMMARY).collect();
        self.entries.push(Entry {
            url,
            title: clean(title),
            updated,
            name: clean(&name(&person.name)),
            email: clean(&person.email),
            summary: clean(&summary),
        });
    }

    /// Adds a commit of the project at this address.
    pub fn add_commit(&mut self, app: &App, project_url: &str, commit: &Commit) {
        let url = app.url(&format!("{project_url}/-/commit/{}", commit.id));
        let person = Person { at: commit.committer.at, ..commit.author.clone() };
        self.add(url, &title(commit), &person, &commit.message);
    }

    pub fn answer(&self) -> Result<Response> {
        let body = self.render().map_err(Error::internal)?;
        let mut response = reply::text(StatusCode::OK, body);
        let kind = HeaderValue::from_static("application/atom+xml; charset=utf-8");
        response.headers_mut().insert(header::CONTENT_TYPE, kind);
        Ok(response)
    }
}

/// A text without letters that XML does not have.
fn clean(text: &str) -> String {
    let is_xml =
        |c: &char| matches!(c, '\t' | '\n') || (*c >= ' ' && !matches!(c, '\u{fffe}' | '\u{ffff}'));
    visible(text).chars().filter(is_xml).collect()
}
