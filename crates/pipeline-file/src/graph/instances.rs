//! `parallel:` and matrices: one job becomes many (contract 6.4).

use std::borrow::Cow;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::limits::Limits;
use crate::message::Message;
use crate::model::{Job, MatrixFilter, Parallel, Pipeline};

/// A job as it runs.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub name: String,
    pub job: Arc<Job>,
    /// The values of its entry of a matrix, keys in order.
    pub matrix: Vec<(String, String)>,
    /// Counted from 1, with how many there are.
    pub node: Option<(u32, u32)>,
}

/// All jobs as they run, and which belong to a name of the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Instances {
    pub all: IndexMap<String, Instance>,
    /// Positions in `all` by the name in the file.
    pub of_job: IndexMap<String, Vec<usize>>,
}

impl Instances {
    /// The instances a name stands for: all of a job, or the one that has it.
    pub(crate) fn named(&self, name: &str) -> Cow<'_, [usize]> {
        match self.of_job.get(name) {
            Some(all) => Cow::Borrowed(all),
            None => Cow::Owned(self.all.get_index_of(name).into_iter().collect()),
        }
    }

    pub(crate) fn get(&self, at: usize) -> Option<&Instance> {
        self.all.get_index(at).map(|(_, instance)| instance)
    }
}

/// Jobs that a pipeline may be multiplied to, whatever the settings say.
const MOST_INSTANCES: usize = 50_000;

pub(crate) fn multiply(pipeline: &Pipeline, limits: &Limits) -> Result<Instances, Message> {
    let mut instances = Instances::default();
    for (name, job) in &pipeline.jobs {
        for instance in of_job(job, limits)? {
            if instances.all.len() >= MOST_INSTANCES {
                return Err(Message::at(job.at, "The pipeline has too many jobs"));
            }
            let key = instance.name.clone();
            let (at, _) = instances.all.insert_full(key, instance);
            instances.of_job.entry(name.clone()).or_default().push(at);
        }
    }
    Ok(instances)
}

fn of_job(job: &Arc<Job>, limits: &Limits) -> Result<Vec<Instance>, Message> {
    let too_many = || {
        let most = limits.parallel;
        let text =
            format!("jobs:{}:parallel generates too many jobs (maximum is {most})", job.name);
        Message::at(job.at, text.to_lowercase())
    };
    let one = |name: String, matrix, node| Instance { name, job: job.clone(), matrix, node };
    match &job.parallel {
        None => Ok(vec![one(job.name.clone(), Vec::new(), None)]),
        Some(Parallel::Count(count)) => {
            let node = |index: u32| (index, *count);
            let named =
                |index| one(format!("{} {index}/{count}", job.name), Vec::new(), Some(node(index)));
            Ok((1..=*count).map(named).collect())
        }
        Some(Parallel::Matrix(entries)) => {
            let mut all = Vec::new();
            for entry in entries {
                all.extend(product(entry, limits.parallel).ok_or_else(too_many)?);
                if all.len() > limits.parallel {
                    return Err(too_many());
                }
            }
            let total = u32::try_from(all.len()).unwrap_or(u32::MAX);
            let named = |(index, values): (u32, Vec<(String, String)>)| {
                one(matrix_name(&job.name, &values), values, Some((index, total)))
            };
            Ok((1..).zip(all).map(named).collect())
        }
    }
}

/// The name of an instance of a matrix.
fn matrix_name(job: &str, values: &[(String, String)]) -> String {
    let values: Vec<&str> = values.iter().map(|(_, value)| value.as_str()).collect();
    format!("{job}: [{}]", values.join(", "))
}

/// Every combination, the first key slowest; nothing if there are too many.
fn product(entry: &MatrixFilter, most: usize) -> Option<Vec<Vec<(String, String)>>> {
    let mut count: usize = 1;
    for values in entry.values() {
        count = count.checked_mul(values.len()).filter(|count| *count <= most)?;
    }
    let mut all: Vec<Vec<(String, String)>> = vec![Vec::new()];
    for (key, values) in entry {
        let mut longer = Vec::with_capacity(all.len() * values.len());
        for start in &all {
            for value in values {
                let mut next = start.clone();
                next.push((key.clone(), value.clone()));
                longer.push(next);
            }
        }
        all = longer;
    }
    Some(all)
}

/// Names of the instances that a filter of `needs:parallel:matrix` picks; keys
/// have to come in the order of the matrix.
pub(crate) fn picked(job: &str, filters: &[MatrixFilter], limits: &Limits) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for filter in filters {
        let all = product(filter, limits.parallel)?;
        names.extend(all.iter().map(|values| matrix_name(job, values)));
    }
    Some(names)
}

/// Puts an instance's own values into `$[[ matrix.X ]]`.
pub(crate) fn with_own_values(text: &str, matrix: &[(String, String)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, from)) = rest.split_once("$[[") {
        out.push_str(before);
        let found = from.split_once("]]").and_then(|(block, after)| {
            let key = block.trim().strip_prefix("matrix.")?;
            let (_, value) = matrix.iter().find(|(name, _)| name == key)?;
            Some((value, after))
        });
        match found {
            Some((value, after)) => {
                out.push_str(value);
                rest = after;
            }
            None => {
                out.push_str("$[[");
                rest = from;
            }
        }
    }
    out.push_str(rest);
    out
}

/// The name of a group of jobs: without ` 1/3` and `: [a, b]` at its end.
pub fn group_name(name: &str) -> &str {
    let bracket = |name: &str| {
        let inner = name.strip_suffix(']')?;
        let start = inner.rfind(" [").or_else(|| inner.rfind(":["))?;
        Some(inner.get(..start)?.trim_end_matches(':').len())
    };
    let count = |name: &str| {
        let (start, last) = name.rsplit_once(' ')?;
        let (index, total) = last.split_once(['/', '\\', ':'])?;
        let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        (digits(index) && digits(total)).then_some(start.len())
    };
    let mut group = name;
    while let Some(end) = bracket(group).or_else(|| count(group)) {
        match group.get(..end).map(str::trim_end).filter(|shorter| !shorter.is_empty()) {
            Some(shorter) => group = shorter,
            None => break,
        }
    }
    group
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_named_without_their_instances() {
        for (name, group) in [
            ("test 1/3", "test"),
            ("test: [linux, x64]", "test"),
            ("test [a]", "test"),
            ("test", "test"),
            ("1/3", "1/3"),
            ("a b 2/2", "a b"),
            ("[x]", "[x]"),
        ] {
            assert_eq!(group_name(name), group, "{name}");
        }
    }

    #[test]
    fn own_values_are_put_in() {
        let matrix = [("OS".to_owned(), "linux".to_owned())];
        assert_eq!(with_own_values("b: [$[[ matrix.OS ]]]", &matrix), "b: [linux]");
        assert_eq!(with_own_values("$[[ matrix.X ]]", &matrix), "$[[ matrix.X ]]");
    }
}
