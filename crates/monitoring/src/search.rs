//! Alerts and errors among what is searched: those of projects that the viewer
//! develops.

use identity::viewer::Viewer;
use kernel::search::{Found, Source};
use spaces::search::{Place, developed};
use store::Tx;

pub static ALERTS: Source = Source {
    index: "search_alerts",
    id: "alerts.id",
    select: "select alerts.id, alerts.project_id, alerts.iid as number, alerts.title as name,
            coalesce(alerts.description, '') || ' ' || coalesce(alerts.monitoring_tool, '')
                || ' ' || coalesce(alerts.service, '') as body
        from alerts where ",
    hit: "alerts.id, alerts.iid as number, alerts.title,
        substr(alerts.description, 1, 5000) as body, projects.full_path as place,
        case alerts.status when 0 then 'triggered' when 1 then 'acknowledged'
            when 2 then 'resolved' else 'ignored' end as word,
        alerts.started_at as at",
};

pub static ERRORS: Source = Source {
    index: "search_errors",
    id: "error_tracking_errors.id",
    select: "select error_tracking_errors.id, error_tracking_errors.project_id,
            cast(null as bigint) as number, error_tracking_errors.name,
            error_tracking_errors.description || ' ' || error_tracking_errors.actor as body
        from error_tracking_errors where ",
    hit: "error_tracking_errors.id, cast(null as bigint) as number,
        error_tracking_errors.name as title,
        substr(error_tracking_errors.description, 1, 5000) as body,
        projects.full_path as place, error_tracking_errors.status as word,
        error_tracking_errors.last_seen_at as at",
};

pub fn alerts(tx: &Tx<'_>, viewer: &Viewer, place: &Place) -> Found {
    let from = "alerts join projects on projects.id = alerts.project_id";
    Found::new(&ALERTS, from, developed(tx, viewer, place))
}

pub fn errors(tx: &Tx<'_>, viewer: &Viewer, place: &Place) -> Found {
    let from = "error_tracking_errors
        join projects on projects.id = error_tracking_errors.project_id";
    Found::new(&ERRORS, from, developed(tx, viewer, place))
}
