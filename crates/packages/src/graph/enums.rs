//! The closed lists of the room.

use crate::model::{DeleteLevel, PackageType, PushLevel, Status};
use kernel::graph::shape::Leaf;
use kernel::graph::{Graph, item};
use kernel::http::params::Param;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;

pub const TYPE: Leaf<PackageType> = Leaf::upper("PackageTypeEnum");
/// The formats that rules protect: all of them.
pub const RULE_TYPE: Leaf<PackageType> = Leaf::upper("PackagesProtectionRulePackageType");
pub const STATUS: Leaf<Status> = Leaf::upper("PackageStatus");
pub const PUSH: Leaf<PushLevel> = Leaf::upper("PackagesProtectionRuleAccessLevel");
pub const DELETE: Leaf<DeleteLevel> = Leaf::upper("PackagesProtectionRuleAccessLevelForDelete");

/// A value of an enum, which GraphQL writes in capitals; the front has checked
/// that there is such a value.
pub struct Chosen<T>(pub T);

impl<'de, T: Param> Deserialize<'de> for Chosen<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        let value = T::parse(&Json::String(name.to_lowercase()));
        let unknown = |_| D::Error::custom(format!("{name} is of no enum"));
        value.map(Chosen).map_err(unknown)
    }
}

pub fn graph(g: &mut Graph) {
    let types = || {
        vec![
            item("COMPOSER", "Packages of PHP."),
            item("CONAN", "Packages of C and C++."),
            item("GENERIC", "Files of any kind."),
            item("GOLANG", "Modules of Go."),
            item("HELM", "Charts of Kubernetes."),
            item("MAVEN", "Packages of Java."),
            item("NPM", "Packages of Node."),
            item("NUGET", "Packages of .NET."),
            item("PYPI", "Packages of Python."),
            item("TERRAFORM_MODULE", "Modules of Terraform."),
        ]
    };
    g.enumeration("PackageTypeEnum", "Formats of packages.", types());
    g.enumeration(
        "PackagesProtectionRulePackageType",
        "Formats that protection rules are about.",
        types(),
    );
    let states = vec![
        item("DEFAULT", "Usable."),
        item("DEPRECATED", "Usable, but its publisher advises against it."),
        item("ERROR", "Could not be processed."),
        item("HIDDEN", "Usable, but not listed."),
        item("PENDING_DESTRUCTION", "Deleted."),
        item("PROCESSING", "Not yet usable."),
    ];
    g.enumeration("PackageStatus", "States of a package.", states);
    sorts(g);
    let levels = vec![
        item("MAINTAINER", "Maintainers and above."),
        item("OWNER", "Owners and above."),
        item("ADMIN", "Administrators."),
    ];
    let who = "Least role that may publish.";
    g.enumeration("PackagesProtectionRuleAccessLevel", who, levels);
    let levels = vec![item("OWNER", "Owners and above."), item("ADMIN", "Administrators.")];
    let who = "Least role that may delete.";
    g.enumeration("PackagesProtectionRuleAccessLevelForDelete", who, levels);
}

fn sorts(g: &mut Graph) {
    let common = || {
        vec![
            item("CREATED_ASC", "Oldest first."),
            item("CREATED_DESC", "Newest first."),
            item("NAME_ASC", "By name."),
            item("NAME_DESC", "By name, last first."),
            item("TYPE_ASC", "By format."),
            item("TYPE_DESC", "By format, last first."),
            item("VERSION_ASC", "By the text of the version."),
            item("VERSION_DESC", "By the text of the version, last first."),
        ]
    };
    g.enumeration("PackageSort", "Orders of a project's packages.", common());
    let mut group = common();
    group.extend([
        item("PROJECT_PATH_ASC", "By the path of the project."),
        item("PROJECT_PATH_DESC", "By the path of the project, last first."),
    ]);
    g.enumeration("PackageGroupSort", "Orders of a group's packages.", group);
}
