//! Which answer `PUT …/merge` gets: the checks in their order (docs/interface), whether
//! the merge is made now or waits. Pure. Whether the merge request is seen at all was
//! asked before.

use super::status::{DetailedStatus, Facts};
use kernel::error::Error;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

/// What somebody asks for, and what there is.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// A group or the instance demands that the head is named.
    pub demands_sha: bool,
    /// The head as they know it.
    pub sha: Option<&'a str>,
    /// The head as it is; none without commits.
    pub head: Option<&'a str>,
    /// They may push to the target branch, or merge into it.
    pub may_merge: bool,
    /// It shall be merged once everything is as it should be.
    pub auto_merge: bool,
    /// What decides whether it can be merged now.
    pub facts: &'a Facts,
    pub pipeline: HeadPipeline,
}

/// The pipeline of the head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadPipeline {
    /// There is none, and none is being made.
    Absent,
    /// It runs, waits, or is being made.
    Open,
    Succeeded,
    /// It ended in another way.
    Ended,
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accepted {
    Merge,
    /// It is merged by itself later.
    Wait,
}

/// Why neither is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    ShaMissing,
    NotAllowed,
    /// The head is another one: where it is.
    HeadMoved(String),
    /// What stands in the way, the first thing first.
    NotMergeable(Vec<DetailedStatus>),
    /// Git cannot merge it, or something was faster.
    CannotMerge,
}

/// Judges a request to merge.
///
/// # Errors
///
/// The first check that is not passed.
pub fn judge(asked: &Asked<'_>) -> Result<Accepted, Refusal> {
    if asked.demands_sha && asked.sha.is_none() {
        return Err(Refusal::ShaMissing);
    }
    if !asked.may_merge {
        return Err(Refusal::NotAllowed);
    }
    check_head(asked.sha, asked.head).map_err(Refusal::HeadMoved)?;
    let failing: Vec<DetailedStatus> = asked.facts.failing().collect();
    if !asked.auto_merge {
        return match failing.is_empty() {
            true => Ok(Accepted::Merge),
            false => Err(Refusal::NotMergeable(failing)),
        };
    }
    if asked.facts.may_wait(asked.pipeline == HeadPipeline::Open) {
        return Ok(Accepted::Wait);
    }
    match asked.pipeline {
        HeadPipeline::Absent | HeadPipeline::Succeeded if failing.is_empty() => Ok(Accepted::Merge),
        HeadPipeline::Absent | HeadPipeline::Succeeded => Err(Refusal::CannotMerge),
        HeadPipeline::Open | HeadPipeline::Ended => Err(Refusal::NotMergeable(failing)),
    }
}

/// Whether the head is what somebody takes it for, where they say so; what it is, if not.
///
/// # Errors
///
/// The head as it is, empty if there is none.
pub fn check_head(sha: Option<&str>, head: Option<&str>) -> Result<(), String> {
    match sha {
        Some(sha) if Some(sha) != head => Err(head.unwrap_or_default().to_owned()),
        _ => Ok(()),
    }
}

/// What is said of a head that is another one.
pub fn head_moved(head: &str) -> Error {
    Error::Conflict(format!("SHA does not match HEAD of source branch: {head}"))
}

/// Something in the way, as refusals name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FailingCheck {
    pub identifier: DetailedStatus,
    /// It goes by itself.
    pub waiting_helps: bool,
}

impl FailingCheck {
    pub fn of(status: DetailedStatus) -> FailingCheck {
        FailingCheck { identifier: status, waiting_helps: status.passes_by_itself() }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Error {
        match refusal {
            Refusal::ShaMissing => {
                Error::Exact(400, json!({"message": "SHA must be provided when merging"}))
            }
            Refusal::NotAllowed => Error::Unauthenticated,
            Refusal::HeadMoved(head) => head_moved(&head),
            Refusal::NotMergeable(failing) => {
                let first = failing.first().copied().unwrap_or(DetailedStatus::Mergeable);
                let checks: Vec<FailingCheck> = failing.into_iter().map(FailingCheck::of).collect();
                Error::Exact(
                    405,
                    json!({
                        "message": "405 Method Not Allowed",
                        "detailed_merge_status": first,
                        "failing_checks": checks,
                    }),
                )
            }
            Refusal::CannotMerge => Error::Unprocessable("Branch cannot be merged".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::status::MergeStatus;
    use super::*;

    const HEAD: &str = "00c0ffee00c0ffee00c0ffee00c0ffee00c0ffee";

    fn asked(facts: &Facts) -> Asked<'_> {
        Asked {
            demands_sha: false,
            sha: None,
            head: Some(HEAD),
            may_merge: true,
            auto_merge: false,
            facts,
            pipeline: HeadPipeline::Absent,
        }
    }

    fn status(asked: &Asked<'_>) -> u16 {
        match judge(asked).map_err(Error::from) {
            Ok(_) => 200,
            Err(Error::Exact(status, _)) => status,
            Err(Error::Unauthenticated) => 401,
            Err(Error::Conflict(_)) => 409,
            Err(Error::Unprocessable(_)) => 422,
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn checks_are_asked_in_their_order() {
        let closed = Facts { is_open: false, ..Facts::open(MergeStatus::CanBeMerged) };
        let mut asked = Asked { demands_sha: true, may_merge: false, ..asked(&closed) };
        assert_eq!(status(&asked), 400);
        asked.sha = Some("abc");
        assert_eq!(status(&asked), 401);
        asked.may_merge = true;
        assert_eq!(status(&asked), 409);
        asked.sha = Some(HEAD);
        assert_eq!(status(&asked), 405);
        let open = Facts::open(MergeStatus::CanBeMerged);
        asked.facts = &open;
        assert_eq!(judge(&asked), Ok(Accepted::Merge));
    }

    #[test]
    fn a_head_is_named_whole_and_in_small_letters() {
        let open = Facts::open(MergeStatus::CanBeMerged);
        let (upper, long) = (HEAD.to_uppercase(), HEAD.repeat(2));
        for sha in [&HEAD[..8], &upper, &long, ""] {
            assert_eq!(status(&Asked { sha: Some(sha), ..asked(&open) }), 409, "{sha}");
        }
        let refused = judge(&Asked { sha: Some("x"), head: None, ..asked(&open) });
        assert_eq!(refused, Err(Refusal::HeadMoved(String::new())));
    }

    #[test]
    fn what_waits_is_told_from_what_cannot_be() {
        let good = Facts::open(MergeStatus::CanBeMerged);
        let draft = Facts { is_draft: true, ..good };
        let conflict = Facts::open(MergeStatus::CannotBeMerged);
        for (facts, pipeline, answer) in [
            (&good, HeadPipeline::Open, Ok(Accepted::Wait)),
            (&good, HeadPipeline::Absent, Ok(Accepted::Merge)),
            (&good, HeadPipeline::Succeeded, Ok(Accepted::Merge)),
            (&good, HeadPipeline::Ended, Err(405)),
            (&draft, HeadPipeline::Absent, Ok(Accepted::Wait)),
            (&draft, HeadPipeline::Open, Ok(Accepted::Wait)),
            (&conflict, HeadPipeline::Absent, Err(422)),
            (&conflict, HeadPipeline::Open, Err(405)),
        ] {
            let asked = Asked { auto_merge: true, pipeline, ..asked(facts) };
            let found = judge(&asked).map_err(|_| status(&asked));
            assert_eq!(found, answer, "{pipeline:?} {facts:?}");
        }
    }

    #[test]
    fn a_refusal_says_what_is_in_the_way() {
        let facts = Facts { is_draft: true, ..Facts::open(MergeStatus::Checking) };
        let refused = judge(&asked(&facts)).expect_err("a refusal");
        let Error::Exact(405, body) = Error::from(refused) else {
            panic!("another answer");
        };
        assert_eq!(body["detailed_merge_status"], "checking");
        assert_eq!(
            body["failing_checks"],
            json!([
                {"identifier": "checking", "waiting_helps": true},
                {"identifier": "draft_status", "waiting_helps": false},
            ])
        );
    }
}
