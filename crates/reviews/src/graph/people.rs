//! Who has to do with merge requests: each is a user, and what they do with the merge
//! request is told beside, in [`interaction`](super::interaction).

use super::{Assigned, Given, Reviewing, ids};
use crate::model::MergeRequest;
use crate::store::filter::REQUESTS;
use identity::graph::{People, Person};
use kernel::graph::{Args, Ask, Context, Fault, Graph, Key, Order, Window, object};
use planning::graph::{Pages, mapped, taking_part};
use planning::store::taking_part::WithPeople;
use std::collections::HashMap;
use std::sync::Arc;

/// Somebody who has to do with a merge request.
pub struct Involved {
    pub person: Arc<Person>,
    pub request: Arc<MergeRequest>,
}

/// What people are to merge requests.
pub const TYPES: [(&str, &str); 4] = [
    ("MergeRequestAssignee", "Somebody who is assigned to a merge request."),
    ("MergeRequestAuthor", "Who made a merge request."),
    ("MergeRequestReviewer", "Somebody who reviews a merge request."),
    ("MergeRequestParticipant", "Somebody who takes part in a merge request."),
];

impl Involved {
    fn of(person: &Arc<Person>, request: &Arc<MergeRequest>) -> Arc<Involved> {
        Arc::new(Involved { person: person.clone(), request: request.clone() })
    }
}

pub fn graph(g: &mut Graph) {
    for (name, text) in TYPES {
        g.object::<Involved>(name, text)
            .implements_by::<Person>("User", |it| it.person.clone());
    }
    g.on::<MergeRequest>("MergeRequest")
        .level("author", object::<Involved>("MergeRequestAuthor"), authors)
        .describe("Who made it; null if their account is gone.")
        .connections("assignees", object::<Involved>("MergeRequestAssignee"), assignees)
        .describe("Who is assigned.")
        .connections("reviewers", object::<Involved>("MergeRequestReviewer"), reviewers)
        .describe("Who reviews.")
        .connections("participants", object::<Involved>("MergeRequestParticipant"), participants)
        .describe(
            "Its author, who is assigned or reviews, and who wrote about it what the caller sees.",
        )
        .connections("approvedBy", object::<Person>("UserCore"), approvers)
        .describe("Who approved it.");
}

async fn authors(
    requests: Vec<Arc<MergeRequest>>, _: Args, context: Context,
) -> Result<Vec<Option<Arc<Involved>>>, Fault> {
    let named: Vec<i64> = requests.iter().filter_map(|it| it.author_id).collect();
    let people = context.load::<People>(named).await?;
    let of = |it: &Arc<MergeRequest>| Some(Involved::of(people.get(&it.author_id?)?, it));
    Ok(requests.iter().map(of).collect())
}

const BY_USER: [Key; 1] = [Key::int("users.id", Order::Asc)];

async fn assignees(
    requests: Vec<Arc<MergeRequest>>, ask: Ask, _: Args, context: Context,
) -> Pages<Involved> {
    let window = ask.window(&context, "assignees", &BY_USER)?;
    let found = context.load::<Assigned>(ids(&requests)).await?;
    whole(requests, found, window, context).await
}

async fn reviewers(
    requests: Vec<Arc<MergeRequest>>, ask: Ask, _: Args, context: Context,
) -> Pages<Involved> {
    let window = ask.window(&context, "reviewers", &BY_USER)?;
    let found = context.load::<Reviewing>(ids(&requests)).await?.into_iter();
    let found = found.map(|(id, all)| (id, all.iter().map(|it| it.user_id).collect()));
    whole(requests, found.collect(), window, context).await
}

/// Pages of these users, whose ids ascend.
async fn whole(
    requests: Vec<Arc<MergeRequest>>, found: HashMap<i64, Vec<i64>>, window: Window,
    context: Context,
) -> Pages<Involved> {
    let named: Vec<i64> = found.values().flatten().copied().collect();
    let people = context.load::<People>(named).await?;
    let page = |it: &Arc<MergeRequest>| {
        let users = found.get(&it.id).into_iter().flatten();
        let all: Vec<Arc<Involved>> =
            users.filter_map(|id| Some(Involved::of(people.get(id)?, it))).collect();
        Some(window.page_of_whole(&all, |one| one.person.user.id))
    };
    Ok(requests.iter().map(page).collect())
}

async fn participants(
    requests: Vec<Arc<MergeRequest>>, ask: Ask, _: Args, context: Context,
) -> Pages<Involved> {
    let of: WithPeople = (REQUESTS, &["assignees", "reviewers"]);
    let (pages, people) = taking_part(of, &ids(&requests), ask, &context).await?;
    let both = pages.into_iter().zip(&requests);
    let page = both.map(|(page, request)| {
        let involved = |id: &i64| Some(Involved::of(people.get(id)?, request));
        Some(mapped(page, involved))
    });
    Ok(page.collect())
}

async fn approvers(
    requests: Vec<Arc<MergeRequest>>, ask: Ask, _: Args, context: Context,
) -> Pages<Person> {
    let window = ask.window(&context, "approvers", &BY_USER)?;
    let given = context.load::<Given>(ids(&requests)).await?;
    let named: Vec<i64> = given.values().flatten().map(|one| one.user_id).collect();
    let people = context.load::<People>(named).await?;
    let page = |it: &Arc<MergeRequest>| {
        let mut users: Vec<i64> =
            given.get(&it.id).into_iter().flatten().map(|one| one.user_id).collect();
        users.sort_unstable();
        let all: Vec<Arc<Person>> = users.iter().filter_map(|id| people.get(id).cloned()).collect();
        Some(window.page_of_whole(&all, |one| one.user.id))
    };
    Ok(requests.iter().map(page).collect())
}
