//! What mail of all areas has in common.

use crate::alerts::model::Alert;
use kernel::app::App;
use kernel::error::{BestEffort, Error, Result};
use kernel::mail::Message;
use kernel::time::wire;

/// Sends a mail. An address that the mail server refuses for good is let go.
pub async fn post(app: &App, message: &Message) -> Result<()> {
    match app.mailer().send(message).await {
        Err(refused @ (Error::BadRequest(_) | Error::Unprocessable(_))) => {
            Err::<(), _>(refused).best_effort("send a mail");
            Ok(())
        }
        sent => sent,
    }
}

/// What mail says of an alert: its title, then a line for each thing known.
pub fn facts(alert: &Alert) -> String {
    let mut text = format!(
        "{}\n\nSeverity: {}\nStarted: {}\n",
        alert.title,
        alert.severity.label(),
        wire::text(alert.started_at),
    );
    let hosts = (!alert.hosts.is_empty()).then(|| alert.hosts.join(" "));
    for (name, value) in [
        ("Service", alert.service.clone()),
        ("Monitoring tool", alert.monitoring_tool.clone()),
        ("Hosts", hosts),
        ("Description", alert.description.clone()),
    ] {
        if let Some(value) = value {
            text.push_str(&format!("{name}: {value}\n"));
        }
    }
    text
}
