//! Limits of the instance's one plan, for administrators.

use crate::access::{Happened, audit};
use crate::limits::PlanLimits;
use identity::viewer::Admin;
use kernel::app::App;
use kernel::error::{Error, Result};
use kernel::http::{Ok200, Params, Routes};
use kernel::settings;

pub(super) fn routes(r: &mut Routes) {
    r.get("/application/plan_limits", show)
        .summary("Shows the limits of a plan");
    r.put("/application/plan_limits", update)
        .summary("Changes the limits of a plan");
}

kernel::choices! {
    /// Plans: there is one.
    pub enum PlanName { Default = "default" }
}

kernel::params! {
    /// A plan.
    pub struct ShowLimits {
        /// The plan.
        pub plan_name: Option<PlanName>,
    }
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

/// Shows the limits.
async fn show(app: App, _: Admin, _: Params<ShowLimits>) -> Result<Ok200<PlanLimits>> {
    app.read(|tx| settings::read(tx).map(Ok200)).await
}

/// Changes the limits.
async fn update(app: App, admin: Admin, params: Params<UpdateLimits>) -> Result<Ok200<PlanLimits>> {
    let Params(params) = params;
    let handle = app.clone();
    app.write(move |tx| {
        let mut limits: PlanLimits = settings::read(tx)?;
        merge(&mut limits, &params)?;
        handle.settings().set(tx, &limits)?;
        let happened = Happened {
            action: "plan_limits.update",
            target_type: "Application",
            target_id: 0,
            target_name: "plan limits",
            details: serde_json::to_value(&limits).map_err(Error::internal)?,
        };
        audit(tx, &admin.viewer(), happened)?;
        Ok(Ok200(limits))
    })
    .await
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
