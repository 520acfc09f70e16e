//! `/protected_environments` of projects and groups.

use super::entity::{ProtectedEnvironmentEntity, entities};
use super::model::Rule;
use super::rules::{self, RuleInput};
use super::store as rows;
use ::store::Tx;
use identity::Caller;
use kernel::error::{Error, Found, Result};
use kernel::http::params::FromParams;
use kernel::http::{Created, Flat, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::Holder;
use spaces::access::{self, Purpose};

const OF_PROJECT: &str = "/projects/{id}/protected_environments";
const OF_GROUP: &str = "/groups/{id}/protected_environments";

pub fn routes(r: &mut Routes) {
    r.below(OF_PROJECT, "of_project", declare::<OfProject>);
    r.delete(&format!("{OF_PROJECT}/{{name}}"), destroy_of_project)
        .summary("Protects an environment of a project no longer");
    r.below(OF_GROUP, "of_group", declare::<OfGroup>);
    r.delete(&format!("{OF_GROUP}/{{tier}}"), destroy_of_group)
        .summary("Protects a tier of a group no longer");
}

fn declare<P: Place>(r: &mut Routes) {
    let (one, of) = (P::ONE, P::OF);
    r.get("", list::<P>).summary(format!("Lists the protected {one}s of {of}"));
    r.post("", create::<P>).summary(format!("Protects {} of {of}", P::A_ONE));
    r.get(P::PATH, show::<P>).summary(format!("Shows a protected {one} of {of}"));
    r.put(P::PATH, update::<P>)
        .summary(format!("Changes a protected {one} of {of}"));
}

/// What has protected environments: a project, or a group those of its tiers.
trait Place: 'static {
    const ONE: &str;
    const A_ONE: &str;
    const OF: &str;
    const PATH: &str;
    type One: Named;
    type Change: Named + Changes;
    fn find(tx: &mut Tx<'_>, by: &Caller, id: &Reference) -> Result<Holder>;
}

struct OfProject;

impl Place for OfProject {
    const ONE: &str = "environment";
    const A_ONE: &str = "an environment";
    const OF: &str = "a project";
    const PATH: &str = "/{name}";
    type One = OneProtected;
    type Change = ChangeProtected;
    fn find(tx: &mut Tx<'_>, by: &Caller, id: &Reference) -> Result<Holder> {
        let project = access::project(tx, &by.viewer, id, Purpose::Update)?;
        Ok(Holder::Project(Box::new(project)))
    }
}

struct OfGroup;

impl Place for OfGroup {
    const ONE: &str = "tier";
    const A_ONE: &str = "a tier";
    const OF: &str = "a group";
    const PATH: &str = "/{tier}";
    type One = OneTier;
    type Change = ChangeTier;
    fn find(tx: &mut Tx<'_>, by: &Caller, id: &Reference) -> Result<Holder> {
        let group = access::group(tx, &by.viewer, id, Purpose::Update)?;
        Ok(Holder::Group(Box::new(group)))
    }
}

kernel::params! {
    /// A project or group.
    pub struct ProtectedIn {
        /// Id or path.
        pub id: Reference,
    }
}

kernel::params! {
    /// A protected environment by its name.
    pub struct OneProtected {
        /// Id or path of the project.
        pub id: Reference,
        /// Name of the environment.
        pub name: String,
    }
}

kernel::params! {
    /// A protected tier.
    pub struct OneTier {
        /// Id or path of the group.
        pub id: Reference,
        /// The tier.
        pub tier: String,
    }
}

kernel::params! {
    /// What to protect.
    pub struct Protect {
        pub at: Flat<ProtectedIn>,
        /// Name of the environment, or a tier.
        pub name: Option<String>,
        pub rule: Flat<RuleInput>,
    }
}

kernel::params! {
    /// Changes of a protected environment.
    pub struct ChangeProtected {
        pub at: Flat<OneProtected>,
        pub rule: Flat<RuleInput>,
    }
}

kernel::params! {
    /// Changes of a protected tier.
    pub struct ChangeTier {
        pub at: Flat<OneTier>,
        pub rule: Flat<RuleInput>,
    }
}

/// What is meant: a project or group, and the name of what it protects.
trait Named: FromParams + Send + Sync + 'static {
    fn named(&self) -> (&Reference, &str);
}

trait Changes {
    fn rule(&self) -> &RuleInput;
}

impl Named for OneProtected {
    fn named(&self) -> (&Reference, &str) {
        (&self.id, &self.name)
    }
}

impl Named for OneTier {
    fn named(&self) -> (&Reference, &str) {
        (&self.id, &self.tier)
    }
}

impl Named for ChangeProtected {
    fn named(&self) -> (&Reference, &str) {
        self.at.named()
    }
}

impl Named for ChangeTier {
    fn named(&self) -> (&Reference, &str) {
        self.at.named()
    }
}

impl Changes for ChangeProtected {
    fn rule(&self) -> &RuleInput {
        &self.rule
    }
}

impl Changes for ChangeTier {
    fn rule(&self) -> &RuleInput {
        &self.rule
    }
}

fn shown(tx: &mut Tx<'_>, rule: Rule) -> Result<ProtectedEnvironmentEntity> {
    entities(tx, vec![rule])?.pop().found("")
}

async fn list<P: Place>(
    by: Caller, asked: Params<ProtectedIn>, paging: Paging,
) -> Result<Paged<ProtectedEnvironmentEntity>> {
    by.read(move |tx, by| {
        let holder = P::find(tx, by, &asked.id)?;
        let rules = rows::of(tx, holder.id())?;
        Ok(Paged::of_whole(entities(tx, rules)?, paging))
    })
    .await
}

async fn show<P: Place>(
    by: Caller, at: Params<P::One>,
) -> Result<Ok200<ProtectedEnvironmentEntity>> {
    by.read(move |tx, by| {
        let (id, name) = at.named();
        let holder = P::find(tx, by, id)?;
        let rule = rows::named(tx, holder.id(), name)?.found("")?;
        shown(tx, rule).map(Ok200)
    })
    .await
}

async fn create<P: Place>(
    by: Caller, asked: Params<Protect>,
) -> Result<Created<ProtectedEnvironmentEntity>> {
    by.write(move |tx, by| {
        let holder = P::find(tx, by, &asked.at.id)?;
        let name = asked.name.as_deref().ok_or_else(|| Error::missing("name"))?;
        let rule = rules::create(tx, &by.viewer, &holder, name, &asked.rule)?;
        shown(tx, rule).map(Created)
    })
    .await
}

async fn update<P: Place>(
    by: Caller, asked: Params<P::Change>,
) -> Result<Ok200<ProtectedEnvironmentEntity>> {
    by.write(move |tx, by| {
        let (id, name) = asked.named();
        let holder = P::find(tx, by, id)?;
        let rule = rules::update(tx, &by.viewer, &holder, name, asked.rule())?;
        shown(tx, rule).map(Ok200)
    })
    .await
}

async fn destroy<P: Place>(by: Caller, at: P::One) -> Result<()> {
    by.write(move |tx, by| {
        let (id, name) = at.named();
        let holder = P::find(tx, by, id)?;
        rules::destroy(tx, &by.viewer, &holder, name)
    })
    .await
}

async fn destroy_of_project(by: Caller, at: Params<OneProtected>) -> Result<NoContent> {
    destroy::<OfProject>(by, at.0).await.map(|()| NoContent)
}

/// Nothing is left to be told.
#[derive(Debug, Serialize, JsonSchema)]
struct Unprotected {}

async fn destroy_of_group(by: Caller, at: Params<OneTier>) -> Result<Ok200<Unprotected>> {
    destroy::<OfGroup>(by, at.0).await.map(|()| Ok200(Unprotected {}))
}
