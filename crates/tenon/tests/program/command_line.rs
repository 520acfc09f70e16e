//! Administration by the command line: where an instance begins, and where
//! none is.

use crate::place::{PASSWORD, Place};
use std::io::Write;
use std::process::{Output, Stdio};
use testkit::run;

/// Runs a command that reads this line.
fn reads(place: &Place, arguments: &[&str], line: &str) -> Output {
    let mut child = place
        .command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let mut input = child.stdin.take().expect("standard input is piped");
    // It may end without reading.
    let _ = writeln!(input, "{line}");
    drop(input);
    child.wait_with_output().expect("it ends")
}

fn create_user(place: &Place, username: &str, more: &[&str], password: &str) -> (bool, String) {
    let email = format!("{username}@example.com");
    let mut arguments = vec!["user", "create", "--username", username, "--email", &email];
    arguments.push("--password-stdin");
    arguments.extend(more);
    let output = reads(place, &arguments, password);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.success(), said)
}

/// That the instance has its administrator and the built-in applications.
async fn is_whole(place: &Place, administrator: &str) {
    let server = place.serve();
    let token = place.succeeds(&[
        "token",
        "create",
        "--user",
        administrator,
        "--name",
        "t",
        "--scopes",
        "api",
    ]);
    let client = server.client(&token);
    let me = client.get("/user").await.is(200).json();
    assert_eq!((&me["username"], &me["is_admin"]), (&administrator.into(), &true.into()));
    let known = client.get("/applications").await.is(200);
    assert_eq!(
        known.each("application_name"),
        ["Git credential helpers", "Command-line client"]
    );
}

#[test]
fn the_first_user_comes_with_an_administrator_and_the_applications() {
    run(async {
        for place in Place::both() {
            let (made, said) = create_user(&place, "jane", &["--data", "data"], PASSWORD);
            assert!(made, "{said}");
            assert!(said.contains("a new instance begins in data"), "{said}");
            assert!(said.contains("the administrator is root"), "{said}");
            assert!(said.contains("user jane has id 2"), "{said}");
            is_whole(&place, "root").await;
            let (made, said) = create_user(&place, "john", &[], PASSWORD);
            assert!(made && !said.contains("administrator"), "{said}");
        }
    });
}

#[test]
fn what_an_instance_lacks_is_made_at_the_next_start() {
    run(async {
        for place in Place::both() {
            create_user(&place, "jane", &["--data", "data"], PASSWORD);
            // As programs before this one left it.
            let strip = |tx: &mut store::Tx<'_>| {
                tx.execute("delete from applications", ())?;
                tx.execute("delete from settings where key = 'identity.bootstrap'", ())?;
                tx.execute("update users set is_admin = false", ())
            };
            place.within(strip).await;
            // The name is taken, so it is another one.
            is_whole(&place, "root1").await;
            is_whole(&place, "root1").await;
        }
    });
}

#[test]
fn a_built_in_application_that_was_deleted_stays_away() {
    run(async {
        let place = Place::sqlite();
        drop(place.serve());
        let delete = |tx: &mut store::Tx<'_>| tx.execute("delete from applications", ());
        place.within(delete).await;
        let server = place.serve();
        let client = server.client(&place.token());
        assert_eq!(client.get("/applications").await.is(200).text(), "[]");
    });
}

#[test]
fn administration_of_what_is_not_there_is_refused() {
    let application = ["application", "create", "--name", "a", "--redirect-uri"];
    let application = [&application[..], &["https://a.example", "--scopes", "api"]].concat();
    let token = vec!["token", "create", "--user", "root", "--name", "t", "--scopes", "api"];
    let commands = [token, application, vec!["check"], vec!["backup", "b.tar"]];
    for place in Place::both() {
        for command in &commands {
            let said = place.fails(command);
            match place.database {
                Some(_) => assert!(said.contains("the database holds no instance"), "{said}"),
                None => {
                    let path = place.path().canonicalize().expect("it is there");
                    let path = path.join("data/tenon.db");
                    assert!(said.contains(&path.display().to_string()), "{said}");
                }
            }
            assert!(!place.path().join("data").exists(), "{command:?}");
        }
    }
}

#[test]
fn an_instance_begins_only_where_it_was_told_to() {
    let place = Place::sqlite();
    let said = place.fails(&["migrate"]);
    assert!(said.contains("say where, as with --data data"), "{said}");
    let (made, said) = create_user(&place, "jane", &[], PASSWORD);
    assert!(!made && said.contains("say where"), "{said}");
    assert!(!place.path().join("data").exists());
    place.succeeds(&["migrate", "--data", "data"]);
    place.succeeds(&["migrate"]);
}

#[test]
fn a_database_without_its_keys_is_half_an_instance() {
    let Some(place) = Place::postgres() else {
        return;
    };
    place.succeeds(&["migrate", "--data", "here"]);
    let said = place.fails(&["check"]);
    assert!(said.contains("there is no data directory") && said.contains("data"), "{said}");
    assert!(!place.path().join("data").exists());
    place.succeeds(&["check", "--data", "here"]);
}

#[test]
fn passwords_that_are_guessed_first_are_refused() {
    let place = Place::sqlite();
    for weak in ["Passw0rd123", "jane-of-example", "12345678"] {
        let (made, said) = create_user(&place, "jane", &["--data", "data"], weak);
        assert!(!made && said.contains("commonly used combinations"), "{said}");
    }
    assert!(!place.path().join("data").exists());
    let weak = place.with("TENON_ROOT_PASSWORD", "administrator1");
    let said = weak.fails(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(said.contains("the password in TENON_ROOT_PASSWORD must not contain"), "{said}");
}

#[test]
fn a_scope_that_is_none_is_told_with_those_there_are() {
    run(async {
        let place = Place::sqlite();
        create_user(&place, "jane", &["--data", "data"], PASSWORD);
        let of =
            |user, scopes| ["token", "create", "--user", user, "--name", "t", "--scopes", scopes];
        let said = place.fails(&of("root", "api,apy"));
        assert!(
            said.contains("\"apy\" is no scope of a token of root; there are api, "),
            "{said}"
        );
        assert!(said.contains("sudo") && !said.contains("k8s_proxy"), "{said}");
        let said = place.fails(&of("jane", "sudo"));
        assert!(said.contains("\"sudo\" is no scope of a token of jane"), "{said}");
        assert!(said.contains("read_api") && !said.contains("admin_mode"), "{said}");
        place.succeeds(&of("root", "api,k8s_proxy,sudo"));
        let application = ["application", "create", "--name", "a", "--redirect-uri"];
        let application = [&application[..], &["https://a.example", "--scopes", "apy"]].concat();
        let said = place.fails(&application);
        assert!(said.contains("is no scope of an application; there are api, "), "{said}");
        assert!(said.contains("openid"), "{said}");
    });
}

/// Whoever mistyped a setting is told which, and not of an internal error.
#[test]
fn a_setting_that_cannot_be_used_is_named() {
    let place = Place::sqlite();
    let file = place.path().join("file");
    std::fs::write(&file, "").expect("written");
    let file = file.display().to_string();
    let cases = [
        (["--data", &*file], format!("the data directory {file} cannot be used: ")),
        (["--blobs-url", "ftp://there"], "blobs_url: blobs cannot be kept at".into()),
        (["--mail-url", "http://there"], "the mail URL must be file:".into()),
        (["--mail-from", "nobody"], "\"nobody\" is not an e-mail address".into()),
        (["--log", "kernel=nonsense"], "log is \"kernel=nonsense\": ".into()),
    ];
    for (flags, expected) in cases {
        let arguments = [&["serve", "--listen", "127.0.0.1:0"][..], &flags].concat();
        let said = place.fails(&arguments);
        assert!(said.contains(&expected) && !said.contains("internal error"), "{said}");
    }
}

#[test]
fn an_archive_that_is_none_is_named() {
    let place = Place::sqlite();
    let said = place.fails(&["restore", "nothing.tar"]);
    assert!(said.contains("nothing.tar: No such file or directory"), "{said}");
    std::fs::write(place.path().join("empty.tar"), "").expect("written");
    let said = place.fails(&["restore", "empty.tar"]);
    assert!(said.contains("empty.tar: not a backup of tenon"), "{said}");
    assert!(!place.path().join("data").exists());
}
