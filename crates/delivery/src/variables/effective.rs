//! What a job is given: of each key one variable, by where it stands and by how closely
//! its scope fits the environment.

use super::model::{EVERYWHERE, Holder, Variable, VariableType};
use super::store;
use ::store::Tx;
use kernel::error::Result;
use kernel::secrets::{Secret, Secrets};
use spaces::model::Project;
use std::collections::HashMap;

/// Names that stand for who the job is and whom it talks to: a variable of such a name
/// is given to no job.
const FIXED: &[&str] = &["CI_JOB_TOKEN", "CI_SERVER_URL"];

/// Whether nobody may give a variable of this name another value.
pub fn is_fixed(key: &str) -> bool {
    FIXED.contains(&key)
}

/// What a job is for, as far as it decides on variables.
#[derive(Debug, Clone, Copy, Default)]
pub struct For<'j> {
    /// Whether its branch or tag is protected.
    pub is_protected: bool,
    /// The environment it deploys to, if it does.
    pub environment: Option<&'j str>,
    /// Its code is of a fork: it is told no secrets.
    pub is_foreign: bool,
}

/// A variable as a job is given it.
#[derive(Debug, Clone)]
pub struct JobVariable {
    pub key: String,
    pub value: Secret,
    pub variable_type: VariableType,
    /// Its value is blacked out in the log.
    pub masked: bool,
    /// `$` in it stays as it is.
    pub raw: bool,
}

/// The stored variables that a job of a project is given, by their keys: those of the
/// project win over those of its groups, the nearest first, and these over those of the
/// instance; of one place the closest scope wins.
pub fn for_job(
    secrets: &Secrets, tx: &mut Tx<'_>, project: &Project, job: &For<'_>,
) -> Result<Vec<JobVariable>> {
    let groups = project.ancestors();
    let all = store::reaching(tx, project.id, groups.clone())?;
    let chosen = choose(all, &groups, job);
    let given = chosen.into_iter().map(|variable| {
        Ok(JobVariable {
            value: variable.open(secrets)?,
            key: variable.key,
            variable_type: variable.variable_type,
            masked: variable.masked,
            raw: variable.raw,
        })
    });
    given.collect()
}

/// Which of these names, as a pipeline file sets them, a stored variable may take the
/// place of: in some environment, or on some branch.
pub fn overridden<'n>(
    tx: &mut Tx<'_>, project: &Project, names: &[&'n str],
) -> Result<Vec<&'n str>> {
    let asked = names.iter().map(|name| (*name).to_owned()).collect();
    let keys = store::keys_reaching(tx, (project.id, project.ancestors()), asked)?;
    let is_taken = |name: &&&str| keys.contains(**name) && !is_fixed(name);
    Ok(names.iter().filter(is_taken).copied().collect())
}

/// Of each key the one that wins; `groups` stand from the outermost to the nearest.
fn choose(all: Vec<Variable>, groups: &[i64], job: &For<'_>) -> Vec<Variable> {
    let mut best: HashMap<String, (Rank, Variable)> = HashMap::new();
    for variable in all {
        let Some(rank) = rank(&variable, groups, job) else {
            continue;
        };
        match best.get(&variable.key) {
            Some((other, _)) if *other >= rank => {}
            _ => drop(best.insert(variable.key.clone(), (rank, variable))),
        }
    }
    let mut chosen: Vec<Variable> = best.into_values().map(|(_, variable)| variable).collect();
    chosen.sort_by(|a, b| a.key.cmp(&b.key));
    chosen
}

/// How near a variable stands, how closely its scope fits, and which of those that are
/// alike was made first.
type Rank = (usize, Closeness, std::cmp::Reverse<i64>);

/// None of what the job is not given.
fn rank(variable: &Variable, groups: &[i64], job: &For<'_>) -> Option<Rank> {
    if (variable.protected && !job.is_protected) || is_fixed(&variable.key) {
        return None;
    }
    if variable.masked && job.is_foreign {
        return None;
    }
    let nearness = match variable.holder() {
        Holder::Instance => 0,
        Holder::Group(id) => 1 + groups.iter().position(|group| *group == id)?,
        Holder::Project(_) => 1 + groups.len(),
    };
    let closeness = closeness(&variable.environment_scope, job.environment)?;
    Some((nearness, closeness, std::cmp::Reverse(variable.id)))
}

/// How closely a scope fits an environment: the name itself, then by how much of it the
/// pattern says.
type Closeness = (bool, usize);

fn closeness(scope: &str, environment: Option<&str>) -> Option<Closeness> {
    let said = scope.chars().filter(|c| *c != '*').count();
    match environment {
        None => (scope == EVERYWHERE).then_some((false, said)),
        Some(name) => matches(scope, name).then_some((scope == name, said)),
    }
}

/// Whether a pattern, in which `*` stands for any text, is this name. It looks back to the
/// last star alone, so that no pattern takes long.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name) = (pattern.as_bytes(), name.as_bytes());
    let (mut p, mut n) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while n < name.len() {
        if p < pattern.len() && pattern[p] == b'*' {
            star = Some((p, n));
            p += 1;
        } else if p < pattern.len() && pattern[p] == name[n] {
            (p, n) = (p + 1, n + 1);
        } else if let Some((at, from)) = star {
            star = Some((at, from + 1));
            (p, n) = (at + 1, from + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::Timestamp;

    /// A variable whose sealed value says which it is.
    fn variable(id: i64, holder: Holder, key: &str, scope: &str) -> Variable {
        Variable {
            id,
            project_id: holder.project_id(),
            group_id: holder.group_id(),
            key: key.to_owned(),
            environment_scope: scope.to_owned(),
            sealed_value: String::new(),
            variable_type: VariableType::EnvVar,
            protected: false,
            masked: false,
            hidden: false,
            raw: false,
            description: None,
            updated_at: Timestamp::UNIX_EPOCH,
        }
    }

    fn chosen(all: &[Variable], job: &For<'_>) -> Vec<i64> {
        choose(all.to_vec(), &[10, 20], job).iter().map(|one| one.id).collect()
    }

    #[test]
    fn the_nearest_wins_then_the_closest_scope() {
        use Holder::{Group, Instance, Project};
        let all = [
            variable(1, Instance, "K", "*"),
            variable(2, Group(10), "K", "*"),
            variable(3, Group(20), "K", "production"),
            variable(4, Project(1), "K", "review/*"),
            variable(5, Project(1), "K", "review/a*"),
            variable(6, Project(1), "K", "review/a/1"),
            variable(7, Group(30), "K", "*"),
            variable(8, Project(1), "K", "*/a/2"),
            variable(9, Project(1), "K", "review/*/2"),
        ];
        for (environment, expected) in [
            (None, 2),
            (Some("staging"), 2),
            (Some("production"), 3),
            (Some("Production"), 2),
            (Some("review/b"), 4),
            (Some("review/a"), 5),
            (Some("review/a/1"), 6),
            (Some("review/a/2"), 9),
            (Some("x/a/2"), 8),
        ] {
            let job = For { environment, ..For::default() };
            assert_eq!(chosen(&all, &job), [expected], "{environment:?}");
        }
        assert_eq!(chosen(&all[..1], &For::default()), [1]);
        assert!(chosen(&all[6..7], &For::default()).is_empty(), "of a group elsewhere");
    }

    #[test]
    fn protected_ones_are_for_protected_refs_alone() {
        let guarded = |id, scope| Variable {
            protected: true,
            ..variable(id, Holder::Project(1), "K", scope)
        };
        let all = [variable(1, Holder::Instance, "K", "*"), guarded(2, "*"), guarded(3, "prod")];
        let job = |is_protected, environment| For { is_protected, environment, is_foreign: false };
        assert_eq!(chosen(&all, &job(false, None)), [1], "what is withheld hides nothing");
        assert_eq!(chosen(&all, &job(false, Some("prod"))), [1]);
        assert_eq!(chosen(&all, &job(true, None)), [2]);
        assert_eq!(chosen(&all, &job(true, Some("prod"))), [3]);
    }

    #[test]
    fn the_code_of_forks_is_told_no_secrets() {
        let secret = Variable { masked: true, ..variable(1, Holder::Project(1), "K", "*") };
        let all = [secret, variable(2, Holder::Instance, "K", "*")];
        let job = For { is_foreign: true, ..For::default() };
        assert_eq!(chosen(&all, &job), [2]);
        assert_eq!(chosen(&all, &For::default()), [1]);
    }

    #[test]
    fn keys_are_sorted_and_fixed_ones_left_out() {
        let own = |id, key| variable(id, Holder::Project(1), key, "*");
        let all = [own(1, "b"), own(2, "CI_JOB_TOKEN"), own(3, "a"), own(4, "CI_SERVER_URL")];
        assert_eq!(chosen(&all, &For::default()), [3, 1]);
    }

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, name, expected) in [
            ("*", "", true),
            ("*", "a/b", true),
            ("a*b", "ab", true),
            ("a*b", "a/x/b", true),
            ("a*b*", "acbcb", true),
            ("**", "x", true),
            ("a", "b", false),
            ("a", "ab", false),
            ("a*", "ba", false),
            ("*b", "bc", false),
            ("", "", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
        let long = "a".repeat(200);
        assert!(!matches(&"*a".repeat(100), &format!("{long}b")));
    }
}
