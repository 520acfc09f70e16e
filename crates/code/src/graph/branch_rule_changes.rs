//! Rules for branches are made, changed and ended, for who maintains the project.

use super::branch_rules::{RULE_ID, Read, Rule};
use identity::graph::caller;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::error::{Error, Found, Result as Outcome};
use kernel::graph::{
    BOOLEAN, Context, Done, Fault, Graph, GraphInput, HasTypeRef, ID, INT, STRING, named, object,
};
use kernel::ids::Reference;
use repositories::protection::model::{Deed, ProtectedRef, RefKind};
use repositories::protection::rules::{self, LevelInput, RuleInput, Wish};
use repositories::protection::store as rows;
use spaces::Holder;
use spaces::access::{Purpose, project};
use spaces::model::Project;
use std::sync::Arc;
use store::Tx;

/// Nothing is left to be shown.
struct Gone;

kernel::graph_input! {
    /// Who may do something.
    struct RoleInput {
        /// The number of a role; 0 for nobody.
        access_level: i64 = INT.required(),
    }
}

kernel::graph_input! {
    /// What a rule protects branches from; what is absent stays.
    struct ProtectionInput {
        /// Whether their history may be rewritten.
        allow_force_push: Option<bool> = BOOLEAN,
        /// Whether owners of code are to approve.
        code_owner_approval_required: Option<bool> = BOOLEAN,
        /// Who may push.
        push_access_levels: Option<Vec<RoleInput>> = named("BranchRoleInput").required().list(),
        /// Who may merge.
        merge_access_levels: Option<Vec<RoleInput>> = named("BranchRoleInput").required().list(),
    }
}

kernel::graph_input! {
    struct CreateRule {
        /// Full path of the project.
        project_path: String = ID.required(),
        /// The branch, or a pattern of names.
        name: String = STRING.required(),
        /// What it protects them from.
        branch_protection: Option<ProtectionInput> = named("BranchProtectionInput"),
    }
}

kernel::graph_input! {
    struct UpdateRule {
        /// The rule.
        id: i64 = RULE_ID.required(),
        /// Its name, which stays.
        name: Option<String> = STRING,
        /// What it protects them from.
        branch_protection: Option<ProtectionInput> = named("BranchProtectionInput"),
    }
}

kernel::graph_input! {
    struct DeleteRule {
        /// The rule.
        id: i64 = RULE_ID.required(),
    }
}

pub fn graph(g: &mut Graph) {
    RULE_ID.register(g);
    g.input("BranchRoleInput", "Who may do something.", RoleInput::arguments());
    let text = "What a rule protects branches from.";
    g.input("BranchProtectionInput", text, ProtectionInput::arguments());
    g.mutation::<Arc<Rule>>("branchRuleCreate", "Protects branches of some names.")
        .answers("branchRule", object::<Rule>("BranchRule"), |it| Some(it.clone()))
        .handle(create);
    g.mutation::<Arc<Rule>>("branchRuleUpdate", "Changes a rule for branches.")
        .answers("branchRule", object::<Rule>("BranchRule"), |it| Some(it.clone()))
        .handle(update);
    g.mutation::<Gone>("branchRuleDelete", "Ends a rule for branches.")
        .answers("branchRule", object::<Rule>("BranchRule"), |_| None::<Arc<Rule>>)
        .handle(delete);
}

impl ProtectionInput {
    /// What is set of a rule, whose roles are these until now.
    fn input(&self, before: &[(Deed, i64)]) -> RuleInput {
        let of = [(Deed::Push, &self.push_access_levels), (Deed::Merge, &self.merge_access_levels)];
        let wish = |(deed, sent): (Deed, &Option<Vec<RoleInput>>)| {
            let sent = sent.as_ref()?;
            let gone = before.iter().filter(|(of, _)| *of == deed);
            let gone = gone.map(|(_, id)| item(Some(*id), None));
            let new = sent.iter().map(|role| item(None, Some(role.access_level)));
            Some(Wish { deed, role: None, items: Some(gone.chain(new).collect()) })
        };
        RuleInput {
            allow_force_push: self.allow_force_push,
            code_owner_approval_required: self.code_owner_approval_required,
            wishes: of.into_iter().filter_map(wish).collect(),
        }
    }
}

/// A role that is added, or one that goes.
fn item(gone: Option<i64>, access_level: Option<i64>) -> LevelInput {
    LevelInput {
        id: gone,
        access_level,
        destroy: gone.map(|_| true),
        user_id: None,
        group_id: None,
        deploy_key_id: None,
    }
}

/// A rule that the project has itself, for who may change it.
fn find(tx: &mut Tx<'_>, viewer: &Viewer, id: i64) -> Outcome<(Project, ProtectedRef)> {
    let rule = rows::by_id(tx, id)?.filter(|rule| rule.kind == RefKind::Branch).found("")?;
    let id = Reference::Id(rule.project_id.found("")?);
    Ok((project(tx, viewer, &id, Purpose::Update)?, rule))
}

fn place(project: &Project) -> Holder {
    Holder::Project(Box::new(project.clone()))
}

/// What was made of a rule, or why nothing was.
async fn shown(
    app: &App, viewer: Viewer, done: Outcome<(Project, ProtectedRef)>,
) -> Result<Done<Arc<Rule>>, Fault> {
    let (project, rule) = match done {
        Ok(done) => done,
        Err(error) => return refused(error),
    };
    let read = app.read(move |tx| {
        let read = Read::of_projects(tx, &viewer, &[&project])?;
        Ok(read.of(&project).into_iter().find(|it| it.id() == rule.id))
    });
    let rule = read.await?.ok_or_else(Fault::not_available)?;
    Ok(rule.into())
}

/// What is wrong with what was asked for is an answer.
fn refused<P: std::any::Any>(error: Error) -> Result<Done<P>, Fault> {
    let errors = match error {
        Error::Exact(422, body) => {
            let said = body["message"].as_array().cloned().unwrap_or_default();
            said.iter().filter_map(|text| text.as_str().map(str::to_owned)).collect()
        }
        Error::Conflict(text) => vec![text],
        error => return Err(error.into()),
    };
    Ok(Done { errors, payload: None })
}

async fn create(it: CreateRule, context: Context) -> Result<Done<Arc<Rule>>, Fault> {
    let (app, viewer) = caller(&context)?;
    let asker = viewer.clone();
    let made = app.write(move |tx| {
        let reference = Reference::Path(it.project_path.clone());
        let project = project(tx, &asker, &reference, Purpose::Update)?;
        let mut input = it.branch_protection.as_ref().map(|it| it.input(&[])).unwrap_or_default();
        for deed in [Deed::Push, Deed::Merge, Deed::Unprotect] {
            if !input.wishes.iter().any(|wish| wish.deed == deed) {
                input.wishes.push(Wish { deed, role: None, items: None });
            }
        }
        let place = place(&project);
        let rule = rules::create(tx, &asker, &place, RefKind::Branch, it.name.trim(), &input)?;
        Ok((project, rule))
    });
    let made = made.await;
    shown(&app, viewer, made).await
}

async fn update(it: UpdateRule, context: Context) -> Result<Done<Arc<Rule>>, Fault> {
    let (app, viewer) = caller(&context)?;
    let asker = viewer.clone();
    let changed = app.write(move |tx| {
        let (project, rule) = find(tx, &asker, it.id)?;
        if it.name.as_ref().is_some_and(|name| *name != rule.name) {
            return Err(Error::Conflict("The name of a rule cannot be changed".into()));
        }
        let levels = rows::levels(tx, std::slice::from_ref(&rule))?.remove(&rule.id);
        let before: Vec<(Deed, i64)> =
            levels.into_iter().flatten().map(|level| (level.purpose, level.id)).collect();
        let input = it.branch_protection.as_ref().map(|it| it.input(&before)).unwrap_or_default();
        let place = place(&project);
        let rule = rules::update(tx, &asker, &place, RefKind::Branch, &rule.name, &input)?;
        Ok((project, rule))
    });
    let changed = changed.await;
    shown(&app, viewer, changed).await
}

async fn delete(it: DeleteRule, context: Context) -> Result<Done<Gone>, Fault> {
    let (app, viewer) = caller(&context)?;
    let gone = app.write(move |tx| {
        let (project, rule) = find(tx, &viewer, it.id)?;
        rules::destroy(tx, &viewer, &place(&project), RefKind::Branch, &rule.name)
    });
    match gone.await {
        Ok(()) => Ok(Gone.into()),
        Err(error) => refused(error),
    }
}
