//! Making, changing and deleting variables. What is written down of it says no value.

use super::access::{holder, thing};
use super::model::{
    EVERYWHERE, Holder, Variable, VariableType, description_problem, key_problem, scope_problem,
    value_problem,
};
use super::store;
use crate::place::Place;
use ::store::Tx;
use identity::viewer::Viewer;
use kernel::audit;
use kernel::error::{Error, Found, Result};
use kernel::http::Patch;
use kernel::secrets::{Secret, Secrets};
use serde_json::json;
use spaces::model::Problems;
use spaces::plan_limits::PlanLimits;

/// Clients know it by these words.
const SEVERAL: &str = "There are multiple variables with provided parameters. Please use \
                       'filter[environment_scope]'";
const STAYS_HIDDEN: &str = "cannot be unset: the variable is hidden";
const HIDDEN_AT_FIRST: &str = "can only be set for a new variable";

kernel::params! {
    /// What a variable may be beside its key and value.
    #[derive(Default)]
    pub struct VariableOptions {
        /// What it is for.
        pub description: Patch<String>,
        /// Whether jobs are given the value itself, or the path of a file with it.
        pub variable_type: Option<VariableType>,
        /// Only jobs of protected branches and tags are given it.
        pub protected: Option<bool>,
        /// Logs of jobs show [MASKED] in its place.
        pub masked: Option<bool>,
        /// `$` in it stays as it is.
        pub raw: Option<bool>,
    }
}

/// A variable to be.
#[derive(Debug, Clone)]
pub struct NewVariable {
    pub key: String,
    pub value: Secret,
    /// Every environment unless said.
    pub environment_scope: Option<String>,
    /// Masked, and nobody reads its value again.
    pub hidden: bool,
    pub options: VariableOptions,
}

/// What a variable becomes; what is absent stays.
#[derive(Debug, Clone, Default)]
pub struct VariableChange {
    pub value: Option<Secret>,
    pub environment_scope: Option<String>,
    /// Hidden variables stay so, and others do not become it.
    pub hidden: Option<bool>,
    pub options: VariableOptions,
}

impl VariableOptions {
    fn over(&self, before: Variable) -> Variable {
        let description = self.description.clone().over(before.description.clone());
        Variable {
            description,
            variable_type: self.variable_type.unwrap_or(before.variable_type),
            protected: self.protected.unwrap_or(before.protected),
            masked: self.masked.unwrap_or(before.masked),
            raw: self.raw.unwrap_or(before.raw),
            ..before
        }
    }
}

/// The variable of a key.
///
/// # Errors
///
/// 404 where there is none, 409 where there are several of different scopes.
pub fn find(tx: &mut Tx<'_>, place: &Place, key: &str, scope: Option<&str>) -> Result<Variable> {
    let mut found = store::of_key(tx, holder(place), key, scope)?.into_iter();
    let first = found.next().found(thing(place))?;
    match found.next() {
        None => Ok(first),
        Some(_) => Err(Error::Conflict(SEVERAL.into())),
    }
}

pub fn create(
    secrets: &Secrets, tx: &mut Tx<'_>, viewer: &Viewer, place: &Place, new: &NewVariable,
) -> Result<Variable> {
    let holder = holder(place);
    let key = new.key.trim().to_owned();
    let scope = new.environment_scope.as_deref().unwrap_or(EVERYWHERE);
    let made = new.options.over(Variable {
        id: 0,
        project_id: holder.project_id(),
        group_id: holder.group_id(),
        sealed_value: holder.seal(secrets, &key, &new.value),
        key,
        environment_scope: scope.trim().to_owned(),
        variable_type: VariableType::default(),
        protected: false,
        masked: false,
        hidden: new.hidden,
        raw: false,
        description: None,
        updated_at: tx.now(),
    });
    let made = Variable { masked: made.masked || made.hidden, ..made };
    let mut problems = Problems::default();
    problems.note("key", key_problem(&made.key));
    if new.hidden && new.options.masked == Some(false) {
        problems.add("masked", STAYS_HIDDEN);
    }
    check(problems, &made, &new.value)?;
    check_limit(tx, holder)?;
    let made = store::insert(tx, &made)?.ok_or_else(|| taken(&made.key))?;
    record(tx, viewer, place, "ci_variable.create", &made)?;
    Ok(made)
}

pub fn update(
    secrets: &Secrets, tx: &mut Tx<'_>, viewer: &Viewer, place: &Place, before: Variable,
    change: &VariableChange,
) -> Result<Variable> {
    let value = match &change.value {
        Some(value) => value.clone(),
        None => before.open(secrets)?,
    };
    let (was_hidden, old_scope) = (before.hidden, before.environment_scope.clone());
    let mut after = change.options.over(before);
    after.updated_at = tx.now();
    if let Some(scope) = &change.environment_scope {
        after.environment_scope = scope.trim().to_owned();
    }
    if change.value.is_some() {
        after.sealed_value = holder(place).seal(secrets, &after.key, &value);
    }
    let mut problems = Problems::default();
    if was_hidden && !after.masked {
        problems.add("masked", STAYS_HIDDEN);
    }
    match change.hidden {
        Some(false) if was_hidden => problems.add("masked_and_hidden", STAYS_HIDDEN),
        Some(true) if !was_hidden => problems.add("masked_and_hidden", HIDDEN_AT_FIRST),
        _ => {}
    }
    check(problems, &after, &value)?;
    if after.environment_scope != old_scope {
        check_scope_is_free(tx, holder(place), &after)?;
    }
    store::update(tx, &after)?;
    record(tx, viewer, place, "ci_variable.update", &after)?;
    Ok(after)
}

pub fn destroy(tx: &mut Tx<'_>, viewer: &Viewer, place: &Place, variable: &Variable) -> Result<()> {
    store::delete(tx, variable.id)?;
    record(tx, viewer, place, "ci_variable.destroy", variable)
}

/// Refuses what was noted, and what else is wrong with a variable.
fn check(mut problems: Problems, variable: &Variable, value: &Secret) -> Result<()> {
    problems.note("value", value_problem(value, variable.masked, variable.raw));
    problems.note("environment_scope", scope_problem(&variable.environment_scope));
    let description = variable.description.as_deref().unwrap_or_default();
    problems.note("description", description_problem(description));
    problems.check()
}

fn check_scope_is_free(tx: &mut Tx<'_>, holder: Holder, variable: &Variable) -> Result<()> {
    let scope = Some(variable.environment_scope.as_str());
    match store::of_key(tx, holder, &variable.key, scope)?.is_empty() {
        true => Ok(()),
        false => Err(taken(&variable.key)),
    }
}

fn taken(key: &str) -> Error {
    Error::invalid("key", format!("({key}) has already been taken"))
}

/// Refuses one more than the plan has room for; 0 is no limit.
fn check_limit(tx: &mut Tx<'_>, holder: Holder) -> Result<()> {
    let limits: PlanLimits = kernel::settings::read(tx)?;
    let (most, what) = match holder {
        Holder::Instance => (limits.ci_instance_level_variables, "ci instance level variables"),
        Holder::Group(_) => (limits.group_ci_variables, "group ci variables"),
        Holder::Project(_) => (limits.project_ci_variables, "project ci variables"),
    };
    if most == 0 || store::count(tx, holder)? < most {
        return Ok(());
    }
    Err(Error::invalid("base", format!("Maximum number of {what} ({most}) exceeded")))
}

fn record(
    tx: &mut Tx<'_>, viewer: &Viewer, place: &Place, action: &'static str, variable: &Variable,
) -> Result<()> {
    let details = json!({
        "key": variable.key,
        "environment_scope": variable.environment_scope,
        "protected": variable.protected,
        "masked": variable.masked,
        "hidden": variable.hidden,
    });
    audit::record(tx, viewer, action, place.target(), details)
}
