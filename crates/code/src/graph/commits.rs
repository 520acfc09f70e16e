//! The type `Commit`.

use super::RepositoryView;
use crate::entity::local;
use identity::graph::{People, Person};
use identity::users;
use kernel::graph::context::Loader;
use kernel::graph::{Context, Cost, Fault, GlobalId, Graph, HasTypeRef, ID, STRING, TIME, object};
use kernel::ids::fold;
use kernel::markup;
use repositories::objects::Commit;
use std::collections::HashMap;
use std::sync::Arc;

const COMMIT_ID: GlobalId = GlobalId::new("CommitID", "Commit");

pub struct CommitView {
    pub view: Arc<RepositoryView>,
    pub commit: Commit,
}

impl CommitView {
    fn path(&self) -> String {
        format!("{}/-/commit/{}", self.view.path(), self.commit.id)
    }

    /// What stands below the first line.
    fn body(&self) -> Option<String> {
        let (_, body) = self.commit.message.split_once('\n')?;
        Some(body.trim_start_matches('\n').to_owned())
    }
}

/// Users by the folded address of commits: the primary ones, which are theirs.
struct Authors;

impl Loader for Authors {
    type Key = String;
    type Value = Arc<Person>;

    async fn load(
        context: Context, emails: Vec<String>,
    ) -> Result<HashMap<String, Arc<Person>>, Fault> {
        let read = context.app()?.read(move |tx| users::by_emails(tx, &emails));
        let ids = read.await?;
        let people = context.load::<People>(ids.values().copied()).await?;
        let of = |(email, id): (String, i64)| Some((email, people.get(&id)?.clone()));
        Ok(ids.into_iter().filter_map(of).collect())
    }
}

pub fn graph(g: &mut Graph) {
    g.object::<CommitView>("Commit", "A commit.")
        .field("id", ID.required(), |it| COMMIT_ID.of_name(&it.commit.id.to_string()))
        .describe("Global ID.")
        .value("sha", "Its name.", |it| it.commit.id.to_string())
        .value("shortId", "The first digits of its name.", |it| it.commit.short_id())
        .value("title", "The first line of its message.", |it| {
            Some(it.commit.title().to_owned())
        })
        .field("titleHtml", STRING, |it| Some(markup::escape(it.commit.title())))
        .describe("The same as HTML.")
        .value("fullTitle", "The first line, however long.", |it| {
            Some(it.commit.title().to_owned())
        })
        .value("message", "What it says.", |it| Some(it.commit.message.clone()))
        .value("description", "What it says below the first line.", CommitView::body)
        .field("authoredDate", TIME, |it| Some(it.commit.author.at))
        .describe("When it was written.")
        .field("committedDate", TIME, |it| Some(it.commit.committer.at))
        .describe("When it was made.")
        .value("authoredLocalDate", "When it was written, by its author's clock.", |it| {
            local(&it.commit.author)
        })
        .value("authorName", "Who wrote it.", |it| Some(it.commit.author.name.clone()))
        .value("authorEmail", "Their address.", |it| Some(it.commit.author.email.clone()))
        .value("committerName", "Who made it.", |it| Some(it.commit.committer.name.clone()))
        .value("committerEmail", "Their address.", |it| Some(it.commit.committer.email.clone()))
        .field("parentIds", STRING.required().list().required(), |it| {
            it.commit.parents.iter().map(ToString::to_string).collect()
        })
        .describe("The names of the commits it follows.")
        .value("webPath", "Its page.", CommitView::path)
        .value("webUrl", "The address of its page.", |it| it.view.url(&it.path()))
        .load::<Authors, _>("author", object::<Person>("User"), |it| {
            Some(fold(&it.commit.author.email)).filter(|email| !email.is_empty())
        })
        .describe("Who wrote it, if they are a user here.")
        .cost(Cost::LookedUp);
}
