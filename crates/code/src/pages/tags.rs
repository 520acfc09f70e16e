//! The tags of a project: `/-/tags`, one of them, and their feed.

use super::feed::{self, AtomFeed};
use super::parts::commit_rows::{CommitRow, name};
use super::ref_lists::{self, Action, Around, Filter, Form, ROWS, RefPage, Shown, of_field};
use super::{CodeHead, CodeVisit};
use crate::entity::in_address;
use crate::message;
use crate::names::{self, Named, Wanted};
use crate::tags::{Loaded, TagOrder, sorted};
use crate::visible::{escaped, visible};
use askama::Template;
use http::Method;
use kernel::app::App;
use kernel::error::{Error, Found, Result};
use kernel::html::form::{self, FormPage, Outcome, Typed};
use kernel::html::{Html, Moment, Page, ui};
use kernel::http::params::one_of;
use kernel::http::{Params, Response, Routes};
use repositories::edits::{self, NewTag};
use repositories::formats::object_id::ObjectId;
use repositories::formats::ref_name::RefName;
use repositories::objects::{Objects, Tag};
use repositories::protection::are_tags_protected;
use repositories::store::refs;
use signatures::checking::{self, Verified};
use signatures::pages::SignatureBadge;
use spaces::pages::{PROJECT, Section};
use std::collections::HashMap;
use std::sync::Arc;
use store::Tx;

/// Letters of a message in a list, and on the page of a tag.
const FEW: usize = 300;
const MESSAGE: usize = 100_000;
const SORTS: &[(&str, &str)] = &[
    ("updated_desc", "Newest"),
    ("updated_asc", "Oldest"),
    ("version_desc", "Version, highest first"),
    ("name_asc", "Name"),
];

pub fn routes(r: &mut Routes) {
    let path = format!("{PROJECT}/-/tags");
    r.page(Method::GET, &path, list).also_feed().scopes(feed::SCOPES);
    r.page(Method::POST, &path, ref_lists::change::<TagsPage>);
    r.page(Method::GET, &format!("{path}/{{*rest}}"), show);
}

/// A tag as a row.
#[derive(Debug, Clone)]
struct TagRow {
    name: String,
    /// As forms send it.
    value: String,
    url: String,
    files_url: String,
    /// As HTML.
    message: String,
    /// Who made an annotated one.
    tagger: Option<String>,
    at: Option<Moment>,
    commit: Option<CommitRow>,
    is_protected: bool,
    /// Whether its signature proves anything, if it has one.
    signature: Option<SignatureBadge>,
}

#[derive(Template)]
#[template(path = "tags.html")]
pub struct TagsView {
    page: Page,
    list: Around,
    rows: Vec<TagRow>,
    sort: &'static str,
}

impl TagsView {
    fn sorts(&self) -> Vec<ui::Choice> {
        ui::Choice::list(SORTS)
    }
}

#[derive(Template)]
#[template(path = "tag.html")]
struct TagView {
    page: Page,
    url: String,
    row: TagRow,
    can_push: bool,
}

/// The page with all that is shown on it, and the tags themselves.
#[derive(Clone)]
struct TagsPage(Arc<Shown<TagRow>>, Arc<[Loaded]>);

async fn list(visit: CodeVisit, filter: Params<Filter>) -> Result<Response> {
    let is_feed = filter.feed.is_feed();
    let app = visit.app.clone();
    let page = TagsPage::read(visit, filter.0).await?;
    match is_feed {
        true => page.feed().answer(),
        false => form::show(&app, page).await,
    }
}

async fn show(visit: CodeVisit) -> Result<Response> {
    let rest = visit.rest.clone();
    let (head, named) = visit
        .find(move |tx, head| {
            let name = RefName::tag(&rest).map_err(|_| Error::NotFound("Tag"))?;
            let found = refs::some(tx, head.code.repository()?.id, &[name])?.pop();
            Ok(Named::of(&found.found("Tag")?))
        })
        .await?;
    let tag = visit.objects(&head, move |objects| Loaded::read(objects, &named)).await?;
    let row = rows(&visit, &head, &[tag], MESSAGE).await?.pop().found("Tag")?;
    let view = TagView {
        page: head.page(visit.page(&row.name), Section::Tags),
        url: address(&head),
        can_push: head.can_push,
        row,
    };
    Ok(Html::new(&view)?.response())
}

fn address(head: &CodeHead) -> String {
    format!("{}/-/tags", head.url())
}

impl TagsPage {
    fn feed(&self) -> AtomFeed {
        let Shown { visit, head, .. } = &*self.0;
        let title = format!("{}: tags", head.code.project.name);
        let mut feed = AtomFeed::new(&visit.app, title, &address(head));
        for tag in self.1.iter() {
            let Some(person) = tag.person() else { continue };
            let name = &tag.named.name;
            let url = visit.app.url(&format!("{}/{}", address(head), in_address(name)));
            let message = tag.annotated.as_ref().map_or("", |tag| tag.message.as_str());
            feed.add(url, name, person, message);
        }
        feed
    }
}

impl RefPage for TagsPage {
    async fn read(visit: CodeVisit, filter: Filter) -> Result<TagsPage> {
        let sort = one_of("sort", filter.sort.as_deref(), SORTS)?;
        let wanted = Wanted::of(Some(filter.search.trim()), None)?;
        let (head, all) = visit
            .find(move |tx, head| names::all_of(tx, &head.code, "refs/tags/", &wanted))
            .await?;
        let (total, skip) = (all.len(), filter.part.skip(ROWS));
        let tags = match all.is_empty() {
            true => Vec::new(),
            false => visit.objects(&head, move |objects| part(objects, &all, sort, skip)).await?,
        };
        let rows = rows(&visit, &head, &tags, FEW).await?;
        let shown = Shown { visit, head, rows, total, filter, sort };
        Ok(TagsPage(Arc::new(shown), tags.into()))
    }

    fn head(&self) -> &CodeHead {
        &self.0.head
    }

    async fn act(&self, form: &Form) -> Result<Outcome<TagsPage>> {
        let (name, head) = (form.name(), &self.0.head);
        if form.action == Action::Delete {
            self.0.delete(RefName::tag(name)).await?;
            return Outcome::led(address(head), format!("Tag {name} was deleted."));
        }
        let message = form.message.replace("\r\n", "\n");
        let tag = NewTag {
            name: name.to_owned(),
            target: form.from()?.to_owned(),
            message: Some(message).filter(|message| !message.trim().is_empty()),
        };
        let (visit, project) = (&self.0.visit, &head.code.project);
        let made = edits::create_tag(&visit.app, &visit.viewer, project, &tag).await?;
        made.map_err(|refused| of_field(refused, "tag_name"))?;
        let url = format!("{}/{}", address(head), in_address(name));
        Outcome::led(url, format!("Tag {name} is there."))
    }
}

fn part(objects: &Objects, all: &[Named], sort: &str, skip: usize) -> Result<Vec<Loaded>> {
    let (order, direction) = sort.rsplit_once('_').unwrap_or((sort, ""));
    let order = TagOrder::from_text(order).unwrap_or(TagOrder::Updated);
    let mut sorted = sorted(objects, all.to_vec(), order)?;
    if direction == "desc" {
        sorted.reverse();
    }
    let part = sorted.iter().skip(skip).take(ROWS);
    part.map(|one| Loaded::read(objects, one)).collect()
}

async fn rows(
    visit: &CodeVisit, head: &CodeHead, tags: &[Loaded], letters: usize,
) -> Result<Vec<TagRow>> {
    let names: Vec<String> = tags.iter().map(|one| one.named.name.clone()).collect();
    let project = head.code.project.clone();
    let protected = visit.app.read(move |tx| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        are_tags_protected(tx, &project, &names)
    });
    let (url, now) = (head.url(), visit.app.now());
    let mut signatures = signatures(visit, head, tags).await?;
    let commits: Vec<ObjectId> =
        tags.iter().filter_map(|tag| Some(tag.commit.as_ref()?.id)).collect();
    let mut pipelines = visit.pipelines(head, &commits).await?.into_iter();
    let said = |tag: &Loaded| -> String {
        let said = tag.annotated.as_ref().map_or("", |tag| tag.message.trim_end());
        said.chars().take(letters).collect()
    };
    let named = match letters {
        FEW => None,
        _ => Some(visit.named(head, tags.iter().map(said).collect()).await?),
    };
    let row = |(tag, is_protected): (&Loaded, bool)| {
        let value = tag.named.name.clone();
        let said = said(tag);
        let tagger = tag.annotated.as_ref().and_then(|tag| tag.tagger.as_ref());
        TagRow {
            name: visible(&value).into_owned(),
            url: format!("{url}/-/tags/{}", in_address(&value)),
            files_url: format!("{url}/-/tree/{}", in_address(&value)),
            message: match &named {
                None => escaped(&said),
                Some(named) => message::html(&said, url, &**named),
            },
            tagger: tagger.map(|person| name(&person.name)),
            at: tag.person().map(|person| Moment::new(person.at, now)),
            commit: tag.commit.as_ref().map(|commit| CommitRow {
                pipeline: pipelines.next().flatten(),
                ..CommitRow::of(commit, url, now)
            }),
            is_protected,
            signature: signatures.remove(&tag.named.object_id),
            value,
        }
    };
    Ok(tags.iter().zip(protected.await?).map(row).collect())
}

/// What is said of the signatures of tags, by the ids of the tags.
async fn signatures(
    visit: &CodeVisit, head: &CodeHead, tags: &[Loaded],
) -> Result<HashMap<ObjectId, SignatureBadge>> {
    let annotated: Vec<&Tag> = tags.iter().filter_map(|one| one.annotated.as_ref()).collect();
    if annotated.is_empty() {
        return Ok(HashMap::new());
    }
    let checked = checking::of_tags(&visit.app, head.code.repository()?, &annotated).await?;
    let of = |(tag, checked): (&&Tag, &Option<Verified>)| {
        Some((tag.id, SignatureBadge::of(checked.as_ref()?)))
    };
    Ok(annotated.iter().zip(&checked).filter_map(of).collect())
}

impl FormPage for TagsPage {
    type Form = Form;
    type View = TagsView;
    const FIELDS: &'static [&'static str] = &["tag_name", "ref", "message"];

    fn page(&self, _: &App) -> Page {
        let Shown { visit, head, .. } = &*self.0;
        feed::offered(&visit.app, &visit.viewer, visit.page("Tags"), &address(head))
    }

    fn view(&self, _: &mut Tx<'_>, page: Page, typed: &Typed<Form>) -> Result<TagsView> {
        let shown = &*self.0;
        let (url, sort) = (address(&shown.head), shown.sort);
        let search = in_address(shown.filter.search.trim());
        let narrowed = format!("{url}?sort={sort}&search={search}");
        Ok(TagsView {
            page: shown.head.head.page(page, Section::Tags),
            list: shown.around(url, narrowed, typed),
            rows: shown.rows.clone(),
            sort,
        })
    }

    fn change(&self, _: &mut Tx<'_>, _: &Form) -> Result<Outcome<Self>> {
        Err(Error::internal("tags are not changed in one transaction"))
    }
}
