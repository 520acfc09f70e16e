//! Pages that list merge requests: of a project, of a group, and of somebody.

use super::{commit, developer, forge, open, wanted};
use serde_json::json;
use testkit::{Browser, TestServer};

const LIST: &str = "/acme/forge/-/merge_requests";

fn has(page: &str, title: &str) -> bool {
    page.contains(&format!(">{title}</a>"))
}

async fn shown(browser: &Browser, path: &str) -> String {
    browser.get(path).await.is(200).text()
}

#[testkit::story]
async fn the_list_of_a_project_is_narrowed_and_counted(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    let jane = developer(&t, &project, "jane").await;
    for branch in ["anvil", "bellows", "coal"] {
        commit(&t, &project, branch, &format!("{branch}.txt"), "x\n").await;
    }
    open(&smith, &project, "anvil").await;
    open(&smith, &project, "bellows").await;
    open(&jane, &project, "coal").await;
    let change = json!({"labels": "iron", "reviewer_ids": [jane.id], "title": "Draft: <b>Anvil"});
    smith.put(project.at("/merge_requests/1")).json(&change).await.is(200);
    let close = json!({"state_event": "close"});
    smith.put(project.at("/merge_requests/2")).json(&close).await.is(200);
    let thread = json!({"body": "Why?"});
    let threads = project.at("/merge_requests/3/discussions");
    jane.post(threads).json(&thread).await.is(201);
    smith.post(project.at("/merge_requests/3/approve")).await.is(201);

    let browser = t.browser("smith").await;
    let page = shown(&browser, LIST).await;
    assert!(
        page.contains("\">&#60;b&#62;Anvil</a>") && page.contains(">Draft</span>"),
        "{page}"
    );
    assert!(!page.contains("Draft: ") && has(&page, "Merge coal"), "{page}");
    assert!(!has(&page, "Merge bellows") && !page.contains("<b>Anvil"), "{page}");
    assert!(page.contains("Open <span class=\"tally\">2</span>"), "{page}");
    assert!(page.contains("All <span class=\"tally\">3</span>"), "{page}");
    let beside = "<span>Merge requests</span> <span class=\"tally\">2</span>";
    assert!(page.contains(beside) && page.contains("New merge request"), "{page}");
    assert!(page.contains("1 open thread") && page.contains("good\">Approved<"), "{page}");
    let closed = shown(&browser, &format!("{LIST}?state=closed")).await;
    assert!(has(&closed, "Merge bellows") && !has(&closed, "Merge coal"), "{closed}");
    for (query, is_first, is_third) in [
        ("labels=iron", true, false),
        ("reviewer=jane", true, false),
        ("author=jane", false, true),
        ("source_branch=coal", false, true),
        ("draft=yes", true, false),
        ("approved=yes", false, true),
        ("search=coal", false, true),
        ("target_branch=main&sort=title_asc", true, true),
    ] {
        let page = shown(&browser, &format!("{LIST}?{query}")).await;
        let found = (page.contains("Anvil</a>"), has(&page, "Merge coal"));
        assert_eq!(found, (is_first, is_third), "{query}");
    }
    let none = shown(&browser, &format!("{LIST}?milestone=v1")).await;
    assert!(none.contains("No merge request matches this search and filter."), "{none}");
    let past = shown(&browser, &format!("{LIST}?page=9")).await;
    assert!(past.contains("This page is past the end"), "{past}");
    let merged = shown(&browser, &format!("{LIST}?state=merged")).await;
    assert!(merged.contains("Nothing is merged yet"), "{merged}");

    let mine = shown(&browser, "/dashboard/merge_requests?scope=created_by_me").await;
    assert!(mine.contains("acme/forge!1") && !has(&mine, "Merge coal"), "{mine}");
    let reviewer = t.browser("jane").await;
    let asked = shown(&reviewer, "/dashboard/merge_requests?scope=reviews_for_me").await;
    assert!(asked.contains("acme/forge!1") && !has(&asked, "Merge coal"), "{asked}");
    let count = "Reviews for you <span class=\"tally\">1</span>";
    assert!(asked.contains(count), "{asked}");
    let home = shown(&reviewer, "/").await;
    assert!(home.contains("/dashboard/merge_requests?scope=reviews_for_me"), "{home}");
}

#[testkit::story]
async fn what_is_hidden_is_neither_listed_nor_counted(t: TestServer) {
    let project = forge(&t).await;
    let vault = t.project("acme/vault").await;
    for place in [&project, &vault] {
        commit(&t, place, "main", "a.txt", "x\n").await;
        commit(&t, place, "anvil", "anvil.txt", "x\n").await;
        let mut body = wanted("anvil");
        body["title"] = json!(format!("Of {}", place.path));
        t.admin().post(place.at("/merge_requests")).json(&body).await.is(201);
    }
    t.user("stranger").await;
    let stranger = t.browser("stranger").await;
    let page = shown(&stranger, "/groups/acme/-/merge_requests").await;
    assert!(has(&page, "Of acme/forge") && !page.contains("acme/vault"), "{page}");
    assert!(page.contains("Open <span class=\"tally\">1</span>"), "{page}");
    let all = shown(&stranger, "/dashboard/merge_requests?scope=all").await;
    assert!(has(&all, "Of acme/forge") && !all.contains("acme/vault"), "{all}");
    stranger.get("/acme/vault/-/merge_requests").await.is(404);
    let nobody = t.new_browser();
    nobody.get(LIST).await.is(200);

    let off = json!({"merge_requests_access_level": "disabled"});
    t.admin().put(project.at("")).json(&off).await.is(200);
    stranger.get(LIST).await.is(404);
    let front = shown(&stranger, "/acme/forge").await;
    assert!(!front.contains("/acme/forge/-/merge_requests\""), "{front}");
}

/// Statements sent so far for pages of the list.
fn sent(t: &TestServer) -> u64 {
    let route = "/{*project}/-/merge_requests";
    let line = format!("http_request_statements_total{{method=\"GET\",route=\"{route}\"}} ");
    let text = t.app().metrics().render();
    let count = text.lines().find_map(|one| one.strip_prefix(&line));
    count.map_or(0, |count| count.parse().unwrap())
}

#[testkit::story]
async fn rows_cost_no_statements_of_their_own(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    for branch in ["a", "b", "c", "d", "e", "f"] {
        commit(&t, &project, branch, &format!("{branch}.txt"), "x\n").await;
        open(&smith, &project, branch).await;
    }
    t.settle().await;
    let browser = t.browser("smith").await;
    browser.get(LIST).await.is(200);
    let mut costs = Vec::new();
    for rows in [2, 6] {
        let before = sent(&t);
        let page = shown(&browser, &format!("{LIST}?per_page={rows}")).await;
        assert_eq!(page.matches("<p class=\"row-title\">").count(), rows, "{page}");
        costs.push(sent(&t) - before);
    }
    assert!(costs[0] > 0 && costs[0] == costs[1], "{costs:?}");
}

#[testkit::story]
async fn who_pushed_lately_is_offered_a_merge_request(t: TestServer) {
    let project = forge(&t).await;
    let smith = developer(&t, &project, "smith").await;
    let body = json!({"branch": "coal", "start_branch": "main", "commit_message": "Coal",
        "actions": [{"action": "create", "file_path": "coal.txt", "content": "x\n"}]});
    smith.post(project.at("/repository/commits")).json(&body).await.is(201);

    let browser = t.browser("smith").await;
    let offer = "Create a merge request of coal";
    let url = "/acme/forge/-/merge_requests/new?merge_request%5Bsource_branch%5D=coal";
    let front = shown(&browser, "/acme/forge").await;
    assert!(front.contains(offer) && front.contains(url), "{front}");
    let branches = shown(&browser, "/acme/forge/-/branches").await;
    assert!(
        branches.contains("Create merge request") && branches.contains(url),
        "{branches}"
    );
    let compared = shown(&browser, "/acme/forge/-/compare/main...coal").await;
    assert!(compared.contains("merge_request%5Btarget_branch%5D=main"), "{compared}");
    t.user("stranger").await;
    let stranger = t.browser("stranger").await;
    for page in ["/acme/forge", "/acme/forge/-/branches", "/acme/forge/-/compare/main...coal"] {
        assert!(!shown(&stranger, page).await.contains("merge_requests/new"), "{page}");
    }

    open(&smith, &project, "coal").await;
    assert!(!shown(&browser, "/acme/forge").await.contains(offer));
}
