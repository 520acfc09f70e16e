//! What a project's registry allows and takes away, and which duplicates a
//! namespace lets in.

use super::enums::{DELETE, PUSH, RULE_TYPE};
use super::package::Managed;
use super::{RULE_ID, caller};
use crate::access::settled_of;
use crate::cleanup;
use crate::cleanup::model::{KeepFiles, Policy};
use crate::model::ProtectionRule;
use crate::settings::{self, FORMATS, MAX_PATTERN, PackageSettings};
use crate::store::pages as rows;
use kernel::graph::input::camel;
use kernel::graph::shape::Leaf;
use kernel::graph::{
    Args, Ask, Connection, Context, Fault, Graph, HasTypeRef, Key, ObjectBuilder, Order, item,
    object,
};
use serde_json::Value as Json;
use spaces::graph::{NamespaceView, ProjectView as Project};
use std::sync::Arc;

pub const KEEP: Leaf<KeepFiles> =
    Leaf::new("PackagesCleanupKeepDuplicatedPackageFilesEnum", |keep| {
        let known = KEPT.iter().find(|one| one.1 == keep);
        known.map(|one| one.0).into()
    });

pub const KEPT: &[(&str, KeepFiles)] = &[
    ("ALL_PACKAGE_FILES", KeepFiles::All),
    ("ONE_PACKAGE_FILE", KeepFiles::One),
    ("TEN_PACKAGE_FILES", KeepFiles::Ten),
    ("TWENTY_PACKAGE_FILES", KeepFiles::Twenty),
    ("THIRTY_PACKAGE_FILES", KeepFiles::Thirty),
    ("FORTY_PACKAGE_FILES", KeepFiles::Forty),
    ("FIFTY_PACKAGE_FILES", KeepFiles::Fifty),
];

/// A pattern that is matched in linear time.
pub const REGEXP: Leaf<String> = Leaf::new("UntrustedRegexp", Json::String);

pub fn graph(g: &mut Graph) {
    RULE_ID.register(g);
    regexp(g);
    let text = "How many files of one name a package keeps.";
    let items = KEPT.iter().map(|(name, keep)| {
        let count = keep.count().map(|count| count.to_string());
        let count = count.as_deref().unwrap_or("of any number");
        item(name, &format!("The newest {count}."))
    });
    g.enumeration("PackagesCleanupKeepDuplicatedPackageFilesEnum", text, items.collect());
    g.object::<Policy>("PackagesCleanupPolicy", "What a registry takes away by itself.")
        .field("keepNDuplicatedPackageFiles", KEEP.required(), |it| {
            it.keep_n_duplicated_package_files
        })
        .describe("How many files of one name a package keeps.")
        .value("nextRunAt", "When the others are taken away next.", |it| it.next_run_at);
    rule(g);
    package_settings(g);
    g.on::<Project>("Project")
        .level(
            "packagesCleanupPolicy",
            object::<Policy>("PackagesCleanupPolicy"),
            |parents: Vec<Arc<Project>>, _, context| policies(parents, context),
        )
        .describe("What its registry takes away; for who manages it.")
        .connections(
            "packagesProtectionRules",
            object::<ProtectionRule>("PackagesProtectionRule"),
            protection_rules,
        )
        .describe("Who may publish and delete packages of certain names; for who manages them.");
    settled(g.on::<NamespaceView>("Group"));
    settled(g.on::<NamespaceView>("Namespace"));
}

fn regexp(g: &mut Graph) {
    let text = "A regular expression in RE2 syntax of at most 255 characters.";
    g.scalar("UntrustedRegexp", text, |given| {
        let pattern = given.as_str().ok_or(None)?;
        if pattern.chars().count() > MAX_PATTERN {
            let why = "A regexp is too long (maximum is 255 characters)";
            return Err(Some(why.to_owned()));
        }
        match settings::is_pattern(pattern) {
            true => Ok(given.clone()),
            false => Err(Some(format!("{given} is an invalid regexp"))),
        }
    });
}

fn rule(g: &mut Graph) {
    let text = "Who may publish and delete packages whose name fits a pattern.";
    g.object::<ProtectionRule>("PackagesProtectionRule", text)
        .field("id", RULE_ID.required(), |it| it.id)
        .describe("Global ID.")
        .value("packageNamePattern", "Names it is about; `*` stands for any text.", |it| {
            it.package_name_pattern.clone()
        })
        .field("packageType", RULE_TYPE.required(), |it| it.package_type)
        .describe("The format it is about.")
        .field("minimumAccessLevelForPush", PUSH, |it| it.minimum_access_level_for_push)
        .describe("Least role that may publish; null for developers.")
        .field("minimumAccessLevelForDelete", DELETE, |it| it.minimum_access_level_for_delete)
        .describe("Least role that may delete; null for maintainers.");
}

fn package_settings(g: &mut Graph) {
    let text = "Which packages a namespace lets be published twice.";
    let mut of = g.object::<PackageSettings>("PackageSettings", text);
    for (n, format) in FORMATS.iter().enumerate() {
        let label = format.label;
        of = of
            .value(
                &camel(format.allowed),
                &format!("Whether {label} packages may be."),
                move |it| it.0[n].allowed,
            )
            .field(&camel(format.exception), REGEXP, move |it| Some(it.0[n].exception.clone()))
            .describe(&format!("Names and versions of {label} packages that may be all the same."));
    }
}

fn settled(place: ObjectBuilder<'_, NamespaceView>) {
    place
        .level(
            "packageSettings",
            object::<PackageSettings>("PackageSettings"),
            |parents: Vec<Arc<NamespaceView>>, _, context| async move {
                let (app, viewer) = caller(&context)?;
                let read = app.read(move |tx| {
                    let ids = parents.iter().map(|it| it.namespace.id).collect();
                    let seen = settled_of(tx, &viewer, ids)?;
                    let shown = parents.iter().map(|it| &it.namespace);
                    let shown: Vec<_> = shown.filter(|one| seen.contains(&one.id)).collect();
                    let found = settings::effective_each(tx, &shown)?;
                    let of = |it: &Arc<NamespaceView>| {
                        found.get(&it.namespace.id).cloned().map(Arc::new)
                    };
                    Ok(parents.iter().map(of).collect())
                });
                Ok(read.await?)
            },
        )
        .describe("Which duplicate packages it lets in; for who sets that.");
}

async fn policies(
    parents: Vec<Arc<Project>>, context: Context,
) -> Result<Vec<Option<Arc<Policy>>>, Fault> {
    let ids: Vec<i64> = parents.iter().map(|it| it.project.id).collect();
    let managed = context.load::<Managed>(ids.clone()).await?;
    let (app, _) = caller(&context)?;
    let known = app.read(move |tx| cleanup::policies(tx, &ids)).await?;
    let shown = known.into_iter().map(|policy| {
        let seen = managed.contains_key(&policy.project_id);
        seen.then(|| Arc::new(policy))
    });
    Ok(shown.collect())
}

async fn protection_rules(
    parents: Vec<Arc<Project>>, ask: Ask, _: Args, context: Context,
) -> Result<Vec<Option<Connection<ProtectionRule>>>, Fault> {
    let keys = [Key::int("r.id", Order::Desc)];
    let window = ask.window(&context, "package protection rules", &keys)?;
    let ids: Vec<i64> = parents.iter().map(|it| it.project.id).collect();
    let managed = context.load::<Managed>(ids.clone()).await?;
    let managed: Vec<i64> = managed.into_keys().collect();
    let (app, _) = caller(&context)?;
    let wanted = managed.clone();
    let read = app.read(move |tx| Ok((rows::rules(tx, wanted, &window)?, window)));
    let (found, window) = read.await?;
    let pages = window.pages(&ids, found, |rule: &ProtectionRule| vec![rule.id.into()]);
    let pages = ids.iter().zip(pages);
    let shown = pages.map(|(id, page)| managed.contains(id).then_some(page));
    Ok(shown.collect())
}
