//! Limits of the instance's one plan, which administrators change: the largest files
//! of packages (docs/interface/packages.md 1.7), and how many there may be of what.

use identity::viewer::Viewer;
use kernel::app::App;
use kernel::audit;
use kernel::error::{Error, Result};
use kernel::settings::Setting;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::Tx;

/// The limits: the setting, what it says of itself, and its default.
macro_rules! limits {
    ($($field:ident, $about:literal, $default:literal;)*) => {
        /// Bytes per file, or how many there may be; 0 is no limit.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(default)]
        pub struct PlanLimits {
            $(#[doc = $about] pub $field: i64,)*
        }

        impl Default for PlanLimits {
            fn default() -> Self {
                PlanLimits { $($field: $default),* }
            }
        }

        kernel::params! {
            pub struct UpdateLimits {
                #[doc = "The plan."]
                pub plan_name: Option<PlanName>,
                $(#[doc = $about] pub $field: Option<i64>),*
            }
        }

        fn merge(limits: &mut PlanLimits, params: &UpdateLimits) -> Result<()> {
            $(set(stringify!($field), &mut limits.$field, params.$field)?;)*
            Ok(())
        }
    };
}

limits! {
    ci_active_jobs, "Jobs of pipelines of a day that have not ended, of a project.", 0;
    ci_instance_level_variables, "CI/CD variables of the instance.", 25;
    ci_needs_size_limit, "Jobs that one job may need.", 50;
    ci_pipeline_deployments, "Jobs of a pipeline that deploy.", 500;
    ci_pipeline_schedules, "Pipeline schedules of a project.", 10;
    ci_pipeline_size, "Jobs of a pipeline.", 0;
    conan_max_file_size, "Bytes of a conan file.", 3_221_225_472;
    dotenv_size, "Bytes of a report of variables.", 5_120;
    dotenv_variables, "Variables of such a report.", 20;
    generic_packages_max_file_size, "Bytes of a generic file.", 5_368_709_120;
    group_ci_variables, "CI/CD variables of a group.", 30_000;
    helm_max_file_size, "Bytes of a helm chart.", 5_242_880;
    maven_max_file_size, "Bytes of a maven file.", 3_221_225_472;
    npm_max_file_size, "Bytes of an npm archive.", 524_288_000;
    nuget_max_file_size, "Bytes of a nuget archive.", 524_288_000;
    pipeline_hierarchy_size, "Pipelines that begin each other.", 1_000;
    pipeline_triggers, "Pipeline triggers of a project.", 25_000;
    project_ci_variables, "CI/CD variables of a project.", 8_000;
    pypi_max_file_size, "Bytes of a pypi file.", 3_221_225_472;
    terraform_module_max_file_size, "Bytes of a terraform module.", 1_073_741_824;
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
        json!(limits),
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
