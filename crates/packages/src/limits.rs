//! Largest files per format (docs/interface/packages.md 1.7), which administrators change.

use crate::model::PackageType;
use identity::viewer::Viewer;
use kernel::app::App;
use kernel::audit;
use kernel::error::{Error, Result};
use kernel::settings::Setting;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::Tx;

/// Bytes per file; 0 is no limit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PlanLimits {
    /// conan.
    pub conan_max_file_size: i64,
    /// generic.
    pub generic_packages_max_file_size: i64,
    /// helm.
    pub helm_max_file_size: i64,
    /// maven.
    pub maven_max_file_size: i64,
    /// npm.
    pub npm_max_file_size: i64,
    /// nuget.
    pub nuget_max_file_size: i64,
    /// pypi.
    pub pypi_max_file_size: i64,
    /// terraform_module.
    pub terraform_module_max_file_size: i64,
}

impl Default for PlanLimits {
    fn default() -> Self {
        PlanLimits {
            conan_max_file_size: 3_221_225_472,
            generic_packages_max_file_size: 5_368_709_120,
            helm_max_file_size: 5_242_880,
            maven_max_file_size: 3_221_225_472,
            npm_max_file_size: 524_288_000,
            nuget_max_file_size: 524_288_000,
            pypi_max_file_size: 3_221_225_472,
            terraform_module_max_file_size: 1_073_741_824,
        }
    }
}

impl Setting for PlanLimits {
    const KEY: &'static str = "plan_limits";
}

impl PlanLimits {
    /// Most bytes of one file; `None` is no limit. Composer and golang take
    /// their archives from the repository and have none.
    pub fn of(&self, package_type: PackageType) -> Option<u64> {
        let bytes = match package_type {
            PackageType::Conan => self.conan_max_file_size,
            PackageType::Generic => self.generic_packages_max_file_size,
            PackageType::Helm => self.helm_max_file_size,
            PackageType::Maven => self.maven_max_file_size,
            PackageType::Npm => self.npm_max_file_size,
            PackageType::Nuget => self.nuget_max_file_size,
            PackageType::Pypi => self.pypi_max_file_size,
            PackageType::TerraformModule => self.terraform_module_max_file_size,
            PackageType::Composer | PackageType::Golang => 0,
        };
        u64::try_from(bytes).ok().filter(|bytes| *bytes > 0)
    }
}

kernel::choices! {
    /// Plans: there is one.
    pub enum PlanName { Default = "default" }
}

kernel::params! {
    /// New limits; 0 is no limit.
    pub struct UpdateLimits {
        /// The plan.
        pub plan_name: Option<PlanName>,
        /// Bytes of a conan file.
        pub conan_max_file_size: Option<i64>,
        /// Bytes of a generic file.
        pub generic_packages_max_file_size: Option<i64>,
        /// Bytes of a helm chart.
        pub helm_max_file_size: Option<i64>,
        /// Bytes of a maven file.
        pub maven_max_file_size: Option<i64>,
        /// Bytes of an npm archive.
        pub npm_max_file_size: Option<i64>,
        /// Bytes of a nuget archive.
        pub nuget_max_file_size: Option<i64>,
        /// Bytes of a pypi file.
        pub pypi_max_file_size: Option<i64>,
        /// Bytes of a terraform module.
        pub terraform_module_max_file_size: Option<i64>,
    }
}

pub fn change(
    app: &App,
    tx: &mut Tx<'_>,
    viewer: &Viewer,
    wanted: &UpdateLimits,
) -> Result<PlanLimits> {
    let mut limits: PlanLimits = kernel::settings::read(tx)?;
    merge(&mut limits, wanted)?;
    app.settings().set(tx, &limits)?;
    audit::record(
        tx,
        viewer,
        "plan_limits.update",
        ("Application", 0, "plan limits"),
        serde_json::to_value(&limits).map_err(Error::internal)?,
    )?;
    Ok(limits)
}

fn merge(limits: &mut PlanLimits, params: &UpdateLimits) -> Result<()> {
    let fields = [
        (
            "conan_max_file_size",
            &mut limits.conan_max_file_size,
            params.conan_max_file_size,
        ),
        (
            "generic_packages_max_file_size",
            &mut limits.generic_packages_max_file_size,
            params.generic_packages_max_file_size,
        ),
        (
            "helm_max_file_size",
            &mut limits.helm_max_file_size,
            params.helm_max_file_size,
        ),
        (
            "maven_max_file_size",
            &mut limits.maven_max_file_size,
            params.maven_max_file_size,
        ),
        (
            "npm_max_file_size",
            &mut limits.npm_max_file_size,
            params.npm_max_file_size,
        ),
        (
            "nuget_max_file_size",
            &mut limits.nuget_max_file_size,
            params.nuget_max_file_size,
        ),
        (
            "pypi_max_file_size",
            &mut limits.pypi_max_file_size,
            params.pypi_max_file_size,
        ),
        (
            "terraform_module_max_file_size",
            &mut limits.terraform_module_max_file_size,
            params.terraform_module_max_file_size,
        ),
    ];
    for (name, limit, wanted) in fields {
        let Some(wanted) = wanted else { continue };
        if wanted < 0 {
            return Err(Error::Parameters(vec![format!(
                "{name} does not have a valid value"
            )]));
        }
        *limit = wanted;
    }
    Ok(())
}
