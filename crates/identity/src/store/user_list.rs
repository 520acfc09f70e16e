//! Lists of users: filters, orders, pages by number and by key.

use crate::hooks::{self, Hooks};
use crate::model::{User, UserState};
use crate::store::two_factor::HAS_ONE;
use kernel::choices;
use kernel::error::{Error, Result};
use kernel::http::{Paging, Start};
use kernel::ids::fold;
use kernel::time::Timestamp;
use serde_json::Value;
use store::{Fragment, Tx};

choices! {
    pub enum OrderBy {
        Id = "id",
        Name = "name",
        Username = "username",
        CreatedAt = "created_at",
        UpdatedAt = "updated_at",
    }
}

impl OrderBy {
    fn column(self) -> &'static str {
        match self {
            OrderBy::Id => "users.id",
            OrderBy::Name => "users.name_folded",
            OrderBy::Username => "users.username_folded",
            OrderBy::CreatedAt => "users.created_at",
            OrderBy::UpdatedAt => "users.updated_at",
        }
    }

    /// The sort keys of a row: what it is ordered by, then its id.
    pub fn key(self, user: &User) -> Vec<Value> {
        let first: Value = match self {
            OrderBy::Id => user.id.into(),
            OrderBy::Name => fold(&user.name).into(),
            OrderBy::Username => fold(&user.username).into(),
            OrderBy::CreatedAt => user.created_at.as_microsecond().into(),
            OrderBy::UpdatedAt => user.updated_at.as_microsecond().into(),
        };
        vec![first, user.id.into()]
    }

    fn bind(self, fragment: &mut Fragment, key: &Value) -> Option<()> {
        match self {
            OrderBy::Id => fragment.bind(key.as_i64()?),
            OrderBy::Name | OrderBy::Username => fragment.bind(key.as_str()?),
            OrderBy::CreatedAt | OrderBy::UpdatedAt => {
                fragment.bind(Timestamp::from_microsecond(key.as_i64()?).ok()?)
            }
        };
        Some(())
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Order {
    pub by: OrderBy,
    pub ascending: bool,
}

#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Exactly this login, without regard to case.
    pub username: Option<String>,
    /// Part of login or name, or the whole e-mail.
    pub search: Option<String>,
    /// Whether `search` may match private e-mails.
    pub search_private: bool,
    /// Only, or no, users in state active.
    pub active: Option<bool>,
    pub blocked: bool,
    /// Only those who wait to be let in.
    pub pending: bool,
    pub external: Option<bool>,
    pub humans: Option<bool>,
    /// No users the program made for itself, bots aside.
    pub exclude_internal: bool,
    pub without_project_bots: bool,
    pub created_after: Option<Timestamp>,
    pub created_before: Option<Timestamp>,
    pub admins: bool,
    /// Only those with (or without) a second factor.
    pub two_factor: Option<bool>,
    pub without_projects: bool,
    /// Nobody at all: an account at a provider nobody here has.
    pub nobody: bool,
}

impl Filter {
    fn conditions(&self, hooks: &Hooks) -> Fragment {
        let mut sql = Fragment::new("");
        if let Some(username) = &self.username {
            sql.push(" and users.username_folded = ", fold(username));
        }
        if let Some(text) = self.search.as_ref().filter(|text| !text.is_empty()) {
            self.search(&mut sql, text);
        }
        match self.active {
            Some(true) => sql.push(" and users.state = ", UserState::Active),
            Some(false) => sql.push(" and users.state <> ", UserState::Active),
            None => &mut sql,
        };
        if self.blocked {
            sql.raw(" and users.state in ('blocked', 'ldap_blocked')");
        }
        if self.pending {
            sql.raw(" and users.state = 'blocked_pending_approval'");
        }
        if let Some(external) = self.external {
            sql.push(" and users.is_external = ", external);
        }
        match self.humans {
            Some(true) => sql.raw(" and users.kind = 'human'"),
            Some(false) => sql.raw(" and users.kind <> 'human'"),
            None => &mut sql,
        };
        if self.exclude_internal {
            sql.raw(
                " and users.kind not in
                ('ghost', 'alert_bot', 'placeholder', 'import_user')",
            );
        }
        if self.without_project_bots {
            sql.raw(" and users.kind <> 'project_bot'");
        }
        self.rest(&mut sql);
        if let (true, Some(hook)) = (self.without_projects, hooks.without_projects) {
            sql.raw(" and (").append(hook()).raw(")");
        }
        sql
    }

    fn rest(&self, sql: &mut Fragment) {
        if let Some(after) = self.created_after {
            sql.push(" and users.created_at > ", after);
        }
        if let Some(before) = self.created_before {
            sql.push(" and users.created_at < ", before);
        }
        if self.admins {
            sql.raw(" and users.is_admin = true");
        }
        match self.two_factor {
            Some(true) => sql.raw(" and ").raw(HAS_ONE),
            Some(false) => sql.raw(" and not ").raw(HAS_ONE),
            None => sql,
        };
        if self.nobody {
            sql.raw(" and users.id = 0");
        }
    }

    fn search(&self, sql: &mut Fragment, text: &str) {
        let like = format!("%{}%", escape_like(&fold(text)));
        sql.push(" and (users.username_folded like ", like.clone())
            .raw(" escape '\\'")
            .push(" or users.name_folded like ", like)
            .raw(" escape '\\'");
        if self.search_private {
            sql.push(" or users.email_folded = ", fold(text));
        }
        sql.push(" or users.public_email = ", text).raw(")");
    }
}

/// Escapes the wildcards of `like`, for `escape '\'`.
pub fn escape_like(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '%' | '_' | '\\') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// One page of users, one row more than shown.
pub fn page(tx: &mut Tx<'_>, filter: &Filter, order: Order, paging: &Paging) -> Result<Vec<User>> {
    let mut sql = Fragment::new("select users.* from users where users.kind <> 'leaving'");
    sql.append(filter.conditions(hooks::get(tx)?));
    if let Start::After(Some(key)) = &paging.start {
        after(&mut sql, order, key)
            .ok_or_else(|| Error::Parameters(vec!["cursor does not have a valid value".into()]))?;
    }
    let direction = if order.ascending { "asc" } else { "desc" };
    sql.raw(" order by ").raw(order.by.column()).raw(" ").raw(direction);
    if order.by != OrderBy::Id {
        sql.raw(", users.id ").raw(direction);
    }
    sql.push(" limit ", paging.fetch()).push(" offset ", paging.offset());
    Ok(tx.query(sql)?)
}

fn after(sql: &mut Fragment, order: Order, key: &[Value]) -> Option<()> {
    let [first, id] = key else { return None };
    let than = if order.ascending { " > " } else { " < " };
    if order.by == OrderBy::Id {
        sql.raw(" and users.id").raw(than).bind(id.as_i64()?);
        return Some(());
    }
    sql.raw(" and (").raw(order.by.column()).raw(", users.id)").raw(than).raw("(");
    order.by.bind(sql, first)?;
    sql.push(", ", id.as_i64()?).raw(")");
    Some(())
}

/// How many users pass, at most 10,001.
pub fn total(tx: &mut Tx<'_>, filter: &Filter) -> Result<i64> {
    let mut sql =
        Fragment::new("select count(*) from (select 1 from users where users.kind <> 'leaving'");
    sql.append(filter.conditions(hooks::get(tx)?)).raw(" limit 10001) as counted");
    Ok(tx.query(sql)?.first().copied().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_in_a_search_are_letters() {
        assert_eq!(escape_like(r"50%_a\b"), r"50\%\_a\\b");
    }

    #[test]
    fn a_cursor_of_another_shape_is_refused() {
        let order = Order { by: OrderBy::Name, ascending: true };
        let mut sql = Fragment::new("");
        assert!(after(&mut sql, order, &[1.into(), 2.into()]).is_none());
        assert!(after(&mut sql, order, &["jane".into()]).is_none());
        let mut sql = Fragment::new("");
        assert!(after(&mut sql, order, &["jane".into(), 2.into()]).is_some());
        assert_eq!(sql.text(), " and (users.name_folded, users.id) > ($1, $2)");
    }
}
