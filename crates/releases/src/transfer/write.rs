//! Writes releases that come from elsewhere.

use super::model::{self, Release};
use crate::model::{self as own, LinkType, MAX_NAME, MAX_TEXT, MOST_LINKS, MOST_MILESTONES};
use crate::store::links::NewLink;
use crate::store::{self, NewRelease};
use crate::tasks::{CollectEvidence, FindCommits};
use ::store::Tx;
use kernel::error::{Error, Result};
use kernel::jobs::enqueue_at;
use planning::access::Parent;
use planning::store::milestones as goals;
use planning::transfer::{line, prose};
use repositories::formats::ref_name::RefName;
use spaces::model::Project;

/// Makes a release, or brings the one of its tag up to date; its id.
///
/// # Errors
///
/// `Unprocessable` where no tag can have such a name.
pub fn write(tx: &mut Tx<'_>, project: &Project, release: &Release<i64>) -> Result<i64> {
    RefName::tag(&release.tag).map_err(|_| Error::Unprocessable("Tag name invalid".into()))?;
    let id = match store::find(tx, project.id, &release.tag)? {
        Some(before) => update(tx, before, release)?,
        None => insert(tx, project, release)?,
    };
    let milestones = milestones(tx, project, &release.milestones)?;
    store::milestones::set(tx, id, &milestones)?;
    add_links(tx, id, &release.links)?;
    let now = tx.now();
    if release.released_at > now {
        enqueue_at(tx, &CollectEvidence { release: id }, release.released_at)?;
    }
    enqueue_at(tx, &FindCommits { project: project.id }, now)?;
    Ok(id)
}

fn insert(tx: &mut Tx<'_>, project: &Project, release: &Release<i64>) -> Result<i64> {
    let new = NewRelease {
        project_id: project.id,
        tag: release.tag.clone(),
        name: name(release.name.as_deref()),
        description: text(release.description.as_deref()),
        commit: None,
        author_id: release.author,
        released_at: release.released_at,
        created_at: release.created_at,
    };
    let id = store::insert(tx, &new)?;
    id.ok_or_else(|| Error::Unavailable("A release of this tag was made meanwhile.".into()))
}

fn update(tx: &mut Tx<'_>, before: own::Release, release: &Release<i64>) -> Result<i64> {
    let after = own::Release {
        name: name(release.name.as_deref()),
        description: text(release.description.as_deref()),
        released_at: release.released_at,
        ..before
    };
    store::update(tx, &after)?;
    Ok(after.id)
}

fn name(name: Option<&str>) -> Option<String> {
    let name = name.filter(|name| !name.trim().is_empty()).map(line)?;
    Some(name.chars().take(MAX_NAME).collect())
}

fn text(text: Option<&str>) -> Option<String> {
    let text = prose(text?);
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => Some(text[..end].to_owned()),
        None => Some(text),
    }
}

/// The milestones of these titles, as far as there are such.
fn milestones(tx: &mut Tx<'_>, project: &Project, titles: &[String]) -> Result<Vec<i64>> {
    let titles = &titles[..titles.len().min(MOST_MILESTONES)];
    if titles.is_empty() {
        return Ok(Vec::new());
    }
    let parent = Parent::Project(Box::new(project.clone()));
    let known = goals::named(tx, &parent, titles, &[])?;
    let id = |title: &String| known.iter().find(|it| it.title == *title).map(|it| it.id);
    let mut ids: Vec<i64> = titles.iter().filter_map(id).collect();
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// Adds the links that it does not have yet, by name, and that may be had here.
fn add_links(tx: &mut Tx<'_>, release: i64, links: &[model::Link]) -> Result<()> {
    let there = store::links::of_releases(tx, &[release])?;
    let new = addable(there.iter().map(NewLink::as_stored).collect(), links);
    store::links::insert(tx, release, &new)?;
    Ok(())
}

/// Those of some links that may stand beside others, the last one first, so that lists have
/// them in their order.
fn addable(there: Vec<NewLink>, links: &[model::Link]) -> Vec<NewLink> {
    let (known, mut all) = (there.len(), there);
    for link in links {
        if all.len() >= MOST_LINKS {
            break;
        }
        let mut new = as_new(link);
        if new.check(all.iter()).is_err() {
            // A lasting address is the least of it.
            new.filepath = None;
        }
        if new.check(all.iter()).is_ok() {
            all.push(new);
        }
    }
    all.drain(known..).rev().collect()
}

fn as_new(link: &model::Link) -> NewLink {
    let kind = link.link_type.as_deref().and_then(LinkType::from_text);
    NewLink {
        name: name(Some(&link.name)).unwrap_or_else(|| link.url.chars().take(MAX_NAME).collect()),
        url: link.url.trim().to_owned(),
        filepath: link.path.clone().filter(|path| !path.is_empty()),
        link_type: kind.unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(name: &str, url: &str, path: Option<&str>) -> model::Link {
        model::Link {
            name: name.into(),
            url: url.into(),
            path: path.map(str::to_owned),
            link_type: Some("package".into()),
        }
    }

    #[test]
    fn links_come_that_may_be_had_here() {
        let there = NewLink {
            name: "one".into(),
            url: "https://a.example/1".into(),
            filepath: Some("/one".into()),
            link_type: LinkType::Other,
        };
        let links = [
            link("one", "https://a.example/other", None),
            link("two", "https://a.example/2", Some("/one")),
            link("three", "javascript:alert(1)", None),
            link("four", "https://a.example/4", Some("/four")),
            link("", "https://a.example/5", Some("bad path")),
        ];
        let added = addable(vec![there], &links);
        let told: Vec<(&str, Option<&str>)> =
            added.iter().map(|one| (one.name.as_str(), one.filepath.as_deref())).collect();
        let expected = [("https://a.example/5", None), ("four", Some("/four")), ("two", None)];
        assert_eq!(told, expected);
        assert!(added.iter().all(|one| one.link_type == LinkType::Package));
    }

    #[test]
    fn names_and_texts_have_their_bounds() {
        assert_eq!(name(Some(" ")), None);
        assert_eq!(name(Some("a\nb")), Some("a b".to_owned()));
        assert_eq!(text(Some("a\0b")), Some("ab".to_owned()));
        let long = "ä".repeat(MAX_TEXT + 1);
        assert_eq!(text(Some(&long)).map(|text| text.chars().count()), Some(MAX_TEXT));
    }
}
