//! Files: `/-/blob/REF/PATH`.

use super::contents::place;
use super::opened::{Opened, commit, open};
use super::parts::{PathSteps, RefMenu, SourceLines};
use super::{CodeVisit, Spot};
use crate::folder::{self, Brief, is_markdown};
use crate::{highlight, readme, text};
use askama::Template;
use http::Method;
use kernel::error::{Found, Result};
use kernel::html::ui::{self, StateDot};
use kernel::html::{Html, Moment, Page};
use kernel::http::reply::redirect;
use kernel::http::{Params, Response, Routes};
use kernel::media;
use repositories::formats::object_id::ObjectId;
use repositories::lfs::Pointer;
use repositories::objects::{Blob, Commit, EntryKind, Objects};
use spaces::pages::PROJECT;
use std::sync::Arc;

/// Bytes of a file that is shown.
pub const MOST: u64 = 5 * 1024 * 1024;
/// Lines of a file that is shown.
pub const MOST_LINES: usize = 50_000;

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, &format!("{PROJECT}/-/blob/{{*rest}}"), show);
}

kernel::params! {
    struct Shown {
        /// `1` for the text itself where it would be rendered.
        plain: Option<String>,
    }
}

/// What a page shows of a file.
enum Content {
    Lines(SourceLines),
    /// Safe to show.
    Rendered(Arc<str>),
    Picture,
    /// `video` or `audio`.
    Film(&'static str),
    Document,
    /// The bytes of a large file that is elsewhere.
    Pointer(u64),
    /// A link, and where it leads.
    Link(String),
    Empty,
    TooLarge,
    Binary,
}

#[derive(Template)]
#[template(path = "blob.html")]
struct BlobPage {
    page: Page,
    refs: RefMenu,
    steps: PathSteps,
    name: String,
    size: u64,
    /// Lines, where they are counted.
    lines: Option<usize>,
    is_program: bool,
    content: Content,
    last: Option<(Brief, String, Moment)>,
    /// How far the newest pipeline of that commit is, if it has one.
    pipeline: Option<StateDot>,
    raw_url: String,
    blame_url: String,
    history_url: String,
    permalink: String,
    /// The page as it is written, and as it is rendered; which of them it is.
    views: Option<(String, String, bool)>,
    edit_url: Option<String>,
    /// What else can be done to it, and where.
    changes: Vec<(&'static str, String)>,
}

/// A file as it was read.
pub struct File {
    pub commit: Commit,
    pub blob: Blob,
    pub kind: EntryKind,
}

/// Reads the file of a spot, with its content if it is to be shown; none where a folder
/// stands.
pub fn read(objects: &Objects, spot: &Spot, most: u64) -> Result<Option<File>> {
    let commit = commit(objects, spot)?;
    let entry = objects.entry(commit.tree, &spot.path)?.found("File")?;
    match entry.kind {
        EntryKind::Folder => Ok(None),
        // What is not here is not found.
        kind => {
            let blob = objects.blob(entry.id, most)?.found("File")?;
            Ok(Some(File { commit, blob, kind }))
        }
    }
}

async fn show(visit: CodeVisit, shown: Params<Shown>) -> Result<Response> {
    open(visit, "blob", |visit, at| opened(visit, at, shown.0)).await
}

async fn opened(visit: CodeVisit, at: Box<Opened>, shown: Shown) -> Result<Response> {
    let spot = at.spot.clone();
    let file = visit.objects(&at.head, move |objects| read(objects, &spot, MOST)).await?;
    let Some(file) = file else {
        return redirect(&at.url("tree"));
    };
    let is_plain = shown.plain.as_deref().is_some_and(|value| value != "0");
    let path = &at.spot.path;
    let last = folder::last_commit(&visit.app, at.repository()?, file.commit.id, path).await?;
    let ids: Vec<ObjectId> = last.iter().map(|last| last.id).collect();
    let pipeline = visit.pipelines(&at.head, &ids).await?.pop().flatten();
    let (content, lines) = content(&visit, &at, &file, is_plain).await?;
    let view = page_of(&visit, *at, (file, last), (content, lines), is_plain);
    Ok(Html::new(&BlobPage { pipeline, ..view })?.response())
}

/// What is shown of a file, and its lines if they are counted.
async fn content(
    visit: &CodeVisit, at: &Opened, file: &File, is_plain: bool,
) -> Result<(Content, Option<usize>)> {
    let name = at.spot.path.name();
    let Some(bytes) = &file.blob.content else {
        return Ok((other(name, Content::TooLarge), None));
    };
    if let Some(pointer) = Pointer::read(bytes) {
        return Ok((Content::Pointer(pointer.size.unsigned_abs()), None));
    }
    if file.kind == EntryKind::Link {
        return Ok((Content::Link(String::from_utf8_lossy(bytes).into_owned()), None));
    }
    let drawn = name.to_ascii_lowercase().ends_with(".svg") && !is_plain;
    let Some(text) = text::letters(bytes).filter(|_| !drawn) else {
        return Ok((other(name, Content::Binary), None));
    };
    if text.is_empty() {
        return Ok((Content::Empty, Some(0)));
    }
    let count = text::lines(&text).count();
    if is_markdown(name) && !is_plain && bytes.len() as u64 <= readme::MOST {
        let place = place(&at.head, &at.spot, &at.spot.path.folder());
        let html = readme::html(&visit.app, place, (file.blob.id, name), bytes.clone()).await?;
        return Ok((Content::Rendered(html), Some(count)));
    }
    if count > MOST_LINES {
        return Ok((Content::TooLarge, Some(count)));
    }
    let text: Arc<str> = text.into();
    let lines = highlight::coloured(&visit.app, file.blob.id, name, text).await;
    Ok((Content::Lines(SourceLines::all(lines)), Some(count)))
}

/// What is shown of what is no text: by its name, or that it is not.
fn other(name: &str, otherwise: Content) -> Content {
    let is_picture = name.to_ascii_lowercase().ends_with(".svg");
    match (media::element(name), media::inline_type(name)) {
        (Some(element), _) => Content::Film(element),
        (None, Some("application/pdf")) => Content::Document,
        (None, kind) if kind.is_some() || is_picture => Content::Picture,
        _ => otherwise,
    }
}

fn page_of(
    visit: &CodeVisit, at: Opened, (file, last): (File, Option<Brief>),
    (content, lines): (Content, Option<usize>), is_plain: bool,
) -> BlobPage {
    let name = at.spot.path.name().to_owned();
    let here = at.url("blob");
    let joint = if here.contains('?') { '&' } else { '?' };
    let is_drawn = name.to_ascii_lowercase().ends_with(".svg");
    let has_views = match content {
        Content::Rendered(_) => true,
        Content::Picture => is_drawn,
        Content::Lines(_) => is_plain && (is_drawn || is_markdown(&name)),
        _ => false,
    };
    let is_text = matches!(content, Content::Lines(_) | Content::Rendered(_) | Content::Empty);
    let may_edit = at.may_change() && is_text;
    let changes: &[(&'static str, &str)] = match at.may_change() {
        true => &[("Replace", "replace"), ("Move", "move"), ("Delete", "delete")],
        false => &[],
    };
    let now = at.now;
    BlobPage {
        page: at.page(visit, &name),
        steps: at.steps(),
        size: file.blob.size,
        lines,
        is_program: file.kind == EntryKind::Program,
        last: last.map(|last| {
            let url = format!("{}/-/commit/{}", at.head.url(), last.id);
            let moment = Moment::new(last.at, now);
            (last, url, moment)
        }),
        pipeline: None,
        raw_url: at.url("raw"),
        blame_url: at.url("blame"),
        history_url: at.url("commits"),
        permalink: at.permalink("blob", &file.commit),
        views: has_views.then(|| (format!("{here}{joint}plain=1"), here, is_plain)),
        changes: changes.iter().map(|(label, page)| (*label, at.url(page))).collect(),
        edit_url: may_edit.then(|| at.url("edit")),
        refs: at.refs,
        name,
        content,
    }
}

impl BlobPage {
    /// The address by which the file is kept, not shown.
    fn download_url(&self) -> String {
        let joint = if self.raw_url.contains('?') { '&' } else { '?' };
        format!("{}{joint}inline=false", self.raw_url)
    }

    fn is_lines(&self) -> bool {
        matches!(self.content, Content::Lines(_))
    }

    fn is_text(&self) -> bool {
        self.lines.is_some()
    }
}
