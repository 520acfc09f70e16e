//! Lists of tokens.

use crate::model::{AccessToken, TokenKind};
use crate::users::escape_like;
use crate::viewer::SourceType;
use kernel::choices;
use kernel::error::Result;
use kernel::http::Paging;
use kernel::time::{Date, Timestamp, date_of};
use store::{Fragment, Tx};

choices! {
    pub enum State {
        Active = "active",
        /// It was revoked or has expired.
        Inactive = "inactive",
    }
}

choices! {
    pub enum SortBy {
        CreatedAsc = "created_asc",
        CreatedDesc = "created_desc",
        ExpiresAsc = "expires_asc",
        ExpiresDesc = "expires_desc",
        LastUsedAsc = "last_used_asc",
        LastUsedDesc = "last_used_desc",
        NameAsc = "name_asc",
        NameDesc = "name_desc",
    }
}

impl SortBy {
    // Nulls sort last on both engines, whatever their own habit.
    fn order(self) -> &'static str {
        match self {
            SortBy::CreatedAsc => "created_at asc, id asc",
            SortBy::CreatedDesc => "created_at desc, id desc",
            SortBy::ExpiresAsc => "(expires_at is null), expires_at asc, id asc",
            SortBy::ExpiresDesc => "(expires_at is null), expires_at desc, id desc",
            SortBy::LastUsedAsc => "(last_used_at is null), last_used_at asc, id asc",
            SortBy::LastUsedDesc => "(last_used_at is null), last_used_at desc, id desc",
            SortBy::NameAsc => "name asc, id asc",
            SortBy::NameDesc => "name desc, id desc",
        }
    }
}

kernel::params! {
    /// When tokens were made and used, and when they end.
    pub struct TokenTimes {
        /// Made after.
        pub created_after: Option<Timestamp>,
        /// Made before.
        pub created_before: Option<Timestamp>,
        /// Used after.
        pub last_used_after: Option<Timestamp>,
        /// Used before.
        pub last_used_before: Option<Timestamp>,
        /// Ending after.
        pub expires_after: Option<Date>,
        /// Ending before.
        pub expires_before: Option<Date>,
    }
}

#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub kind: Option<TokenKind>,
    pub user_id: Option<i64>,
    pub source: Option<(SourceType, i64)>,
    pub times: Option<TokenTimes>,
    pub revoked: Option<bool>,
    /// Part of the name; letters count.
    pub search: Option<String>,
    pub state: Option<State>,
}

impl Filter {
    fn conditions(&self, now: Timestamp) -> Fragment {
        let mut sql = Fragment::new("");
        if let Some(kind) = self.kind {
            sql.push(" and kind = ", kind);
        }
        if let Some(user) = self.user_id {
            sql.push(" and user_id = ", user);
        }
        if let Some((kind, id)) = self.source {
            sql.push(" and source_type = ", kind.as_str()).push(" and source_id = ", id);
        }
        if let Some(revoked) = self.revoked {
            sql.push(" and revoked = ", revoked);
        }
        if let Some(text) = self.search.as_ref().filter(|text| !text.is_empty()) {
            sql.push(" and name like ", format!("%{}%", escape_like(text)))
                .raw(" escape '\\'");
        }
        let today = date_of(now);
        match self.state {
            Some(State::Active) => sql
                .push(" and revoked = false and (expires_at is null or expires_at > ", today)
                .raw(")"),
            Some(State::Inactive) => {
                sql.push(" and (revoked = true or expires_at <= ", today).raw(")")
            }
            None => &mut sql,
        };
        if let Some(times) = &self.times {
            times.narrow(&mut sql);
        }
        sql
    }
}

impl TokenTimes {
    fn narrow(&self, sql: &mut Fragment) {
        let times = [
            (" and created_at > ", self.created_after),
            (" and created_at < ", self.created_before),
            (" and last_used_at > ", self.last_used_after),
            (" and last_used_at < ", self.last_used_before),
        ];
        for (text, at) in times {
            if let Some(at) = at {
                sql.push(text, at);
            }
        }
        for (text, day) in [
            (" and expires_at > ", self.expires_after),
            (" and expires_at < ", self.expires_before),
        ] {
            if let Some(day) = day {
                sql.push(text, day);
            }
        }
    }
}

/// One page of tokens, one row more than shown.
pub fn page(
    tx: &mut Tx<'_>, filter: &Filter, sort: SortBy, paging: &Paging,
) -> Result<Vec<AccessToken>> {
    let mut sql = Fragment::new("select * from access_tokens where true");
    sql.append(filter.conditions(tx.now()));
    sql.raw(" order by ").raw(sort.order());
    sql.push(" limit ", paging.fetch()).push(" offset ", paging.offset());
    Ok(tx.query(sql)?)
}

/// How many tokens pass, at most 10,001.
pub fn total(tx: &mut Tx<'_>, filter: &Filter) -> Result<i64> {
    let mut sql = Fragment::new("select count(*) from (select 1 from access_tokens where true");
    sql.append(filter.conditions(tx.now())).raw(" limit 10001) as counted");
    Ok(tx.query(sql)?.first().copied().unwrap_or(0))
}
