//! What belongs to a release: links, sources, evidence, addresses.

use super::enums::LINK_TYPE;
use super::{EVIDENCE_ID, LINK_ID, LinkView, ReleaseView};
use crate::entity::{self, Source, evidence_path, sources};
use crate::model::Evidence;
use kernel::app::App;
use kernel::graph::{
    Ask, Connection, Context, Fault, Graph, HasTypeRef, ID, INT, Key, Order, STRING, TIME, object,
};
use std::any::Any;
use std::sync::Arc;

/// What can be had with a release.
pub struct Assets(pub Arc<ReleaseView>);

/// Pages about a release.
pub struct Pages(pub Arc<ReleaseView>);

/// Evidence with its address.
pub struct EvidenceView {
    evidence: Evidence,
    filepath: String,
}

pub fn graph(g: &mut Graph) {
    g.object::<LinkView>("ReleaseAssetLink", "Something that can be had with a release.")
        .field("id", ID.required(), |it| LINK_ID.of(it.entity.id))
        .describe("Global ID.")
        .field("name", STRING, |it| Some(it.entity.name.clone()))
        .describe("What it is called.")
        .field("url", STRING, |it| Some(it.entity.url.clone()))
        .describe("Where it leads.")
        .field("linkType", LINK_TYPE, |it| Some(it.entity.link_type))
        .describe("What it leads to.")
        .field("directAssetUrl", STRING, |it| Some(it.entity.direct_asset_url.clone()))
        .describe("Its address below the release, if it has a path there.")
        .field("directAssetPath", STRING, |it| it.filepath.clone())
        .describe("Its path below the release.");
    g.object::<Source>("ReleaseSource", "All files of a tag as one.")
        .field("format", STRING, |it| Some(it.format.to_owned()))
        .describe("What they are packed as.")
        .field("url", STRING, |it| Some(it.url.clone()))
        .describe("Where they are.");
    g.object::<EvidenceView>("ReleaseEvidence", "What a release was when it came out.")
        .field("id", ID.required(), |it| EVIDENCE_ID.of(it.evidence.id))
        .describe("Global ID.")
        .field("sha", STRING, |it| Some(it.evidence.sha.clone()))
        .describe("SHA-256 of the file.")
        .field("filepath", STRING, |it| Some(it.filepath.clone()))
        .describe("Where it is.")
        .field("collectedAt", TIME, |it| Some(it.evidence.collected_at))
        .describe("When it was written down.");
    assets(g);
    pages(g);
    g.on::<ReleaseView>("Release")
        .connections(
            "evidences",
            object::<EvidenceView>("ReleaseEvidence"),
            |of: Vec<Arc<ReleaseView>>, ask, _, context| async move {
                each(&of, ask, &context, "evidences", evidences)
            },
        )
        .describe("What it was when it came out, for who reads the code.");
}

fn assets(g: &mut Graph) {
    g.object::<Assets>("ReleaseAssets", "What can be had with a release.")
        .field("count", INT, |it| Some(links_of(&it.0).len() as i64 + source_count(&it.0)))
        .describe("How much it is.")
        .connections(
            "links",
            object::<LinkView>("ReleaseAssetLink"),
            |of: Vec<Arc<Assets>>, ask, _, context| async move {
                each(&inner(&of), ask, &context, "links", links)
            },
        )
        .describe("Links, the last made first.")
        .connections(
            "sources",
            object::<Source>("ReleaseSource"),
            |of: Vec<Arc<Assets>>, ask, _, context| async move {
                each(&inner(&of), ask, &context, "sources", packed)
            },
        )
        .describe("The files of the tag, for who reads the code.");
}

fn inner(of: &[Arc<Assets>]) -> Vec<Arc<ReleaseView>> {
    of.iter().map(|it| it.0.clone()).collect()
}

fn pages(g: &mut Graph) {
    type Read = fn(entity::Addresses) -> Option<String>;
    let all: [(&str, &str, Read); 7] = [
        ("selfUrl", "Its page.", |all| all.itself),
        ("editUrl", "The page that changes it.", |all| all.edit_url),
        ("openedIssuesUrl", "Open issues of it.", |all| all.opened_issues_url),
        ("closedIssuesUrl", "Closed issues of it.", |all| all.closed_issues_url),
        ("openedMergeRequestsUrl", "Open merge requests of it.", |all| {
            all.opened_merge_requests_url
        }),
        ("mergedMergeRequestsUrl", "Merged merge requests of it.", |all| {
            all.merged_merge_requests_url
        }),
        ("closedMergeRequestsUrl", "Closed merge requests of it.", |all| {
            all.closed_merge_requests_url
        }),
    ];
    let mut it = g.object::<Pages>("ReleaseLinks", "Pages about a release.");
    for (name, about, read) in all {
        it = it
            .level(name, STRING, move |of: Vec<Arc<Pages>>, _, context: Context| async move {
                let app = context.app()?.clone();
                Ok(of.iter().map(|it| read(addresses(&app, &it.0))).collect())
            })
            .describe(about);
    }
}

fn addresses(app: &App, it: &ReleaseView) -> entity::Addresses {
    let project = it.here.project.web_url(app.base_url());
    entity::Addresses::of(&project, &it.release, it.here.reads_code)
}

/// The page of a list in memory for each release of a level.
fn each<T: Any + Send + Sync>(
    of: &[Arc<ReleaseView>], ask: Ask, context: &Context, name: &str,
    rows: fn(&App, &ReleaseView) -> Vec<T>,
) -> Result<Vec<Option<Connection<T>>>, Fault> {
    let app = context.app()?;
    let window = ask.window(context, name, &[Key::int("place", Order::Asc)])?;
    let page = |it: &Arc<ReleaseView>| {
        let whole: Vec<Arc<T>> = rows(app, it).into_iter().map(Arc::new).collect();
        let place = |row: &T| whole.iter().position(|one| std::ptr::eq(&**one, row));
        Some(window.page_of_whole(&whole, |row| place(row).map_or(0, |at| at as i64)))
    };
    Ok(of.iter().map(page).collect())
}

fn links_of(it: &ReleaseView) -> Vec<&crate::model::Link> {
    it.related.links(&it.release)
}

fn source_count(it: &ReleaseView) -> i64 {
    it.with_code(|release| sources(&it.here.project, "", &release.tag).len() as i64)
        .unwrap_or_default()
}

fn links(app: &App, it: &ReleaseView) -> Vec<LinkView> {
    let view = |link: &crate::model::Link| LinkView {
        entity: entity::link(app, &it.here, &it.release, link),
        filepath: link.filepath.clone(),
    };
    links_of(it).into_iter().map(view).collect()
}

fn packed(app: &App, it: &ReleaseView) -> Vec<Source> {
    let project = it.here.project.web_url(app.base_url());
    it.with_code(|release| sources(&it.here.project, &project, &release.tag))
        .unwrap_or_default()
}

fn evidences(app: &App, it: &ReleaseView) -> Vec<EvidenceView> {
    let project = it.here.project.web_url(app.base_url());
    let view = |one: &Evidence| EvidenceView {
        filepath: format!("{project}{}", evidence_path(&it.release, one.id)),
        evidence: one.clone(),
    };
    let all = || it.related.evidences(&it.release).into_iter().map(view).collect();
    it.with_code(|_| all()).unwrap_or_default()
}
