//! What goes elsewhere is what came from there.

use super::{CHANGED, CREATED, Forge, note, person};
use imports::model::Person;
use kernel::error::Result;
use reviews::transfer::{CodeNote, MergeRequest, read};
use serde_json::json;
use testkit::TestServer;

#[testkit::story]
async fn what_goes_elsewhere_is_what_came(t: TestServer) {
    let forge = Forge::begin(&t).await;
    let merge = forge.merge().await;
    let version = |head: &str, at: &str| json!({"head": head, "start": forge.main, "base": forge.main, "created_at": at});
    let more = json!({"title": "Draft: An anvil", "description": "Hot.", "is_draft": true,
        "state": "merged", "base": forge.main, "merge_commit": merge,
        "versions": [version(&forge.first, CREATED), version(&forge.second, CHANGED)],
        "is_squashed": true, "removes_source_branch": true, "labels": ["iron"],
        "milestone": "Spring", "is_locked": true, "time_estimate": 60, "time_spent": 30,
        "assignees": [person("smith")], "merged_by": person("smith"), "merged_at": CHANGED,
        "reviewers": [{"who": person("smith"), "state": "approved"}],
        "approvals": [{"by": person("smith"), "at": CREATED}],
        "reactions": [{"by": person("smith"), "name": "thumbsup", "at": CREATED}]});
    let request = forge.anvil(more);
    let spot = json!({"head": forge.second, "base": forge.main, "start": forge.main,
        "new_path": "list.txt", "old_path": "list.txt", "new_line": 3, "old_line": 3,
        "first_new_line": 2});
    let in_code = note(
        "1",
        json!({"spot": spot, "resolved_at": CHANGED,
        "resolved_by": person("smith"), "updated_at": CHANGED}),
    );
    let event = json!({"type": "event", "key": "1", "on": {"kind": "merge_request", "number": 7},
        "by": person("smith"), "at": CREATED, "what": {"event": "closed"}});
    let plain = json!({"type": "note", "on": {"kind": "merge_request", "number": 7}, "key": "2",
        "thread": "2", "author": person("smith"), "text": "Plain", "is_internal": true,
        "created_at": CREATED, "updated_at": CHANGED});
    forge.bring(&t, json!([request, in_code, event, plain])).await;

    let project_id = forge.project.id;
    let going = t.app().read(move |tx| {
        Ok((
            read::requests(tx, project_id, 0, 100)?,
            read::code_notes(tx, project_id, 0, 100)?,
            read::notes(tx, project_id, 0, 100)?,
            read::events(tx, project_id, 0, 100)?,
        ))
    });
    let (requests, code_notes, notes, events) = going.await.expect("they are read");
    let smith = forge.smith.id;
    let mut here = |_: Person| -> Result<i64> { Ok(smith) };
    let came: MergeRequest<Person> = serde_json::from_value(request).expect("a merge request");
    let came = came.with_people(&mut here).expect("users");
    assert_eq!(requests.into_iter().map(|(_, one)| one).collect::<Vec<_>>(), [came]);
    let came: CodeNote<Person> = serde_json::from_value(in_code).expect("a note");
    let came = came.with_people(&mut here).expect("users");
    let (id, going) = code_notes.into_iter().next().expect("a note");
    assert_eq!(going.key, id.to_string());
    assert_eq!(going, CodeNote { key: going.key.clone(), thread: going.thread.clone(), ..came });
    let told: Vec<(&str, bool, bool)> = notes
        .iter()
        .map(|(_, note)| (note.text.as_str(), note.is_internal, note.thread.is_some()))
        .collect();
    assert_eq!(told, [("Plain", true, true)], "what tells of an event goes with that");
    assert_eq!(
        serde_json::to_value(&events[0].1.what).expect("JSON"),
        json!({"event": "closed"})
    );
    assert_eq!((events.len(), events[0].1.by), (1, Some(forge.smith.id)));
}
