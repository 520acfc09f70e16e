//! `/protected_branches` of projects and groups, `/protected_tags`.

use super::entity::{ProtectedBranchEntity, ProtectedTagEntity, branches, tags};
use super::model::{Deed, ProtectedRef, RefKind};
use super::rules::{self, LevelInput, Place, RuleInput, Wish};
use ::store::Tx;
use identity::Caller;
use identity::viewer::Viewer;
use kernel::error::{Found, Result};
use kernel::http::{Created, Flat, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::ids::Reference;
use spaces::access::{self, Purpose};

const BRANCHES: &str = "/projects/{id}/protected_branches";
const BRANCH: &str = "/projects/{id}/protected_branches/{name}";
const OF_GROUP: &str = "/groups/{id}/protected_branches";
const ONE_OF_GROUP: &str = "/groups/{id}/protected_branches/{name}";
const TAGS: &str = "/projects/{id}/protected_tags";
const TAG: &str = "/projects/{id}/protected_tags/{name}";

pub fn routes(r: &mut Routes) {
    r.get(BRANCHES, list).summary("Lists the protected branches of a project");
    r.post(BRANCHES, create).summary("Protects branches of a project");
    r.get(BRANCH, show).summary("Shows a protected branch");
    r.patch(BRANCH, update).summary("Changes a protected branch");
    r.delete(BRANCH, destroy).summary("Protects a branch no longer");
    r.get(OF_GROUP, list_of_group)
        .summary("Lists the protected branches of a group");
    r.post(OF_GROUP, create_of_group)
        .summary("Protects branches of the projects of a group");
    r.get(ONE_OF_GROUP, show_of_group)
        .summary("Shows a protected branch of a group");
    r.patch(ONE_OF_GROUP, update_of_group)
        .summary("Changes a protected branch of a group");
    r.delete(ONE_OF_GROUP, destroy_of_group)
        .summary("Protects a branch of a group no longer");
    r.get(TAGS, list_tags).summary("Lists the protected tags of a project");
    r.post(TAGS, create_tag).summary("Protects tags of a project");
    r.get(TAG, show_tag).summary("Shows a protected tag");
    r.patch(TAG, update_tag).summary("Changes a protected tag");
    r.delete(TAG, destroy_tag).summary("Protects a tag no longer");
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

/// Who may make tags.
fn makers(role: Option<i64>, items: &Option<Vec<LevelInput>>) -> RuleInput {
    let wish = Wish { deed: Deed::Create, role, items: items.clone() };
    RuleInput { wishes: vec![wish], ..RuleInput::default() }
}

impl BranchRule {
    fn input(&self, roles: [Option<i64>; 3]) -> RuleInput {
        let [push, merge, unprotect] = roles;
        let wish =
            |deed, role, items: &Option<Vec<LevelInput>>| Wish { deed, role, items: items.clone() };
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

impl ProtectBranch {
    fn input(&self) -> RuleInput {
        let roles = [self.push_access_level, self.merge_access_level, self.unprotect_access_level];
        self.rule.input(roles)
    }
}

fn project(tx: &mut Tx<'_>, by: &Caller, id: &Reference, purpose: Purpose) -> Result<Place> {
    let project = access::project(tx, &by.viewer, id, purpose)?;
    Ok(Place::Project(Box::new(project)))
}

fn group(tx: &mut Tx<'_>, by: &Caller, id: &Reference) -> Result<Place> {
    let group = access::group(tx, &by.viewer, id, Purpose::Update)?;
    Ok(Place::Group(Box::new(group)))
}

/// The rules of a place, those that a text is in.
fn found(
    tx: &mut Tx<'_>,
    place: &Place,
    kind: RefKind,
    search: Option<&str>,
) -> Result<Vec<ProtectedRef>> {
    let mut rules = place.rules(tx)?;
    let sought = search.unwrap_or_default().to_lowercase();
    rules.retain(|rule| rule.kind == kind && rule.name.to_lowercase().contains(&sought));
    Ok(rules)
}

/// The rule of a name; of two, that of the group.
fn one(tx: &mut Tx<'_>, place: &Place, kind: RefKind, name: &str) -> Result<Vec<ProtectedRef>> {
    let rules = place.rules(tx)?;
    let rule = rules.into_iter().find(|rule| rule.kind == kind && rule.name == name);
    Ok(vec![rule.found("")?])
}

fn one_branch(tx: &mut Tx<'_>, rule: Vec<ProtectedRef>) -> Result<ProtectedBranchEntity> {
    branches(tx, rule)?.pop().found("")
}

fn one_tag(tx: &mut Tx<'_>, rule: Vec<ProtectedRef>) -> Result<ProtectedTagEntity> {
    tags(tx, rule)?.pop().found("")
}

async fn list(
    by: Caller,
    params: Params<ListProtected>,
    paging: Paging,
) -> Result<Paged<ProtectedBranchEntity>> {
    by.read(move |tx, by| {
        let place = project(tx, by, &params.id, Purpose::DownloadCode)?;
        page_of_branches(tx, &place, &params, paging)
    })
    .await
}

async fn list_of_group(
    by: Caller,
    params: Params<ListProtected>,
    paging: Paging,
) -> Result<Paged<ProtectedBranchEntity>> {
    by.read(move |tx, by| {
        let place = group(tx, by, &params.id)?;
        page_of_branches(tx, &place, &params, paging)
    })
    .await
}

fn page_of_branches(
    tx: &mut Tx<'_>,
    place: &Place,
    params: &ListProtected,
    paging: Paging,
) -> Result<Paged<ProtectedBranchEntity>> {
    let rules = found(tx, place, RefKind::Branch, params.search.as_deref())?;
    Ok(Paged::of_whole(branches(tx, rules)?, paging))
}

async fn show(by: Caller, path: Params<ProtectedPath>) -> Result<Ok200<ProtectedBranchEntity>> {
    by.read(move |tx, by| {
        let place = project(tx, by, &path.id, Purpose::DownloadCode)?;
        let rule = one(tx, &place, RefKind::Branch, &path.name)?;
        one_branch(tx, rule).map(Ok200)
    })
    .await
}

async fn show_of_group(
    by: Caller,
    path: Params<ProtectedPath>,
) -> Result<Ok200<ProtectedBranchEntity>> {
    by.read(move |tx, by| {
        let place = group(tx, by, &path.id)?;
        let rule = one(tx, &place, RefKind::Branch, &path.name)?;
        one_branch(tx, rule).map(Ok200)
    })
    .await
}

fn protect(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    place: &Place,
    params: &ProtectBranch,
) -> Result<Created<ProtectedBranchEntity>> {
    let made = rules::create(tx, viewer, place, RefKind::Branch, &params.at.name, &params.input())?;
    one_branch(tx, vec![made]).map(Created)
}

async fn create(
    by: Caller,
    params: Params<ProtectBranch>,
) -> Result<Created<ProtectedBranchEntity>> {
    by.write(move |tx, by| {
        let place = project(tx, by, &params.at.id, Purpose::Update)?;
        protect(tx, &by.viewer, &place, &params)
    })
    .await
}

async fn create_of_group(
    by: Caller,
    params: Params<ProtectBranch>,
) -> Result<Created<ProtectedBranchEntity>> {
    by.write(move |tx, by| {
        let place = group(tx, by, &params.at.id)?;
        protect(tx, &by.viewer, &place, &params)
    })
    .await
}

fn change(
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    place: &Place,
    params: &ChangeBranch,
) -> Result<Ok200<ProtectedBranchEntity>> {
    let input = params.rule.input([None; 3]);
    let rule = rules::update(tx, viewer, place, RefKind::Branch, &params.at.name, &input)?;
    one_branch(tx, vec![rule]).map(Ok200)
}

async fn update(by: Caller, params: Params<ChangeBranch>) -> Result<Ok200<ProtectedBranchEntity>> {
    by.write(move |tx, by| {
        let place = project(tx, by, &params.at.id, Purpose::Update)?;
        change(tx, &by.viewer, &place, &params)
    })
    .await
}

async fn update_of_group(
    by: Caller,
    params: Params<ChangeBranch>,
) -> Result<Ok200<ProtectedBranchEntity>> {
    by.write(move |tx, by| {
        let place = group(tx, by, &params.at.id)?;
        change(tx, &by.viewer, &place, &params)
    })
    .await
}

async fn destroy(by: Caller, path: Params<ProtectedPath>) -> Result<NoContent> {
    end(by, path, RefKind::Branch).await
}

async fn end(by: Caller, path: Params<ProtectedPath>, kind: RefKind) -> Result<NoContent> {
    by.write(move |tx, by| {
        let place = project(tx, by, &path.id, Purpose::Update)?;
        rules::destroy(tx, &by.viewer, &place, kind, &path.name)?;
        Ok(NoContent)
    })
    .await
}

async fn destroy_of_group(by: Caller, path: Params<ProtectedPath>) -> Result<NoContent> {
    by.write(move |tx, by| {
        let place = group(tx, by, &path.id)?;
        rules::destroy(tx, &by.viewer, &place, RefKind::Branch, &path.name)?;
        Ok(NoContent)
    })
    .await
}

async fn list_tags(
    by: Caller,
    params: Params<ListProtected>,
    paging: Paging,
) -> Result<Paged<ProtectedTagEntity>> {
    by.read(move |tx, by| {
        let place = project(tx, by, &params.id, Purpose::DownloadCode)?;
        let rules = found(tx, &place, RefKind::Tag, params.search.as_deref())?;
        Ok(Paged::of_whole(tags(tx, rules)?, paging))
    })
    .await
}

async fn show_tag(by: Caller, path: Params<ProtectedPath>) -> Result<Ok200<ProtectedTagEntity>> {
    by.read(move |tx, by| {
        let place = project(tx, by, &path.id, Purpose::DownloadCode)?;
        let rule = one(tx, &place, RefKind::Tag, &path.name)?;
        one_tag(tx, rule).map(Ok200)
    })
    .await
}

async fn create_tag(by: Caller, params: Params<ProtectTag>) -> Result<Created<ProtectedTagEntity>> {
    by.write(move |tx, by| {
        let place = project(tx, by, &params.at.id, Purpose::Update)?;
        let input = makers(params.create_access_level, &params.allowed_to_create);
        let name = &params.at.name;
        let made = rules::create(tx, &by.viewer, &place, RefKind::Tag, name, &input)?;
        one_tag(tx, vec![made]).map(Created)
    })
    .await
}

async fn update_tag(by: Caller, params: Params<ChangeTag>) -> Result<Ok200<ProtectedTagEntity>> {
    by.write(move |tx, by| {
        let place = project(tx, by, &params.at.id, Purpose::Update)?;
        let (name, input) = (&params.at.name, makers(None, &params.allowed_to_create));
        let rule = rules::update(tx, &by.viewer, &place, RefKind::Tag, name, &input)?;
        one_tag(tx, vec![rule]).map(Ok200)
    })
    .await
}

async fn destroy_tag(by: Caller, path: Params<ProtectedPath>) -> Result<NoContent> {
    end(by, path, RefKind::Tag).await
}
