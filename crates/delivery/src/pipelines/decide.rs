//! Which jobs of a pipeline go on: a decision over what is known of all of them.

use super::model::{JobKind, RunWhen};
use super::status::{Mode, Status, Tally};
use super::store::progress::Progress;
use std::collections::HashMap;

/// What each job needs, by its id.
pub type Needs = HashMap<i64, Vec<String>>;

/// Moves every job on that may go on, or has to be left out; answers which were moved.
/// The jobs stand in the order of their stages.
pub fn decide(jobs: &mut [Progress], needs: &Needs) -> Vec<usize> {
    // An external one may be called like another, and is needed by none.
    let named = jobs.iter().enumerate().filter(|(_, job)| job.kind != JobKind::External);
    let places: HashMap<String, usize> = named.map(|(at, job)| (job.name.clone(), at)).collect();
    let needed: Vec<Vec<usize>> = jobs
        .iter()
        .map(|job| {
            let names = needs.get(&job.id).into_iter().flatten();
            names.filter_map(|name| places.get(name).copied()).collect()
        })
        .collect();
    let mut moved = Vec::new();
    let mut earlier = Tally::default();
    let mut start = 0;
    while start < jobs.len() {
        let stage = jobs[start].stage_index;
        let end = start + jobs[start..].iter().take_while(|job| job.stage_index == stage).count();
        for at in in_order(start..end, jobs, &needed) {
            let before = match jobs[at].needs_mode {
                true => {
                    Tally::of(needed[at].iter().map(|at| outcome(&jobs[*at]))).status(Mode::Needs)
                }
                false => earlier.status(Mode::Stages),
            };
            if let Some(status) = next(&jobs[at], before) {
                jobs[at].status = status;
                moved.push(at);
            }
        }
        jobs[start..end].iter().for_each(|job| {
            let (status, allow_failure) = outcome(job);
            earlier.add(status, allow_failure);
        });
        start = end;
    }
    moved
}

fn outcome(job: &Progress) -> (Status, bool) {
    (job.status, job.allow_failure)
}

/// The jobs of a stage that are yet to be looked at, each after those that it needs.
fn in_order(stage: std::ops::Range<usize>, jobs: &[Progress], needed: &[Vec<usize>]) -> Vec<usize> {
    let is_open = |at: usize| stage.contains(&at) && jobs[at].status == Status::Created;
    let mut waits: HashMap<usize, usize> = HashMap::new();
    let mut leads: HashMap<usize, Vec<usize>> = HashMap::new();
    for at in stage.clone().filter(|at| is_open(*at)) {
        let within = needed[at].iter().copied().filter(|other| is_open(*other));
        let mut count = 0;
        for other in within {
            leads.entry(other).or_default().push(at);
            count += 1;
        }
        waits.insert(at, count);
    }
    let mut order: Vec<usize> =
        stage.filter(|at| waits.get(at).is_some_and(|count| *count == 0)).collect();
    let mut done = 0;
    while done < order.len() {
        for next in leads.remove(&order[done]).unwrap_or_default() {
            let count = waits.entry(next).or_default();
            *count = count.saturating_sub(1);
            if *count == 0 {
                order.push(next);
            }
        }
        done += 1;
    }
    order
}

/// What a job becomes after what it waits for; none while that goes on.
fn next(job: &Progress, before: Status) -> Option<Status> {
    if !before.is_finished() {
        return None;
    }
    let goes = match job.run_when {
        RunWhen::OnSuccess | RunWhen::Manual | RunWhen::Delayed => {
            before == Status::Success || (before == Status::Skipped && !job.needs_mode)
        }
        RunWhen::OnFailure => before == Status::Failed,
        RunWhen::Always => before != Status::Canceled,
    };
    Some(match (goes, job.run_when) {
        (false, _) => Status::Skipped,
        (true, RunWhen::Manual) => Status::Manual,
        (true, RunWhen::Delayed) => Status::Scheduled,
        (true, _) if job.resource_group_id.is_some() => Status::WaitingForResource,
        (true, _) => Status::Pending,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `stage name when [status] [may]`.
    fn job(id: i64, text: &str) -> Progress {
        let words: Vec<&str> = text.split(' ').collect();
        Progress {
            id,
            name: words[1].to_owned(),
            kind: JobKind::Build,
            stage_index: words[0].parse().unwrap(),
            status: words.get(3).map_or(Status::Created, |word| Status::from_text(word).unwrap()),
            run_when: RunWhen::from_text(words[2]).unwrap(),
            start_in: None,
            allow_failure: words.get(4).is_some(),
            needs_mode: false,
            resource_group_id: None,
            interruptible: false,
            cancels_gently: false,
            environment: None,
        }
    }

    fn jobs(lines: &[&str]) -> Vec<Progress> {
        lines.iter().zip(1..).map(|(line, id)| job(id, line)).collect()
    }

    fn statuses(jobs: &[Progress]) -> Vec<&'static str> {
        jobs.iter().map(|job| job.status.as_str()).collect()
    }

    #[track_caller]
    fn check(lines: &[&str], expected: &[&str]) {
        let mut jobs = jobs(lines);
        decide(&mut jobs, &Needs::new());
        assert_eq!(statuses(&jobs), expected, "{lines:?}");
    }

    #[test]
    fn stages_wait_for_those_before() {
        check(
            &["1 a on_success", "1 b on_success", "2 c on_success"],
            &["pending", "pending", "created"],
        );
        check(
            &["1 a on_success success", "1 b on_success running", "2 c on_success"],
            &["success", "running", "created"],
        );
        check(&["1 a on_success success", "2 c on_success"], &["success", "pending"]);
    }

    #[test]
    fn a_failure_leaves_out_what_counted_on_it() {
        // Vectors 19 and 20 of the contract.
        check(
            &["1 f on_success failed may", "2 g on_success", "2 h on_failure"],
            &["failed", "pending", "skipped"],
        );
        check(
            &["1 f on_success failed", "2 g on_success", "2 h on_failure", "3 i always"],
            &["failed", "skipped", "pending", "created"],
        );
        check(
            &[
                "1 f on_success failed",
                "2 g on_success skipped",
                "2 h on_failure success",
                "3 i always",
                "4 j on_success",
            ],
            &["failed", "skipped", "success", "pending", "created"],
        );
        check(&["1 f on_success canceled", "2 i always"], &["canceled", "skipped"]);
    }

    #[test]
    fn somebody_has_to_start_some() {
        // Vector 21: a job that must be started blocks, one that may be does not.
        check(&["1 m manual", "2 n on_success"], &["manual", "created"]);
        check(&["1 m manual created may", "2 n on_success"], &["manual", "pending"]);
        check(&["1 d delayed", "2 n on_success"], &["scheduled", "created"]);
    }

    #[test]
    fn all_of_a_stage_may_be_left_out() {
        check(&["1 a on_failure", "2 b on_success"], &["skipped", "pending"]);
    }

    /// Jobs that wait for what they need alone.
    fn with_needs(lines: &[&str], needs: &[(i64, &[&str])], expected: &[&str]) {
        let mut jobs = jobs(lines);
        for (id, _) in needs {
            jobs[*id as usize - 1].needs_mode = true;
        }
        let needs = needs
            .iter()
            .map(|(id, names)| (*id, names.iter().map(ToString::to_string).collect()));
        decide(&mut jobs, &needs.collect());
        assert_eq!(statuses(&jobs), expected, "{lines:?}");
    }

    #[test]
    fn needs_go_before_stages() {
        with_needs(
            &[
                "1 a on_success running",
                "1 b on_success success",
                "2 c on_success",
                "3 d always",
            ],
            &[(3, &["b"]), (4, &[])],
            &["running", "success", "pending", "pending"],
        );
        // Of one stage, in any order; one that is gone counts for nothing.
        with_needs(
            &["1 a on_success", "1 b on_success", "1 c on_failure failed"],
            &[(1, &["b", "gone"]), (2, &["c"])],
            &["skipped", "skipped", "failed"],
        );
        // What was left out is not what was needed.
        with_needs(
            &["1 a on_success skipped", "2 b on_success", "2 c always"],
            &[(2, &["a"]), (3, &["a"])],
            &["skipped", "skipped", "pending"],
        );
        with_needs(
            &["1 m manual manual may", "2 b on_success"],
            &[(2, &["m"])],
            &["manual", "skipped"],
        );
    }

    #[test]
    fn a_chain_within_a_stage_takes_one_look() {
        let mut jobs: Vec<Progress> =
            (1..=2_000).map(|id| job(id, &format!("1 j{id} on_success"))).collect();
        jobs[1_999].status = Status::Failed;
        let needs: Needs = (1..2_000).map(|id| (id, vec![format!("j{}", id + 1)])).collect();
        jobs.iter_mut().for_each(|job| job.needs_mode = true);
        assert_eq!(decide(&mut jobs, &needs).len(), 1_999);
        assert!(jobs[..1_999].iter().all(|job| job.status == Status::Skipped));
    }

    #[test]
    fn one_of_a_resource_group_waits_for_it() {
        let mut jobs = jobs(&["1 a on_success"]);
        jobs[0].resource_group_id = Some(7);
        assert_eq!(decide(&mut jobs, &Needs::new()), [0]);
        assert_eq!(jobs[0].status, Status::WaitingForResource);
    }
}
