//! What mirrors of both directions have.

use kernel::error::{Error, Result};
use regex::{Regex, RegexBuilder};

/// Letters of a pattern.
const LONGEST: usize = 511;
/// Bytes that a pattern may take once it is read.
const MAX_COMPILED: usize = 1 << 20;

kernel::choices! {
    /// What proves who asks to the server that a mirror is at.
    pub enum AuthMethod {
        Password = "password",
        SshPublicKey = "ssh_public_key",
    }
}

kernel::choices! {
    /// How far a mirror is.
    pub enum UpdateStatus {
        None = "none",
        Scheduled = "scheduled",
        Started = "started",
        Finished = "finished",
        Failed = "failed",
    }
}

/// A pattern of names of branches, ready to be asked; it takes linear time.
pub fn compiled(text: &str) -> Result<Regex> {
    let wrong = |problem: &str| Error::invalid("mirror_branch_regex", problem);
    if text.chars().count() > LONGEST {
        return Err(wrong("is too long (maximum is 511 characters)"));
    }
    let built = RegexBuilder::new(text).size_limit(MAX_COMPILED).build();
    built.map_err(|_| wrong("is invalid"))
}

/// Refuses what cannot be meant together of which branches a mirror has: the protected
/// ones, by this name, and those that fit a pattern.
pub fn check_branches(only: (&str, Option<bool>), pattern: Option<&str>) -> Result<()> {
    let (name, only) = only;
    match pattern {
        Some(_) if only == Some(true) => {
            let text = format!("{name}, mirror_branch_regex are mutually exclusive");
            Err(Error::Parameters(vec![text]))
        }
        Some(text) => compiled(text).map(drop),
        None => Ok(()),
    }
}
