//! `/protected_branches` of projects and groups, `/protected_tags`.

use super::entity::{ProtectedBranchEntity, ProtectedTagEntity, branches, tags};
use super::model::{Deed, ProtectedRef, RefKind};
use super::rules::{self, LevelInput, RuleInput, Wish};
use ::store::Tx;
use identity::Caller;
use kernel::error::{Found, Result};
use kernel::http::params::FromParams;
use kernel::http::{Created, Flat, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use schemars::JsonSchema;
use serde::Serialize;
use spaces::Holder;
use spaces::access::{self, Purpose};

pub fn routes(r: &mut Routes) {
    r.below(
        "/projects/{id}/protected_branches",
        "of_project",
        declare::<Branches, OfProject>,
    );
    r.below("/groups/{id}/protected_branches", "of_group", declare::<Branches, OfGroup>);
    r.below("/projects/{id}/protected_tags", "of_tags", declare::<Tags, OfProject>);
}

fn declare<K: Kind, H: Held>(r: &mut Routes) {
    let (one, of) = (K::ONE, H::WORDS);
    r.get("", list::<K, H>)
        .summary(format!("Lists rules that protect a {one} of {of}"));
    r.post("", create::<K, H>)
        .summary(format!("Protects a {one} of {of}, or all of a pattern"));
    r.get("/{name}", show::<K, H>)
        .summary(format!("Shows the rule of a protected {one} of {of}"));
    r.patch("/{name}", update::<K, H>)
        .summary(format!("Changes the rule of a protected {one} of {of}"));
    r.delete("/{name}", destroy::<K, H>)
        .summary(format!("Protects a {one} of {of} no longer"));
}

/// What is protected: branches or tags.
trait Kind: 'static {
    const KIND: RefKind;
    const ONE: &str;
    type Entity: Serialize + JsonSchema + Send + 'static;
    type New: Asked;
    type Change: Asked;
    fn shown(tx: &mut Tx<'_>, rules: Vec<ProtectedRef>) -> Result<Vec<Self::Entity>>;
}

struct Branches;

impl Kind for Branches {
    const KIND: RefKind = RefKind::Branch;
    const ONE: &str = "branch";
    type Entity = ProtectedBranchEntity;
    type New = ProtectBranch;
    type Change = ChangeBranch;
    fn shown(tx: &mut Tx<'_>, rules: Vec<ProtectedRef>) -> Result<Vec<ProtectedBranchEntity>> {
        branches(tx, rules)
    }
}

struct Tags;

impl Kind for Tags {
    const KIND: RefKind = RefKind::Tag;
    const ONE: &str = "tag";
    type Entity = ProtectedTagEntity;
    type New = ProtectTag;
    type Change = ChangeTag;
    fn shown(tx: &mut Tx<'_>, rules: Vec<ProtectedRef>) -> Result<Vec<ProtectedTagEntity>> {
        tags(tx, rules)
    }
}

/// What has rules: a project or a group.
trait Held: 'static {
    const WORDS: &str;
    fn find(tx: &mut Tx<'_>, by: &Caller, id: &Reference, purpose: Purpose) -> Result<Holder>;
}

struct OfProject;

impl Held for OfProject {
    const WORDS: &str = "a project";
    fn find(tx: &mut Tx<'_>, by: &Caller, id: &Reference, purpose: Purpose) -> Result<Holder> {
        let project = access::project(tx, &by.viewer, id, purpose)?;
        Ok(Holder::Project(Box::new(project)))
    }
}

struct OfGroup;

impl Held for OfGroup {
    const WORDS: &str = "the projects of a group";
    /// Only who changes a group sees its rules.
    fn find(tx: &mut Tx<'_>, by: &Caller, id: &Reference, _: Purpose) -> Result<Holder> {
        let group = access::group(tx, &by.viewer, id, Purpose::Update)?;
        Ok(Holder::Group(Box::new(group)))
    }
}

kernel::params! {
    /// A project or group.
    pub struct ListProtected {
        /// Id or path.
        pub id: Reference,
        /// Only names with this text in them.
        pub search: Option<String>,
    }
}

kernel::params! {
    /// A rule by the name it has.
    pub struct ProtectedPath {
        /// Id or path of the project or group.
        pub id: Reference,
        /// A branch or tag, or a pattern.
        pub name: String,
    }
}

kernel::params! {
    /// What may be set of a protected branch.
    pub struct BranchRule {
        /// Whether those who push may push what does not follow.
        pub allow_force_push: Option<bool>,
        /// Whether owners of code are to approve.
        pub code_owner_approval_required: Option<bool>,
        /// Who may push.
        pub allowed_to_push: Option<Vec<LevelInput>>,
        /// Who may merge.
        pub allowed_to_merge: Option<Vec<LevelInput>>,
        /// Who may change this.
        pub allowed_to_unprotect: Option<Vec<LevelInput>>,
    }
}

kernel::params! {
    /// Branches to protect.
    pub struct ProtectBranch {
        pub at: Flat<ProtectedPath>,
        /// Role that may push: 0, 30, 40 or 60.
        pub push_access_level: Option<i64>,
        /// Role that may merge.
        pub merge_access_level: Option<i64>,
        /// Role that may change this.
        pub unprotect_access_level: Option<i64>,
        pub rule: Flat<BranchRule>,
    }
}

kernel::params! {
    /// Changes of a protected branch.
    pub struct ChangeBranch {
        pub at: Flat<ProtectedPath>,
        pub rule: Flat<BranchRule>,
    }
}

kernel::params! {
    /// Tags to protect.
    pub struct ProtectTag {
        pub at: Flat<ProtectedPath>,
        /// Role that may make them: 0, 30, 40 or 60.
        pub create_access_level: Option<i64>,
        /// Who may make them.
        pub allowed_to_create: Option<Vec<LevelInput>>,
    }
}

kernel::params! {
    /// Changes of a protected tag.
    pub struct ChangeTag {
        pub at: Flat<ProtectedPath>,
        /// Who may make them.
        pub allowed_to_create: Option<Vec<LevelInput>>,
    }
}

/// What is asked of one rule.
trait Asked: FromParams + Send + Sync + 'static {
    fn at(&self) -> &ProtectedPath;
    fn input(&self) -> RuleInput;
}

impl Asked for ProtectBranch {
    fn at(&self) -> &ProtectedPath {
        &self.at
    }
    fn input(&self) -> RuleInput {
        let roles = [self.push_access_level, self.merge_access_level, self.unprotect_access_level];
        self.rule.input(roles)
    }
}

impl Asked for ChangeBranch {
    fn at(&self) -> &ProtectedPath {
        &self.at
    }
    fn input(&self) -> RuleInput {
        self.rule.input([None; 3])
    }
}

impl Asked for ProtectTag {
    fn at(&self) -> &ProtectedPath {
        &self.at
    }
    fn input(&self) -> RuleInput {
        makers(self.create_access_level, &self.allowed_to_create)
    }
}

impl Asked for ChangeTag {
    fn at(&self) -> &ProtectedPath {
        &self.at
    }
    fn input(&self) -> RuleInput {
        makers(None, &self.allowed_to_create)
    }
}

fn wish(deed: Deed, role: Option<i64>, items: &Option<Vec<LevelInput>>) -> Wish {
    Wish { deed, role, items: items.clone() }
}

/// Who may make tags.
fn makers(role: Option<i64>, items: &Option<Vec<LevelInput>>) -> RuleInput {
    RuleInput {
        wishes: vec![wish(Deed::Create, role, items)],
        ..RuleInput::default()
    }
}

impl BranchRule {
    fn input(&self, [push, merge, unprotect]: [Option<i64>; 3]) -> RuleInput {
        RuleInput {
            allow_force_push: self.allow_force_push,
            code_owner_approval_required: self.code_owner_approval_required,
            wishes: vec![
                wish(Deed::Push, push, &self.allowed_to_push),
                wish(Deed::Merge, merge, &self.allowed_to_merge),
                wish(Deed::Unprotect, unprotect, &self.allowed_to_unprotect),
            ],
        }
    }
}

fn shown<K: Kind>(tx: &mut Tx<'_>, rule: ProtectedRef) -> Result<K::Entity> {
    K::shown(tx, vec![rule])?.pop().found("")
}

async fn list<K: Kind, H: Held>(
    by: Caller, params: Params<ListProtected>, paging: Paging,
) -> Result<Paged<K::Entity>> {
    by.read(move |tx, by| {
        let holder = H::find(tx, by, &params.id, Purpose::DownloadCode)?;
        let mut rules = rules::all(tx, &holder)?;
        let sought = params.search.as_deref().unwrap_or_default().to_lowercase();
        rules.retain(|rule| rule.kind == K::KIND && rule.name.to_lowercase().contains(&sought));
        Ok(Paged::of_whole(K::shown(tx, rules)?, paging))
    })
    .await
}

async fn show<K: Kind, H: Held>(
    by: Caller, path: Params<ProtectedPath>,
) -> Result<Ok200<K::Entity>> {
    by.read(move |tx, by| {
        // Of two with a name, that of the group comes first.
        let holder = H::find(tx, by, &path.id, Purpose::DownloadCode)?;
        let mut rules = rules::all(tx, &holder)?.into_iter();
        let rule = rules.find(|rule| rule.kind == K::KIND && rule.name == path.name);
        shown::<K>(tx, rule.found("")?).map(Ok200)
    })
    .await
}

async fn create<K: Kind, H: Held>(
    by: Caller, params: Params<K::New>,
) -> Result<Created<K::Entity>> {
    by.write(move |tx, by| {
        let (at, input) = (params.at(), params.input());
        let place = H::find(tx, by, &at.id, Purpose::Update)?;
        let made = rules::create(tx, &by.viewer, &place, K::KIND, &at.name, &input)?;
        shown::<K>(tx, made).map(Created)
    })
    .await
}

async fn update<K: Kind, H: Held>(
    by: Caller, params: Params<K::Change>,
) -> Result<Ok200<K::Entity>> {
    by.write(move |tx, by| {
        let (at, input) = (params.at(), params.input());
        let place = H::find(tx, by, &at.id, Purpose::Update)?;
        let changed = rules::update(tx, &by.viewer, &place, K::KIND, &at.name, &input)?;
        shown::<K>(tx, changed).map(Ok200)
    })
    .await
}

async fn destroy<K: Kind, H: Held>(by: Caller, path: Params<ProtectedPath>) -> Result<NoContent> {
    by.write(move |tx, by| {
        let place = H::find(tx, by, &path.id, Purpose::Update)?;
        rules::destroy(tx, &by.viewer, &place, K::KIND, &path.name)?;
        Ok(NoContent)
    })
    .await
}
