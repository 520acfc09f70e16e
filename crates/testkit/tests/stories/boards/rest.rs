//! Boards and their columns by REST.

use super::planned;
use serde_json::json;
use testkit::TestServer;

#[testkit::story]
async fn boards_are_made_changed_and_deleted(t: TestServer) {
    let project = t.project("acme/anvil").await;
    let group = t.group("acme").await;
    for boards in [project.at("/boards"), group.at("/boards")] {
        let admin = t.admin();
        assert_eq!(admin.get(&boards).await.is(200).json(), json!([]));
        let made = admin.post(&boards).json(&json!({"name": " Work "})).await.is(201).json();
        let is_of_group = boards.contains("groups");
        assert_eq!((&made["name"], &made["lists"]), (&json!("Work"), &json!([])));
        assert_eq!(made["group"].is_null(), !is_of_group, "{made}");
        assert_eq!(made["project"].is_null(), is_of_group, "{made}");
        assert_eq!((&made["labels"], &made["weight"]), (&json!([]), &json!(null)));
        let one = format!("{boards}/{}", made["id"]);
        assert_eq!(admin.get(&one).await.is(200).json(), made);
        let change = json!({"name": "Doors", "hide_backlog_list": true});
        let changed = admin.put(&one).json(&change).await.is(200).json();
        assert_eq!(
            (&changed["name"], &changed["hide_backlog_list"]),
            (&json!("Doors"), &json!(true))
        );
        assert_eq!(changed["hide_closed_list"], false);
        admin.put(&one).json(&json!({})).await.is(400);
        assert_eq!(admin.get(&boards).await.is(200).each("name"), [json!("Doors")]);
        admin.delete(&one).await.is(204);
        admin.get(&one).await.is(404);
        for name in ["", " ", "a\nb", &"x".repeat(256)] {
            admin.post(&boards).json(&json!({"name": name})).await.is(400);
        }
    }
    for _ in 0..50 {
        t.admin().post(project.at("/boards")).json(&json!({"name": "x"})).await.is(201);
    }
    t.admin().post(project.at("/boards")).json(&json!({"name": "x"})).await.is(400);
    let page = t.admin().get(project.at("/boards?per_page=2&page=2")).await.is(200);
    assert_eq!((page.each("id").len(), page.header("x-total")), (2, "50"));
}

#[testkit::story]
async fn columns_are_added_ordered_and_removed(t: TestServer) {
    let here = planned(&t).await;
    let admin = t.admin();
    let lists = here.project.at(&format!("/boards/{}/lists", here.board));
    let all = admin.get(&lists).await.is(200);
    assert_eq!(all.each("id"), [json!(here.doing), json!(here.done)]);
    assert_eq!(all.each("position"), [json!(0), json!(1)]);
    let label = &all.json()[0]["label"];
    assert_eq!((&label["name"], &label["color"]), (&json!("doing"), &json!("#112233")));
    assert_eq!(all.json()[0]["max_issue_count"], 0);

    let (doing, done) = (format!("{lists}/{}", here.doing), format!("{lists}/{}", here.done));
    assert_eq!(admin.put(format!("{done}?position=0")).await.is(200).json()["position"], 0);
    assert_eq!(
        admin.get(&lists).await.is(200).each("id"),
        [json!(here.done), json!(here.doing)]
    );
    assert_eq!(admin.get(&doing).await.is(200).json()["position"], 1);
    for position in ["2", "-1", "soon", ""] {
        admin.put(format!("{done}?position={position}")).await.is(400);
    }
    let id = label["id"].as_i64().unwrap();
    admin.post(format!("{lists}?label_id={id}")).await.is(400);
    let told = admin.post(format!("{lists}?label_id=999999")).await.is(400).text();
    assert!(told.contains("Label not found!"), "{told}");
    admin.post(&lists).await.is(400);
    admin.delete(&doing).await.is(204);
    admin.get(&doing).await.is(404);
    // What is left begins with 0.
    assert_eq!(admin.get(&lists).await.is(200).each("position"), [json!(0)]);
    // Of a label that goes the column goes, too.
    admin.delete(here.project.at("/labels/done")).await.is(204);
    assert_eq!(admin.get(&lists).await.is(200).json(), json!([]));
}

#[testkit::story]
async fn a_board_has_labels_of_its_place_alone(t: TestServer) {
    let here = planned(&t).await;
    let (admin, group) = (t.admin(), t.group("acme").await);
    let other = t.project("acme/other").await;
    let label = |at: String, name: &str| {
        let request = admin.post(at).json(&json!({"name": name, "color": "red"}));
        async move { request.await.is(201).id() }
    };
    let (above, beside) = (
        label(group.at("/labels"), "above").await,
        label(other.at("/labels"), "beside").await,
    );
    let lists = here.project.at(&format!("/boards/{}/lists", here.board));
    admin.post(format!("{lists}?label_id={above}")).await.is(201);
    admin.post(format!("{lists}?label_id={beside}")).await.is(400);
    let board = admin.post(group.at("/boards?name=All")).await.is(201).id();
    let of_group = group.at(&format!("/boards/{board}/lists"));
    admin.post(format!("{of_group}?label_id={above}")).await.is(201);
    admin.post(format!("{of_group}?label_id={beside}")).await.is(400);
    // A project's label that becomes one of its group keeps its columns.
    admin.put(here.project.at("/labels/doing/promote")).await.is(200);
    assert_eq!(admin.get(&lists).await.is(200).each("id").len(), 3);
    // In another group the project has that label no longer.
    let away = t.group("forge").await;
    let to = here.project.at(&format!("/transfer?namespace={}", away.id));
    admin.put(to).await.is(200);
    let left = admin.get(&lists).await.is(200).json();
    assert_eq!(left[0]["label"]["name"], "done", "{left}");
    assert_eq!(left.as_array().map(Vec::len), Some(1), "{left}");
    // A board of one place is none of another.
    admin.get(other.at(&format!("/boards/{}", here.board))).await.is(404);
    admin.get(group.at(&format!("/boards/{}", here.board))).await.is(404);
}

#[testkit::story]
async fn who_manages_labels_manages_boards(t: TestServer) {
    let here = planned(&t).await;
    let (boards, guest, jane) =
        (here.project.at("/boards"), t.user("guest").await, t.user("jane").await);
    here.project.add(&guest, 10).await;
    here.project.add(&jane, 20).await;
    let one = format!("{boards}/{}", here.board);
    let list = format!("{one}/lists/{}", here.doing);
    guest.get(&list).await.is(200);
    guest.post(format!("{boards}?name=x")).await.is(403);
    guest.put(format!("{one}?name=x")).await.is(403);
    guest.delete(&one).await.is(403);
    guest.post(format!("{one}/lists?label_id=1")).await.is(403);
    guest.put(format!("{list}?position=0")).await.is(403);
    guest.delete(&list).await.is(403);
    jane.put(format!("{list}?position=1")).await.is(200);
    jane.put(format!("{one}?name=x")).await.is(200);
    for path in [&boards, &one, &list] {
        t.anonymous().get(path).await.is(401);
        t.user(&format!("u{}", path.len())).await.get(path).await.is(404);
    }
    // Without issues there are no boards.
    let off = json!({"issues_access_level": "disabled"});
    t.admin().put(here.project.at("")).json(&off).await.is(200);
    jane.get(&one).await.is(403);
    let archive = here.project.at("/archive");
    t.admin().post(archive).await.is(201);
    jane.delete(&one).await.is(403);
    // Of a public project strangers sign in first.
    let open = t.project_with("acme/open", "public").await;
    t.anonymous().get(open.at("/boards")).await.is(401);
}
