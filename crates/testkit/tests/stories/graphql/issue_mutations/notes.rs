//! Notes and reactions.

use super::*;

#[testkit::story]
async fn notes_are_written_changed_and_deleted(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, joe) = (t.user("jane").await, t.user("joe").await);
    project.add(&jane, 20).await;
    project.add(&joe, 10).await;
    let made = jane
        .post(project.at("/issues"))
        .json(&json!({"title": "Hinge"}))
        .await
        .is(201)
        .id();
    let about = format!("noteableId:\"gid://service/Issue/{made}\"");
    let fields = "note{id body internal discussion{id} author{username}}";
    let note =
        run(&joe, "createNote", &format!("{about},body:\"mine\""), fields).await["note"].clone();
    assert_eq!((&note["body"], &note["author"]["username"]), (&json!("mine"), &json!("joe")));
    let answer = format!(
        "{about},body:\"answer\",internal:true,discussionId:{}",
        note["discussion"]["id"]
    );
    let inner = run(&jane, "createNote", &answer, fields).await["note"].clone();
    assert_eq!(
        (&inner["discussion"]["id"], &inner["internal"]),
        (&note["discussion"]["id"], &json!(true))
    );
    let changed =
        run(&joe, "updateNote", &format!("id:{},body:\"ours\"", note["id"]), fields).await;
    assert_eq!(changed["note"]["body"], "ours");
    let blank = run(&joe, "updateNote", &format!("id:{},body:\" \"", note["id"]), fields).await;
    assert_eq!(blank, json!({"note": null, "errors": ["Note can't be blank"]}));
    let done = run(&jane, "createNote", &format!("{about},body:\"/close\""), fields).await;
    assert_eq!(done, json!({"note": null, "errors": []}), "commands alone leave no note");
    for (who, query) in [
        (&joe, format!("updateNote(input:{{id:{},body:\"x\"}})", inner["id"])),
        (&joe, format!("destroyNote(input:{{id:{}}})", inner["id"])),
        (&t.user("outsider").await, format!("createNote(input:{{{about},body:\"x\"}})")),
    ] {
        let answer = ask(who, &format!("mutation{{{query}{{errors}}}}")).await;
        assert_eq!(message(&answer), NOT_AVAILABLE, "{query}");
    }
    let gone = run(&joe, "destroyNote", &format!("id:{}", note["id"]), "note{id}").await;
    assert_eq!(gone, json!({"note": null, "errors": []}));
    let query = format!("{{note(id:{}){{body}}}}", note["id"]);
    assert_eq!(data(&jane, &query).await, json!({"note": null}));
}

#[testkit::story]
async fn reactions_come_and_go(t: testkit::TestServer) {
    let project = t.project("acme/anvil").await;
    let (jane, outsider) = (t.user("jane").await, t.user("outsider").await);
    project.add(&jane, 10).await;
    let made = jane
        .post(project.at("/issues"))
        .json(&json!({"title": "Hinge"}))
        .await
        .is(201)
        .id();
    let note = jane
        .post(project.at("/issues/1/notes"))
        .json(&json!({"body": "b"}))
        .await
        .is(201)
        .id();
    for id in [format!("gid://service/Issue/{made}"), format!("gid://service/Note/{note}")] {
        let input = format!("awardableId:\"{id}\",name:\"tada\"");
        let award = "awardEmoji{name user{username}}";
        let added = run(&jane, "awardEmojiAdd", &input, award).await;
        assert_eq!(added["awardEmoji"], json!({"name": "tada", "user": {"username": "jane"}}));
        let again = run(&jane, "awardEmojiAdd", &input, award).await;
        assert_eq!(again, json!({"awardEmoji": null, "errors": ["Name has already been taken"]}));
        let off = run(&jane, "awardEmojiToggle", &input, "toggledOn awardEmoji{name}").await;
        assert_eq!(off, json!({"toggledOn": false, "awardEmoji": null, "errors": []}));
        let on = run(&jane, "awardEmojiToggle", &input, "toggledOn").await;
        assert_eq!(on["toggledOn"], true);
        assert_eq!(
            run(&jane, "awardEmojiRemove", &input, "awardEmoji{name}").await["errors"],
            json!([])
        );
        let bad = run(&jane, "awardEmojiAdd", &input.replace("tada", "no emoji"), award).await;
        assert_eq!(bad["errors"], json!(["Name is not a valid emoji name"]));
        let query = format!("mutation{{awardEmojiAdd(input:{{{input}}}){{errors}}}}");
        assert_eq!(message(&ask(&outsider, &query).await), NOT_AVAILABLE);
    }
}
