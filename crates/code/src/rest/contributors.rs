//! Who wrote a history.

use super::SCOPES;
use crate::access::{self, CodeRequest};
use kernel::error::Result;
use kernel::http::{Paged, Paging, Params, Routes};
use repositories::objects::Objects;
use repositories::output;
use schemars::JsonSchema;
use serde::Serialize;

/// Bytes of names, addresses and numbers.
const MOST: usize = 32 * 1024 * 1024;

pub(super) fn routes(r: &mut Routes) {
    r.get("/contributors", list).scopes(SCOPES).summary("Lists who wrote a history");
}

kernel::choices! {
    enum ContributorOrder {
        Commits = "commits",
        Name = "name",
        Email = "email",
    }
}

kernel::choices! {
    enum Sort {
        Asc = "asc",
        Desc = "desc",
    }
}

kernel::params! {
    /// Whose history, and how people are sorted.
    struct Filter {
        /// Branch, tag or commit; the default branch unless said.
        pub rev as "ref": Option<String>,
        /// By what they are sorted: by commits unless said.
        pub order_by: Option<ContributorOrder>,
        /// The least first unless said.
        pub sort: Option<Sort>,
    }
}

/// Somebody who wrote commits.
#[derive(Debug, Serialize, JsonSchema)]
struct Contributor {
    name: String,
    email: String,
    commits: i64,
    /// Always 0: it is not counted.
    additions: i64,
    /// Always 0: it is not counted.
    deletions: i64,
}

async fn list(
    at: CodeRequest, filter: Params<Filter>, paging: Paging,
) -> Result<Paged<Contributor>> {
    let (code, revision) = at.at(filter.rev.as_deref(), "Ref").await?;
    let find = move |objects: &Objects| access::commit(objects, &revision, "Ref");
    let id = at.objects(&code, find).await?.id.to_string();
    let told = output::ask(&at.app, code.repository()?.id, MOST, |git| {
        git.args(["shortlog", "--summary", "--email", "--end-of-options"]).args([id])
    });
    let told = told.await?;
    let text = String::from_utf8_lossy(&told);
    let mut people: Vec<Contributor> = text.lines().filter_map(contributor).collect();
    match filter.order_by.unwrap_or(ContributorOrder::Commits) {
        ContributorOrder::Commits => people.sort_by_key(|one| one.commits),
        ContributorOrder::Name => people.sort_by(|one, other| one.name.cmp(&other.name)),
        ContributorOrder::Email => people.sort_by(|one, other| one.email.cmp(&other.email)),
    }
    if filter.sort == Some(Sort::Desc) {
        people.reverse();
    }
    Ok(Paged::of_whole(people, paging))
}

/// Reads `  12<tab>Ada L <ada@example.com>`.
fn contributor(line: &str) -> Option<Contributor> {
    let (commits, who) = line.split_once('\t')?;
    let (name, rest) = who.rsplit_once(" <").or_else(|| who.rsplit_once('<'))?;
    let email = rest.strip_suffix('>').unwrap_or(rest);
    Some(Contributor {
        name: name.to_owned(),
        email: email.to_owned(),
        commits: commits.trim().parse().ok()?,
        additions: 0,
        deletions: 0,
    })
}
