//! Boards are made and changed on their page.

use super::{BOARDS, columns, planned};
use testkit::TestServer;

fn titles(page: &str) -> Vec<String> {
    columns(page).into_iter().map(|(title, _)| title).collect()
}

#[testkit::story]
async fn a_board_is_there_before_it_is_stored(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let jane = t.user("jane").await;
    project.add(&jane, 20).await;
    let browser = t.browser("jane").await;
    let page = browser.get(BOARDS).await.is(200).text();
    assert_eq!(titles(&page), ["Open", "Closed"]);
    assert!(
        page.contains("<h1>Development") && !page.contains("Remove this board"),
        "{page}"
    );
    assert_eq!(jane.get(project.at("/boards")).await.is(200).json(), serde_json::json!([]));
    let label = serde_json::json!({"name": "doing", "color": "red"});
    jane.post(project.at("/labels")).json(&label).await.is(201);
    let fields = [("action", "add_list"), ("board_id", "0"), ("label", "doing")];
    let (to, page) = browser.submit(BOARDS, &fields).await;
    assert!(to.starts_with(&format!("{BOARDS}/")), "{to}");
    assert_eq!(titles(&page), ["Open", "doing", "Closed"]);
    assert!(
        page.contains("Column doing added.") && page.contains("Remove this board"),
        "{page}"
    );
    // The group has one of its own.
    let group = "/groups/acme/-/boards";
    t.group("acme").await.add(&jane, 20).await;
    let page = browser.get(group).await.is(200).text();
    assert_eq!(titles(&page), ["Open", "Closed"]);
    let (to, _) = browser.submit(group, &[("action", "create"), ("name", "All")]).await;
    assert!(to.starts_with(&format!("{group}/")), "{to}");
}

#[testkit::story]
async fn columns_are_changed_on_the_page(t: TestServer) {
    let here = planned(&t).await;
    let jane = t.user("jane").await;
    here.project.add(&jane, 20).await;
    let browser = t.browser("jane").await;
    let (board, doing) = (here.board.to_string(), here.doing.to_string());
    let send = |action: &'static str, more: Vec<(&'static str, String)>| {
        let (board, browser) = (board.clone(), &browser);
        async move {
            let mut fields = vec![("action", action), ("board_id", board.as_str())];
            fields.extend(more.iter().map(|(name, value)| (*name, value.as_str())));
            browser.submit(BOARDS, &fields).await.1
        }
    };
    let page = send("move_right", vec![("list_id", doing.clone())]).await;
    assert_eq!(titles(&page), ["Open", "done", "doing", "Closed"]);
    let page = send("move_right", vec![("list_id", doing.clone())]).await;
    assert!(page.contains("List could not be moved!"), "{page}");
    let page = send("move_left", vec![("list_id", doing.clone())]).await;
    assert_eq!(titles(&page), ["Open", "doing", "done", "Closed"]);
    let page = send("add_list", vec![("label", "doing".into())]).await;
    assert!(page.contains("The board has a column doing already."), "{page}");
    for (label, said) in [("", "Choose a label"), ("nowhere", "Label not found!")] {
        let page = send("add_list", vec![("label", label.into())]).await;
        assert!(page.contains(said), "{page}");
    }
    let hide = vec![("name", "<b>Doors".into()), ("hide_backlog_list", "true".into())];
    let page = send("update", hide).await;
    assert_eq!(titles(&page), ["doing", "done", "Closed"]);
    assert!(page.contains("<h1>&#60;b&#62;Doors"), "{page}");
    let page = send("update", vec![("name", " ".into())]).await;
    assert!(page.contains("can&#39;t be blank"), "{page}");
    let page = send("remove_list", vec![("list_id", doing.clone())]).await;
    assert!(page.contains("Its issues keep their label."), "{page}");
    let fields = [("action", "remove_list"), ("board_id", &board), ("list_id", doing.as_str())];
    browser.post(BOARDS, &fields).await.is(404);
    let page = send("create", vec![("name", "Second".into())]).await;
    assert!(page.contains(">Second</a>") && page.contains("Doors</a>"), "{page}");
    let page = send("remove", Vec::new()).await;
    assert!(page.contains("Board removed.") && page.contains("<h1>Second"), "{page}");
    browser.get(&format!("{BOARDS}/{board}")).await.is(404);
    browser.post(BOARDS, &[("action", "paint")]).await.is(400);

    let guest = t.user("guest").await;
    here.project.add(&guest, 10).await;
    let by_guest = t.browser("guest").await;
    let page = by_guest.get(BOARDS).await.is(200).text();
    assert!(!page.contains("Add a column") && !page.contains("New board"), "{page}");
    by_guest.post(BOARDS, &[("action", "create"), ("name", "x")]).await.is(403);
}
