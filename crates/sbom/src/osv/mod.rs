//! Advisories in the OSV format, and which versions they are about.

mod affected;
mod cvss;
mod read;

use serde::{Deserialize, Serialize};

pub use affected::{Affected, Event, Package, Range, Scheme};
pub use cvss::base_score;
pub use read::read;

/// How bad something is.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    #[default]
    Unknown,
    None,
    Low,
    Medium,
    High,
    Critical,
}

impl Severity {
    pub const ALL: [Severity; 6] = [
        Severity::Unknown,
        Severity::None,
        Severity::Low,
        Severity::Medium,
        Severity::High,
        Severity::Critical,
    ];

    pub fn text(self) -> &'static str {
        match self {
            Severity::Unknown => "unknown",
            Severity::None => "none",
            Severity::Low => "low",
            Severity::Medium => "medium",
            Severity::High => "high",
            Severity::Critical => "critical",
        }
    }

    /// As advisories write it in words.
    pub fn parse(text: &str) -> Option<Severity> {
        let text = text.trim().to_ascii_lowercase();
        match text.as_str() {
            "moderate" => Some(Severity::Medium),
            "important" => Some(Severity::High),
            other => Severity::ALL.into_iter().find(|it| it.text() == other),
        }
    }

    /// The word for a score from 0 to 10.
    pub fn of_score(score: f64) -> Severity {
        match score {
            score if score >= 9.0 => Severity::Critical,
            score if score >= 7.0 => Severity::High,
            score if score >= 4.0 => Severity::Medium,
            score if score > 0.0 => Severity::Low,
            _ => Severity::None,
        }
    }
}

/// What somebody found wrong with packages.
#[derive(Debug, Clone, PartialEq)]
pub struct Advisory {
    pub id: String,
    /// RFC 3339, as it came.
    pub modified: String,
    pub withdrawn: bool,
    pub aliases: Vec<String>,
    pub summary: Option<String>,
    pub severity: Severity,
    /// A vector of CVSS 3, and what it comes to.
    pub vector: Option<String>,
    pub score: Option<f64>,
    /// Where there is more of it.
    pub url: Option<String>,
    /// Packages of the kinds that are known.
    pub affected: Vec<Affected>,
}

#[cfg(test)]
mod tests;
