//! Environments, deployments and freezes as they are stored.

use jiff::{Timestamp, Zoned};
use kernel::zones::zone;
use pipeline_file::cron::Cron;
use pipeline_file::environments::Tier as PlannedTier;
use store::FromRow;

kernel::choices! {
    /// Whether something runs in an environment.
    #[derive(Default)]
    pub enum State as "EnvironmentState" {
        #[default]
        Available = "available",
        /// Its job that ends it runs.
        Stopping = "stopping",
        Stopped = "stopped",
    }
}

kernel::choices! {
    /// What an environment is for.
    pub enum Tier as "EnvironmentTier" {
        Production = "production",
        Staging = "staging",
        Testing = "testing",
        Development = "development",
        Other = "other",
    }
}

impl From<PlannedTier> for Tier {
    fn from(tier: PlannedTier) -> Tier {
        Tier::from_text(tier.word()).unwrap_or(Tier::Other)
    }
}

#[derive(Debug, Clone, FromRow)]
#[columns("environments")]
pub struct Environment {
    pub id: i64,
    pub project_id: i64,
    pub name: String,
    pub slug: String,
    pub description: Option<String>,
    pub external_url: Option<String>,
    pub tier: Tier,
    pub state: State,
    pub auto_stop_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Environment {
    /// What stands before the first slash of its name: many of a kind stand together.
    pub fn folder(&self) -> Option<&str> {
        self.name.split_once('/').map(|(folder, _)| folder)
    }
}

/// Characters of a name, and of an address.
pub const LONGEST: usize = 255;
/// Characters of a description.
pub const LONGEST_DESCRIPTION: usize = 10_000;

/// Whether a text, in which no variables are left, names an environment.
pub fn is_name(name: &str) -> bool {
    let known = |c: char| c.is_ascii_alphanumeric() || "_/${}. -".contains(c);
    !name.trim().is_empty()
        && name.chars().count() <= LONGEST
        && name.chars().all(known)
        && !name.starts_with('/')
        && !name.ends_with('/')
}

/// Whether a text leads to a page, and to nothing that runs in the browser.
pub fn is_address(text: &str) -> bool {
    let is_long = text.chars().count() > LONGEST;
    let has_scheme = text.starts_with("https://") || text.starts_with("http://");
    !is_long && has_scheme && !text.chars().any(|c| c.is_control() || c.is_whitespace())
}

kernel::choices! {
    /// How far a deployment is.
    pub enum DeploymentStatus {
        Created = "created",
        Running = "running",
        Success = "success",
        Failed = "failed",
        Canceled = "canceled",
        Skipped = "skipped",
        /// It waits for somebody to start or approve it.
        Blocked = "blocked",
    }
}

impl DeploymentStatus {
    pub fn is_finished(self) -> bool {
        use DeploymentStatus::{Canceled, Failed, Skipped, Success};
        matches!(self, Success | Failed | Canceled | Skipped)
    }
}

#[derive(Debug, Clone, FromRow)]
#[columns("deployments")]
pub struct Deployment {
    pub id: i64,
    pub project_id: i64,
    pub iid: i64,
    pub environment_id: i64,
    /// None of those that were only told of.
    pub job_id: Option<i64>,
    pub user_id: Option<i64>,
    #[column("deployments.ref")]
    pub on_ref: String,
    pub tag: bool,
    pub sha: String,
    pub status: DeploymentStatus,
    /// The job of its pipeline that ends the environment.
    pub on_stop: Option<String>,
    /// All who have to approve it did.
    pub approved_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub finished_at: Option<Timestamp>,
}

/// A time in which nothing is to be deployed, again and again.
#[derive(Debug, Clone, FromRow)]
#[columns("freeze_periods")]
pub struct FreezePeriod {
    pub id: i64,
    pub project_id: i64,
    pub freeze_start: String,
    pub freeze_end: String,
    pub cron_timezone: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl FreezePeriod {
    /// Whether it is on: of its next end and its next start, the end comes first.
    pub fn holds(&self, now: Timestamp) -> bool {
        let now: Zoned = now.to_zoned(zone(&self.cron_timezone));
        let next = |text: &str| Cron::parse(text).ok().and_then(|cron| cron.next(&now));
        match (next(&self.freeze_start), next(&self.freeze_end)) {
            (Some(start), Some(end)) => end < start,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_freeze_holds_from_its_start_to_its_end() {
        let weekend = |zone: &str| FreezePeriod {
            id: 1,
            project_id: 1,
            freeze_start: "0 23 * * 5".into(),
            freeze_end: "0 8 * * 1".into(),
            cron_timezone: zone.into(),
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
        };
        // The 2nd of January 2026 is a Friday.
        for (at, zone, expected) in [
            ("2026-01-02T22:59:00Z", "UTC", false),
            ("2026-01-02T23:00:00Z", "UTC", true),
            ("2026-01-02T22:30:00Z", "Europe/Berlin", true),
            ("2026-01-04T12:00:00Z", "UTC", true),
            ("2026-01-05T07:59:00Z", "UTC", true),
            ("2026-01-05T08:00:00Z", "UTC", false),
            ("2026-01-07T12:00:00Z", "UTC", false),
        ] {
            assert_eq!(weekend(zone).holds(at.parse().unwrap()), expected, "{at} {zone}");
        }
        let wrong = FreezePeriod { freeze_end: "never".into(), ..weekend("UTC") };
        assert!(!wrong.holds("2026-01-04T12:00:00Z".parse().unwrap()));
    }

    #[test]
    fn names_and_addresses_are_checked() {
        for name in ["production", "review/fix-1", "a b", "v1.2", "x_y"] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", " ", "/a", "a/", "a\n", "ä", "a<b", &"x".repeat(256)] {
            assert!(!is_name(name), "{name}");
        }
        assert!(is_address("https://a.example/x?y=1") && is_address("http://a"));
        for text in ["javascript:alert(1)", "ftp://a", "https://a b", "", "//a"] {
            assert!(!is_address(text), "{text}");
        }
    }
}
