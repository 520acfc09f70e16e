//! What is written to who asked for an export.

use super::model::{Export, Status};
use identity::User;
use kernel::app::App;
use kernel::mail::Message;
use kernel::time::wire;

/// What came of an export of what has this name, and its exports at this address.
pub fn letter(app: &App, export: &Export, (name, url): (&str, &str), to: &User) -> Message {
    let (subject, text) = match export.status {
        Status::Finished => (
            format!("The dependencies of {name} are exported"),
            format!(
                "The export of the dependencies of {name} is finished.\n\n\
                 Download it until {}:\n{}\n",
                wire::text(export.expires_at),
                app.url(&format!("{url}/{}/download", export.id)),
            ),
        ),
        _ => (
            format!("The export of the dependencies of {name} failed"),
            format!(
                "The dependencies of {name} could not be exported. {}\n\n\
                 You can ask for the export again. What is known of this one is forgotten at {}.\n",
                export.problem.as_deref().unwrap_or_default(),
                wire::text(export.expires_at),
            ),
        ),
    };
    Message {
        to: to.email.clone(),
        subject: subject.chars().take(200).collect(),
        text,
        html: None,
    }
}
