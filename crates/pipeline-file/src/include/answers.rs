//! What people read when a file cannot be had.

use super::{Answer, Source};

/// The text for an answer that is no file.
pub(super) fn refusal(source: &Source, shown: &str, answer: &Answer) -> String {
    match (source, answer) {
        (_, Answer::Failed(text)) => text.clone(),
        (Source::Project { project, .. }, Answer::NoProject) => format!(
            "Project `{project}` not found or access denied! Make sure any includes in the \
             pipeline configuration are correctly defined."
        ),
        (Source::Project { project, reference, .. }, Answer::NoReference) => {
            let reference = reference.as_deref().unwrap_or("HEAD");
            format!("Project `{project}` reference `{reference}` does not exist!")
        }
        (Source::Remote { .. }, Answer::HttpStatus { attempts, code }) => format!(
            "Remote file `{shown}` could not be fetched after {attempts} attempts because of \
             HTTP code `{code}` error!"
        ),
        (Source::Component { address }, _) => format!("Component '{address}' - content not found"),
        _ => format!("{} does not exist!", file(source, shown)),
    }
}

/// A file as texts name it.
pub(super) fn file(source: &Source, shown: &str) -> String {
    match source {
        Source::Project { project, path, .. } => format!("Project `{project}` file `{path}`"),
        Source::Remote { url } => format!("Remote file `{url}`"),
        Source::Component { address } => format!("Component '{address}'"),
        Source::Artifact { path, .. } => format!("Artifact file `{path}`"),
        Source::Local { .. } | Source::Listing => format!("Local file `{shown}`"),
    }
}
