//! Tests of lists of issues and of merge requests, whose labels, milestones, people and
//! reactions are stored alike.

use super::contains;
use super::issues::filter::{AnyOf, Has, Stage, Times};
use crate::model::MAX_NAMED;
use kernel::ids::fold;
use kernel::time::{Date, Timestamp};
use store::{Fragment, IntoValue};

/// Things of lists, by their names in the database.
#[derive(Debug, Clone, Copy)]
pub struct Listed {
    /// Their table, `issues`.
    pub table: &'static str,
    /// With what the tables and columns about one of them begin, `issue`.
    pub one: &'static str,
    /// How reactions call their kind, `Issue`.
    pub kind: &'static str,
}

/// What things of a list are like, or are not, where issues and merge requests have the same.
#[derive(Debug, Clone, Default)]
pub struct Alike {
    pub labels: Option<Has<Vec<String>>>,
    pub milestone: Option<Has<Vec<String>>>,
    pub author_id: Option<i64>,
    pub author_username: Option<String>,
    pub assignee: Option<Has<i64>>,
    pub assignee_usernames: Vec<String>,
    pub reaction: Option<(i64, Has<String>)>,
}

/// Issues.
pub const ISSUES: Listed = Listed { table: "issues", one: "issue", kind: "Issue" };

impl Listed {
    /// One test for each thing asked for; what is left out is left out one by one.
    pub fn alike(self, wanted: &Alike) -> Vec<Fragment> {
        let mut tests = Vec::new();
        if let Some(labels) = &wanted.labels {
            tests.extend(self.labels(labels));
        }
        tests.extend(wanted.milestone.as_ref().map(|titles| self.milestone(titles)));
        tests.extend(self.author(wanted.author_id, wanted.author_username.as_deref()));
        tests.extend(wanted.assignee.as_ref().map(|who| self.people("assignees", who)));
        let assignees = wanted.assignee_usernames.iter();
        tests.extend(assignees.map(|name| self.person_named("assignees", name)));
        let reaction = wanted.reaction.as_ref();
        tests.extend(reaction.map(|(user_id, reaction)| self.reacted(*user_id, reaction)));
        tests
    }

    /// By the users of this id and of this name, as far as they are told.
    pub fn author(self, id: Option<i64>, name: Option<&str>) -> Vec<Fragment> {
        let by_id = id.map(|id| self.equals("author_id", id));
        let by_name = name.map(|name| self.by_name("author_id", name));
        by_id.into_iter().chain(by_name).collect()
    }

    /// Adds that one at least of these labels is there, and one of these wrote it.
    pub fn any_of(self, sql: &mut Fragment, any: &AnyOf) {
        let Listed { table, one, .. } = self;
        if !any.labels.is_empty() {
            sql.raw(&format!(
                " and exists (select 1 from {one}_labels l join labels on labels.id = l.label_id
                    where l.{one}_id = {table}.id and"
            ))
            .in_list("labels.title", any.labels.clone())
            .raw(")");
        }
        if !any.author_usernames.is_empty() {
            sql.raw(&format!(" and {table}.author_id in (select users.id from users where"))
                .in_list("users.username_folded", folded(&any.author_usernames))
                .raw(")");
        }
    }

    /// Adds when it was made, changed and closed.
    pub fn times(self, sql: &mut Fragment, times: &Times) {
        for (column, both) in [
            ("created_at", (times.created_after, times.created_before)),
            ("updated_at", (times.updated_after, times.updated_before)),
            ("closed_at", (times.closed_after, times.closed_before)),
        ] {
            self.between(sql, column, both);
        }
    }

    /// A column has this value.
    pub fn equals(self, column: &str, value: impl IntoValue) -> Fragment {
        let mut test = Fragment::new(&format!("{}.{column} = ", self.table));
        test.bind(value);
        test
    }

    /// A column holds the user of this name.
    pub fn by_name(self, column: &str, name: &str) -> Fragment {
        let text = format!(
            "{}.{column} in (select users.id from users where users.username_folded = ",
            self.table
        );
        wrap(&text, fold(name))
    }

    /// A test for each of these labels, or whether there is any.
    pub fn labels(self, wanted: &Has<Vec<String>>) -> Vec<Fragment> {
        let Listed { table, one, .. } = self;
        let Has::This(titles) = wanted else {
            let rows = format!("select 1 from {one}_labels l where l.{one}_id = {table}.id");
            return vec![exists(wanted, &rows)];
        };
        let text = format!(
            "exists (select 1 from {one}_labels l join labels on labels.id = l.label_id
                where l.{one}_id = {table}.id and labels.title = "
        );
        titles.iter().take(MAX_NAMED).map(|title| wrap(&text, title.as_str())).collect()
    }

    /// Of a milestone of one of these titles, of any or of none.
    pub fn milestone(self, wanted: &Has<Vec<String>>) -> Fragment {
        let column = format!("{}.milestone_id", self.table);
        match wanted {
            Has::This(titles) => {
                let text = format!("{column} in (select milestones.id from milestones where");
                let mut test = Fragment::new(&text);
                test.in_list("milestones.title", titles).raw(")");
                test
            }
            Has::Any => Fragment::new(&format!("{column} is not null")),
            Has::None => Fragment::new(&format!("{column} is null")),
        }
    }

    /// Of a milestone that stands there.
    pub fn at_stage(self, stage: Stage, today: Date) -> Fragment {
        let text = format!(
            "{}.milestone_id in (select milestones.id from milestones
                where milestones.state = 'active' and ",
            self.table
        );
        let mut test = Fragment::new(&text);
        match stage {
            Stage::Started => test.push("milestones.start_on <= ", today),
            Stage::Upcoming => test.push("milestones.due_on > ", today),
        };
        test.raw(")");
        test
    }

    /// Who takes part as one of some people, such as `assignees`: this user, any or nobody.
    pub fn people(self, people: &str, who: &Has<i64>) -> Fragment {
        let Listed { table, one, .. } = self;
        match who {
            // So that it is found by the person, who has few.
            Has::This(id) => {
                let text = format!(
                    "{table}.id in (select p.{one}_id from {one}_{people} p where p.user_id = "
                );
                wrap(&text, *id)
            }
            Has::Any | Has::None => {
                let rows = format!("select 1 from {one}_{people} p where p.{one}_id = {table}.id");
                exists(who, &rows)
            }
        }
    }

    /// The user of this name takes part so.
    pub fn person_named(self, people: &str, name: &str) -> Fragment {
        let Listed { table, one, .. } = self;
        let text = format!(
            "{table}.id in (select p.{one}_id from {one}_{people} p
                join users on users.id = p.user_id where users.username_folded = "
        );
        wrap(&text, fold(name))
    }

    /// A user reacted with this, with anything or not at all.
    pub fn reacted(self, user_id: i64, reaction: &Has<String>) -> Fragment {
        let Listed { table, kind, .. } = self;
        let not = if *reaction == Has::None { "not " } else { "" };
        let mut test = Fragment::new(&format!(
            "{not}exists (select 1 from award_emoji e where e.awardable_type = '{kind}'
                and e.awardable_id = {table}.id and e.user_id = "
        ));
        test.bind(user_id);
        if let Has::This(name) = reaction {
            test.push(" and e.name = ", name);
        }
        test.raw(")");
        test
    }

    /// Adds that a time lies between two, as far as they are told; both count.
    pub fn between(
        self, sql: &mut Fragment, column: &str,
        (after, before): (Option<Timestamp>, Option<Timestamp>),
    ) {
        for (sign, at) in [(">=", after), ("<=", before)] {
            if let Some(at) = at {
                sql.push(&format!(" and {}.{column} {sign} ", self.table), at);
            }
        }
    }

    /// Adds that a text is in the title or the description, or in the one that is told.
    pub fn search(
        self, sql: &mut Fragment, text: Option<&str>, (in_title, in_description): (bool, bool),
    ) {
        let Some(text) = text.filter(|text| !text.is_empty()) else {
            return;
        };
        let [title, description] =
            ["title_folded", "description_folded"].map(|column| format!("{}.{column}", self.table));
        match (in_title, in_description) {
            (true, false) => contains(sql, &[&title], text),
            (false, true) => contains(sql, &[&description], text),
            _ => contains(sql, &[&title, &description], text),
        }
    }
}

/// Adds tests that all hold, and others of which none does.
pub fn all_but(sql: &mut Fragment, all: Vec<Fragment>, none: Vec<Fragment>) {
    for test in all {
        sql.raw(" and ").append(test);
    }
    for test in none {
        sql.raw(" and (").append(test).raw(") is not true");
    }
}

/// Names as they are compared.
pub fn folded(names: &[String]) -> Vec<String> {
    names.iter().map(|one| fold(one)).collect()
}

/// Whether there are any of these rows, or none.
fn exists<T: PartialEq>(wanted: &Has<T>, rows: &str) -> Fragment {
    let not = if *wanted == Has::None { "not " } else { "" };
    Fragment::new(&format!("{not}exists ({rows})"))
}

/// A test that ends in a parenthesis.
fn wrap(text: &str, value: impl IntoValue) -> Fragment {
    let mut test = Fragment::new(text);
    test.bind(value).raw(")");
    test
}
