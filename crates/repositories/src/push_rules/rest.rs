//! `/push_rule` of projects, groups and the instance.

use super::model::{PushRule, PushRuleInput};
use super::store::{self as rows, Owner, StoredRule};
use ::store::{Json, Tx};
use identity::Caller;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::http::params::{Field, FromParams, Source};
use kernel::http::{Created, NoContent, Ok200, Params, Routes};
use kernel::ids::Reference;
use kernel::time::wire;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use spaces::access::{self, Purpose};
use spaces::rules::{of_group, of_project};

pub(super) fn routes(r: &mut Routes) {
    r.below("/projects/{id}/push_rule", "of_project", declare::<OfProject>);
    r.below("/groups/{id}/push_rule", "of_group", declare::<OfGroup>);
    r.below("/application/push_rule", "of_instance", declare::<OfInstance>);
}

fn declare<H: Holder>(r: &mut Routes) {
    let of = H::WORDS;
    r.get("", show::<H>).summary(format!("Shows what is asked of pushes to {of}"));
    r.post("", create::<H>).summary(format!("Sets what is asked of pushes to {of}"));
    r.put("", update::<H>)
        .summary(format!("Changes what is asked of pushes to {of}"));
    r.delete("", destroy::<H>)
        .summary(format!("Asks nothing more of pushes to {of}"));
}

/// A push rule.
#[derive(Debug, Serialize, JsonSchema)]
struct PushRuleEntity {
    id: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    project_id: Option<i64>,
    created_at: String,
    #[serde(flatten)]
    rule: PushRule,
}

impl From<StoredRule> for PushRuleEntity {
    fn from(stored: StoredRule) -> PushRuleEntity {
        PushRuleEntity {
            id: stored.id,
            project_id: stored.project_id,
            created_at: wire::text(stored.created_at),
            rule: stored.rule.0,
        }
    }
}

/// What has a rule, for who may change it.
struct Place {
    owner: Owner,
    kind: &'static str,
    id: i64,
    path: String,
}

impl Place {
    fn of((kind, id, path): audit::Target<'_>, owner: Owner) -> Place {
        Place { owner, kind, id, path: path.to_owned() }
    }
}

trait Holder: 'static {
    const WORDS: &str;
    /// What is said where there is one already.
    const EXISTS: &str;
    /// Whether none is null, or not found.
    const NONE_IS_NULL: bool = false;
    type At: At;
    fn find(tx: &mut Tx<'_>, by: &Caller, at: &Self::At) -> Result<Place>;
}

/// What names a holder.
trait At: FromParams + Clone + Send + Sync + 'static {}

kernel::params! {
    /// A project or group.
    struct OfSpace {
        /// Id or path of the project or group.
        pub id: Reference,
    }
}

impl At for OfSpace {}

/// There is one instance.
#[derive(Debug, Clone)]
struct Nothing;

impl FromParams for Nothing {
    fn from_params(_: &Source) -> Result<Nothing, Vec<String>> {
        Ok(Nothing)
    }

    fn fields() -> Vec<Field> {
        Vec::new()
    }
}

impl At for Nothing {}

struct OfProject;

impl Holder for OfProject {
    const WORDS: &str = "a project";
    const EXISTS: &str = "Project push rule exists";
    const NONE_IS_NULL: bool = true;
    type At = OfSpace;
    fn find(tx: &mut Tx<'_>, by: &Caller, at: &OfSpace) -> Result<Place> {
        let project = access::project(tx, &by.viewer, &at.id, Purpose::Update)?;
        Ok(Place::of(of_project(&project), Owner::Project(project.id)))
    }
}

struct OfGroup;

impl Holder for OfGroup {
    const WORDS: &str = "new projects of a group";
    const EXISTS: &str = "Group push rule exists, try updating";
    type At = OfSpace;
    fn find(tx: &mut Tx<'_>, by: &Caller, at: &OfSpace) -> Result<Place> {
        let group = access::group(tx, &by.viewer, &at.id, Purpose::Update)?;
        Ok(Place::of(of_group(&group), Owner::Group(group.id)))
    }
}

struct OfInstance;

impl Holder for OfInstance {
    const WORDS: &str = "new projects of the instance";
    const EXISTS: &str = "Push rule exists, try updating";
    const NONE_IS_NULL: bool = true;
    type At = Nothing;
    fn find(_: &mut Tx<'_>, by: &Caller, _: &Nothing) -> Result<Place> {
        by.viewer.signed_in()?;
        match by.viewer.is_admin() {
            true => Ok(Place::of(("Instance", 0, ""), Owner::Instance)),
            false => Err(Error::forbidden("")),
        }
    }
}

async fn show<H: Holder>(by: Caller, at: Params<H::At>) -> Result<Ok200<Option<PushRuleEntity>>> {
    by.read(move |tx, by| {
        let place = H::find(tx, by, &at)?;
        match rows::find(tx, place.owner)? {
            None if !H::NONE_IS_NULL => None.found("Push Rule"),
            stored => Ok(Ok200(stored.map(PushRuleEntity::from))),
        }
    })
    .await
}

/// Does something with the rule of a holder, and notes it.
async fn change<H: Holder, T: Send + 'static>(
    by: Caller, at: Params<H::At>, action: &'static str,
    work: impl Fn(&mut Tx<'_>, Owner) -> Result<T> + Send + 'static,
) -> Result<T> {
    by.write(move |tx, by| {
        let place = H::find(tx, by, &at)?;
        let done = work(tx, place.owner)?;
        let target = (place.kind, place.id, place.path.as_str());
        audit::record(tx, &by.viewer, action, target, json!({}))?;
        Ok(done)
    })
    .await
}

fn stored(tx: &mut Tx<'_>, owner: Owner) -> Result<PushRuleEntity> {
    Ok(rows::find(tx, owner)?.found("Push Rule")?.into())
}

async fn create<H: Holder>(
    by: Caller, at: Params<H::At>, input: Params<PushRuleInput>,
) -> Result<Created<PushRuleEntity>> {
    let work = move |tx: &mut Tx<'_>, owner| {
        let rule = input.over(PushRule::default())?;
        match rows::insert(tx, owner, &rule)? {
            true => stored(tx, owner).map(Created),
            false => Err(Error::Unprocessable(H::EXISTS.into())),
        }
    };
    change::<H, _>(by, at, "push_rule.create", work).await
}

async fn update<H: Holder>(
    by: Caller, at: Params<H::At>, input: Params<PushRuleInput>,
) -> Result<Ok200<PushRuleEntity>> {
    let work = move |tx: &mut Tx<'_>, owner| {
        let Json(before) = rows::find(tx, owner)?.found("Push Rule")?.rule;
        rows::update(tx, owner, &input.over(before)?)?;
        stored(tx, owner).map(Ok200)
    };
    change::<H, _>(by, at, "push_rule.update", work).await
}

async fn destroy<H: Holder>(by: Caller, at: Params<H::At>) -> Result<NoContent> {
    let work = |tx: &mut Tx<'_>, owner| match rows::delete(tx, owner)? {
        true => Ok(NoContent),
        false => None.found("Push Rule"),
    };
    change::<H, _>(by, at, "push_rule.destroy", work).await
}
