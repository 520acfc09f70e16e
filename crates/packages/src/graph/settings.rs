//! Changing protection rules, cleanup policies and duplicate settings.

use super::cleanup::{Terms, rules_argument};
use super::enums::{DELETE, PUSH, RULE_TYPE, chosen};
use super::policy::{KEEP, KEPT, REGEXP, camel};
use super::{RULE_ID, caller};
use crate::access::{authorize, namespace_for_settings};
use crate::cleanup::model::{KeepFiles, Owner, Policy};
use crate::cleanup::{self, rule};
use crate::model::{DeleteLevel, PackageType, ProtectionRule, PushLevel};
use crate::rules::protection::{self, Change};
use crate::settings::{self, FORMATS, PackageSettings};
use crate::store::protection as rows;
use identity::viewer::Viewer;
use kernel::error::{Error, Found, Result as Outcome};
use kernel::graph::{
    BOOLEAN, Context, Done, Fault, Graph, HasTypeRef, ID, STRING, argument, object,
};
use kernel::http::Patch;
use kernel::http::params::{FromParams, Source};
use kernel::ids::Reference;
use serde::{Deserialize, Deserializer};
use spaces::access::Purpose;
use std::sync::Arc;
use store::Tx;

pub fn graph(g: &mut Graph) {
    rules(g);
    g.mutation::<Policy>(
        "updatePackagesCleanupPolicy",
        "Changes what a project's registry takes away by itself.",
    )
    .input(argument("projectPath", ID.required()).describe("Full path of the project."))
    .input(
        argument("keepNDuplicatedPackageFiles", KEEP)
            .describe("How many files of one name a package keeps."),
    )
    .input(rules_argument())
    .answers(
        "packagesCleanupPolicy",
        object::<Policy>("PackagesCleanupPolicy"),
        |policy| Some(Arc::new(policy.clone())),
    )
    .run(|input: NewPolicy, context| policy(input, context));
    let mut update = g.mutation::<PackageSettings>(
        "updateNamespacePackageSettings",
        "Changes which duplicate packages a group or a user's own namespace lets in.",
    );
    update = update
        .input(argument("namespacePath", ID.required()).describe("Full path of the namespace."));
    for format in &FORMATS {
        update = update
            .input(
                argument(&camel(format.allowed), BOOLEAN)
                    .describe("Whether packages of the format may be published twice."),
            )
            .input(
                argument(&camel(format.exception), REGEXP)
                    .describe("Names and versions that may be all the same."),
            );
    }
    update
        .answers(
            "packageSettings",
            object::<PackageSettings>("PackageSettings"),
            |settings| Some(Arc::new(settings.clone())),
        )
        .run(|input: NewSettings, context| namespace(input, context));
}

fn rules(g: &mut Graph) {
    const RULE: &str = "packageProtectionRule";
    let shown = || object::<ProtectionRule>("PackagesProtectionRule");
    let pattern = "Names the rule is about; `*` stands for any text.";
    let (format, push) = ("The format it is about.", "Least role that may publish.");
    let delete =
        || argument("minimumAccessLevelForDelete", DELETE).describe("Least role that may delete.");
    g.mutation::<ProtectionRule>("createPackagesProtectionRule", "Adds a protection rule.")
        .input(argument("projectPath", ID.required()).describe("Full path of the project."))
        .input(argument("packageNamePattern", STRING.required()).describe(pattern))
        .input(argument("packageType", RULE_TYPE.required()).describe(format))
        .input(argument("minimumAccessLevelForPush", PUSH.required()).describe(push))
        .input(delete())
        .answers(RULE, shown(), |rule| Some(Arc::new(rule.clone())))
        .run(|input: NewRule, context| create(input, context));
    g.mutation::<ProtectionRule>("updatePackagesProtectionRule", "Changes a protection rule.")
        .input(argument("id", RULE_ID.required()).describe("The rule."))
        .input(argument("packageNamePattern", STRING).describe(pattern))
        .input(argument("packageType", RULE_TYPE).describe(format))
        .input(argument("minimumAccessLevelForPush", PUSH).describe(push))
        .input(delete())
        .answers(RULE, shown(), |rule| Some(Arc::new(rule.clone())))
        .run(|input: ChangedRule, context| update(input, context));
    g.mutation::<ProtectionRule>("deletePackagesProtectionRule", "Removes a protection rule.")
        .input(argument("id", RULE_ID.required()).describe("The rule."))
        .answers(RULE, shown(), |rule| Some(Arc::new(rule.clone())))
        .run(|input: OneRule, context| delete_rule(input.id, context));
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NewRule {
    project_path: String,
    package_name_pattern: String,
    package_type: String,
    minimum_access_level_for_push: String,
    minimum_access_level_for_delete: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ChangedRule {
    id: i64,
    package_name_pattern: Option<String>,
    package_type: Option<String>,
    #[serde(default, deserialize_with = "given")]
    minimum_access_level_for_push: Option<Option<String>>,
    #[serde(default, deserialize_with = "given")]
    minimum_access_level_for_delete: Option<Option<String>>,
}

#[derive(Deserialize)]
struct OneRule {
    id: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NewPolicy {
    project_path: String,
    keep_n_duplicated_package_files: Option<String>,
    rules: Option<Vec<Terms>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct NewSettings {
    namespace_path: String,
    #[serde(flatten)]
    given: Source,
}

/// Tells a null that was given from nothing given.
fn given<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(from).map(Some)
}

fn patch<T>(given: Option<Option<String>>, read: fn(&str) -> Option<T>) -> Patch<T> {
    match given {
        None => Patch::Absent,
        Some(text) => match text.and_then(|text| chosen(&text, read)) {
            Some(value) => Patch::Value(value),
            None => Patch::Null,
        },
    }
}

/// The value of an enum's name, which the front has checked.
fn known<T>(text: &str, read: fn(&str) -> Option<T>) -> Result<T, Fault> {
    chosen(text, read).ok_or_else(|| Error::internal(format!("{text} is of no enum")).into())
}

async fn create(input: NewRule, context: Context) -> Result<Done<ProtectionRule>, Fault> {
    let rule = ProtectionRule {
        id: 0,
        project_id: 0,
        package_name_pattern: input.package_name_pattern,
        package_type: known(&input.package_type, PackageType::from_text)?,
        minimum_access_level_for_push: Some(known(
            &input.minimum_access_level_for_push,
            PushLevel::from_text,
        )?),
        minimum_access_level_for_delete: input
            .minimum_access_level_for_delete
            .and_then(|text| chosen(&text, DeleteLevel::from_text)),
    };
    let reference = Reference::Path(input.project_path);
    let (app, viewer) = caller(&context)?;
    let work = app.write(move |tx| {
        let entered = authorize(tx, &viewer, &reference, Purpose::ManagePackageSettings)?;
        let rule = ProtectionRule {
            project_id: entered.project.id,
            ..rule.clone()
        };
        protection::create(tx, &viewer, rule)
    });
    Ok(work.await?.into())
}

async fn update(input: ChangedRule, context: Context) -> Result<Done<ProtectionRule>, Fault> {
    let package_type = input.package_type;
    let package_type = package_type.and_then(|text| chosen(&text, PackageType::from_text));
    let change = Change {
        package_name_pattern: input.package_name_pattern,
        package_type,
        push: patch(input.minimum_access_level_for_push, PushLevel::from_text),
        delete: patch(
            input.minimum_access_level_for_delete,
            DeleteLevel::from_text,
        ),
    };
    let id = input.id;
    let (app, viewer) = caller(&context)?;
    let work = app.write(move |tx| {
        let project = project_of_rule(tx, &viewer, id)?;
        protection::update(tx, &viewer, project, id, change.clone())
    });
    Ok(work.await?.into())
}

async fn delete_rule(id: i64, context: Context) -> Result<Done<ProtectionRule>, Fault> {
    let (app, viewer) = caller(&context)?;
    let work = app.write(move |tx| {
        let project = project_of_rule(tx, &viewer, id)?;
        protection::delete(tx, &viewer, project, id)
    });
    Ok(work.await?.into())
}

/// The project of a rule, if the viewer manages it.
fn project_of_rule(tx: &mut Tx<'_>, viewer: &Viewer, id: i64) -> Outcome<i64> {
    let project = rows::project_of(tx, id)?;
    let project = project.found("Package Protection Rule")?;
    let reference = Reference::Id(project);
    authorize(tx, viewer, &reference, Purpose::ManagePackageSettings)?;
    Ok(project)
}

async fn policy(input: NewPolicy, context: Context) -> Result<Done<Policy>, Fault> {
    let keep = input.keep_n_duplicated_package_files;
    let keep: Option<KeepFiles> = keep.and_then(|name| {
        let known = KEPT.iter().find(|one| one.0 == name);
        known.map(|one| one.1)
    });
    let rules = input
        .rules
        .map(|rules| rules.into_iter().map(Terms::change));
    let rules: Option<Vec<_>> = rules.map(Iterator::collect);
    let reference = Reference::Path(input.project_path);
    let (app, viewer) = caller(&context)?;
    let work = app.write(move |tx| {
        let entered = authorize(tx, &viewer, &reference, Purpose::ManagePackageSettings)?;
        if let Some(rules) = rules.clone() {
            rule::replace(tx, &viewer, Owner::Project(entered.project.id), rules)?;
        }
        cleanup::update(tx, &viewer, &entered.project, keep)
    });
    Ok(work.await?.into())
}

async fn namespace(input: NewSettings, context: Context) -> Result<Done<PackageSettings>, Fault> {
    let reference = Reference::Path(input.namespace_path);
    let mut given = Source::new();
    for name in FORMATS.iter().flat_map(|one| [one.allowed, one.exception]) {
        let value = input.given.get(&camel(name)).cloned();
        given.extend(value.map(|value| (name.to_owned(), value)));
    }
    let change = settings::Change::from_params(&given).map_err(Error::Parameters)?;
    let (app, viewer) = caller(&context)?;
    let work = app.write(move |tx| {
        let place = namespace_for_settings(tx, &viewer, &reference)?;
        settings::update(tx, &viewer, &place, &change)
    });
    Ok(work.await?.into())
}
