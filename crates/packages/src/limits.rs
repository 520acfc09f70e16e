//! Largest files per format (contract 1.7), which administrators change.

use crate::model::PackageType;
use kernel::settings::Setting;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
