//! Which versions are compared, and the choice of others.

use super::look::Look;
use crate::model::{MergeRequest, Version, VersionState};
use crate::positions::Shas;
use crate::store::versions as rows;
use ::store::Tx;
use askama::Template;
use askama::filters::HtmlSafe;
use code::visible::visible;
use kernel::error::{Found, Result};
use kernel::html::ui::{self, Choice};

/// Versions that are offered.
const MOST: i64 = 100;

/// What is compared.
#[derive(Debug, Clone)]
pub struct Compared {
    pub to: Version,
    /// The older version that it is compared with; else the last commit that it has in
    /// common with the target branch.
    pub from: Option<Version>,
    /// It is the newest one with the target branch: what is to be merged.
    pub is_newest: bool,
}

impl Compared {
    /// Reads what a look asks for; none before the first version.
    ///
    /// # Errors
    ///
    /// `NotFound` where there is no such version.
    pub fn read(tx: &mut Tx<'_>, request: &MergeRequest, look: &Look) -> Result<Option<Compared>> {
        match rows::latest(tx, request.id)? {
            Some(newest) => Compared::of(tx, request, &newest, look).map(Some),
            None => Ok(None),
        }
    }

    /// The same, where the newest version is known.
    ///
    /// # Errors
    ///
    /// As [`read`](Compared::read).
    pub fn of(
        tx: &mut Tx<'_>, request: &MergeRequest, newest: &Version, look: &Look,
    ) -> Result<Compared> {
        let to = match look.diff_id {
            Some(id) if id != newest.id => rows::by_id(tx, request.id, id)?.found("Version")?,
            _ => newest.clone(),
        };
        let sha = look.start_sha.as_deref().filter(|sha| !sha.is_empty());
        let from = match sha {
            Some(sha) => Some(rows::by_head(tx, request.id, sha)?.found("Version")?),
            None => None,
        };
        let is_newest = to.id == newest.id && from.is_none();
        Ok(Compared { to, from, is_newest })
    }

    /// The commits between which positions stand here.
    pub fn shas(&self) -> Shas {
        match &self.from {
            Some(from) => Shas {
                base: from.head_id,
                start: from.head_id,
                head: self.to.head_id,
            },
            None => Shas {
                base: self.to.base_id,
                start: self.to.start_id,
                head: self.to.head_id,
            },
        }
    }

    /// Whether the files of both are there.
    pub fn has_files(&self) -> bool {
        let is_there = |version: &Version| version.state != VersionState::WithoutFiles;
        is_there(&self.to) && self.from.as_ref().is_none_or(is_there)
    }
}

/// The newest versions of a merge request, the newest first, and how many there are.
pub struct Versions {
    newest: Vec<Version>,
    count: i64,
}

impl Versions {
    pub fn read(tx: &mut Tx<'_>, request: &MergeRequest) -> Result<Versions> {
        let (newest, count) = rows::newest(tx, request.id, MOST)?;
        Ok(Versions { newest, count })
    }

    pub fn newest(&self) -> Option<&Version> {
        self.newest.first()
    }
}

/// The form that chooses two versions.
#[derive(Debug, Clone, Template)]
#[template(path = "ui/versions.html")]
pub struct VersionChoice {
    url: String,
    from: Vec<Choice>,
    to: Vec<Choice>,
    chosen: (String, String),
    /// How it is shown stays.
    kept: Vec<(&'static str, &'static str)>,
    /// What is compared now, in words.
    words: String,
}

impl HtmlSafe for VersionChoice {}

impl VersionChoice {
    pub fn of(
        versions: &Versions, request: &MergeRequest, look: &Look, url: &str, compared: &Compared,
    ) -> VersionChoice {
        let numbered: Vec<(i64, &Version)> =
            (1..=versions.count).rev().zip(&versions.newest).collect();
        let number = |id: i64| {
            let found = numbered.iter().find(|(_, version)| version.id == id);
            found.map_or_else(|| "An older version".to_owned(), |(number, _)| named(*number))
        };
        let label = |(number, version): &(i64, &Version)| {
            let (sha, at) = (version.head_id.to_string(), version.created_at);
            let day = at.strftime("%-d %b %Y, %H:%M");
            format!("{} ({}, {day} UTC)", named(*number), &sha[..8])
        };
        let name = visible(&request.target_branch).into_owned();
        let target = Choice { value: String::new(), label: name.clone() };
        let older = numbered
            .iter()
            .skip(1)
            .map(|one| Choice { value: one.1.head_id.to_string(), label: label(one) });
        let latest = Choice { value: String::new(), label: "The newest version".to_owned() };
        let others = numbered
            .iter()
            .skip(1)
            .map(|one| Choice { value: one.1.id.to_string(), label: label(one) });
        let to = match compared.to.id == numbered.first().map_or(0, |(_, first)| first.id) {
            true => String::new(),
            false => compared.to.id.to_string(),
        };
        let from = compared.from.as_ref();
        let words = match (from, to.is_empty()) {
            (None, true) => format!("Compared with {name}"),
            (None, false) => format!("{} compared with its target", number(compared.to.id)),
            (Some(from), true) => format!("Changed since {}", lower(&number(from.id))),
            (Some(from), false) => {
                format!("{} compared with {}", number(compared.to.id), lower(&number(from.id)))
            }
        };
        VersionChoice {
            url: url.to_owned(),
            from: [target].into_iter().chain(older).collect(),
            to: [latest].into_iter().chain(others).collect(),
            chosen: (from.map(|from| from.head_id.to_string()).unwrap_or_default(), to),
            kept: kept(look),
            words,
        }
    }

    /// Whether there is a choice.
    fn has_some(&self) -> bool {
        self.to.len() > 1
    }
}

fn named(number: i64) -> String {
    format!("Version {number}")
}

/// In the middle of a sentence.
fn lower(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().into_iter().flat_map(char::to_lowercase);
    first.chain(letters).collect()
}

fn kept(look: &Look) -> Vec<(&'static str, &'static str)> {
    let ways = look.ways("");
    let view = ways.is_parallel().then_some(("view", "parallel"));
    let space = ways.ignores_space().then_some(("w", "1"));
    view.into_iter().chain(space).collect()
}
