//! The address of an environment that a report of variables may still decide on.

use crate::variables::{Level, Variable, Variables, expand_text, names};
use serde::{Deserialize, Serialize};

use super::seed::LONGEST_NAME;

/// An address in which some names stand for what jobs find out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LateUrl {
    /// All other names are expanded.
    pub written: String,
    /// What the file says of these names, which a report outdoes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<Variable>,
}

impl LateUrl {
    /// None where no report has a say: each name is known by a stronger variable, or is
    /// one of the server's.
    pub(super) fn of(url: &str, variables: &Variables) -> Option<LateUrl> {
        let is_open = |name: &&str| {
            let level = variables.get(name).map(|one| one.level);
            level.is_none_or(|level| matches!(level, Level::Top | Level::Job))
        };
        let open: Vec<&str> = names(url).filter(is_open).collect();
        if open.is_empty() {
            return None;
        }
        let closed = variables.iter().filter(|one| !open.contains(&one.name.as_str()));
        let closed = Variables::merge(closed.cloned());
        Some(LateUrl {
            written: expand_text(url, &closed, LONGEST_NAME),
            known: open.iter().filter_map(|name| variables.get(name).cloned()).collect(),
        })
    }

    /// Whether the file has a value for each of its names.
    pub(super) fn is_known(&self) -> bool {
        names(&self.written).all(|name| self.known.iter().any(|one| one.name == name))
    }

    /// The address with what reports say, the strongest last.
    pub fn with(&self, handed_on: impl IntoIterator<Item = Variable>) -> String {
        let all = Variables::merge(self.known.iter().cloned().chain(handed_on));
        expand_text(&self.written, &all, LONGEST_NAME)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(given: &[(Level, &str, &str)]) -> Variables {
        let one = |(level, name, value): &(Level, &str, &str)| Variable::new(*level, *name, *value);
        Variables::merge(given.iter().map(one))
    }

    #[test]
    fn reports_decide_on_what_nothing_stronger_says() {
        let known = all(&[
            (Level::Predefined, "SLUG", "main"),
            (Level::Job, "HOST", "job.example"),
            (Level::Project, "PORT", "8080"),
        ]);
        let late = |url: &str| LateUrl::of(url, &known);
        for url in ["https://a.example", "https://$SLUG.example:$PORT", "https://a/%20"] {
            assert_eq!(late(url), None, "{url}");
        }
        let handed = |pairs: &[(&str, &str)]| {
            let one = |(name, value): &(&str, &str)| Variable::new(Level::Dotenv, *name, *value);
            pairs.iter().map(one).collect::<Vec<_>>()
        };
        for (url, report, wanted) in [
            ("https://$HOST:$PORT/$SLUG", &[][..], "https://job.example:8080/main"),
            ("https://$HOST:$PORT", &[("HOST", "b"), ("PORT", "1")][..], "https://b:8080"),
            ("$URL", &[("URL", "https://c.example")][..], "https://c.example"),
            ("https://${A}.$SLUG", &[("A", "1"), ("A", "2")][..], "https://2.main"),
            ("https://$A", &[][..], "https://$A"),
        ] {
            let late = late(url).unwrap();
            assert_eq!(late.with(handed(report)), wanted, "{url}");
        }
    }
}
