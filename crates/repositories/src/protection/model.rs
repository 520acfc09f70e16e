//! Protected branches and tags: a name or a pattern of names, and who may do what to
//! the refs that have such a name.

use spaces::access::DEVELOPER;
use std::collections::HashMap;
use store::FromRow;

kernel::choices! {
    /// What is protected.
    pub enum RefKind {
        Branch = "branch",
        Tag = "tag",
    }
}

kernel::choices! {
    /// What an access level is for.
    pub enum Deed {
        Push = "push",
        Merge = "merge",
        Unprotect = "unprotect",
        Create = "create",
    }
}

/// Nobody at all.
pub const NO_ONE: i64 = 0;
/// Longest name or pattern, in characters.
pub const MAX_NAME: usize = 255;
/// Most rules of a project or group, and most access levels of a rule.
pub const MAX_RULES: i64 = 1_000;
pub const MAX_LEVELS: usize = 100;

/// A protected branch or tag.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
#[columns("protected_refs")]
pub struct ProtectedRef {
    pub id: i64,
    pub kind: RefKind,
    pub project_id: Option<i64>,
    /// It comes from this group.
    pub group_id: Option<i64>,
    pub name: String,
    pub allow_force_push: bool,
    pub code_owner_approval_required: bool,
}

/// Who may do something: those with a role, a user, a group, or a deploy key.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
#[columns("protected_ref_levels")]
pub struct Level {
    pub id: i64,
    pub protected_ref_id: i64,
    pub purpose: Deed,
    pub access_level: Option<i64>,
    pub user_id: Option<i64>,
    pub group_id: Option<i64>,
    pub deploy_key_id: Option<i64>,
}

/// What somebody is, as access levels ask for it.
#[derive(Debug, Clone, Default)]
pub struct Standing {
    pub user_id: Option<i64>,
    /// The role in the project; 60 for administrators. Of a deploy key, that of who
    /// made it.
    pub role: i64,
    /// Groups that they are in, of those that levels name.
    pub groups: Vec<i64>,
    pub deploy_key_id: Option<i64>,
}

impl Level {
    /// Whether it lets them.
    pub fn lets(&self, who: &Standing) -> bool {
        match (self.user_id, self.group_id, self.deploy_key_id, self.access_level) {
            (Some(user), ..) => who.deploy_key_id.is_none() && who.user_id == Some(user),
            (_, Some(group), ..) => who.deploy_key_id.is_none() && who.groups.contains(&group),
            (_, _, Some(key), _) => who.deploy_key_id == Some(key) && who.role >= DEVELOPER,
            (_, _, _, Some(level)) => {
                who.deploy_key_id.is_none() && level != NO_ONE && who.role >= level
            }
            _ => false,
        }
    }

    fn is_for_developers(&self) -> bool {
        self.access_level == Some(DEVELOPER)
    }
}

/// All rules of a project for branches and tags, those of its group among them.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    pub refs: Vec<ProtectedRef>,
    pub levels: HashMap<i64, Vec<Level>>,
    /// Nothing was pushed yet, and who may begin is told by the defaults.
    pub beginning: Option<Beginning>,
}

/// Who may make the first push: those of a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beginning {
    pub role: i64,
}

/// The rules that a ref is under: at least one.
#[derive(Debug, Clone)]
pub struct Cover<'r> {
    refs: Vec<&'r ProtectedRef>,
    levels: &'r HashMap<i64, Vec<Level>>,
}

impl Rules {
    /// The rules for a branch or tag, unless it is not protected. Where a rule of the
    /// group fits, those of the project do not count.
    pub fn cover(&self, kind: RefKind, name: &str) -> Option<Cover<'_>> {
        let fits = |rule: &&ProtectedRef| rule.kind == kind && fits(&rule.name, name);
        let mut refs: Vec<_> = self.refs.iter().filter(fits).collect();
        if refs.iter().any(|rule| rule.group_id.is_some()) {
            refs.retain(|rule| rule.group_id.is_some());
        }
        (!refs.is_empty()).then_some(Cover { refs, levels: &self.levels })
    }
}

impl Cover<'_> {
    fn levels(&self, deed: Deed) -> impl Iterator<Item = &Level> {
        let of_rule = |rule: &&ProtectedRef| self.levels.get(&rule.id);
        let levels = self.refs.iter().filter_map(of_rule).flatten();
        levels.filter(move |level| level.purpose == deed)
    }

    /// Whether any rule lets them: the most permissive one wins.
    pub fn lets(&self, deed: Deed, who: &Standing) -> bool {
        self.levels(deed).any(|level| level.lets(who))
    }

    pub fn lets_developers(&self, deed: Deed) -> bool {
        self.levels(deed).any(Level::is_for_developers)
    }

    pub fn lets_force(&self) -> bool {
        self.refs.iter().any(|rule| rule.allow_force_push)
    }
}

/// Whether a name is the pattern, in which `*` stands for any text, slashes too.
pub fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else {
        return rest.is_empty();
    };
    let mut rest = rest;
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// What people read of a role.
pub fn role_text(level: i64) -> &'static str {
    match level {
        NO_ONE => "No one",
        30 => "Developers + Maintainers",
        40 => "Maintainers",
        _ => "Administrators",
    }
}

/// Groups that levels name.
pub(super) fn groups_named(levels: &HashMap<i64, Vec<Level>>) -> Vec<i64> {
    let mut groups: Vec<i64> =
        levels.values().flatten().filter_map(|level| level.group_id).collect();
    groups.sort_unstable();
    groups.dedup();
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, name) in [
            ("main", "main"),
            ("release/*", "release/1/2"),
            ("*-stable", "9-1-stable"),
            ("*", ""),
            ("a*b*c", "abc"),
            ("a*b*c", "axbxbxc"),
            ("*a*", "xax"),
        ] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("main", "Main"),
            ("main", "main2"),
            ("release/*", "release"),
            ("a*b*c", "acb"),
            ("ab*ba", "aba"),
            ("m.in", "main"),
        ] {
            assert!(!fits(pattern, name), "{pattern} {name}");
        }
    }

    fn rule(id: i64, name: &str, group_id: Option<i64>) -> ProtectedRef {
        ProtectedRef {
            id,
            kind: RefKind::Branch,
            project_id: None,
            group_id,
            name: name.into(),
            allow_force_push: id == 2,
            code_owner_approval_required: false,
        }
    }

    fn level(rule: i64, access_level: Option<i64>, user_id: Option<i64>) -> (i64, Vec<Level>) {
        let level = Level {
            id: rule,
            protected_ref_id: rule,
            purpose: Deed::Push,
            access_level,
            user_id,
            group_id: None,
            deploy_key_id: None,
        };
        (rule, vec![level])
    }

    #[test]
    fn the_most_permissive_rule_wins_and_those_of_groups_come_first() {
        let mut rules = Rules {
            refs: vec![rule(1, "main", None), rule(2, "m*", None)],
            levels: [level(1, Some(NO_ONE), None), level(2, Some(30), None)].into(),
            beginning: None,
        };
        let developer = Standing { role: 30, user_id: Some(7), ..Standing::default() };
        let main = rules.cover(RefKind::Branch, "main").unwrap();
        assert!(main.lets(Deed::Push, &developer) && main.lets_developers(Deed::Push));
        assert!(main.lets_force() && !main.lets(Deed::Merge, &developer));
        assert!(rules.cover(RefKind::Tag, "main").is_none());
        rules.refs.push(rule(3, "main", Some(9)));
        rules.levels.extend([level(3, None, Some(8))]);
        let main = rules.cover(RefKind::Branch, "main").unwrap();
        assert!(!main.lets(Deed::Push, &developer) && !main.lets_force());
        let other = Standing { user_id: Some(8), ..Standing::default() };
        assert!(main.lets(Deed::Push, &other));
        let key = Standing { deploy_key_id: Some(1), ..other };
        assert!(!main.lets(Deed::Push, &key));
    }

    #[test]
    fn administrators_need_a_level_that_is_not_no_one() {
        let admin = Standing { role: 60, ..Standing::default() };
        let (_, no_one) = level(1, Some(NO_ONE), None);
        let (_, maintainers) = level(1, Some(40), None);
        assert!(!no_one[0].lets(&admin) && maintainers[0].lets(&admin));
    }
}
