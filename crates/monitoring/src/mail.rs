//! What mail of all areas has in common.

use crate::alerts::model::Alert;
use identity::model::User;
use kernel::app::App;
use kernel::error::{BestEffort, Error, Result};
use kernel::mail::Message;
use kernel::time::wire;
use spaces::Project;

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

/// Why somebody is told of an alert.
pub struct Occasion {
    pub subject: &'static str,
    pub happened: &'static str,
    pub because: &'static str,
}

impl Occasion {
    pub fn letter(&self, app: &App, to: &User, alert: &Alert, project: &Project) -> Message {
        let text = format!(
            "{} in {}:\n\n{}\n{}\n\n-- \nYou are told because {}.\n",
            self.happened,
            project.full_path,
            facts(alert),
            alert.web_url(app.base_url(), &project.full_path),
            self.because
        );
        Message {
            to: to.email.clone(),
            subject: format!("{} | {}: {}", project.path, self.subject, alert.title),
            text,
            html: None,
        }
    }
}

/// What mail says of an alert: its title, then a line for each thing known.
fn facts(alert: &Alert) -> String {
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
