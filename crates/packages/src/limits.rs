//! The largest file of each format (docs/interface/packages.md 1.7).

use crate::model::PackageType;
use spaces::plan_limits::PlanLimits;

/// Most bytes of one file; `None` is no limit. Composer and golang take their archives
/// from the repository and have none.
pub fn largest_file(limits: &PlanLimits, package_type: PackageType) -> Option<u64> {
    let bytes = match package_type {
        PackageType::Conan => limits.conan_max_file_size,
        PackageType::Generic => limits.generic_packages_max_file_size,
        PackageType::Helm => limits.helm_max_file_size,
        PackageType::Maven => limits.maven_max_file_size,
        PackageType::Npm => limits.npm_max_file_size,
        PackageType::Nuget => limits.nuget_max_file_size,
        PackageType::Pypi => limits.pypi_max_file_size,
        PackageType::TerraformModule => limits.terraform_module_max_file_size,
        PackageType::Composer | PackageType::Golang => 0,
    };
    u64::try_from(bytes).ok().filter(|bytes| *bytes > 0)
}
