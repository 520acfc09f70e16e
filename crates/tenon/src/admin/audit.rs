//! `/admin/audit` and `GET /audit_events`: who changed what.

use super::page;
use askama::Template;
use http::Method;
use identity::Admin;
use kernel::app::App;
use kernel::error::Result;
use kernel::html::ui::{self, Choice};
use kernel::html::{Html, Moment, Page, Pages};
use kernel::http::paging::COUNT_LIMIT;
use kernel::http::{Ok200, Paged, Paging, Params, Response, Routes, Start};
use kernel::ids::fold;
use kernel::time::{Timestamp, wire};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use store::{Fragment, FromRow, Tx};

const PER_PAGE: i64 = 50;
const KINDS: &[(&str, &str)] = &[
    ("", "Any"),
    ("AccessToken", "Access token"),
    ("Application", "Application"),
    ("Group", "Group"),
    ("Instance", "Instance"),
    ("Job", "Job"),
    ("Package", "Package"),
    ("PackageProtectionRule", "Protection rule"),
    ("Project", "Project"),
    ("SearchIndex", "Search index"),
    ("SpamLog", "Spam log"),
    ("User", "User"),
];

pub fn routes(r: &mut Routes) {
    r.page(Method::GET, "/admin/audit", list);
    r.get("/audit_events", index)
        .summary("Lists who changed what on this instance, newest first");
    r.get("/audit_events/{audit_event_id}", show).summary("Shows one audit record");
}

#[derive(FromRow)]
#[columns("audit_records")]
struct AuditListRow {
    id: i64,
    author_id: Option<i64>,
    #[column("users.username")]
    username: Option<String>,
    #[column("users.name")]
    name: Option<String>,
    action: String,
    target_type: String,
    target_id: i64,
    target_name: String,
    details: Value,
    ip_address: Option<String>,
    created_at: Timestamp,
}

impl AuditListRow {
    /// Details as people read them, by name: `access level 30, user id 7`.
    fn details_text(&self) -> String {
        let mut details = self.details.clone();
        details.sort_all_objects();
        let fields = details.as_object().into_iter().flatten();
        let texts = fields.map(|(name, value)| {
            let value = match value {
                Value::String(text) => text.clone(),
                Value::Null => "none".to_owned(),
                other => other.to_string(),
            };
            format!("{} {value}", name.replace('_', " "))
        });
        texts.collect::<Vec<_>>().join(", ")
    }
}

#[derive(Template)]
#[template(path = "admin_audit.html")]
struct AdminAudit {
    page: Page,
    filter: Filter,
    records: Vec<AuditListRow>,
    now: Timestamp,
    pages: Pages,
}

impl AdminAudit {
    fn target_types(&self) -> Vec<Choice> {
        Choice::list(KINDS)
    }

    fn moment(&self, record: &AuditListRow) -> Moment {
        Moment::new(record.created_at, self.now)
    }
}

/// What is looked for; empty fields match everything.
#[derive(Default)]
struct Filter {
    author: String,
    action: String,
    target_type: String,
    target_id: Option<i64>,
    after: Option<Timestamp>,
    before: Option<Timestamp>,
}

const FROM: &str =
    " from audit_records left join users on users.id = audit_records.author_id where true";

impl Filter {
    fn conditions(&self, sql: &mut Fragment) {
        if !self.author.is_empty() {
            sql.push(" and users.username_folded = ", fold(&self.author));
        }
        if !self.action.is_empty() {
            let length = i64::try_from(self.action.chars().count()).unwrap_or(i64::from(i32::MAX));
            sql.push(" and substr(audit_records.action, 1, cast(", length);
            sql.push(" as integer)) = ", self.action.clone());
        }
        if !self.target_type.is_empty() {
            sql.push(" and audit_records.target_type = ", self.target_type.clone());
        }
        if let Some(id) = self.target_id {
            sql.push(" and audit_records.target_id = ", id);
        }
        if let Some(after) = self.after {
            sql.push(" and audit_records.created_at > ", after);
        }
        if let Some(before) = self.before {
            sql.push(" and audit_records.created_at < ", before);
        }
    }

    fn rows(
        &self, tx: &mut Tx<'_>, below: Option<i64>, limit: i64, offset: i64,
    ) -> Result<Vec<AuditListRow>> {
        let mut sql = Fragment::new(store::concat!("select ", AuditListRow::COLUMNS, FROM));
        self.conditions(&mut sql);
        if let Some(id) = below {
            sql.push(" and audit_records.id < ", id);
        }
        sql.push(" order by audit_records.id desc limit ", limit);
        sql.push(" offset ", offset);
        Ok(tx.query(sql)?)
    }

    fn count(&self, tx: &mut Tx<'_>) -> Result<i64> {
        let mut sql = Fragment::new(store::concat!("select count(*) from (select 1", FROM));
        self.conditions(&mut sql);
        sql.push(" limit ", COUNT_LIMIT + 1).raw(") as counted");
        Ok(tx.query::<i64>(sql)?.first().copied().unwrap_or(0))
    }
}

kernel::params! {
    struct AuditFilter {
        author: Option<String>,
        action: Option<String>,
        target_type: Option<String>,
        page: Option<i64>,
    }
}

async fn list(app: App, admin: Admin, shown: Params<AuditFilter>) -> Result<Response> {
    let number = shown.page.unwrap_or(1).clamp(1, 1_000_000);
    let filter = Filter {
        author: shown.0.author.unwrap_or_default(),
        action: shown.0.action.unwrap_or_default(),
        target_type: shown.0.target_type.unwrap_or_default(),
        ..Filter::default()
    };
    let query = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("author", &filter.author)
        .append_pair("action", &filter.action)
        .append_pair("target_type", &filter.target_type)
        .finish();
    let (records, total, filter) = app
        .read(move |tx| {
            let rows = filter.rows(tx, None, PER_PAGE, (number - 1) * PER_PAGE)?;
            Ok((rows, filter.count(tx)?, filter))
        })
        .await?;
    let view = AdminAudit {
        page: page(&app, &admin, "Audit"),
        filter,
        records,
        now: app.now(),
        pages: Pages::new(number, PER_PAGE, total, format!("/admin/audit?{query}")),
    };
    Ok(Html::new(&view)?.response())
}

#[derive(Serialize, JsonSchema)]
struct AuditEventEntity {
    id: i64,
    author_id: i64,
    entity_id: i64,
    entity_type: String,
    event_name: String,
    details: Value,
    created_at: String,
}

fn entity(found: AuditListRow) -> AuditEventEntity {
    let mut details = json!({
        "author_name": found.name.unwrap_or_else(|| "System".into()),
        "target_id": found.target_id,
        "target_type": found.target_type,
        "target_details": found.target_name,
        "ip_address": found.ip_address,
        "custom_message": found.action,
    });
    if let (Value::Object(all), Value::Object(more)) = (&mut details, found.details) {
        all.extend(more);
    }
    AuditEventEntity {
        id: found.id,
        // The system itself is -1, as clients of this interface expect.
        author_id: found.author_id.unwrap_or(-1),
        entity_id: found.target_id,
        entity_type: found.target_type,
        event_name: found.action,
        details,
        created_at: wire::text(found.created_at),
    }
}

kernel::params! {
    struct Index {
        /// Kind of the thing changed: `User`, `Group`, `Project`…
        entity_type: Option<String>,
        /// Id of the thing changed; needs `entity_type`.
        entity_id: Option<i64>,
        created_after: Option<Timestamp>,
        created_before: Option<Timestamp>,
    }
}

async fn index(
    app: App, _: Admin, params: Params<Index>, paging: Paging,
) -> Result<Paged<AuditEventEntity>> {
    if params.entity_id.is_some() && params.entity_type.is_none() {
        return Err(kernel::error::Error::missing("entity_type"));
    }
    app.read(move |tx| {
        let filter = Filter {
            target_type: params.entity_type.clone().unwrap_or_default(),
            target_id: params.entity_id,
            after: params.created_after,
            before: params.created_before,
            ..Filter::default()
        };
        let below = match &paging.start {
            Start::After(Some(keys)) => keys.first().and_then(Value::as_i64),
            _ => None,
        };
        let rows = filter.rows(tx, below, paging.fetch(), paging.offset())?;
        let page = if paging.is_keyset() {
            Paged::keyed(rows, paging, |found: &AuditListRow| vec![json!(found.id)])
        } else {
            let total = filter.count(tx)?;
            Paged::numbered(rows, paging, Some(total))
        };
        Ok(page.map(entity))
    })
    .await
}

kernel::params! {
    struct One {
        audit_event_id: i64,
    }
}

async fn show(app: App, _: Admin, one: Params<One>) -> Result<Ok200<AuditEventEntity>> {
    let id = one.audit_event_id;
    app.read(move |tx| {
        let below = Some(id.saturating_add(1));
        let newest = Filter::default().rows(tx, below, 1, 0)?.into_iter().next();
        let found = newest.filter(|found| found.id == id);
        let found = found.ok_or(kernel::error::Error::NotFound("Audit Event"))?;
        Ok(Ok200(entity(found)))
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn audit_page_renders_with_and_without_records() {
        let now: Timestamp = "2026-03-04T10:00:00Z".parse().expect("a fixed time");
        let record = AuditListRow {
            id: 1,
            author_id: Some(1),
            username: Some("ada".into()),
            name: None,
            action: "member.create".into(),
            target_type: "Project".into(),
            target_id: 1,
            target_name: "acme/anvil".into(),
            details: json!({"access_level": "developer"}),
            ip_address: Some("2001:db8::7".into()),
            created_at: now - jiff::SignedDuration::from_secs(90),
        };
        let mut audit = AdminAudit {
            page: Page::new("Audit"),
            filter: Filter { target_type: "Project".into(), ..Filter::default() },
            records: vec![record],
            now,
            pages: Pages::default(),
        };
        let full = audit.render().expect("it renders");
        audit.records.clear();
        let empty = audit.render().expect("it renders");

        assert!(!full.contains(" style=") && !full.contains(" onclick="));
        assert!(full.contains("member.create") && full.contains("1 minute ago"));
        assert!(full.contains("access level developer"));
        assert!(empty.contains("No records"));
    }
}
