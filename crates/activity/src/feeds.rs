//! Feeds of what people did, for readers that speak Atom (RFC 4287).

use crate::list::{Event, Events, Of};
use crate::pages;
use crate::telling::{Story, Telling};
use askama::Template;
use http::{HeaderValue, Method, StatusCode, header};
use identity::users;
use identity::viewer::{SignedInViewer, Viewer};
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{RequestContext, Response, Routes, reply};
use kernel::time::{Timestamp, date_of, wire};
use spaces::pages::{Address, GROUP, PROJECT, PathTarget};
use std::sync::Arc;
use store::Tx;

/// Scopes of tokens that read them.
const READ_USER: &[&str] = &["api", "read_api", "read_user"];
/// What the address of a feed ends with.
const END: &str = ".atom";
/// Entries of a feed.
const ENTRIES: i64 = 50;
/// Letters of a title.
const TITLE: usize = 160;

pub fn routes(r: &mut Routes) {
    for place in [PROJECT, GROUP] {
        r.plain(Method::GET, &format!("{place}{END}"), of_path).feed().scopes(READ_USER);
    }
    r.plain(Method::GET, "/dashboard/projects.atom", of_memberships)
        .feed()
        .scopes(READ_USER);
}

#[derive(Template)]
#[template(path = "feed.xml")]
struct Feed {
    title: String,
    /// Its own address, without what the reader proved itself by.
    url: String,
    /// The page it is about.
    page: String,
    updated: String,
    entries: Vec<Entry>,
}

struct Entry {
    id: String,
    url: String,
    title: String,
    updated: String,
    picture: Option<String>,
    username: String,
    name: String,
    summary: String,
}

/// What a feed is about.
struct Subject {
    title: String,
    /// Its page, from the address of the instance on.
    page: String,
    events: Option<Events>,
}

async fn of_path(app: App, viewer: Viewer, request: Arc<RequestContext>) -> Result<Response> {
    let address = Address::of(&request)?.without(END);
    let (handle, path) = (app.clone(), request.uri.path().to_owned());
    let feed = app.read(move |tx| {
        let subject = match PathTarget::find(tx, &viewer, address)? {
            PathTarget::Space(space) => Subject {
                title: format!("{} activity", space.full_path()),
                page: space.url(),
                events: Some(Events::of(Of::Place(pages::place(&space)))),
            },
            PathTarget::Person(user) => Subject {
                title: format!("{} activity", user.name),
                page: format!("/{}", user.username),
                events: pages::seen(tx, &viewer, &user)?.map(Events::of),
            },
        };
        read(&handle, tx, &viewer, subject, &path)
    });
    answer(&feed.await?)
}

async fn of_memberships(app: App, caller: SignedInViewer) -> Result<Response> {
    let (handle, viewer) = (app.clone(), caller.viewer());
    let feed = app.read(move |tx| {
        let subject = Subject {
            title: "Activity in your projects".to_owned(),
            page: "/dashboard/activity".to_owned(),
            events: Some(Events::of(Of::Memberships(caller.0.user.id))),
        };
        read(&handle, tx, &viewer, subject, "/dashboard/projects.atom")
    });
    answer(&feed.await?)
}

fn read(app: &App, tx: &mut Tx<'_>, viewer: &Viewer, subject: Subject, path: &str) -> Result<Feed> {
    let events = match subject.events {
        Some(events) => events.newest(tx, viewer, ENTRIES)?,
        None => Vec::new(),
    };
    let story = Story::read(tx, &events)?;
    let newest = events.first().map_or(Timestamp::UNIX_EPOCH, |event| event.created_at);
    Ok(Feed {
        title: clean(&subject.title, TITLE),
        url: app.url(path),
        page: app.url(&subject.page),
        updated: wire::text(newest),
        entries: events.iter().map(|event| entry(app, &story, event)).collect(),
    })
}

fn entry(app: &App, story: &Story, event: &Event) -> Entry {
    let told = story.tell(event);
    let day = date_of(event.created_at);
    Entry {
        id: format!("tag:{},{day}:{}", host(app.base_url()), event.id),
        url: app.url(told.url()),
        title: clean(&told.line(), TITLE),
        updated: wire::text(event.created_at),
        picture: told.author.and_then(|user| users::avatar_url(app, user)),
        username: told.author.map(|user| user.username.clone()).unwrap_or_default(),
        name: clean(told.author_name(), TITLE),
        summary: summary(&told),
    }
}

fn summary(told: &Telling<'_>) -> String {
    match told.excerpt.as_str() {
        "" => clean(&told.line(), usize::MAX),
        excerpt => clean(excerpt, usize::MAX),
    }
}

/// The name of the host in an address, without its port.
fn host(base_url: &str) -> &str {
    let rest = base_url.split_once("://").map_or(base_url, |(_, rest)| rest);
    let end = match rest.find(']') {
        Some(end) => end + 1,
        None => rest.find([':', '/']).unwrap_or(rest.len()),
    };
    &rest[..end]
}

/// At most so many letters, without those that XML does not have.
fn clean(text: &str, most: usize) -> String {
    let is_xml = |c: &char| match c {
        '\t' | '\n' | '\r' => true,
        '\u{fffe}' | '\u{ffff}' => false,
        c => *c >= ' ',
    };
    text.chars().filter(is_xml).take(most).collect()
}

fn answer(feed: &Feed) -> Result<Response> {
    let body = feed.render().map_err(Error::internal)?;
    let mut response = reply::text(StatusCode::OK, body);
    let kind = HeaderValue::from_static("application/atom+xml; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_named_without_its_port() {
        for (url, expected) in [
            ("https://works.example", "works.example"),
            ("http://127.0.0.1:8080", "127.0.0.1"),
            ("https://[::1]:8443", "[::1]"),
            ("https://works.example/below", "works.example"),
        ] {
            assert_eq!(host(url), expected);
        }
    }

    #[test]
    fn texts_hold_what_xml_has() {
        assert_eq!(clean("a\u{0}\u{1b}b\u{ffff}\tc", 9), "ab\tc");
        assert_eq!(clean("äöü", 2), "äö");
    }
}
