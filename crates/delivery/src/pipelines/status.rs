//! How far a job is, what may follow, and what many jobs are together.

kernel::choices! {
    /// How far a job or a pipeline is.
    pub enum Status as "CiStatus" {
        Created = "created",
        WaitingForResource = "waiting_for_resource",
        Preparing = "preparing",
        Pending = "pending",
        Running = "running",
        Success = "success",
        Failed = "failed",
        Canceled = "canceled",
        Canceling = "canceling",
        Skipped = "skipped",
        Manual = "manual",
        Scheduled = "scheduled",
    }
}

use Status::*;

/// Statuses of what has not come to an end.
pub const UNFINISHED: &[Status] =
    &[Created, WaitingForResource, Preparing, Pending, Running, Canceling, Scheduled];
/// Statuses of what has.
pub const FINISHED: &[Status] = &[Success, Failed, Canceled, Skipped];

/// What happens to a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// It is to be looked at again.
    Process,
    /// It waits for somebody to start it.
    HoldForPerson,
    /// It waits for its time.
    Schedule,
    /// It waits for no other job of its resource group to run.
    WaitForResource,
    /// It is handed to whoever may run it.
    Enqueue,
    Run,
    /// Who was given it never said a word of it: it waits for another.
    TakeBack,
    Succeed,
    Fail,
    Skip,
    /// It ends, and what runs it hears of that when it asks.
    Cancel,
    /// It is to end: what runs it cleans up first.
    CancelGently,
    Unschedule,
}

impl Status {
    /// It has come to an end, and goes on only when somebody has it run again.
    pub fn is_finished(self) -> bool {
        FINISHED.contains(&self)
    }

    /// It goes on by itself.
    pub fn is_unfinished(self) -> bool {
        UNFINISHED.contains(&self)
    }

    /// It is about to be handed to what runs it, or waits for its turn or time.
    pub fn is_on_its_way(self) -> bool {
        matches!(self, WaitingForResource | Pending | Scheduled)
    }

    /// What runs it is at work.
    pub fn is_at_work(self) -> bool {
        matches!(self, Running | Canceling)
    }

    /// It holds the resource of its group.
    pub fn holds_resource(self) -> bool {
        matches!(self, Preparing | Pending | Running | Canceling)
    }

    /// What it is after an event, if that may happen to it.
    pub fn after(self, event: Event) -> Option<Status> {
        match (event, self) {
            (Event::Process, Skipped | Manual) => Some(Created),
            (Event::HoldForPerson, Created) => Some(Manual),
            (Event::Schedule, Created) => Some(Scheduled),
            (Event::WaitForResource, Created | Skipped | Manual | Scheduled) => {
                Some(WaitingForResource)
            }
            (
                Event::Enqueue,
                Created | Skipped | Manual | Scheduled | WaitingForResource | Preparing,
            ) => Some(Pending),
            (Event::Run, Pending) => Some(Running),
            (Event::TakeBack, Running) => Some(Pending),
            (Event::Succeed | Event::Fail | Event::Cancel, Canceling) => Some(Canceled),
            (Event::Succeed, Created | WaitingForResource | Preparing | Pending | Running) => {
                Some(Success)
            }
            (
                Event::Fail,
                Created | WaitingForResource | Preparing | Pending | Running | Manual | Scheduled,
            ) => Some(Failed),
            (Event::Skip, Created | WaitingForResource | Preparing | Pending) => Some(Skipped),
            (Event::CancelGently, Running) => Some(Canceling),
            (
                Event::Cancel | Event::CancelGently,
                Created | WaitingForResource | Preparing | Pending | Running | Manual | Scheduled,
            ) => Some(Canceled),
            (Event::Unschedule, Scheduled) => Some(Manual),
            _ => None,
        }
    }
}

/// Whether jobs are looked at together as what another needs, or as those of stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Stages,
    Needs,
}

/// How many jobs are how far: what decides on the status of all of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tally {
    counts: [usize; Status::ALL.len()],
    /// Failed and canceled ones that may fail.
    warned: usize,
    /// Those that somebody may start, and nobody has to.
    ignored: usize,
}

impl Tally {
    pub fn of(jobs: impl IntoIterator<Item = (Status, bool)>) -> Tally {
        let mut tally = Tally::default();
        jobs.into_iter()
            .for_each(|(status, allow_failure)| tally.add(status, allow_failure));
        tally
    }

    pub fn add(&mut self, status: Status, allow_failure: bool) {
        match status {
            Failed | Canceled if allow_failure => self.warned += 1,
            Manual if allow_failure => self.ignored += 1,
            _ => self.counts[status as usize] += 1,
        }
    }

    fn any(&self, status: Status) -> bool {
        self.counts[status as usize] > 0
    }

    /// Whether there are no others than these, and those that do not count.
    fn only(&self, some: &[Status]) -> bool {
        let others = Status::ALL.iter().filter(|status| !some.contains(status));
        others.into_iter().all(|status| !self.any(*status))
    }

    fn is_empty(&self) -> bool {
        self.only(&[]) && self.warned == 0 && self.ignored == 0
    }

    /// What they are together.
    pub fn status(&self, mode: Mode) -> Status {
        let first = |some: &[Status]| some.iter().copied().find(|status| self.any(*status));
        if self.is_empty() {
            Success
        } else if (mode == Mode::Needs && (self.any(Skipped) || self.ignored > 0))
            || (self.only(&[Skipped]) && self.warned == 0)
        {
            Skipped
        } else if self.only(&[Success, Skipped]) {
            Success
        } else if self.only(&[Created]) {
            Created
        } else if self.only(&[Preparing]) {
            Preparing
        } else if self.only(&[Canceled, Success, Skipped]) {
            Canceled
        } else if self.only(&[Pending, Created, Skipped]) {
            Pending
        } else if self.any(Running) || self.any(Pending) {
            Running
        } else if let Some(status) = first(&[WaitingForResource, Manual, Scheduled, Preparing]) {
            status
        } else if self.any(Created) {
            Running
        } else if self.any(Canceling) {
            Canceling
        } else {
            Failed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each event makes of each status; what is not listed may not happen.
    const MOVES: &[(Event, &[Status], Status)] = &[
        (Event::Process, &[Skipped, Manual], Created),
        (Event::HoldForPerson, &[Created], Manual),
        (Event::Schedule, &[Created], Scheduled),
        (
            Event::WaitForResource,
            &[Created, Skipped, Manual, Scheduled],
            WaitingForResource,
        ),
        (
            Event::Enqueue,
            &[Created, Skipped, Manual, Scheduled, WaitingForResource, Preparing],
            Pending,
        ),
        (Event::Run, &[Pending], Running),
        (Event::TakeBack, &[Running], Pending),
        (
            Event::Succeed,
            &[Created, WaitingForResource, Preparing, Pending, Running],
            Success,
        ),
        (Event::Succeed, &[Canceling], Canceled),
        (
            Event::Fail,
            &[Created, WaitingForResource, Preparing, Pending, Running, Manual, Scheduled],
            Failed,
        ),
        (Event::Fail, &[Canceling], Canceled),
        (Event::Skip, &[Created, WaitingForResource, Preparing, Pending], Skipped),
        (
            Event::Cancel,
            &[
                Created,
                WaitingForResource,
                Preparing,
                Pending,
                Running,
                Manual,
                Scheduled,
                Canceling,
            ],
            Canceled,
        ),
        (Event::CancelGently, &[Running], Canceling),
        (
            Event::CancelGently,
            &[Created, WaitingForResource, Preparing, Pending, Manual, Scheduled],
            Canceled,
        ),
        (Event::Unschedule, &[Scheduled], Manual),
    ];

    #[test]
    fn a_job_moves_as_the_table_says() {
        for (event, ..) in MOVES {
            for status in Status::ALL {
                let listed =
                    MOVES.iter().find(|(other, from, _)| other == event && from.contains(status));
                let expected = listed.map(|(.., to)| *to);
                assert_eq!(status.after(*event), expected, "{event:?} of {status}");
            }
        }
    }

    #[test]
    fn what_has_ended_moves_only_when_it_is_run_again() {
        for status in [Success, Failed, Canceled] {
            let moves = MOVES.iter().filter_map(|(event, ..)| status.after(*event));
            assert_eq!(moves.count(), 0, "{status}");
        }
        for status in Status::ALL {
            let kinds = [status.is_finished(), status.is_unfinished(), *status == Manual];
            assert_eq!(kinds.iter().filter(|it| **it).count(), 1, "{status}");
        }
    }

    /// May fail.
    const MAY: bool = true;
    const MUST: bool = false;

    #[test]
    fn many_jobs_are_one_status() {
        let of = |jobs: &[(Status, bool)]| Tally::of(jobs.iter().copied()).status(Mode::Stages);
        for (jobs, expected) in [
            (&[][..], Success),
            (&[(Skipped, MUST)], Skipped),
            (&[(Manual, MAY)], Skipped),
            (&[(Skipped, MUST), (Manual, MAY)], Skipped),
            (&[(Success, MUST), (Skipped, MUST)], Success),
            (&[(Failed, MAY)], Success),
            (&[(Success, MUST), (Failed, MAY), (Manual, MAY)], Success),
            (&[(Created, MUST)], Created),
            (&[(Created, MUST), (Manual, MAY)], Created),
            (&[(Preparing, MUST), (Failed, MAY)], Preparing),
            (&[(Canceled, MUST), (Success, MUST), (Skipped, MUST)], Canceled),
            (&[(Canceled, MUST), (Failed, MAY)], Canceled),
            (&[(Canceled, MUST), (Failed, MUST)], Failed),
            (&[(Pending, MUST), (Created, MUST)], Pending),
            (&[(Created, MUST), (Skipped, MUST)], Pending),
            (&[(Pending, MUST), (Success, MUST)], Running),
            (&[(Running, MUST), (Failed, MUST)], Running),
            (&[(Success, MUST), (Created, MUST)], Running),
            (&[(WaitingForResource, MUST), (Manual, MUST)], WaitingForResource),
            (&[(Success, MUST), (Manual, MUST)], Manual),
            (&[(Manual, MUST), (Failed, MUST)], Manual),
            (&[(Manual, MUST), (Created, MUST)], Manual),
            (&[(Scheduled, MUST), (Success, MUST)], Scheduled),
            (&[(Preparing, MUST), (Success, MUST)], Preparing),
            (&[(Canceling, MUST), (Success, MUST)], Canceling),
            (&[(Canceling, MUST), (Created, MUST)], Running),
            (&[(Failed, MUST), (Success, MUST), (Skipped, MUST)], Failed),
        ] {
            assert_eq!(of(jobs), expected, "{jobs:?}");
        }
    }

    #[test]
    fn what_is_needed_has_to_have_run() {
        let of = |jobs: &[(Status, bool)]| Tally::of(jobs.iter().copied()).status(Mode::Needs);
        for (jobs, expected) in [
            (&[][..], Success),
            (&[(Success, MUST), (Skipped, MUST)], Skipped),
            (&[(Success, MUST), (Manual, MAY)], Skipped),
            (&[(Success, MUST), (Failed, MAY)], Success),
            (&[(Failed, MUST), (Success, MUST)], Failed),
            (&[(Running, MUST), (Success, MUST)], Running),
        ] {
            assert_eq!(of(jobs), expected, "{jobs:?}");
        }
    }
}
