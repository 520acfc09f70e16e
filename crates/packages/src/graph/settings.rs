//! Changing protection rules, cleanup policies and duplicate settings.

use super::cleanup::TERMS;
use super::enums::{Chosen, DELETE, PUSH, RULE_TYPE};
use super::policy::{KEEP, KEPT, REGEXP};
use super::{RULE_ID, caller};
use crate::access::{authorize, namespace_for_settings};
use crate::cleanup::model::Policy;
use crate::cleanup::{self, rule};
use crate::model::{DeleteLevel, PackageType, ProtectionRule, PushLevel};
use crate::rules::protection::{self, Change, NewRule};
use crate::settings::{self, FORMATS, PackageSettings};
use crate::store::protection as rows;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result as Outcome};
use kernel::graph::input::camel;
use kernel::graph::{
    BOOLEAN, Context, Done, Fault, Graph, HasTypeRef, ID, STRING, argument, named, object,
};
use kernel::graph_input;
use kernel::http::Patch;
use kernel::http::params::{FromParams, Source};
use kernel::ids::Reference;
use serde::Deserialize;
use serde_json::Value as Json;
use spaces::SpaceId;
use spaces::access::Purpose;
use std::sync::Arc;
use store::Tx;

pub fn graph(g: &mut Graph) {
    rules(g);
    g.mutation::<Policy>(
        "updatePackagesCleanupPolicy",
        "Changes what a project's registry takes away by itself.",
    )
    .answers("packagesCleanupPolicy", object::<Policy>("PackagesCleanupPolicy"), |policy| {
        Some(Arc::new(policy.clone()))
    })
    .handle(policy);
    let path = argument("namespacePath", ID.required()).describe("Full path of the namespace.");
    let mut update = g
        .mutation::<PackageSettings>(
            "updateNamespacePackageSettings",
            "Changes which duplicate packages a group or a user's own namespace lets in.",
        )
        .input(path);
    for format in &FORMATS {
        let allowed = argument(&camel(format.allowed), BOOLEAN);
        let exception = argument(&camel(format.exception), REGEXP);
        update = update
            .input(allowed.describe("Whether packages of the format may be published twice."))
            .input(exception.describe("Names and versions that may be all the same."));
    }
    update
        .answers("packageSettings", object::<PackageSettings>("PackageSettings"), |settings| {
            Some(Arc::new(settings.clone()))
        })
        .run(namespace);
}

fn rules(g: &mut Graph) {
    const RULE: &str = "packageProtectionRule";
    let shown = || object::<ProtectionRule>("PackagesProtectionRule");
    g.mutation::<ProtectionRule>("createPackagesProtectionRule", "Adds a protection rule.")
        .answers(RULE, shown(), |rule| Some(Arc::new(rule.clone())))
        .handle(create);
    g.mutation::<ProtectionRule>("updatePackagesProtectionRule", "Changes a protection rule.")
        .answers(RULE, shown(), |rule| Some(Arc::new(rule.clone())))
        .handle(update);
    g.mutation::<ProtectionRule>("deletePackagesProtectionRule", "Removes a protection rule.")
        .answers(RULE, shown(), |rule| Some(Arc::new(rule.clone())))
        .handle(delete);
}

graph_input! {
    struct AddedRule {
        /// Full path of the project.
        project_path: String = ID.required(),
        /// Names the rule is about; `*` stands for any text.
        package_name_pattern: String = STRING.required(),
        /// The format it is about.
        package_type: Chosen<PackageType> = RULE_TYPE.required(),
        /// Least role that may publish.
        minimum_access_level_for_push: Chosen<PushLevel> = PUSH.required(),
        /// Least role that may delete.
        minimum_access_level_for_delete: Option<Chosen<DeleteLevel>> = DELETE,
    }
}

graph_input! {
    struct ChangedRule {
        /// The rule.
        id: i64 = RULE_ID.required(),
        /// Names the rule is about; `*` stands for any text.
        package_name_pattern: Option<String> = STRING,
        /// The format it is about.
        package_type: Option<Chosen<PackageType>> = RULE_TYPE,
        /// Least role that may publish.
        #[serde(default)]
        minimum_access_level_for_push: Patch<Chosen<PushLevel>> = PUSH,
        /// Least role that may delete.
        #[serde(default)]
        minimum_access_level_for_delete: Patch<Chosen<DeleteLevel>> = DELETE,
    }
}

graph_input! {
    struct OneRule {
        /// The rule.
        id: i64 = RULE_ID.required(),
    }
}

graph_input! {
    struct NewPolicy {
        /// Full path of the project.
        project_path: String = ID.required(),
        /// How many files of one name a package keeps.
        keep_n_duplicated_package_files: Option<String> = KEEP,
        /// Which versions go, instead of the rules there were.
        rules: Option<Vec<Source>> = named(TERMS).required().list(),
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NewSettings {
    namespace_path: String,
    #[serde(flatten)]
    given: Source,
}

/// An input whose fields are the parameters of REST, in camel case.
fn from_input<T: FromParams>(input: &Source) -> Outcome<T> {
    let given = T::fields().into_iter().filter_map(|field| {
        let value = input.get(&camel(field.name))?;
        Some((field.name.to_owned(), value.clone()))
    });
    T::from_params(&given.collect()).map_err(Error::Parameters)
}

async fn create(input: AddedRule, context: Context) -> Result<Done<ProtectionRule>, Fault> {
    let rule = NewRule {
        package_name_pattern: input.package_name_pattern,
        package_type: input.package_type.0,
        minimum_access_level_for_push: Some(input.minimum_access_level_for_push.0),
        minimum_access_level_for_delete: input.minimum_access_level_for_delete.map(|it| it.0),
    };
    let reference = Reference::Path(input.project_path);
    let (app, viewer) = caller(&context)?;
    let work = app.write(move |tx| {
        let entered = authorize(tx, &viewer, &reference, Purpose::ManagePackageSettings)?;
        protection::create(tx, &viewer, entered.project.id, rule.clone())
    });
    Ok(work.await?.into())
}

async fn update(input: ChangedRule, context: Context) -> Result<Done<ProtectionRule>, Fault> {
    let id = input.id;
    let change = Change {
        package_name_pattern: input.package_name_pattern,
        package_type: input.package_type.map(|it| it.0),
        minimum_access_level_for_push: input.minimum_access_level_for_push.map(|it| it.0),
        minimum_access_level_for_delete: input.minimum_access_level_for_delete.map(|it| it.0),
    };
    let (app, viewer) = caller(&context)?;
    let work = app.write(move |tx| {
        let project = project_of_rule(tx, &viewer, id)?;
        protection::update(tx, &viewer, project, id, change.clone())
    });
    Ok(work.await?.into())
}

async fn delete(input: OneRule, context: Context) -> Result<Done<ProtectionRule>, Fault> {
    let (app, viewer) = caller(&context)?;
    let work = app.write(move |tx| {
        let project = project_of_rule(tx, &viewer, input.id)?;
        protection::delete(tx, &viewer, project, input.id)
    });
    Ok(work.await?.into())
}

/// The project of a rule, if the viewer manages it.
fn project_of_rule(tx: &mut Tx<'_>, viewer: &Viewer, id: i64) -> Outcome<i64> {
    let project = rows::project_of(tx, id)?.found("Package Protection Rule")?;
    let reference = Reference::Id(project);
    authorize(tx, viewer, &reference, Purpose::ManagePackageSettings)?;
    Ok(project)
}

async fn policy(input: NewPolicy, context: Context) -> Result<Done<Policy>, Fault> {
    let keep = input.keep_n_duplicated_package_files.and_then(|name| {
        let known = KEPT.iter().find(|one| one.0 == name);
        known.map(|one| one.1)
    });
    let rules = input.rules.map(|rules| {
        let rules = rules.into_iter().map(cleanup_rule);
        rules.collect::<Outcome<Vec<rule::Change>>>()
    });
    let rules = rules.transpose()?;
    let reference = Reference::Path(input.project_path);
    let (app, viewer) = caller(&context)?;
    let work = app.write(move |tx| {
        let entered = authorize(tx, &viewer, &reference, Purpose::ManagePackageSettings)?;
        if let Some(rules) = rules.clone() {
            rule::replace(tx, &viewer, SpaceId::Project(entered.project.id), rules)?;
        }
        cleanup::update(tx, &viewer, &entered.project, keep)
    });
    Ok(work.await?.into())
}

fn cleanup_rule(mut input: Source) -> Outcome<rule::Change> {
    if let Some(Json::String(format)) = input.get_mut("packageType") {
        *format = format.to_lowercase();
    }
    from_input(&input)
}

async fn namespace(input: NewSettings, context: Context) -> Result<Done<PackageSettings>, Fault> {
    let reference = Reference::Path(input.namespace_path);
    let change: settings::Change = from_input(&input.given)?;
    let (app, viewer) = caller(&context)?;
    let work = app.write(move |tx| {
        let place = namespace_for_settings(tx, &viewer, &reference)?;
        settings::update(tx, &viewer, &place, &change)
    });
    Ok(work.await?.into())
}
