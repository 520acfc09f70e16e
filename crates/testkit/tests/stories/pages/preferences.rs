//! What people choose for the pages they see.

use testkit::TestServer;

const PATH: &str = "/-/user_settings/preferences";

fn root(page: &str) -> &str {
    let from = &page[page.find("<html").unwrap_or_default()..];
    from.split('>').next().unwrap_or_default()
}

#[testkit::story(noon)]
async fn pages_look_and_tell_times_as_chosen(t: TestServer) {
    t.user("jane").await;
    t.user("john").await;
    let (jane, john) = (t.browser("jane").await, t.browser("john").await);
    let page = jane.get(PATH).await.is(200).text();
    assert_eq!(root(&page), "<html lang=\"en\"");
    assert!(page.contains("content=\"light dark\""));
    let form = [
        ("theme", "dark"),
        ("density", "compact"),
        ("first_day", "sunday"),
        ("time_zone", "asia/tokyo"),
    ];
    let (to, page) = jane.submit(PATH, &form).await;
    assert_eq!(to, PATH);
    assert!(page.contains("Preferences saved."));
    for chosen in ["dark", "compact", "sunday", "Asia/Tokyo"] {
        assert!(page.contains(&format!("<option value=\"{chosen}\" selected>")), "{chosen}");
    }
    let profile = jane.get("/-/user_settings/profile").await.is(200).text();
    assert_eq!(
        root(&profile),
        "<html lang=\"en\" data-theme=\"dark\" data-density=\"compact\" \
         data-zone=\"Asia/Tokyo\""
    );
    assert!(profile.contains("<meta name=\"color-scheme\" content=\"dark\">"));
    assert!(profile.contains(" JST\">") && !profile.contains(" UTC\">"), "{profile}");
    let missing = jane.get("/nobody/nothing").await.is(404).text();
    assert!(root(&missing).contains("data-theme=\"dark\""), "refusals, too");
    let other = john.get("/-/user_settings/profile").await.is(200).text();
    assert_eq!(root(&other), "<html lang=\"en\"");
    assert!(other.contains(" UTC\">"), "{other}");
    let (_, page) = jane.submit(PATH, &[("theme", "system"), ("time_zone", "")]).await;
    assert_eq!(root(&page), "<html lang=\"en\" data-density=\"compact\"", "the rest stays");
}

#[testkit::story]
async fn no_preference_is_taken_that_there_is_not(t: TestServer) {
    t.user("jane").await;
    let jane = t.browser("jane").await;
    for zone in ["Mars/Base", "../etc/passwd", "\"><script>"] {
        let page = jane.post(PATH, &[("time_zone", zone)]).await.is(422).text();
        assert!(page.contains("id=\"e-time_zone\"") && !page.contains("<script>\""), "{page}");
    }
    jane.post(PATH, &[("theme", "pink")]).await.is(400);
    t.anonymous().at(PATH).await.is(401);
    jane.post_bare(PATH, &[("theme", "dark")]).await.is(403);
    let page = jane.get(PATH).await.is(200).text();
    assert_eq!(root(&page), "<html lang=\"en\"");
}

const EMAILS: &str = "/-/user_settings/emails";

#[testkit::story]
async fn further_addresses_are_added_and_removed(t: TestServer) {
    t.user("jane").await;
    t.user("john").await;
    let jane = t.browser("jane").await;
    let (_, page) = jane.submit(EMAILS, &[("email", "j.doe@example.org")]).await;
    assert!(page.contains("on its way to j.doe@example.org") && page.contains("not confirmed"));
    t.settle().await;
    let mails = t.app().mailer().sent();
    assert!(mails.iter().any(|mail| mail.to == "j.doe@example.org"), "{mails:?}");
    for (wrong, said) in [
        ("nobody", "Is invalid"),
        ("john@example.com", "already been taken"),
        ("", "be blank"),
    ] {
        let page = jane.post(EMAILS, &[("email", wrong)]).await.is(422).text();
        assert!(page.contains("id=\"e-email\"") && page.contains(said), "{wrong}: {page}");
    }
    let at = page.find("/remove\"").expect("it can be removed");
    let id = page[..at].rsplit('/').next().unwrap_or_default().to_owned();
    let john = t.browser("john").await;
    john.post(&format!("{EMAILS}/{id}/remove"), &[]).await.is(404);
    let (_, page) = jane.submit(&format!("{EMAILS}/{id}/remove"), &[]).await;
    assert!(page.contains("Address removed.") && !page.contains("j.doe@example.org"));
    jane.post_bare(EMAILS, &[("email", "x@example.org")]).await.is(403);
    t.anonymous().at(EMAILS).await.is(401);
}
