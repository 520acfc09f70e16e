//! What projects want done with their alerts.

use crate::alerts::model::AlertSetting;
use kernel::error::Result;
use store::{Tx, sql};

/// What a project wants, the usual where it never said.
pub fn of_project(tx: &mut Tx<'_>, project_id: i64) -> Result<AlertSetting> {
    let stored = tx.optional(
        sql!("select ", AlertSetting::COLUMNS, " from alert_settings where project_id = $1"),
        (project_id,),
    )?;
    Ok(stored.unwrap_or_default())
}

pub fn put(tx: &mut Tx<'_>, project_id: i64, setting: &AlertSetting) -> Result<()> {
    let now = tx.now();
    tx.execute(
        sql!(
            "insert into alert_settings (project_id, create_issue, issue_template_key, send_email,
                auto_close_incident, external_tool_enabled, external_tool_url, updated_at)
             values ($1, $2, $3, $4, $5, $6, $7, $8)
             on conflict (project_id) do update
             set create_issue = excluded.create_issue,
                issue_template_key = excluded.issue_template_key,
                send_email = excluded.send_email,
                auto_close_incident = excluded.auto_close_incident,
                external_tool_enabled = excluded.external_tool_enabled,
                external_tool_url = excluded.external_tool_url,
                updated_at = excluded.updated_at"
        ),
        (
            project_id,
            setting.create_issue,
            setting.issue_template_key.as_deref(),
            setting.send_email,
            setting.auto_close_incident,
            setting.external_tool_enabled,
            setting.external_tool_url.as_deref(),
            now,
        ),
    )?;
    Ok(())
}
