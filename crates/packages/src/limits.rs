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

/// The limits by format: the setting, what it says of its format here and in a
/// change, and its default in bytes.
macro_rules! limits {
    ($($format:ident: $field:ident, $label:literal, $of:literal, $default:literal;)*) => {
        /// Bytes per file; 0 is no limit.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default)]
        pub struct PlanLimits {
            $(#[doc = $label] pub $field: i64,)*
        }

        impl Default for PlanLimits {
            fn default() -> Self {
                PlanLimits { $($field: $default),* }
            }
        }

        impl PlanLimits {
            /// Most bytes of one file; `None` is no limit. Composer and golang
            /// take their archives from the repository and have none.
            pub fn of(&self, package_type: PackageType) -> Option<u64> {
                let bytes = match package_type {
                    $(PackageType::$format => self.$field,)*
                    PackageType::Composer | PackageType::Golang => 0,
                };
                u64::try_from(bytes).ok().filter(|bytes| *bytes > 0)
            }
        }

        kernel::params! {
            pub struct UpdateLimits {
                #[doc = "The plan."]
                pub plan_name: Option<PlanName>,
                $(#[doc = $of] pub $field: Option<i64>),*
            }
        }

        fn merge(limits: &mut PlanLimits, params: &UpdateLimits) -> Result<()> {
            $(set(stringify!($field), &mut limits.$field, params.$field)?;)*
            Ok(())
        }
    };
}

limits! {
    Conan: conan_max_file_size, "conan.", "Bytes of a conan file.", 3_221_225_472;
    Generic: generic_packages_max_file_size, "generic.", "Bytes of a generic file.", 5_368_709_120;
    Helm: helm_max_file_size, "helm.", "Bytes of a helm chart.", 5_242_880;
    Maven: maven_max_file_size, "maven.", "Bytes of a maven file.", 3_221_225_472;
    Npm: npm_max_file_size, "npm.", "Bytes of an npm archive.", 524_288_000;
    Nuget: nuget_max_file_size, "nuget.", "Bytes of a nuget archive.", 524_288_000;
    Pypi: pypi_max_file_size, "pypi.", "Bytes of a pypi file.", 3_221_225_472;
    TerraformModule: terraform_module_max_file_size, "terraform_module.",
        "Bytes of a terraform module.", 1_073_741_824;
}

impl Setting for PlanLimits {
    const KEY: &'static str = "plan_limits";
}

kernel::choices! {
    /// Plans: there is one.
    pub enum PlanName { Default = "default" }
}

pub fn change(
    app: &App, tx: &mut Tx<'_>, viewer: &Viewer, wanted: &UpdateLimits,
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

fn set(name: &str, limit: &mut i64, wanted: Option<i64>) -> Result<()> {
    let wanted = wanted.unwrap_or(*limit);
    if wanted < 0 {
        let text = format!("{name} does not have a valid value");
        return Err(Error::Parameters(vec![text]));
    }
    *limit = wanted;
    Ok(())
}
