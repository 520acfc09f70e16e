//! REST of statuses (docs/interface/delivery.md 16).

use super::entity::CommitStatusEntity;
use super::model::State;
use super::rules::{About, say};
use super::store::{self, Statement, Wanted};
use code::access::{Code, CodeRequest, SCOPES, commit};
use identity::entities::load_basic;
use kernel::error::{Error, Result};
use kernel::http::{Created, Paged, Paging, Params, Routes};
use repositories::formats::object_id::ObjectId;
use repositories::formats::ref_name::RefName;
use repositories::objects::{Commit, Objects};
use repositories::store::refs;
use spaces::access::{Purpose, may};

/// What a status is called that has no name.
const NAME: &str = "default";

pub fn routes(r: &mut Routes) {
    r.get("/projects/{id}/repository/commits/{sha}/statuses", list)
        .scopes(SCOPES)
        .job_tokens()
        .summary("Lists what programs say of a commit");
    r.post("/projects/{id}/statuses/{sha}", set)
        .summary("Says how far something with a commit is");
}

kernel::params! {
    /// A commit and which of its statuses.
    pub struct ListStatuses {
        /// Commit, branch or tag.
        pub sha: String,
        /// Only of this branch or tag.
        pub on_ref as "ref": Option<String>,
        /// Only of this stage.
        pub stage: Option<String>,
        /// Only of this name.
        pub name: Option<String>,
        /// Only of this pipeline.
        pub pipeline_id: Option<i64>,
        /// Also those that others came after.
        pub all: Option<bool>,
    }
}

/// The commit that the address names.
async fn found(at: &CodeRequest, sha: &str) -> Result<(Code, Commit)> {
    let (code, revision) = at.at(Some(sha), "Commit").await?;
    let find = move |objects: &Objects| commit(objects, &revision, "Commit");
    let commit = at.objects(&code, find).await?;
    Ok((code, commit))
}

async fn list(
    at: CodeRequest, asked: Params<ListStatuses>, paging: Paging,
) -> Result<Paged<CommitStatusEntity>> {
    let Params(asked) = asked;
    let (code, commit) = found(&at, &asked.sha).await?;
    let (sha, by) = (commit.id.to_string(), at.caller.clone());
    let wanted = Wanted {
        on_ref: asked.on_ref,
        stage: asked.stage,
        name: asked.name,
        pipeline_id: asked.pipeline_id,
        all: asked.all == Some(true),
    };
    let page = Paged::read(&at.app, paging, move |tx, paging| {
        if !may(tx, &by.viewer, &code.project, Purpose::ReadPipelines)? {
            return Err(Error::forbidden(""));
        }
        let (rows, total) = store::page(tx, (code.project.id, &sha), &wanted, paging)?;
        let people: Vec<i64> = rows.iter().filter_map(|row| row.job.user_id).collect();
        let people = load_basic(tx, &people)?;
        let web_url = code.web_url(by.app.base_url());
        let entity = |row| CommitStatusEntity::of(&by.app, row, &web_url, &people);
        Ok((rows.into_iter().map(entity).collect(), total))
    });
    page.await
}

kernel::params! {
    /// What a program says of a commit.
    pub struct SetStatus {
        /// Commit, branch or tag.
        pub sha: String,
        /// How far it is.
        pub state: State,
        /// The branch or tag it is for; where the commit is, unless given.
        pub on_ref as "ref": Option<String>,
        /// What it is called: `default` unless given.
        pub name: Option<String>,
        /// The same by another name.
        pub context: Option<String>,
        /// Where there is more of it.
        pub target_url: Option<String>,
        /// What it says.
        pub description: Option<String>,
        /// How much of the code was tried, in percent.
        pub coverage: Option<f64>,
        /// The pipeline that it belongs to; the newest of the commit unless given.
        pub pipeline_id: Option<i64>,
    }
}

async fn set(at: CodeRequest, asked: Params<SetStatus>) -> Result<Created<CommitStatusEntity>> {
    at.viewer.signed_in()?;
    let Params(asked) = asked;
    let (code, commit) = found(&at, &asked.sha).await?;
    let present = |text: Option<String>| text.filter(|text| !text.is_empty());
    let about = About {
        project: code.project.clone(),
        repository: code.repository()?.clone(),
        sha: commit.id.to_string(),
        on_ref: present(asked.on_ref),
        usual_ref: holder(&at, &code, commit.id).await?,
        pipeline_id: asked.pipeline_id,
    };
    let said = Statement {
        name: present(asked.name).or(present(asked.context)).unwrap_or_else(|| NAME.into()),
        state: asked.state,
        target_url: present(asked.target_url),
        description: present(asked.description),
        coverage: asked.coverage,
        user_id: at.viewer.user_id(),
    };
    let by = at.caller.clone();
    let set = at.app.write(move |tx| {
        if !may(tx, &by.viewer, &about.project, Purpose::PushCode)? {
            return Err(Error::forbidden(""));
        }
        let status = say(tx, &about, &said)?;
        let people = load_basic(tx, &said.user_id.into_iter().collect::<Vec<_>>())?;
        let web_url = about.project.web_url(by.app.base_url());
        Ok(Created(CommitStatusEntity::of(&by.app, status, &web_url, &people)))
    });
    set.await
}

/// The branch that a status is of which names none: one that ends with the commit, else
/// the default branch.
async fn holder(at: &CodeRequest, code: &Code, commit: ObjectId) -> Result<String> {
    let (id, head) = (code.repository()?.id, code.head()?.clone());
    let mut there = at.app.read(move |tx| refs::branches_at(tx, id, &[commit])).await?;
    there.sort_by_key(|one| (one.name != head, one.name.to_string()));
    let name: RefName = there
        .into_iter()
        .next()
        .map_or_else(|| code.head().cloned(), |one| Ok(one.name))?;
    Ok(name.as_branch().unwrap_or_default().to_owned())
}
