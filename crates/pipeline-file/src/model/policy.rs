//! `only:` and `except:`, the older way to say when a job is in (contract 6.2).

use std::collections::HashSet;

use crate::check::{At, Report, strings};
use crate::expression::Expression;
use crate::yaml::Value;

/// Conditions; those that are missing do not count.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    pub refs: Option<Vec<String>>,
    pub variables: Option<Vec<Expression>>,
    pub changes: Option<Vec<String>>,
    /// `kubernetes: active`.
    pub kubernetes: bool,
}

pub(super) fn read(at: At<'_>, report: &mut Report) -> Option<Policy> {
    match &at.node.value {
        Value::Text(name) => {
            check_refs(std::slice::from_ref(name), at, report);
            Some(Policy { refs: Some(vec![name.clone()]), ..Policy::default() })
        }
        Value::List(_) => {
            let Some(refs) = strings(at.node) else {
                at.wrong(
                    report,
                    "should be an array of strings or regular expressions using re2 syntax",
                );
                return None;
            };
            check_refs(&refs, at, report);
            Some(Policy { refs: Some(refs), ..Policy::default() })
        }
        Value::Map(_) => complex(at, report),
        _ => {
            report.error(
                at.node.at,
                &format!("{} has to be either an array of conditions or a hash", at.path),
            );
            None
        }
    }
}

fn complex(at: At<'_>, report: &mut Report) -> Option<Policy> {
    let fields = at.map(report, &["refs", "variables", "changes", "kubernetes"])?;
    let refs = fields.strings_or_one(report, "refs");
    if let Some(refs) = &refs {
        check_refs(refs, at, report);
    }
    let variables = fields.strings_or_one(report, "variables").map(|texts| {
        let parsed: Option<Vec<_>> = texts.iter().map(|text| report.expression(text)).collect();
        parsed.unwrap_or_else(|| {
            fields.wrong(report, "variables", "invalid expression syntax");
            Vec::new()
        })
    });
    let changes = fields.strings(report, "changes");
    if changes.as_ref().is_some_and(|paths| paths.len() > 50) {
        fields.wrong(report, "changes", "is too long (maximum is 50 characters)");
    }
    let kubernetes = fields.one_of(report, "kubernetes", &[("active", true)]).unwrap_or(false);
    Some(Policy { refs, variables, changes, kubernetes })
}

/// A name of the shape of an expression has to be one.
fn check_refs(refs: &[String], at: At<'_>, report: &mut Report) {
    let mut seen = HashSet::new();
    for name in refs.iter().filter(|name| seen.insert(name.as_str())) {
        let regex = crate::pattern::of_ref(name).0;
        if regex.starts_with('/')
            && regex.len() > 1
            && crate::pattern::literal(regex)
                .is_none_or(|(source, flags)| crate::pattern::compile(source, flags).is_none())
        {
            at.wrong(
                report,
                "should be an array of strings or regular expressions using re2 syntax",
            );
            return;
        }
    }
}
