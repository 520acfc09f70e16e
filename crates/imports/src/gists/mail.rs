//! What people are told of gists that did not come.

use super::model::FailedGist;
use super::store as rows;
use super::tasks::TellOfGists;
use ::store::{Json, Tx};
use identity::model::UserState;
use kernel::error::Result;
use kernel::mail::Message;

/// Gists that are named.
const NAMED: usize = 200;

/// That some did not come, if that is still so.
pub fn of_failures(tx: &mut Tx<'_>, job: &TellOfGists, base_url: &str) -> Result<Option<Message>> {
    let import = rows::find(tx, job.import)?.filter(|import| import.ended_at.is_some());
    let Some(import) = import else {
        return Ok(None);
    };
    let to = identity::users::find(tx, import.user_id)?;
    let Some(to) = to.filter(|user| user.state == UserState::Active) else {
        return Ok(None);
    };
    let Json(failed) = &import.failed;
    if failed.is_empty() {
        return Ok(None);
    }
    let host = &import.host;
    Ok(Some(Message {
        to: to.email,
        subject: format!("Gists from {host} that could not be imported"),
        text: format!(
            "Your gists were imported from {host}, but for these:\n\n{}\nThe others are here:\n\
             {base_url}{}\n",
            lines(failed),
            snippets::pages::OWN
        ),
        html: None,
    }))
}

fn lines(failed: &[FailedGist]) -> String {
    let one = |gist: &FailedGist| format!("- {}: {}\n", gist.title, gist.reason);
    let named: String = failed.iter().take(NAMED).map(one).collect();
    match failed.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named}- and {more} more\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_are_not_all_named() {
        let gist = FailedGist { title: "a".into(), reason: "gone".into() };
        assert_eq!(lines(std::slice::from_ref(&gist)), "- a: gone\n");
        let many = lines(&vec![gist; NAMED + 3]);
        assert!(many.ends_with("- a: gone\n- and 3 more\n"), "{many}");
    }
}
