//! Tags.

use super::listing::{Listing, Part};
use super::names::{self, Named, Wanted};
use crate::access::{Code, CodeRequest};
use crate::entity::TagEntity;
use kernel::error::{Error, Found, Result};
use kernel::http::{Ok200, Params, Routes};
use repositories::formats::ref_name::RefName;
use repositories::objects::{Commit, Objects, Tag};
use repositories::protection::are_tags_protected;
use repositories::store::refs;
use std::cmp::Ordering;

pub(super) fn routes(r: &mut Routes) {
    r.get("/tags", list).scopes(super::SCOPES).summary("Lists tags");
    r.get("/tags/{tag_name}", show).scopes(super::SCOPES).summary("Shows a tag");
}

kernel::choices! {
    /// By what tags are sorted.
    enum TagOrder {
        Updated = "updated",
        Name = "name",
        Version = "version",
    }
}

kernel::choices! {
    enum Direction {
        Desc = "desc",
        Asc = "asc",
    }
}

kernel::params! {
    /// Which tags.
    struct Filter {
        /// A part of the name; `^x` for its beginning, `x$` for its end.
        pub search: Option<String>,
        /// By what they are sorted; by when they were made unless said.
        pub order_by: Option<TagOrder>,
        /// The last first unless said.
        pub sort: Option<Direction>,
    }
}

kernel::params! {
    pub(super) struct OneTag {
        /// Name of the tag.
        pub tag_name: String,
    }
}

/// A tag with what it leads to.
#[derive(Clone)]
struct Loaded {
    named: Named,
    annotated: Option<Tag>,
    commit: Option<Commit>,
}

impl Loaded {
    fn read(objects: &Objects, named: &Named) -> Result<Loaded> {
        let annotated = match named.is_annotated() {
            true => objects.tag(named.object_id)?,
            false => None,
        };
        let commit = objects.peeled(named.peeled())?;
        Ok(Loaded { named: named.clone(), annotated, commit })
    }

    /// When it was made.
    fn at(&self) -> i64 {
        let tagger = self.annotated.as_ref().and_then(|tag| tag.tagger.as_ref());
        let person = tagger.or(self.commit.as_ref().map(|commit| &commit.committer));
        person.map_or(0, |person| person.at.as_second())
    }
}

async fn list(
    at: CodeRequest, filter: Params<Filter>, listing: Listing,
) -> Result<Part<TagEntity>> {
    let wanted = Wanted::of(filter.search.as_deref(), None)?;
    let (code, tags) = at
        .find(move |tx, code| match &code.repository {
            Some(repository) => names::all(tx, repository, "refs/tags/", &wanted),
            None => Ok(Vec::new()),
        })
        .await?;
    if tags.is_empty() {
        return Ok(Part::none());
    }
    let order = filter.order_by.unwrap_or(TagOrder::Updated);
    let is_ascending = filter.sort == Some(Direction::Asc);
    let work = move |objects: &Objects| {
        let mut tags = sorted(objects, tags.clone(), order)?;
        if !is_ascending {
            tags.reverse();
        }
        let part = listing.of(tags, |all, at| all[at].name.clone())?;
        let loaded = part.items.iter().map(|one| Loaded::read(objects, one));
        let loaded = loaded.collect::<Result<Vec<_>>>()?;
        Ok(part.replace(loaded))
    };
    let part = at.objects(&code, work).await?;
    let entities = entities(&at, &code, &part.items).await?;
    Ok(part.replace(entities))
}

fn sorted(objects: &Objects, mut tags: Vec<Named>, order: TagOrder) -> Result<Vec<Named>> {
    match order {
        TagOrder::Name => {}
        TagOrder::Version => tags.sort_by(|one, other| by_version(&one.name, &other.name)),
        TagOrder::Updated => {
            let loaded = tags.iter().map(|one| Loaded::read(objects, one));
            let mut loaded = loaded.collect::<Result<Vec<_>>>()?;
            loaded.sort_by_key(Loaded::at);
            tags = loaded.into_iter().map(|one| one.named).collect();
        }
    }
    Ok(tags)
}

async fn entities(at: &CodeRequest, code: &Code, tags: &[Loaded]) -> Result<Vec<TagEntity>> {
    let names: Vec<String> = tags.iter().map(|one| one.named.name.clone()).collect();
    let project = code.project.clone();
    let protected = at.app.read(move |tx| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        are_tags_protected(tx, &project, &names)
    });
    let protected = protected.await?;
    let web_url = code.web_url(at.app.base_url());
    let entity = |(one, protected): (&Loaded, bool)| {
        let (named, target) = (&one.named, one.named.object_id.to_string());
        let (annotated, commit) = (one.annotated.as_ref(), one.commit.as_ref());
        TagEntity::of(&named.name, target, annotated, commit, protected, &web_url)
    };
    Ok(tags.iter().zip(protected).map(entity).collect())
}

async fn show(at: CodeRequest, asked: Params<OneTag>) -> Result<Ok200<TagEntity>> {
    one(&at, &asked.tag_name).await.map(Ok200)
}

/// A tag as it is now.
pub(super) async fn one(at: &CodeRequest, name: &str) -> Result<TagEntity> {
    let name = name.to_owned();
    let (code, found) = at
        .find(move |tx, code| {
            let repository = code.repository.as_ref().found("Tag")?;
            let tag = RefName::tag(&name).map_err(|_| Error::NotFound("Tag"))?;
            refs::some(tx, repository.id, &[tag])?.pop().found("Tag")
        })
        .await?;
    let named = Named::of(&found);
    let loaded = at.objects(&code, move |objects| Loaded::read(objects, &named)).await?;
    entities(at, &code, &[loaded]).await?.pop().found("Tag")
}

/// Compares `v1.10.0` and `v1.9.1-rc2` as versions: numbers as such, and what is only
/// on the way to a version before it.
fn by_version(one: &str, other: &str) -> Ordering {
    let (mut one, mut other) = (pieces(one).into_iter(), pieces(other).into_iter());
    loop {
        return match (one.next(), other.next()) {
            (None, None) => Ordering::Equal,
            (None, Some(next)) => ends_before(next),
            (Some(next), None) => ends_before(next).reverse(),
            (Some(one), Some(other)) => match compared(one, other) {
                Ordering::Equal => continue,
                order => order,
            },
        };
    }
}

/// How a version compares to one that goes on with this.
fn ends_before(next: &str) -> Ordering {
    match next.starts_with('-') {
        true => Ordering::Greater,
        false => Ordering::Less,
    }
}

fn compared(one: &str, other: &str) -> Ordering {
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    if !(is_number(one) && is_number(other)) {
        return one.cmp(other);
    }
    let (one, other) = (one.trim_start_matches('0'), other.trim_start_matches('0'));
    one.len().cmp(&other.len()).then_with(|| one.cmp(other))
}

/// Runs of digits, and what is between them.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text.strip_prefix('v').unwrap_or(text);
    while let Some(first) = rest.chars().next() {
        let is_digit = first.is_ascii_digit();
        let end = rest.find(|c: char| c.is_ascii_digit() != is_digit).unwrap_or(rest.len());
        pieces.push(&rest[..end]);
        rest = &rest[end..];
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_come_in_their_order() {
        let sorted = ["v1.0.0-rc1", "v1.0.0-rc10", "v1.0.0", "1.0.1", "v1.9.0", "v1.10.0", "v2"];
        for (at, one) in sorted.iter().enumerate() {
            for (other_at, other) in sorted.iter().enumerate() {
                assert_eq!(by_version(one, other), at.cmp(&other_at), "{one} {other}");
            }
        }
    }
}
