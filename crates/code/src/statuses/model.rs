//! A status, and what may follow it.

use jiff::Timestamp;
use store::{FromRow, UpdateRow};

kernel::choices! {
    /// How far something is that a program does with a commit.
    pub enum State {
        Pending = "pending",
        Running = "running",
        Success = "success",
        Failed = "failed",
        Canceled = "canceled",
        Skipped = "skipped",
    }
}

impl State {
    /// It goes on.
    pub fn is_open(self) -> bool {
        matches!(self, State::Pending | State::Running)
    }

    /// What leads to it, as refusals call that.
    fn event(self) -> &'static str {
        match self {
            State::Pending => "enqueue",
            State::Running => "run",
            State::Success => "success",
            State::Failed => "drop",
            State::Canceled => "cancel",
            State::Skipped => "skip",
        }
    }

    /// Why this cannot follow another that goes on, if it cannot.
    pub fn refusal_after(self, before: State) -> Option<String> {
        let follows = !self.is_open() || (before, self) == (State::Pending, State::Running);
        let event = self.event();
        (!follows).then(|| {
            format!(
                "Cannot transition status via :{event} from :{before} (Reason(s): Status cannot \
                 transition via \"{event}\")"
            )
        })
    }
}

/// What a program said of a commit.
#[derive(Debug, Clone, FromRow, UpdateRow)]
#[columns("commit_statuses")]
pub struct CommitStatus {
    pub id: i64,
    pub sha: String,
    #[column("commit_statuses.ref")]
    pub on_ref: String,
    pub name: String,
    #[written]
    pub status: State,
    #[written]
    pub target_url: Option<String>,
    #[written]
    pub description: Option<String>,
    #[written]
    pub coverage: Option<f64>,
    #[written]
    pub author_id: Option<i64>,
    pub created_at: Timestamp,
    #[written]
    pub started_at: Option<Timestamp>,
    #[written]
    pub finished_at: Option<Timestamp>,
}

/// The status of a commit of which these are said; none if nothing is.
pub fn all_together(states: &[State]) -> Option<State> {
    let any = |state: State| states.contains(&state);
    let only = |allowed: &[State]| states.iter().all(|state| allowed.contains(state));
    Some(match states {
        [] => return None,
        _ if any(State::Running) => State::Running,
        _ if only(&[State::Skipped]) => State::Skipped,
        _ if only(&[State::Success, State::Skipped]) => State::Success,
        // Some are done, and some are to begin.
        _ if any(State::Pending) => match only(&[State::Pending, State::Skipped]) {
            true => State::Pending,
            false => State::Running,
        },
        _ if any(State::Failed) => State::Failed,
        _ => State::Canceled,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use State::{Canceled, Failed, Pending, Running, Skipped, Success};

    #[test]
    fn many_make_one() {
        for (all, one) in [
            (vec![], None),
            (vec![Success, Skipped], Some(Success)),
            (vec![Skipped], Some(Skipped)),
            (vec![Success, Failed], Some(Failed)),
            (vec![Success, Canceled], Some(Canceled)),
            (vec![Pending, Pending], Some(Pending)),
            (vec![Pending, Success], Some(Running)),
            (vec![Failed, Running], Some(Running)),
        ] {
            assert_eq!(all_together(&all), one, "{all:?}");
        }
    }

    #[test]
    fn what_goes_on_does_not_begin_again() {
        assert_eq!(Running.refusal_after(Pending), None);
        assert_eq!(Failed.refusal_after(Pending), None);
        let text = Running.refusal_after(Running).unwrap_or_default();
        assert!(text.starts_with("Cannot transition status via :run from :running"), "{text}");
        let text = Pending.refusal_after(Running).unwrap_or_default();
        assert!(
            text.starts_with("Cannot transition status via :enqueue from :running"),
            "{text}"
        );
    }
}
