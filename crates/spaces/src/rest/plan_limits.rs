//! Limits of the instance's one plan, for administrators.

use crate::plan_limits::{self, PlanLimits, PlanName, UpdateLimits};
use identity::viewer::Admin;
use kernel::app::App;
use kernel::error::Result;
use kernel::http::{Ok200, Params, Routes};
use kernel::settings;

pub(super) fn routes(r: &mut Routes) {
    r.get("/application/plan_limits", show).summary("Shows the limits of a plan");
    r.put("/application/plan_limits", update)
        .summary("Changes the limits of a plan");
}

kernel::params! {
    pub struct ShowLimits {
        /// The plan.
        pub plan_name: Option<PlanName>,
    }
}

async fn show(app: App, _: Admin, _: Params<ShowLimits>) -> Result<Ok200<PlanLimits>> {
    app.read(|tx| settings::read(tx).map(Ok200)).await
}

async fn update(app: App, admin: Admin, params: Params<UpdateLimits>) -> Result<Ok200<PlanLimits>> {
    let Params(params) = params;
    let handle = app.clone();
    app.write(move |tx| plan_limits::change(&handle, tx, &admin.viewer(), &params).map(Ok200))
        .await
}
