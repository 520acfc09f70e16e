//! Branches.

use super::listing::{Listing, Part};
use crate::access::CodeRequest;
use crate::branches::{self, Sort};
use crate::entity::{BranchEntity, BranchState};
use crate::names::{self, Named, Wanted};
use http::StatusCode;
use kernel::error::{Error, Found, Result};
use kernel::http::{Answer, Params, RequestContext, Response, Routes, reply};
use repositories::formats::object_id::ObjectId;
use repositories::formats::ref_name::RefName;
use repositories::objects::{Commit, Objects};
use repositories::store::refs;
use std::collections::HashSet;
use std::sync::Arc;

pub(super) fn routes(r: &mut Routes) {
    r.get("/branches", list)
        .scopes(super::SCOPES)
        .job_tokens()
        .summary("Lists branches");
    r.get("/branches/{branch}", show)
        .scopes(super::SCOPES)
        .job_tokens()
        .summary("Shows a branch");
}

kernel::params! {
    /// Which branches.
    struct Filter {
        /// A part of the name; `^x` for its beginning, `x$` for its end.
        pub search: Option<String>,
        /// An expression that the name matches.
        pub regex: Option<String>,
        /// How they are sorted: by name unless said.
        pub sort: Option<Sort>,
    }
}

kernel::params! {
    pub(super) struct OneBranch {
        /// Name of the branch.
        pub branch: String,
    }
}

/// Branches with their commits, and those that the default branch has.
struct Loaded {
    branches: Part<(Named, Commit)>,
    merged: HashSet<ObjectId>,
}

async fn list(
    at: CodeRequest, filter: Params<Filter>, listing: Listing,
) -> Result<Part<BranchEntity>> {
    let wanted = Wanted::of(filter.search.as_deref(), filter.regex.as_deref())?;
    let found = at.find(move |tx, code| names::all_of(tx, code, "refs/heads/", &wanted)).await?;
    let (code, branches) = found;
    if branches.is_empty() {
        return Ok(Part::none());
    }
    let (head, sort) = (code.head()?.clone(), filter.sort.unwrap_or(Sort::NameAsc));
    let default = branches::default_tip(&at.app, code.repository()?).await?;
    let work = move |objects: &Objects| {
        let sorted = branches::sorted(objects, branches.clone(), sort)?;
        let part = listing.of(sorted, |all, at| all[at].name.clone())?;
        with_commits(objects, part, default)
    };
    let Loaded { branches, merged } = at.objects(&code, work).await?;
    let names: Vec<String> = branches.items.iter().map(|(one, _)| one.name.clone()).collect();
    let protections = branches::protections(&at.app, &at.viewer, &code, names).await?;
    let web_url = code.web_url(at.app.base_url());
    let entities = branches.items.iter().zip(protections).map(|((one, commit), protection)| {
        let state = BranchState { head: &head, merged: merged.contains(&commit.id), protection };
        BranchEntity::of(&one.name, commit, state, &web_url)
    });
    let entities = entities.collect();
    Ok(branches.replace(entities))
}

fn with_commits(objects: &Objects, part: Part<Named>, default: Option<ObjectId>) -> Result<Loaded> {
    let mut rows = Vec::with_capacity(part.items.len());
    for one in &part.items {
        if let Some(commit) = objects.commit(one.peeled())? {
            rows.push((one.clone(), commit));
        }
    }
    let ids: Vec<ObjectId> = rows.iter().map(|(_, commit)| commit.id).collect();
    let merged = match default {
        Some(default) => objects.merged_into(default, &ids)?,
        None => HashSet::new(),
    };
    Ok(Loaded { branches: part.replace(rows), merged })
}

/// A branch as it is now.
pub(super) async fn one(at: &CodeRequest, name: &str) -> Result<BranchEntity> {
    let name = name.to_owned();
    let (code, found) = at
        .find(move |tx, code| {
            let repository = code.repository.as_ref().found("Branch")?;
            let branch = RefName::branch(&name).map_err(|_| Error::NotFound("Branch"))?;
            refs::some(tx, repository.id, &[branch])?.pop().found("Branch")
        })
        .await?;
    let default = branches::default_tip(&at.app, code.repository()?).await?;
    let named = Named::of(&found);
    let work = move |objects: &Objects| {
        let commit = objects.commit(named.peeled())?.found("Branch")?;
        let merged = match default {
            Some(default) => objects.is_ancestor(commit.id, default)?,
            None => false,
        };
        Ok((named.name.clone(), commit, merged))
    };
    let (name, commit, merged) = at.objects(&code, work).await?;
    let protection = branches::protections(&at.app, &at.viewer, &code, vec![name.clone()])
        .await?
        .pop()
        .found("Branch")?;
    let state = BranchState { head: code.head()?, merged, protection };
    Ok(BranchEntity::of(&name, &commit, state, &code.web_url(at.app.base_url())))
}

async fn show(
    at: CodeRequest, request: Arc<RequestContext>, asked: Params<OneBranch>,
) -> Result<OneAnswer> {
    let branch = one(&at, &asked.branch).await?;
    Ok(OneAnswer((request.method != http::Method::HEAD).then_some(branch)))
}

/// A branch, or that it is there.
struct OneAnswer(Option<BranchEntity>);

impl Answer for OneAnswer {
    fn reply(self, _: &kernel::app::App, _: &RequestContext) -> Result<Response> {
        match self.0 {
            Some(branch) => reply::json(StatusCode::OK, &branch),
            None => Ok(reply::empty(StatusCode::NO_CONTENT)),
        }
    }

    fn describe(operation: &mut kernel::http::openapi::Operation<'_>) {
        operation.answers::<BranchEntity>(200);
    }
}
