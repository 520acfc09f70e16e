//! The closed lists of the area.

use crate::alerts::model::{Kind, Severity, Status};
use crate::alerts::payload::mapping::{FieldType, Target};
use crate::alerts::store::alerts::{Order, OrderBy};
use kernel::graph::shape::Leaf;
use kernel::graph::{EnumItem, Graph, item};
use serde_json::json;

pub const SEVERITY: Leaf<Severity> = Leaf::upper("AlertManagementSeverity");
pub const STATUS: Leaf<Status> = Leaf::upper("AlertManagementStatus");
pub const TYPE: Leaf<Kind> = Leaf::upper("AlertManagementIntegrationType");
pub const TARGET: Leaf<Target> =
    Leaf::new("AlertManagementPayloadAlertFieldName", |it| json!(it.as_str()));
pub const FIELD_TYPE: Leaf<FieldType> =
    Leaf::new("AlertManagementPayloadAlertFieldType", |it| json!(it.as_str()));

/// Orders by their names in the interface; each begins with one of these and
/// ends with `_ASC` or `_DESC`.
const SORTS: &[(&str, OrderBy)] = &[
    ("STARTED_AT", OrderBy::StartedAt),
    ("ENDED_AT", OrderBy::EndedAt),
    ("CREATED_TIME", OrderBy::CreatedAt),
    ("CREATED", OrderBy::CreatedAt),
    ("UPDATED_TIME", OrderBy::UpdatedAt),
    ("UPDATED", OrderBy::UpdatedAt),
    ("EVENT_COUNT", OrderBy::EventCount),
    ("SEVERITY", OrderBy::Severity),
    ("STATUS", OrderBy::Status),
];

pub fn order(name: &str) -> Option<Order> {
    let name = name.to_ascii_uppercase();
    let (by, way) = name.rsplit_once('_')?;
    let by = SORTS.iter().find(|sort| sort.0 == by)?.1;
    Some(Order { by, descending: way == "DESC" })
}

pub fn graph(g: &mut Graph) {
    let text = "How bad an alert is.";
    let severities = vec![
        item("CRITICAL", "As bad as can be."),
        item("HIGH", "Bad."),
        item("MEDIUM", "Worth a look."),
        item("LOW", "Hardly bad."),
        item("INFO", "Good to know."),
        item("UNKNOWN", "Its sender did not say."),
    ];
    g.enumeration("AlertManagementSeverity", text, severities);
    let states = vec![
        item("TRIGGERED", "Nobody looks after it yet."),
        item("ACKNOWLEDGED", "Somebody does."),
        item("RESOLVED", "It is over."),
        item("IGNORED", "Nobody needs to."),
    ];
    g.enumeration("AlertManagementStatus", "What is said of an alert.", states);
    let kinds = vec![item("PROMETHEUS", "The metrics tool."), item("HTTP", "Any sender.")];
    let text = "What kind of sender an integration is for.";
    g.enumeration("AlertManagementIntegrationType", text, kinds);
    let domains = vec![item("operations", "Alerts of programs that run.")];
    let text = "What alerts are about.";
    g.enumeration("AlertManagementDomainFilter", text, domains);
    g.enumeration("AlertManagementAlertSort", "Orders of alerts.", sorts());
    let targets = Target::ALL.iter().map(|one| {
        let text = format!("The {}.", one.field().replace('_', " "));
        item(one.as_str(), &text)
    });
    let text = "Fields of an alert that a payload may hold elsewhere.";
    let name = "AlertManagementPayloadAlertFieldName";
    g.enumeration(name, text, targets.collect());
    let kinds = vec![
        item("ARRAY", "A list."),
        item("DATETIME", "A text that begins as dates do."),
        item("STRING", "A text."),
    ];
    let text = "What kind of value a field of a payload holds.";
    g.enumeration("AlertManagementPayloadAlertFieldType", text, kinds);
}

fn sorts() -> Vec<EnumItem> {
    let sorts = [
        ("STARTED_AT_ASC", "Started first first."),
        ("STARTED_AT_DESC", "Started last first."),
        ("ENDED_AT_ASC", "Ended first first, those that have not last."),
        ("ENDED_AT_DESC", "Ended last first, those that have not last."),
        ("CREATED_TIME_ASC", "Received first first."),
        ("CREATED_TIME_DESC", "Received last first."),
        ("UPDATED_TIME_ASC", "Longest unchanged first."),
        ("UPDATED_TIME_DESC", "Last changed first."),
        ("EVENT_COUNT_ASC", "Fewest events first."),
        ("EVENT_COUNT_DESC", "Most events first."),
        ("SEVERITY_ASC", "Least bad first."),
        ("SEVERITY_DESC", "Worst first."),
        ("STATUS_ASC", "Ignored first, triggered last."),
        ("STATUS_DESC", "Triggered first, ignored last."),
        ("CREATED_ASC", "Received first first."),
        ("CREATED_DESC", "Received last first."),
        ("UPDATED_ASC", "Longest unchanged first."),
        ("UPDATED_DESC", "Last changed first."),
        ("created_asc", "Received first first."),
        ("created_desc", "Received last first."),
        ("updated_asc", "Longest unchanged first."),
        ("updated_desc", "Last changed first."),
    ];
    sorts.map(|(name, text)| item(name, text)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_an_order_is_read() {
        let read = |name| order(name).map(|it| (it.by.as_str(), it.descending));
        assert_eq!(read("CREATED_TIME_ASC"), Some(("created_at", false)));
        assert_eq!(read("updated_desc"), Some(("updated_at", true)));
        assert_eq!(read("SEVERITY_DESC"), Some(("severity", true)));
        assert_eq!(read("STARTED_AT_DESC"), Some(("started_at", true)));
        assert_eq!(read("ODD_DESC"), None);
    }
}
