//! The type `AlertManagementAlert`.

use super::enums::{SEVERITY, STATUS};
use super::{AlertView, AlertsOfIssues, about};
use crate::alerts::payload::flat;
use identity::graph::{People, Person};
use kernel::graph::{
    Args, Ask, Connection, Context, Fault, Graph, HasTypeRef, ID, INT, JSON, Key, Mark,
    ObjectBuilder, Order, STRING, TIME, object,
};
use planning::graph::{Issues, noteable, todoable};
use planning::model::Issue;
use serde_json::Value as Json;
use std::sync::Arc;

/// What the metrics tool says of itself; nothing, here.
struct MetricsAlert;

pub fn graph(g: &mut Graph) {
    g.object::<MetricsAlert>("PrometheusAlert", "A rule of the metrics tool.")
        .field("id", ID.required(), |_| String::new())
        .describe("Global ID.")
        .field("humanizedText", STRING.required(), |_| String::new())
        .describe("When it fires.");
    let it = g.object::<AlertView>("AlertManagementAlert", "What a monitoring tool reported.");
    let it = issue(times(fields(it)));
    let it = noteable(it, about);
    todoable(it, "todos", about)
        .connections("assignees", object::<Person>("UserCore"), assignees)
        .describe("Who looks after it; one at most.");
    g.on::<Issue>("Issue")
        .load::<AlertsOfIssues, _>(
            "alertManagementAlert",
            object::<AlertView>("AlertManagementAlert"),
            |it| Some(it.id),
        )
        .describe("The alert it is the incident of.");
}

fn fields(it: ObjectBuilder<'_, AlertView>) -> ObjectBuilder<'_, AlertView> {
    it.field("id", ID.required(), |it| super::ALERT_ID.of(it.alert.id))
        .describe("Global ID.")
        .field("iid", ID.required(), |it| it.alert.iid.to_string())
        .describe("Number in its project.")
        .field("title", STRING, |it| Some(it.alert.title.clone()))
        .describe("Its title.")
        .field("description", STRING, |it| it.alert.description.clone())
        .describe("What it is about.")
        .field("severity", SEVERITY, |it| Some(it.alert.severity))
        .describe("How bad it is.")
        .field("status", STATUS, |it| Some(it.alert.status))
        .describe("What is said of it.")
        .field("service", STRING, |it| it.alert.service.clone())
        .describe("The service affected.")
        .field("monitoringTool", STRING, |it| it.alert.monitoring_tool.clone())
        .describe("What sent it.")
        .field("hosts", STRING.required().list(), |it| Some(it.alert.hosts.clone()))
        .describe("The hosts affected.")
        .field("eventCount", INT, |it| Some(it.alert.events))
        .describe("How often it was sent.")
        .field("details", JSON, |it| Some(Json::Object(flat::of(&it.alert.payload))))
        .describe("What was sent first, without nesting.")
        .field("runbook", STRING, |it| it.alert.runbook())
        .describe("What to do about it, as its sender says.")
        .field("detailsUrl", STRING.required(), |it| it.web_url.clone())
        .describe("Its page.")
        .field("webUrl", STRING.required(), |it| it.web_url.clone())
        .describe("Its page.")
        .field("metricsDashboardUrl", STRING, |_| None)
        .describe("A dashboard of it; null, as there are none.")
        .mark(Mark::Deprecated {
            reason: "There are no dashboards",
            milestone: "16.0",
            replacement: None,
        })
        .field("prometheusAlert", object("PrometheusAlert"), |_| None::<Arc<MetricsAlert>>)
        .describe("The rule behind it; null, as none is kept.")
}

fn times(it: ObjectBuilder<'_, AlertView>) -> ObjectBuilder<'_, AlertView> {
    it.field("startedAt", TIME, |it| Some(it.alert.started_at))
        .describe("When it began.")
        .field("endedAt", TIME, |it| it.alert.ended_at)
        .describe("When it ended, while it is resolved.")
        .field("createdAt", TIME, |it| Some(it.alert.times.created_at))
        .describe("When it was first received.")
        .field("updatedAt", TIME, |it| Some(it.alert.times.updated_at))
        .describe("When it last changed.")
}

fn issue(it: ObjectBuilder<'_, AlertView>) -> ObjectBuilder<'_, AlertView> {
    it.load::<Issues, _>("issue", object::<Issue>("Issue"), |it| it.alert.issue_id)
        .describe("The incident about it; null if the caller does not see it.")
        .level("issueIid", ID, |alerts: Vec<Arc<AlertView>>, _, context| async move {
            let ids = alerts.iter().filter_map(|it| it.alert.issue_id);
            let issues = context.load::<Issues>(ids).await?;
            let of = |it: &Arc<AlertView>| {
                let issue = issues.get(&it.alert.issue_id?)?;
                Some(issue.iid.to_string())
            };
            Ok(alerts.iter().map(of).collect())
        })
        .describe("Number of the incident about it.")
        .mark(Mark::Deprecated {
            reason: "Use issue field",
            milestone: "13.10",
            replacement: Some("AlertManagementAlert.issue"),
        })
}

async fn assignees(
    alerts: Vec<Arc<AlertView>>, ask: Ask, _: Args, context: Context,
) -> Result<Vec<Option<Connection<Person>>>, Fault> {
    let window = ask.window(&context, "assignees", &[Key::int("users.id", Order::Asc)])?;
    let ids = alerts.iter().filter_map(|it| it.alert.assignee_id);
    let people = context.load::<People>(ids).await?;
    let page = |it: &Arc<AlertView>| {
        let assignee = it.alert.assignee_id.and_then(|id| people.get(&id).cloned());
        let whole: Vec<Arc<Person>> = assignee.into_iter().collect();
        Some(window.page_of_whole(&whole, |it| it.user.id))
    };
    Ok(alerts.iter().map(page).collect())
}
