//! Tags.

use super::listing::{Listing, Part};
use crate::access::{Code, CodeRequest};
use crate::entity::{TagEntity, TagRelease};
use crate::hooks::releases_of_tags;
use crate::names::{self, Named, Wanted};
use crate::tags::{Loaded, TagOrder, sorted};
use kernel::error::{Error, Found, Result};
use kernel::http::{Ok200, Params, Routes};
use repositories::formats::ref_name::RefName;
use repositories::objects::Objects;
use repositories::protection::are_tags_protected;
use repositories::store::refs;

pub(super) fn routes(r: &mut Routes) {
    r.get("/tags", list).scopes(super::SCOPES).job_tokens().summary("Lists tags");
    r.get("/tags/{tag_name}", show)
        .scopes(super::SCOPES)
        .job_tokens()
        .summary("Shows a tag");
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

async fn list(
    at: CodeRequest, filter: Params<Filter>, listing: Listing,
) -> Result<Part<TagEntity>> {
    let wanted = Wanted::of(filter.search.as_deref(), None)?;
    let (code, tags) =
        at.find(move |tx, code| names::all_of(tx, code, "refs/tags/", &wanted)).await?;
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

async fn entities(at: &CodeRequest, code: &Code, tags: &[Loaded]) -> Result<Vec<TagEntity>> {
    let names: Vec<String> = tags.iter().map(|one| one.named.name.clone()).collect();
    let (project, viewer) = (code.project.clone(), at.viewer.clone());
    let beside = at.app.read(move |tx| {
        let releases = releases_of_tags(tx, &viewer, &project, &names)?;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Ok((are_tags_protected(tx, &project, &names)?, releases))
    });
    let (protected, releases) = beside.await?;
    let release = |name: &str| {
        let (tag_name, description) = releases.as_ref()?.get_key_value(name)?;
        let (tag_name, description) = (tag_name.clone(), description.clone());
        Some(TagRelease { tag_name, description })
    };
    let web_url = code.web_url(at.app.base_url());
    let entity = |(one, protected): (&Loaded, bool)| {
        let (named, target) = (&one.named, one.named.object_id.to_string());
        let (annotated, commit) = (one.annotated.as_ref(), one.commit.as_ref());
        let entity = TagEntity::of(&named.name, target, annotated, commit, protected, &web_url);
        TagEntity {
            release: releases.as_ref().map(|_| release(&named.name)),
            ..entity
        }
    };
    Ok(tags.iter().zip(protected).map(entity).collect())
}

async fn show(at: CodeRequest, asked: Params<OneTag>) -> Result<Ok200<TagEntity>> {
    one(&at, &asked.tag_name).await.map(Ok200)
}

/// A tag as it is now.
pub(super) async fn one(at: &CodeRequest, name: &str) -> Result<TagEntity> {
    let (code, loaded) = found(at, name).await?;
    entities(at, &code, &[loaded]).await?.pop().found("Tag")
}

/// The same with what it leads to.
pub(super) async fn found(at: &CodeRequest, name: &str) -> Result<(Code, Loaded)> {
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
    Ok((code, loaded))
}
