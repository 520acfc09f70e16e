//! Lists of issues walk an index: both engines say so themselves.

use identity::Viewer;
use kernel::http::{Paging, Start};
use kernel::ids::Reference;
use planning::access::{Scope, desk};
use planning::model::{Issue, IssueState};
use planning::store::issues::filter::IssueFilter;
use planning::store::issues::list::{OrderBy, Sorting};
use planning::store::listing::listed;
use planning::store::pages::query;
use serde_json::json;
use store::Engine;
use testkit::TestServer;

/// The steps of a page of a project's issues, as the engine plans them.
async fn plan(t: &TestServer, filter: IssueFilter, by: OrderBy) -> String {
    let app = t.app().clone();
    let engine = app.store().engine();
    let read = app.read(move |tx| {
        let viewer = Viewer::Anonymous;
        let desk = desk(tx, &viewer, &Reference::Path("acme/anvil".into()))?;
        let scope = Scope::Project(Box::new(desk));
        let sorting = Sorting { by, descending: true };
        let paging = Paging { per_page: 20, start: Start::Page(1) };
        let list = listed::<Issue>(tx, &viewer, &scope, &filter, sorting);
        let statement = query(list, &paging)?;
        let (text, values) = (statement.text().to_owned(), statement.values().to_vec());
        Ok(match engine {
            Engine::Sqlite => {
                let text = format!("explain query plan {text}");
                let rows: Vec<(i64, i64, i64, String)> = tx.all(&text, values)?;
                rows.into_iter().map(|row| row.3).collect::<Vec<_>>()
            }
            Engine::Postgres => {
                // Of a small table it would read the whole.
                for setting in ["enable_seqscan", "enable_bitmapscan", "enable_sort"] {
                    tx.execute(format!("set local {setting} = off"), ())?;
                }
                tx.all(format!("explain {text}"), values)?
            }
        })
    });
    read.await.expect("a plan").join("\n")
}

#[testkit::story]
async fn issues_are_read_in_the_order_of_an_index(t: TestServer) {
    let project = t.project_with("acme/anvil", "public").await;
    t.admin()
        .post(project.at("/issues"))
        .json(&json!({"title": "Hinge"}))
        .await
        .is(201);
    let open = || IssueFilter { state: Some(IssueState::Opened), ..IssueFilter::default() };
    for (filter, by, indexes) in [
        (
            IssueFilter::default(),
            OrderBy::CreatedAt,
            ["issues_by_created_at", "issues_by_created_at"],
        ),
        (
            IssueFilter::default(),
            OrderBy::UpdatedAt,
            ["issues_by_updated_at", "issues_by_updated_at"],
        ),
        (
            open(),
            OrderBy::CreatedAt,
            ["issues_open_by_created_at", "issues_by_created_at"],
        ),
    ] {
        let steps = plan(&t, filter, by).await;
        assert!(indexes.iter().any(|index| steps.contains(index)), "{by}: {steps}");
        let sorts = steps.contains("TEMP B-TREE") || steps.contains("Sort Key");
        assert!(!sorts, "{by}: {steps}");
    }
}
