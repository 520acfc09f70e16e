//! A menu of branches and tags, which leads to the same path in another ref.

use crate::pages::spot::{RefKind, Spot};
use askama::Template;
use askama::filters::HtmlSafe;
use kernel::error::Result;
use kernel::html::ui;
use kernel::ids::fold;
use repositories::formats::ref_name::RefName;
use repositories::model::Repository;
use repositories::store::refs;
use std::collections::HashSet;
use store::Tx;

/// Refs of a kind that the menu has.
const MOST: usize = 20;
/// Letters of a name that are shown on its button.
const SHORT: usize = 40;

/// The menu. It works without a script: its search is a form.
#[derive(Debug, Clone, Template)]
#[template(path = "ui/refs.html")]
pub struct RefMenu {
    current: String,
    picture: &'static str,
    kind: &'static str,
    /// The page itself, which shows the menu open and searched.
    url: String,
    ref_type: &'static str,
    search: Option<String>,
    parts: Vec<(&'static str, Vec<RefLink>, bool)>,
}

impl HtmlSafe for RefMenu {}

#[derive(Debug, Clone)]
struct RefLink {
    name: String,
    url: String,
    is_current: bool,
}

impl RefMenu {
    /// Reads the menu for a page (`tree`, `blob`, `commits`) at a spot.
    pub fn read(
        tx: &mut Tx<'_>, repository: &Repository, (project_url, page): (&str, &str), spot: &Spot,
        search: Option<&str>,
    ) -> Result<RefMenu> {
        let search = search.map(str::trim);
        let mut branches = some(tx, repository, "refs/heads/", search)?;
        if search.unwrap_or_default().is_empty() {
            let head = repository.head.clone();
            branches.retain(|name| *name != head);
            branches.insert(0, head);
        }
        let tags = some(tx, repository, "refs/tags/", search)?;
        // Where a branch and a tag have one name, their links say which is meant.
        let twins: Vec<RefName> = branches.iter().chain(&tags).filter_map(twin).collect();
        let twins: HashSet<RefName> =
            refs::some(tx, repository.id, &twins)?.into_iter().map(|one| one.name).collect();
        let link = |name: &RefName, kind: RefKind| {
            let text = name.as_branch().or(name.as_tag()).unwrap_or_default().to_owned();
            let there = Spot {
                name: text.clone(),
                kind,
                is_ambiguous: twin(name).is_some_and(|twin| twins.contains(&twin)),
                ..spot.clone()
            };
            RefLink {
                is_current: spot.kind == kind && spot.name == text,
                url: there.url(project_url, page, &spot.path),
                name: text,
            }
        };
        let part = |title, names: &[RefName], kind| {
            let links = names.iter().take(MOST).map(|name| link(name, kind)).collect();
            (title, links, names.len() > MOST)
        };
        let url = spot.url(project_url, page, &spot.path);
        let (url, ref_type) = match url.split_once("?ref_type=") {
            Some((url, _)) => (url.to_owned(), spot.kind.query().trim_start_matches("?ref_type=")),
            None => (url, ""),
        };
        Ok(RefMenu {
            current: short(spot),
            picture: match spot.kind {
                RefKind::Branch => "branch",
                RefKind::Tag => "tag",
                RefKind::Commit => "commit",
            },
            kind: match spot.kind {
                RefKind::Branch => "Branch",
                RefKind::Tag => "Tag",
                RefKind::Commit => "Commit",
            },
            url,
            ref_type,
            search: search.map(str::to_owned),
            parts: vec![
                part("Branches", &branches, RefKind::Branch),
                part("Tags", &tags, RefKind::Tag),
            ],
        })
    }
}

/// The name on the button.
fn short(spot: &Spot) -> String {
    let name = match spot.kind {
        RefKind::Commit if spot.name.len() == 40 => &spot.name[..8],
        _ => spot.name.as_str(),
    };
    match name.chars().nth(SHORT) {
        Some(_) => name.chars().take(SHORT).chain(['…']).collect(),
        None => name.to_owned(),
    }
}

/// The tag of a branch's name, or the branch of a tag's.
fn twin(name: &RefName) -> Option<RefName> {
    match (name.as_branch(), name.as_tag()) {
        (Some(name), _) => RefName::tag(name).ok(),
        (None, Some(name)) => RefName::branch(name).ok(),
        (None, None) => None,
    }
}

/// The first refs, or the first that are found, and one more where there are more.
fn some(
    tx: &mut Tx<'_>, repository: &Repository, below: &str, search: Option<&str>,
) -> Result<Vec<RefName>> {
    let search = search.map(fold).unwrap_or_default();
    if search.is_empty() {
        return refs::first(tx, repository.id, below, MOST as i64 + 1);
    }
    let all = refs::beginning(tx, repository.id, &[below.to_owned()])?;
    let is_found = |name: &RefName| fold(&name.as_str()[below.len()..]).contains(&search);
    let found = all.into_iter().map(|one| one.name).filter(is_found);
    Ok(found.take(MOST + 1).collect())
}
