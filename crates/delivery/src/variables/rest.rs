//! REST of variables: of the instance, and the same below projects and groups.

use super::access::holder;
use super::entity::{CiVariable, InstanceVariable};
use super::model::Variable;
use super::rules::{self, NewVariable, VariableChange, VariableOptions};
use super::store;
use crate::place::Place;
use ::store::Tx;
use identity::Caller;
use identity::viewer::Admin;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Created, Flat, NoContent, Ok200, Paged, Paging, Params, Routes};
use kernel::secrets::Secret;
use spaces::SpaceRef;

const INSTANCE: &str = "/admin/ci/variables";

pub fn routes(r: &mut Routes) {
    r.get(INSTANCE, list_instance)
        .summary("Lists the CI/CD variables of the instance");
    r.post(INSTANCE, create_instance)
        .summary("Makes a CI/CD variable of the instance");
    let one = format!("{INSTANCE}/{{key}}");
    r.get(&one, show_instance).summary("Shows a CI/CD variable of the instance");
    r.put(&one, update_instance).summary("Changes a CI/CD variable of the instance");
    r.delete(&one, destroy_instance)
        .summary("Deletes a CI/CD variable of the instance");
    for (prefix, kind) in [("/projects/{id}", "project"), ("/groups/{id}", "group")] {
        r.below(prefix, kind, |r| {
            r.get("/variables", list).summary("Lists CI/CD variables");
            r.post("/variables", create).summary("Makes a CI/CD variable");
            r.get("/variables/{key}", show).summary("Shows a CI/CD variable");
            r.put("/variables/{key}", update).summary("Changes a CI/CD variable");
            r.delete("/variables/{key}", destroy).summary("Deletes a CI/CD variable");
        });
    }
}

kernel::params! {
    pub struct CreateInstanceVariable {
        /// Its name.
        pub key: String,
        /// What jobs are given.
        pub value: String,
        pub options: Flat<VariableOptions>,
    }
}

kernel::params! {
    pub struct InstanceVariableKey {
        /// The variable.
        pub key: String,
    }
}

kernel::params! {
    pub struct UpdateInstanceVariable {
        /// The variable.
        pub key: String,
        /// What jobs are given.
        pub value: String,
        pub options: Flat<VariableOptions>,
    }
}

async fn list_instance(app: App, admin: Admin, paging: Paging) -> Result<Paged<InstanceVariable>> {
    let secrets = app.secrets().clone();
    Paged::read(&app, paging, move |tx, paging| {
        let place = Place::instance(&admin.viewer())?;
        listed(tx, &place, paging, |row| InstanceVariable::of(&secrets, row))
    })
    .await
}

async fn show_instance(
    by: Caller, _: Admin, one: Params<InstanceVariableKey>,
) -> Result<Ok200<InstanceVariable>> {
    by.read(move |tx, by| {
        let place = Place::instance(&by.viewer)?;
        let found = rules::find(tx, &place, &one.key, None)?;
        InstanceVariable::of(by.app.secrets(), found).map(Ok200)
    })
    .await
}

async fn create_instance(
    by: Caller, _: Admin, sent: Params<CreateInstanceVariable>,
) -> Result<Created<InstanceVariable>> {
    let Params(sent) = sent;
    let new = NewVariable {
        key: sent.key,
        value: Secret::new(sent.value),
        environment_scope: None,
        hidden: false,
        options: sent.options.0,
    };
    by.write(move |tx, by| {
        let (place, secrets) = (Place::instance(&by.viewer)?, by.app.secrets());
        let made = rules::create(secrets, tx, &by.viewer, &place, &new)?;
        InstanceVariable::of(secrets, made).map(Created)
    })
    .await
}

async fn update_instance(
    by: Caller, _: Admin, sent: Params<UpdateInstanceVariable>,
) -> Result<Ok200<InstanceVariable>> {
    let Params(sent) = sent;
    let change = VariableChange {
        value: Some(Secret::new(sent.value)),
        options: sent.options.0,
        ..VariableChange::default()
    };
    by.write(move |tx, by| {
        let (place, secrets) = (Place::instance(&by.viewer)?, by.app.secrets());
        let before = rules::find(tx, &place, &sent.key, None)?;
        let after = rules::update(secrets, tx, &by.viewer, &place, before, &change)?;
        InstanceVariable::of(secrets, after).map(Ok200)
    })
    .await
}

async fn destroy_instance(
    by: Caller, _: Admin, one: Params<InstanceVariableKey>,
) -> Result<NoContent> {
    by.write(move |tx, by| {
        let place = Place::instance(&by.viewer)?;
        let found = rules::find(tx, &place, &one.key, None)?;
        rules::destroy(tx, &by.viewer, &place, &found)?;
        Ok(NoContent)
    })
    .await
}

/// A page of variables as they are shown, and how many there are.
fn listed<T>(
    tx: &mut Tx<'_>, place: &Place, paging: &Paging, show: impl Fn(Variable) -> Result<T>,
) -> Result<(Vec<T>, i64)> {
    let rows = store::page(tx, holder(place), paging)?;
    let shown = rows.into_iter().map(show).collect::<Result<_>>()?;
    Ok((shown, store::count(tx, holder(place))?))
}

/// Finds whose variables they are, and changes something.
async fn change<T, F>(by: Caller, of: SpaceRef, work: F) -> Result<T>
where
    F: Fn(&mut Tx<'_>, &Caller, &Place) -> Result<T> + Send + 'static,
    T: Send + 'static,
{
    by.write(move |tx, by| {
        let place = Place::find(tx, &by.viewer, of.named())?;
        work(tx, by, &place)
    })
    .await
}

kernel::params! {
    /// Which of several variables of one key.
    pub struct VariableFilter {
        /// The one of this scope.
        pub environment_scope: Option<String>,
    }
}

kernel::params! {
    pub struct VariableKey {
        /// The variable.
        pub key: String,
        /// Which of several.
        pub filter: Option<VariableFilter>,
    }
}

kernel::params! {
    pub struct CreateVariable {
        /// Its name.
        pub key: String,
        /// What jobs are given.
        pub value: String,
        /// The environments that it is for: a name, or a pattern with `*`; all unless said.
        pub environment_scope: Option<String>,
        /// Masked in logs, and nobody reads its value again.
        pub masked_and_hidden: Option<bool>,
        pub options: Flat<VariableOptions>,
    }
}

kernel::params! {
    pub struct UpdateVariable {
        pub at: Flat<VariableKey>,
        /// What jobs are given.
        pub value: Option<String>,
        /// The environments that it is for from now on.
        pub environment_scope: Option<String>,
        /// Nothing that can be changed: a hidden variable stays so.
        pub masked_and_hidden: Option<bool>,
        pub options: Flat<VariableOptions>,
    }
}

impl VariableKey {
    fn find(&self, tx: &mut Tx<'_>, place: &Place) -> Result<Variable> {
        let scope = self.filter.as_ref().and_then(|filter| filter.environment_scope.as_deref());
        rules::find(tx, place, &self.key, scope)
    }
}

async fn list(by: Caller, of: SpaceRef, paging: Paging) -> Result<Paged<CiVariable>> {
    let app = by.app.clone();
    Paged::read(&app, paging, move |tx, paging| {
        let place = Place::find(tx, &by.viewer, of.named())?;
        listed(tx, &place, paging, |row| CiVariable::of(by.app.secrets(), row))
    })
    .await
}

async fn show(by: Caller, of: SpaceRef, one: Params<VariableKey>) -> Result<Ok200<CiVariable>> {
    by.read(move |tx, by| {
        let place = Place::find(tx, &by.viewer, of.named())?;
        let found = one.find(tx, &place)?;
        CiVariable::of(by.app.secrets(), found).map(Ok200)
    })
    .await
}

async fn create(
    by: Caller, of: SpaceRef, sent: Params<CreateVariable>,
) -> Result<Created<CiVariable>> {
    let Params(sent) = sent;
    let new = NewVariable {
        key: sent.key,
        value: Secret::new(sent.value),
        environment_scope: sent.environment_scope,
        hidden: sent.masked_and_hidden.unwrap_or(false),
        options: sent.options.0,
    };
    change(by, of, move |tx, by, place| {
        let made = rules::create(by.app.secrets(), tx, &by.viewer, place, &new)?;
        CiVariable::of(by.app.secrets(), made).map(Created)
    })
    .await
}

async fn update(
    by: Caller, of: SpaceRef, sent: Params<UpdateVariable>,
) -> Result<Ok200<CiVariable>> {
    let Params(sent) = sent;
    let wanted = VariableChange {
        value: sent.value.map(Secret::new),
        environment_scope: sent.environment_scope,
        hidden: sent.masked_and_hidden,
        options: sent.options.0,
    };
    change(by, of, move |tx, by, place| {
        let (secrets, before) = (by.app.secrets(), sent.at.find(tx, place)?);
        let after = rules::update(secrets, tx, &by.viewer, place, before, &wanted)?;
        CiVariable::of(secrets, after).map(Ok200)
    })
    .await
}

async fn destroy(by: Caller, of: SpaceRef, one: Params<VariableKey>) -> Result<NoContent> {
    change(by, of, move |tx, by, place| {
        let found = one.find(tx, place)?;
        rules::destroy(tx, &by.viewer, place, &found)?;
        Ok(NoContent)
    })
    .await
}
