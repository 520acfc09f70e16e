//! Every row of the contract's tables about the provider (section 2) and
//! every line about abuse (section 10), with the tests that name it.
//!
//! A test is written `file::name`. Files are those of this folder; another
//! begins with its path in the repository.

use std::collections::HashSet;
use std::path::Path;

/// A row of the contract, and the tests of it.
type Row = (&'static str, &'static [&'static str]);

const ROWS: &[Row] = &[
    // 2.1 Routes
    (
        "2.1 GET /oauth/authorize",
        &["codes::an_application_acts_for_a_user_who_agreed"],
    ),
    (
        "2.1 POST /oauth/authorize",
        &[
            "codes::an_application_acts_for_a_user_who_agreed",
            "abuse::consent_cannot_be_given_from_elsewhere",
        ],
    ),
    (
        "2.1 DELETE /oauth/authorize",
        &[
            "consent::a_no_may_be_sent_as_a_delete",
            "codes::a_user_who_refuses_is_sent_back_with_that",
        ],
    ),
    (
        "2.1 POST /oauth/token",
        &["abuse::the_token_endpoint_reads_strictly"],
    ),
    (
        "2.1 POST /oauth/authorize_device",
        &["devices::a_device_gets_its_applications_scopes_only"],
    ),
    (
        "2.1 GET, POST /oauth/device",
        &["devices::a_device_waits_until_the_user_has_decided"],
    ),
    (
        "2.1 POST /oauth/device/confirm",
        &["devices::scripts_are_answered_in_json"],
    ),
    (
        "2.1 GET /oauth/token/info",
        &["tokens::a_token_tells_what_it_is"],
    ),
    (
        "2.1 POST /oauth/revoke",
        &["tokens::either_of_a_pair_ends_both"],
    ),
    (
        "2.1 POST /oauth/introspect",
        &["tokens::a_token_tells_what_it_is"],
    ),
    (
        "2.1 GET, POST /oauth/userinfo",
        &[
            "openid::userinfo_needs_openid",
            "openid::an_id_token_says_who_signed_in",
        ],
    ),
    (
        "2.1 discovery",
        &["openid::clients_find_everything_from_the_address"],
    ),
    (
        "2.1 keys",
        &[
            "openid::clients_find_everything_from_the_address",
            "openid::keys_are_made_once_by_many_who_ask_at_once",
        ],
    ),
    (
        "2.1 webfinger",
        &["openid::clients_find_everything_from_the_address"],
    ),
    (
        "2.1 /oauth/applications",
        &["registration::applications_are_found_at_their_other_addresses"],
    ),
    (
        "2.1 POST /oauth/register",
        &["registration::applications_register_themselves_where_that_is_allowed"],
    ),
    (
        "2.1 oauth-protected-resource",
        &["openid::clients_find_everything_from_the_address"],
    ),
    // 2.2 GET /oauth/authorize
    (
        "2.2 client_id",
        &["abuse::nobody_is_sent_to_an_address_that_was_not_registered"],
    ),
    (
        "2.2 redirect_uri",
        &[
            "abuse::nobody_is_sent_to_an_address_that_was_not_registered",
            "codes::a_code_is_for_one_client_and_one_address",
        ],
    ),
    (
        "2.2 response_type",
        &["abuse::a_malformed_question_is_answered_to_the_client"],
    ),
    (
        "2.2 state",
        &[
            "consent::the_state_comes_back_unchanged_and_breaks_nothing",
            "codes::a_user_who_refuses_is_sent_back_with_that",
        ],
    ),
    (
        "2.2 scope",
        &["consent::without_a_scope_the_default_is_meant"],
    ),
    (
        "2.2 code_challenge",
        &["codes::public_clients_prove_themselves_by_s256"],
    ),
    (
        "2.2 code_challenge_method",
        &["codes::public_clients_prove_themselves_by_s256"],
    ),
    (
        "2.2 root_namespace_id",
        &[
            "consent::a_group_without_single_sign_on_changes_nothing",
            "crates/testkit/tests/single_sign_on.rs::a_group_with_single_sign_on_is_asked_first",
        ],
    ),
    ("2.2 nonce", &["openid::an_id_token_says_who_signed_in"]),
    (
        "2.2 prompt",
        &[
            "codes::prompts_are_obeyed",
            "codes::a_fresh_sign_in_is_asked_for_once",
        ],
    ),
    ("2.2 max_age", &["codes::a_fresh_sign_in_is_asked_for_once"]),
    (
        "2.2 response_mode",
        &["codes::the_answer_may_travel_in_a_form"],
    ),
    (
        "2.2 not signed in",
        &["codes::an_application_acts_for_a_user_who_agreed"],
    ),
    (
        "2.2 unconfirmed e-mail",
        &["abuse::a_user_without_a_confirmed_address_authorises_nothing"],
    ),
    (
        "2.2 administrators",
        &["consent::administrators_may_be_kept_from_giving_much_away"],
    ),
    (
        "2.2 consent page",
        &["codes::an_application_acts_for_a_user_who_agreed"],
    ),
    (
        "2.2 consent skipped",
        &[
            "codes::an_application_acts_for_a_user_who_agreed",
            "registration::a_trusted_application_asks_nobody",
            "codes::public_clients_prove_themselves_by_s256",
        ],
    ),
    (
        "2.2 approve",
        &["consent::the_answer_keeps_the_query_of_its_address"],
    ),
    (
        "2.2 deny",
        &["codes::a_user_who_refuses_is_sent_back_with_that"],
    ),
    (
        "2.2 errors",
        &[
            "abuse::a_malformed_question_is_answered_to_the_client",
            "codes::prompts_are_obeyed",
        ],
    ),
    // 2.3 POST /oauth/token
    (
        "2.3 form, JSON, query",
        &["abuse::the_token_endpoint_reads_strictly"],
    ),
    (
        "2.3 client authentication",
        &["codes::clients_prove_themselves_one_way_only"],
    ),
    (
        "2.3 authorization_code",
        &[
            "codes::a_code_is_for_one_client_and_one_address",
            "codes::a_verifier_nobody_announced_is_refused",
        ],
    ),
    (
        "2.3 refresh_token",
        &["tokens::refreshing_replaces_the_pair"],
    ),
    (
        "2.3 password",
        &["tokens::a_password_is_taken_where_it_must_be"],
    ),
    (
        "2.3 device_code",
        &["devices::a_device_waits_until_the_user_has_decided"],
    ),
    (
        "2.3 client_credentials",
        &["abuse::the_token_endpoint_reads_strictly"],
    ),
    (
        "2.3 code verifier",
        &[
            "codes::a_verifier_may_be_plain_base64",
            "crates/identity/src/oauth/pkce.rs::the_contracts_vector_fits",
        ],
    ),
    (
        "2.3 success",
        &["codes::an_application_acts_for_a_user_who_agreed"],
    ),
    (
        "2.3 invalid_request",
        &["grants::each_missing_parameter_is_named"],
    ),
    (
        "2.3 invalid_client",
        &["codes::clients_prove_themselves_one_way_only"],
    ),
    (
        "2.3 invalid_grant",
        &[
            "codes::a_code_is_for_one_client_and_one_address",
            "grants::a_token_of_another_application_is_not_refreshed",
        ],
    ),
    (
        "2.3 unauthorized_client",
        &["grants::an_application_may_be_kept_from_passwords"],
    ),
    (
        "2.3 invalid_scope, unsupported_grant_type",
        &[
            "tokens::refreshing_replaces_the_pair",
            "abuse::the_token_endpoint_reads_strictly",
        ],
    ),
    (
        "2.3 authorization_pending, slow_down, expired_token, access_denied",
        &[
            "devices::a_device_waits_until_the_user_has_decided",
            "devices::a_device_may_be_refused_or_be_too_late",
        ],
    ),
    // 2.4 Rotation and reuse
    (
        "2.4 refresh",
        &[
            "tokens::refreshing_replaces_the_pair",
            "tokens::of_a_hundred_refreshes_at_once_one_wins",
        ],
    ),
    (
        "2.4 again within 10 s",
        &["tokens::a_refresh_token_used_twice_ends_the_family_after_the_race_window"],
    ),
    (
        "2.4 again later",
        &["tokens::a_refresh_token_used_twice_ends_the_family_after_the_race_window"],
    ),
    (
        "2.4 code presented twice",
        &["codes::a_replayed_code_ends_what_it_gave"],
    ),
    (
        "2.4 code by another client",
        &["codes::a_code_is_for_one_client_and_one_address"],
    ),
    (
        "2.4 user not active, password changed",
        &["tokens::tokens_end_with_what_they_stand_on"],
    ),
    (
        "2.4 application deleted",
        &["tokens::deleting_an_application_deletes_its_tokens"],
    ),
    (
        "2.4 user revokes",
        &[
            "tokens::tokens_end_with_what_they_stand_on",
            "registration::applications_are_found_at_their_other_addresses",
        ],
    ),
    // 2.5 Device authorization grant
    (
        "2.5 start",
        &[
            "devices::a_device_waits_until_the_user_has_decided",
            "devices::a_device_gets_its_applications_scopes_only",
        ],
    ),
    (
        "2.5 user code",
        &[
            "devices::a_device_waits_until_the_user_has_decided",
            "crates/identity/src/oauth/devices.rs::codes_are_typed_as_people_type",
        ],
    ),
    (
        "2.5 verification page",
        &[
            "devices::a_device_waits_until_the_user_has_decided",
            "devices::scripts_are_answered_in_json",
        ],
    ),
    (
        "2.5 pending",
        &["devices::a_device_waits_until_the_user_has_decided"],
    ),
    (
        "2.5 polled too soon",
        &["grants::a_device_that_hurries_waits_up_to_a_minute"],
    ),
    (
        "2.5 denied",
        &["devices::a_device_may_be_refused_or_be_too_late"],
    ),
    (
        "2.5 300 s passed",
        &[
            "devices::a_device_may_be_refused_or_be_too_late",
            "grants::a_device_that_hurries_waits_up_to_a_minute",
        ],
    ),
    (
        "2.5 approved",
        &["devices::a_device_waits_until_the_user_has_decided"],
    ),
    // 2.6 Password grant
    (
        "2.6 wrong credentials",
        &["tokens::a_password_is_taken_where_it_must_be"],
    ),
    (
        "2.6 switched off, not active, set automatically",
        &["grants::a_password_that_must_not_do_opens_nothing"],
    ),
    (
        "2.6 unconfirmed e-mail",
        &["abuse::a_user_without_a_confirmed_address_authorises_nothing"],
    ),
    (
        "2.6 two-factor on or enforced",
        &[
            "crates/testkit/tests/stories/two_factor/demand.rs::the_password_grant_looks_at_no_password_where_two_factors_are_due",
        ],
    ),
    (
        "2.6 account lock",
        &["grants::wrong_passwords_lock_the_account_here_too"],
    ),
    (
        "2.6 global and per-application switch",
        &[
            "tokens::a_password_is_taken_where_it_must_be",
            "grants::an_application_may_be_kept_from_passwords",
        ],
    ),
    // 2.7 token/info, revoke, introspect, userinfo, discovery
    ("2.7 token/info", &["tokens::a_token_tells_what_it_is"]),
    ("2.7 revoke", &["tokens::either_of_a_pair_ends_both"]),
    ("2.7 introspect", &["tokens::a_token_tells_what_it_is"]),
    ("2.7 userinfo", &["openid::userinfo_needs_openid"]),
    (
        "2.7 sub, email, email_verified",
        &[
            "openid::an_id_token_says_who_signed_in",
            "openid::userinfo_needs_openid",
        ],
    ),
    (
        "2.7 iss, aud, exp, iat, auth_time, nonce, groups_direct",
        &["openid::an_id_token_says_who_signed_in"],
    ),
    (
        "2.7 name, nickname, website, groups",
        &["openid::an_id_token_says_who_signed_in"],
    ),
    (
        "2.7 discovery keys",
        &["openid::clients_find_everything_from_the_address"],
    ),
    // 2.8 Redirect URIs and client types
    (
        "2.8 refused at registration",
        &[
            "consent::registration_says_what_is_wrong_with_an_address",
            "crates/identity/src/oauth/redirect.rs::registration_says_what_is_wrong",
        ],
    ),
    (
        "2.8 HTTPS, development",
        &["registration::administrators_register_by_rest"],
    ),
    (
        "2.8 match",
        &[
            "consent::installed_programs_choose_their_port",
            "crates/identity/src/oauth/redirect.rs::only_the_port_of_loopback_addresses_is_free",
        ],
    ),
    (
        "2.8 confidential, public, trusted",
        &[
            "codes::public_clients_prove_themselves_by_s256",
            "registration::a_trusted_application_asks_nobody",
        ],
    ),
    // 2.9 CORS
    (
        "2.9 token, revoke",
        &["abuse::scripts_of_other_origins_may_call_what_they_should"],
    ),
    (
        "2.9 userinfo",
        &["abuse::scripts_of_other_origins_may_call_what_they_should"],
    ),
    (
        "2.9 token/info",
        &["abuse::scripts_of_other_origins_may_call_what_they_should"],
    ),
    (
        "2.9 introspect, authorize_device",
        &["abuse::scripts_of_other_origins_may_call_what_they_should"],
    ),
    (
        "2.9 keys, well-known",
        &["abuse::scripts_of_other_origins_may_call_what_they_should"],
    ),
    (
        "2.9 /api/*",
        &[
            "crates/testkit/tests/stories/conventions/requests.rs::any_origin_may_ask_with_a_token_never_with_a_cookie",
        ],
    ),
    // 2.10 Scopes
    ("2.10 api", &["grants::each_scope_opens_what_it_names"]),
    ("2.10 read_api", &["grants::each_scope_opens_what_it_names"]),
    (
        "2.10 read_user",
        &["grants::each_scope_opens_what_it_names"],
    ),
    (
        "2.10 read_repository",
        &["grants::each_scope_opens_what_it_names"],
    ),
    (
        "2.10 write_repository",
        &["grants::each_scope_opens_what_it_names"],
    ),
    (
        "2.10 read_registry, write_registry",
        &["grants::each_scope_opens_what_it_names"],
    ),
    (
        "2.10 read_virtual_registry, write_virtual_registry",
        &["grants::each_scope_opens_what_it_names"],
    ),
    (
        "2.10 create_runner, manage_runner",
        &["grants::each_scope_opens_what_it_names"],
    ),
    (
        "2.10 named features",
        &["grants::each_scope_opens_what_it_names"],
    ),
    (
        "2.10 self_rotate",
        &[
            "grants::each_scope_opens_what_it_names",
            "crates/testkit/tests/stories/spaces/tokens.rs::a_token_may_rotate_only_itself_by_its_scope",
        ],
    ),
    (
        "2.10 sudo",
        &[
            "grants::an_administrator_may_give_sudo",
            "grants::each_scope_opens_what_it_names",
        ],
    ),
    (
        "2.10 admin_mode",
        &["grants::each_scope_opens_what_it_names"],
    ),
    (
        "2.10 read_service_ping",
        &["grants::each_scope_opens_what_it_names"],
    ),
    (
        "2.10 openid, profile, email",
        &[
            "grants::each_scope_opens_what_it_names",
            "openid::userinfo_needs_openid",
        ],
    ),
    (
        "2.10 unknown scope",
        &["registration::administrators_register_by_rest"],
    ),
    // 2.11 Registration
    (
        "2.11 pages",
        &["registration::users_register_on_their_own_page"],
    ),
    (
        "2.11 POST /applications",
        &["registration::administrators_register_by_rest"],
    ),
    (
        "2.11 GET /applications",
        &["registration::administrators_register_by_rest"],
    ),
    (
        "2.11 DELETE /applications/:id",
        &["tokens::deleting_an_application_deletes_its_tokens"],
    ),
    (
        "2.11 POST /applications/:id/renew-secret",
        &["registration::a_renewed_secret_overlaps_with_the_old_one"],
    ),
    // 2.12 Dynamic registration
    (
        "2.12 register",
        &["registration::applications_register_themselves_where_that_is_allowed"],
    ),
    // 10 Bad input and abuse
    (
        "10 redirect_uri variants",
        &[
            "abuse::nobody_is_sent_to_an_address_that_was_not_registered",
            "consent::installed_programs_choose_their_port",
        ],
    ),
    (
        "10 repeated, array, NUL, UTF-8, 64 KiB",
        &[
            "hostile::every_endpoint_refuses_what_is_no_plain_form",
            "hostile::pages_refuse_what_is_no_plain_form",
            "abuse::a_malformed_question_is_answered_to_the_client",
        ],
    ),
    (
        "10 foreign code, verifier, plain, downgrade",
        &[
            "codes::a_code_is_for_one_client_and_one_address",
            "codes::public_clients_prove_themselves_by_s256",
            "codes::a_verifier_nobody_announced_is_refused",
            "codes::a_verifier_may_be_plain_base64",
        ],
    ),
    (
        "10 parallel exchanges",
        &[
            "codes::of_a_hundred_exchanges_of_one_code_one_wins",
            "tokens::of_a_hundred_refreshes_at_once_one_wins",
        ],
    ),
    (
        "10 replayed refresh token",
        &["tokens::a_refresh_token_used_twice_ends_the_family_after_the_race_window"],
    ),
    (
        "10 replayed TOTP",
        &["crates/testkit/tests/stories/two_factor/sign_in.rs::a_code_is_taken_once"],
    ),
    (
        "10 replayed recovery code",
        &["crates/testkit/tests/stories/two_factor/set_up.rs::each_recovery_code_works_once"],
    ),
    (
        "10 replayed spam-log ID",
        &[
            "crates/testkit/tests/stories/identity/spam.rs::a_solved_challenge_opens_the_same_thing_once",
        ],
    ),
    (
        "10 user-code guessing",
        &[
            "devices::user_codes_cannot_be_guessed",
            "hostile::user_codes_are_not_guessed_from_one_address",
        ],
    ),
    (
        "10 no CSRF token",
        &[
            "abuse::consent_cannot_be_given_from_elsewhere",
            "abuse::browsers_may_send_the_forms_of_pages_without_a_referrer",
        ],
    ),
    (
        "10 framed",
        &["hostile::no_page_is_framed_or_tells_where_it_was"],
    ),
    (
        "10 return path",
        &["crates/testkit/tests/stories/identity/sign_in.rs::the_way_back_stays_here"],
    ),
    (
        "10 HTML in names",
        &[
            "hostile::names_stay_text_on_every_page_and_in_mail",
            "hostile::the_mail_about_a_copied_token_is_text",
            "crates/testkit/tests/stories/identity/profile.rs::text_of_users_never_becomes_markup_on_pages",
        ],
    ),
    (
        "10 header injection",
        &[
            "consent::the_state_comes_back_unchanged_and_breaks_nothing",
            "hostile::names_stay_text_on_every_page_and_in_mail",
        ],
    ),
    (
        "10 an unknown user costs one hash",
        &["crates/identity/src/password.rs::an_unknown_user_costs_one_hash_too"],
    ),
    (
        "10 secrets in logs, Link, bodies, Referer",
        &[
            "crates/testkit/tests/secrecy.rs::use_secrets",
            "abuse::secrets_do_not_come_back_in_answers",
            "hostile::links_of_lists_hold_no_token",
            "hostile::no_page_is_framed_or_tells_where_it_was",
        ],
    ),
    (
        "10 huge pages and ids",
        &[
            "hostile::odd_ids_and_pages_are_refused",
            "crates/testkit/tests/stories/conventions/requests.rs::no_number_or_text_breaks_a_list_or_a_path",
        ],
    ),
    (
        "10 member or token above own level",
        &[
            "crates/testkit/tests/stories/spaces/members.rs::nobody_grants_or_takes_above_their_own_role",
            "crates/testkit/tests/stories/spaces/tokens.rs::tokens_stay_below_whoever_makes_them",
        ],
    ),
    (
        "10 sudo",
        &[
            "crates/testkit/tests/stories/identity/tokens.rs::sudo_needs_an_administrator_with_the_scope",
        ],
    ),
    (
        "10 new session ID at sign-in",
        &[
            "crates/testkit/tests/stories/identity/sign_in.rs::a_session_ends_at_sign_out_and_changes_at_sign_in",
        ],
    ),
    (
        "10 cookie cross-origin",
        &[
            "crates/testkit/tests/stories/identity/credentials.rs::a_session_is_for_this_origin_only",
        ],
    ),
];

/// Rows of each section, as many as the contract has.
const SECTIONS: &[(&str, usize)] = &[
    ("2.1", 17),
    ("2.2", 20),
    ("2.3", 15),
    ("2.4", 8),
    ("2.5", 8),
    ("2.6", 6),
    ("2.7", 8),
    ("2.8", 4),
    ("2.9", 6),
    ("2.10", 15),
    ("2.11", 5),
    ("2.12", 1),
    ("10", 21),
];

#[test]
fn every_row_is_named_by_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut seen = HashSet::new();
    for (row, tests) in ROWS {
        assert!(seen.insert(row), "{row} stands twice");
        assert!(!tests.is_empty(), "{row} has no test");
        for test in *tests {
            let (file, name) = test.rsplit_once("::").expect("file::name");
            let file = match file.contains('/') {
                true => file.to_owned(),
                false => format!("crates/testkit/tests/stories/oauth/{file}.rs"),
            };
            let source = std::fs::read_to_string(root.join(&file))
                .unwrap_or_else(|error| panic!("{row}: {file}: {error}"));
            assert!(
                source.contains(&format!("fn {name}(")),
                "{row}: there is no {name} in {file}"
            );
        }
    }
}

#[test]
fn every_section_is_whole() {
    for (section, count) in SECTIONS {
        let found = ROWS
            .iter()
            .filter(|(row, _)| row.split(' ').next() == Some(section));
        assert_eq!(found.count(), *count, "section {section}");
    }
    let sections: usize = SECTIONS.iter().map(|(_, count)| count).sum();
    assert_eq!(ROWS.len(), sections);
}
