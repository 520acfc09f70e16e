//! What is said about an epic on its page.

use super::*;

#[testkit::story]
async fn people_talk_on_the_page_of_an_epic(t: TestServer) {
    let (group, jane) = group_of(&t, "jane", 20).await;
    let (guest, _) = (t.user("guest").await, t.user("stranger").await);
    group.add(&guest, 10).await;
    let text = json!({"title": "Ship it", "description": "- [ ] forge\n- [ ] polish"});
    made(&jane, &group, text).await;
    let notes = format!("{ONE}/notes");
    let browser = t.browser("jane").await;
    let (to, page) = browser.submit(&notes, &[("body", "When, **exactly**?")]).await;
    assert!(to.starts_with(&format!("{ONE}#note_")), "{to}");
    assert!(
        page.contains("<strong>exactly</strong>") && page.contains("Comment added."),
        "{page}"
    );
    let said = [("body", "Only for us"), ("internal", "true")];
    browser.submit(&notes, &said).await;
    let guest = t.browser("guest").await;
    let page = guest.get(ONE).await.is(200).text();
    assert!(!page.contains("Only for us"), "{page}");
    assert!(browser.get(ONE).await.is(200).text().contains("Only for us"));

    // An answer, a change, and what is refused.
    let first = jane.get(group.at("/epics/1/discussions")).await.is(200).json();
    let id = first[0]["id"].as_str().unwrap().to_owned();
    let (_, page) = guest.submit(&notes, &[("body", "In May"), ("discussion_id", &id)]).await;
    assert!(page.contains("In May") && !page.contains("Resolve thread"), "{page}");
    let page = guest
        .post(&notes, &[("body", " "), ("discussion_id", &id)])
        .await
        .is(422)
        .text();
    assert!(says(&page, "can&#39;t be blank"), "{page}");
    let note = first[0]["notes"][0]["id"].to_string();
    let one = format!("{notes}/{note}");
    guest.post(&one, &[("body", "mine now")]).await.is(403);
    let (_, page) = browser.submit(&one, &[("body", "When?")]).await;
    assert!(page.contains("When?") && page.contains("Comment updated."), "{page}");
    assert!(
        browser
            .get(&format!("{ONE}?edit={note}"))
            .await
            .is(200)
            .text()
            .contains("Edit comment")
    );
    let alone = browser.get(&format!("{ONE}?thread={id}")).await.is(200).text();
    assert!(alone.contains("Back to the whole epic") && alone.contains("In May"), "{alone}");
    let (_, page) = browser.submit(&one, &[("delete", "true")]).await;
    assert!(page.contains("Comment deleted."), "{page}");

    let (_, page) = browser.submit(&notes, &[("body", "Done"), ("state_event", "close")]).await;
    assert!(page.contains("closed this epic") && page.contains("Reopen epic"), "{page}");
    let (_, page) = t.browser("stranger").await.submit(&notes, &[("body", "Nice")]).await;
    assert!(page.contains("Nice"), "{page}");
    t.anonymous().at(&notes).await;
    assert!(t.new_browser().get(ONE).await.is(200).text().contains("to comment."));
}

#[testkit::story]
async fn boxes_of_an_epic_are_ticked(t: TestServer) {
    let (group, jane) = group_of(&t, "jane", 15).await;
    let guest = t.user("guest").await;
    group.add(&guest, 10).await;
    let text = json!({"title": "Ship it", "description": "- [ ] forge\n- [ ] polish"});
    made(&jane, &group, text).await;
    let browser = t.browser("jane").await;
    let page = browser.get(ONE).await.is(200).text();
    let task = page.split("name=\"task\" value=\"").nth(1).unwrap();
    let task = task.split('"').next().unwrap().to_owned();
    let version = page.split("name=\"version\" value=\"").nth(1).unwrap();
    let version = version.split('"').next().unwrap().to_owned();
    let ticked = [("task", task.as_str()), ("version", version.as_str())];
    let tasks = format!("{ONE}/tasks");
    t.browser("guest").await.post(&tasks, &ticked).await.is(403);
    let (to, page) = browser.submit(&tasks, &ticked).await;
    assert_eq!(to, format!("{ONE}#description"));
    assert!(page.contains("Task marked as done."), "{page}");
    let stored = jane.get(group.at("/epics/1")).await.is(200).json();
    assert_eq!(stored["description"], "- [x] forge\n- [ ] polish");
    // The text is another one now.
    browser.post(&tasks, &ticked).await.is(409);
}

#[testkit::story]
async fn events_of_epics_lead_to_their_pages(t: TestServer) {
    let (group, jane) = group_of(&t, "jane", 20).await;
    made(&jane, &group, json!({"title": "Ship it"})).await;
    jane.put(group.at("/epics/1?state_event=close")).await.is(200);
    let browser = t.browser("jane").await;
    for path in ["/groups/acme/-/activity?kind=epics", "/users/jane/activity?kind=epics"] {
        let page = browser.get(path).await.is(200).text();
        assert!(page.contains(&format!("href=\"{ONE}\"")), "{path}: {page}");
    }
}
