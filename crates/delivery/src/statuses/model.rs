//! How far something is that a program does with a commit, and what may follow that.

use crate::pipelines::status::Status;

/// The stage of external jobs, and where it stands: after all others.
pub const STAGE: &str = "external";
pub const STAGE_INDEX: i64 = 1_000_000;

kernel::choices! {
    /// How far something is that a program does with a commit.
    pub enum State as "CommitState" {
        Pending = "pending",
        Running = "running",
        Success = "success",
        Failed = "failed",
        Canceled = "canceled",
        Skipped = "skipped",
    }
}

impl State {
    /// As jobs have it.
    pub fn status(self) -> Status {
        match self {
            State::Pending => Status::Pending,
            State::Running => Status::Running,
            State::Success => Status::Success,
            State::Failed => Status::Failed,
            State::Canceled => Status::Canceled,
            State::Skipped => Status::Skipped,
        }
    }

    /// That of an external job, which is never in another.
    pub fn of(status: Status) -> Option<State> {
        State::ALL.iter().copied().find(|state| state.status() == status)
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use State::{Failed, Pending, Running};

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

    #[test]
    fn each_is_a_status_of_jobs() {
        assert!(State::ALL.iter().all(|state| State::of(state.status()) == Some(*state)));
        assert_eq!(State::of(Status::Manual), None);
    }
}
