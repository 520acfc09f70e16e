//! From the names in `needs:` and `dependencies:` to the jobs they stand for.

use std::borrow::Cow;

use super::instances::{Instance, Instances, picked, with_own_values};
use crate::limits::Limits;
use crate::model::Need;

/// An entry of `needs:` and the jobs it stands for.
pub(crate) struct Resolved<'a> {
    pub optional: bool,
    pub artifacts: bool,
    /// Each name, with the positions of the instances.
    pub found: Vec<(String, Cow<'a, [usize]>)>,
}

/// The entries that name jobs of the same pipeline.
pub(crate) fn resolve<'a>(
    needs: &[Need], instance: &Instance, all: &'a Instances, limits: &Limits,
) -> Vec<Resolved<'a>> {
    needs.iter().filter_map(|need| one(need, instance, all, limits)).collect()
}

fn one<'a>(
    need: &Need, instance: &Instance, all: &'a Instances, limits: &Limits,
) -> Option<Resolved<'a>> {
    let Need::Job { job, artifacts, optional, matrix, .. } = need else {
        return None;
    };
    let job = with_own_values(job, &instance.matrix);
    let names = match matrix.is_empty() {
        true => vec![job.clone()],
        false => {
            let own: Vec<_> = matrix.iter().map(|filter| own_values(filter, instance)).collect();
            picked(&job, &own, limits).unwrap_or_else(|| vec![job.clone()])
        }
    };
    let find = |name: String| {
        let found = match matrix.is_empty() {
            true => all.named(&name),
            false => Cow::Owned(all.all.get_index_of(&name).into_iter().collect()),
        };
        (name, found)
    };
    Some(Resolved {
        optional: *optional,
        artifacts: *artifacts,
        found: names.into_iter().map(find).collect(),
    })
}

fn own_values(
    filter: &crate::model::MatrixFilter, instance: &Instance,
) -> crate::model::MatrixFilter {
    let own = |values: &Vec<String>| {
        values.iter().map(|value| with_own_values(value, &instance.matrix)).collect()
    };
    filter.iter().map(|(key, values)| (key.clone(), own(values))).collect()
}
