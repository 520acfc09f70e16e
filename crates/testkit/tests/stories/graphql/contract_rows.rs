//! Every row of the contract's sections 1 to 8 about GraphQL and every line of
//! its «Bad input and abuse» and «Beyond the reference», with the tests that
//! show it, or the room it comes with; and every claim of the line about
//! on-call in the contract of monitoring, section 3.
//!
//! A test is written `file::name`. Files are those of this folder; another
//! begins with its path in the repository.

use std::collections::HashSet;
use std::path::Path;

/// How a row is shown.
enum Shown {
    /// By these tests.
    By(&'static [&'static str]),
    /// Not yet: it comes with this.
    With(&'static str),
}

use Shown::{By, With};

const EXECUTE: &str = "crates/graphql/src/execute_tests.rs";
const TEXTS: &str = "crates/graphql/src/validation/tests/texts.rs";
const SCORES: &str = "crates/graphql/src/validation/tests/scores.rs";
const HOSTILE: &str = "crates/graphql/src/validation/tests/hostile.rs";
const TABLE: &str = "crates/kernel/src/graph/tests.rs";

/// Short names of the unit tests' files.
const FILES: &[(&str, &str)] = &[
    ("EXECUTE", EXECUTE),
    ("TEXTS", TEXTS),
    ("SCORES", SCORES),
    ("HOSTILE", HOSTILE),
    ("TABLE", TABLE),
];

const ROWS: &[(&str, Shown)] = &[
    // Transport
    (
        "1 endpoint",
        By(&["transport::a_query_comes_as_json_form_or_address"]),
    ),
    (
        "1 explorer",
        By(&["explorer::strangers_and_users_see_the_explorer"]),
    ),
    (
        "1 body",
        By(&["transport::variables_come_in_several_forms"]),
    ),
    (
        "1 form body",
        By(&["transport::a_query_comes_as_json_form_or_address"]),
    ),
    (
        "1 variables forms",
        By(&[
            "transport::variables_come_in_several_forms",
            "TEXTS::variables_come_in_several_forms",
        ]),
    ),
    (
        "1 multiplexing",
        By(&["transport::a_batch_answers_in_order"]),
    ),
    (
        "1 batch order",
        By(&["order::entries_of_a_batch_change_one_after_another"]),
    ),
    (
        "1 GET and HEAD",
        By(&["transport::mutations_do_not_come_by_get"]),
    ),
    (
        "1 content types",
        By(&["transport::other_requests_are_refused_as_a_whole"]),
    ),
    (
        "1 uploads",
        By(&["uploads::files_come_beside_the_operations"]),
    ),
    (
        "1 persisted queries",
        By(&["persisted::a_query_is_sent_once_and_then_by_its_digest"]),
    ),
    (
        "1 remove_deprecated",
        By(&["interface::what_is_deprecated_can_be_left_out"]),
    ),
    (
        "1 CORS",
        By(&["transport::a_query_comes_as_json_form_or_address"]),
    ),
    (
        "1 response type",
        By(&["transport::the_strict_media_type_has_strict_statuses"]),
    ),
    (
        "1 subscriptions",
        By(&["TEXTS::every_rule_has_its_code_and_text"]),
    ),
    (
        "1 unknown path",
        By(&["transport::other_requests_are_refused_as_a_whole"]),
    ),
    // Authentication and access
    ("2 Bearer", By(&["credentials::tokens_come_in_four_ways"])),
    (
        "2 access_token",
        By(&["credentials::tokens_come_in_four_ways"]),
    ),
    (
        "2 private_token",
        By(&[
            "credentials::tokens_come_in_four_ways",
            "crates/testkit/tests/stories/oauth/tokens.rs::a_token_of_an_application_is_no_private_token",
        ]),
    ),
    (
        "2 PRIVATE-TOKEN",
        By(&["credentials::tokens_come_in_four_ways"]),
    ),
    (
        "2 cookie",
        By(&["credentials::a_session_reads_freely_and_writes_from_our_pages_only"]),
    ),
    (
        "2 token plus cookie",
        By(&["credentials::a_token_wins_over_the_cookie"]),
    ),
    (
        "2 refused kinds",
        By(&[
            "credentials::tokens_of_other_kinds_are_bad_tokens",
            "credentials::bad_tokens_are_one_and_the_same_refusal",
        ]),
    ),
    (
        "2 none",
        By(&[
            "credentials::tokens_come_in_four_ways",
            "credentials::reading_tokens_do_not_write",
        ]),
    ),
    (
        "2 bad tokens",
        By(&[
            "credentials::bad_tokens_are_one_and_the_same_refusal",
            "credentials::tokens_that_ended_are_bad_tokens",
            "crates/testkit/tests/secrecy.rs::the_log_says_why_a_credential_was_refused",
        ]),
    ),
    (
        "2 scopes",
        By(&[
            "credentials::reading_tokens_do_not_write",
            "EXECUTE::mutations_need_a_user_and_the_scope",
        ]),
    ),
    (
        "2 blocked users",
        By(&["credentials::users_who_may_not_act_may_not_use_it"]),
    ),
    (
        "2 two-factor",
        By(&["credentials::a_second_factor_that_is_due_comes_first_for_sessions"]),
    ),
    (
        "2 admin mode",
        By(&["guarded::an_administrators_session_asks_for_its_rights"]),
    ),
    (
        "2 last activity",
        By(&["credentials::each_use_is_an_activity_of_that_day"]),
    ),
    (
        "2 visibility",
        By(&[
            "places::hidden_and_missing_places_look_alike",
            "nodes::hidden_and_missing_nodes_look_alike",
            "members::strangers_see_no_members",
        ]),
    ),
    (
        "2 not available",
        By(&["EXECUTE::mutations_tell_their_errors_in_the_payload"]),
    ),
    // Requests refused as a whole
    (
        "3 bad token",
        By(&["credentials::bad_tokens_are_one_and_the_same_refusal"]),
    ),
    (
        "3 user may not use the API",
        By(&["credentials::users_who_may_not_act_may_not_use_it"]),
    ),
    (
        "3 query text too long",
        By(&["abuse::long_queries_are_counted_in_characters"]),
    ),
    (
        "3 mutation by GET",
        By(&["transport::mutations_do_not_come_by_get"]),
    ),
    (
        "3 bad variables",
        By(&["transport::variables_come_in_several_forms"]),
    ),
    (
        "3 CSRF",
        By(&["credentials::a_session_reads_freely_and_writes_from_our_pages_only"]),
    ),
    (
        "3 too many IPs",
        By(&["guarded::users_come_from_so_many_addresses_only"]),
    ),
    (
        "3 per-action rate limit",
        By(&["guarded::a_limited_mutation_ends_the_request"]),
    ),
    ("3 Git storage exhausted", With("repositories")),
    (
        "3 statement cancelled",
        By(&["cut::failures_inside_tell_nothing"]),
    ),
    (
        "3 malformed JSON",
        By(&["transport::other_requests_are_refused_as_a_whole"]),
    ),
    ("3 JSON over limits", By(&["abuse::bodies_are_bounded"])),
    ("3 crash", By(&["cut::failures_inside_tell_nothing"])),
    // Static errors
    (
        "3 static errors",
        By(&[
            "transport::errors_before_the_run_have_no_data",
            "TEXTS::errors_have_places_and_paths",
            "TEXTS::at_most_five_errors_are_told",
            "TEXTS::validation_stops_when_its_time_is_over",
        ]),
    ),
    (
        "3 undefinedField",
        By(&["TEXTS::every_rule_has_its_code_and_text"]),
    ),
    (
        "3 argumentNotAccepted",
        By(&["TEXTS::every_rule_has_its_code_and_text"]),
    ),
    (
        "3 missingRequiredArguments",
        By(&["TEXTS::every_rule_has_its_code_and_text"]),
    ),
    (
        "3 missingRequiredInputObjectAttribute",
        By(&["TEXTS::every_rule_has_its_code_and_text"]),
    ),
    (
        "3 argumentLiteralsIncompatible",
        By(&["TEXTS::every_rule_has_its_code_and_text"]),
    ),
    (
        "3 selectionMismatch",
        By(&["TEXTS::every_rule_has_its_code_and_text"]),
    ),
    (
        "3 variableMismatch",
        By(&["TEXTS::every_rule_has_its_code_and_text"]),
    ),
    (
        "3 variableNotUsed",
        By(&["TEXTS::every_rule_has_its_code_and_text"]),
    ),
    (
        "3 undefinedType and others",
        By(&["TEXTS::every_rule_has_its_code_and_text"]),
    ),
    (
        "3 variables",
        By(&["TEXTS::variables_are_coerced_or_refused_with_their_problems"]),
    ),
    (
        "3 operation",
        By(&["TEXTS::the_operation_is_picked_by_name"]),
    ),
    ("3 parse", By(&["TEXTS::every_rule_has_its_code_and_text"])),
    (
        "3 execution errors",
        By(&[
            "EXECUTE::a_failed_field_is_null_and_tells_its_path",
            "EXECUTE::a_failed_required_field_fails_what_it_stands_in",
        ]),
    ),
    // Limits
    (
        "4 query text",
        By(&["abuse::long_queries_are_counted_in_characters"]),
    ),
    ("4 complexity", By(&["SCORES::limits_depend_on_the_caller"])),
    (
        "4 depth",
        By(&["SCORES::depth_counts_every_level_of_fields"]),
    ),
    (
        "4 recursion",
        By(&["SCORES::a_field_may_stand_twice_on_a_branch"]),
    ),
    (
        "4 single-use fields",
        By(&[
            "SCORES::some_fields_stand_once_only",
            "packages::a_package_is_asked_for_once_in_a_query",
        ]),
    ),
    ("4 page", By(&["TABLE::page_sizes_are_clamped"])),
    (
        "4 timeout",
        By(&[
            "cut::what_is_slow_is_cut_and_its_statement_stopped",
            "EXECUTE::what_takes_too_long_is_cut_and_the_rest_kept",
        ]),
    ),
    (
        "4 fullPaths",
        By(&["places::projects_are_filtered_sorted_and_paged"]),
    ),
    (
        "4 destroyPackages",
        By(&["packages_mutations::packages_are_deleted_twenty_at_a_time"]),
    ),
    (
        "4 JSON body",
        By(&[
            "abuse::bodies_are_bounded",
            "HOSTILE::json_is_bounded_before_it_is_parsed",
        ]),
    ),
    (
        "4 document shape",
        By(&["HOSTILE::each_kind_of_abuse_has_its_refusal"]),
    ),
    (
        "4 batch",
        By(&[
            "transport::a_batch_shares_one_limit_of_complexity",
            "SCORES::a_batch_has_one_limit_for_its_sum",
        ]),
    ),
    (
        "4 score constant",
        By(&["SCORES::pages_sorting_and_search_cost_more"]),
    ),
    (
        "4 score plain",
        By(&["SCORES::the_vectors_of_the_contract_hold"]),
    ),
    (
        "4 score looked up",
        By(&["SCORES::pages_sorting_and_search_cost_more"]),
    ),
    (
        "4 score merged",
        By(&[
            "SCORES::merged_fields_cost_once_and_aliases_each",
            "SCORES::abstract_types_cost_what_their_dearest_type_costs",
        ]),
    ),
    (
        "4 score selected operation",
        By(&["SCORES::only_the_chosen_operation_counts"]),
    ),
    (
        "4 vectors",
        By(&["SCORES::the_vectors_of_the_contract_hold"]),
    ),
    (
        "4 queryComplexity",
        By(&[
            "users::echo_says_who_speaks",
            "SCORES::operations_on_the_interface_itself_have_their_own_limit",
        ]),
    ),
    // Connections
    ("5 types", By(&["users::users_page_forwards_and_backwards"])),
    (
        "5 first and last",
        By(&[
            "TABLE::page_sizes_are_clamped",
            "users::cursors_cannot_be_made_up_or_taken_elsewhere",
        ]),
    ),
    (
        "5 hasPreviousPage",
        By(&[
            "users::users_page_forwards_and_backwards",
            "TABLE::a_page_from_the_end_is_read_backwards",
            "members::members_page_through_all_sources",
        ]),
    ),
    (
        "5 cursor",
        By(&[
            "users::cursors_cannot_be_made_up_or_taken_elsewhere",
            "TABLE::a_cursor_opens_the_next_page_of_its_own_sort_only",
        ]),
    ),
    (
        "5 order",
        By(&["projects::each_group_of_a_list_has_its_own_page"]),
    ),
    (
        "5 count",
        By(&["packages::packages_of_a_project_are_filtered_sorted_and_counted"]),
    ),
    // IDs and scalars
    (
        "6 lookup",
        By(&[
            "places::a_project_is_found_by_its_path",
            "nodes::anything_is_found_by_its_id",
        ]),
    ),
    (
        "6 ProjectID and others",
        By(&["nodes::anything_is_found_by_its_id"]),
    ),
    ("6 CiRunnerID and others", With("runners and pipelines")),
    (
        "6 IssueID and others",
        With("merge requests, snippets; issues by issues::an_issue_is_shown_whole"),
    ),
    (
        "6 PackagesPackageID and others",
        By(&["packages::a_package_is_shown_with_all_that_is_known_of_it"]),
    ),
    ("6 WorkItemID", With("work items")),
    (
        "6 integrations",
        By(&[
            "crates/testkit/tests/stories/alerts/graphql.rs::integrations_of_the_metrics_tool_are_shown_as_such",
        ]),
    ),
    ("6 WorkItemsTypeID", With("work items")),
    ("6 SbomOccurrenceID", With("dependencies")),
    (
        "6 NoteID and others",
        By(&["issues::ids_of_several_models_are_read"]),
    ),
    ("6 DetailedErrorID", With("error tracking")),
    (
        "6 bad IDs",
        By(&[
            "nodes::bad_ids_are_refused_by_name",
            "TABLE::global_ids_say_what_is_wrong_with_them",
        ]),
    ),
    ("6 Time", By(&["TABLE::input_is_read_by_its_type"])),
    ("6 Date", By(&["TABLE::input_is_read_by_its_type"])),
    ("6 Duration", By(&["TABLE::input_is_read_by_its_type"])),
    ("6 BigInt", By(&["TABLE::input_is_read_by_its_type"])),
    ("6 JSON", By(&["TABLE::input_is_read_by_its_type"])),
    (
        "6 UntrustedRegexp",
        By(&["packages_policy::patterns_are_compiled_by_a_linear_engine"]),
    ),
    ("6 Color", With("work items")),
    (
        "6 PayloadAlertFieldPathSegment",
        By(&[
            "crates/testkit/tests/stories/alerts/graphql.rs::integrations_are_made_changed_and_removed",
        ]),
    ),
    (
        "6 Upload",
        By(&["uploads::files_stand_where_a_file_is_taken_only"]),
    ),
    (
        "6 Int",
        By(&["users::cursors_cannot_be_made_up_or_taken_elsewhere"]),
    ),
    // Deprecation
    (
        "7 versionless",
        By(&[
            "crates/graphql/src/breaking.rs::what_breaks_clients_is_named",
            "TABLE::deprecations_follow_their_form",
        ]),
    ),
    (
        "7 deprecationReason",
        By(&["TABLE::deprecations_follow_their_form"]),
    ),
    (
        "7 applies to",
        By(&["TABLE::marked_members_can_be_left_out"]),
    ),
    (
        "7 remove_deprecated",
        By(&[
            "interface::what_is_deprecated_can_be_left_out",
            "TEXTS::without_deprecated_members_they_do_not_exist",
        ]),
    ),
    (
        "7 service_introduced",
        By(&[
            "interface::newer_fields_are_null_where_that_is_asked",
            "TEXTS::a_newer_field_may_be_asked_for",
        ]),
    ),
    (
        "7 to ship",
        By(&["interface::what_is_deprecated_can_be_left_out"]),
    ),
    // Mutations, spam, logs
    (
        "8 input and payload",
        By(&["EXECUTE::mutations_tell_their_errors_in_the_payload"]),
    ),
    (
        "8 serial",
        By(&[
            "EXECUTE::a_mutation_that_merges_runs_once",
            "order::entries_of_a_batch_change_one_after_another",
        ]),
    ),
    (
        "8 read-only instance",
        By(&["guarded::a_read_only_instance_changes_nothing"]),
    ),
    (
        "8 deleted object",
        By(&["issue_mutations::notes_are_written_changed_and_deleted"]),
    ),
    ("8 two of one", With("work items")),
    (
        "8 spam",
        By(&["EXECUTE::spam_is_told_beside_a_payload_of_nulls"]),
    ),
    (
        "8 log",
        By(&[
            "SCORES::what_is_used_is_told_for_the_log",
            "TEXTS::literals_are_masked_for_the_log",
            "crates/graphql/src/transport/log.rs::secret_variables_are_masked_at_any_depth",
        ]),
    ),
    // Bad input and abuse
    (
        "abuse long queries",
        By(&[
            "abuse::long_queries_are_counted_in_characters",
            "abuse::bodies_are_bounded",
        ]),
    ),
    (
        "abuse depth",
        By(&[
            "abuse::hostile_documents_are_one_error_each",
            "HOSTILE::hostile_documents_are_answered_in_bounded_time",
            "HOSTILE::hostile_documents_fit_a_small_stack",
            "transport::other_requests_are_refused_as_a_whole",
        ]),
    ),
    (
        "abuse fragments",
        By(&[
            "HOSTILE::hostile_documents_are_answered_in_bounded_time",
            "HOSTILE::a_hostile_document_takes_little_memory",
            "crates/testkit/tests/hostile.rs::whatever_is_sent_is_answered_cheaply_or_refused",
        ]),
    ),
    (
        "abuse introspection bomb",
        By(&[
            "interface::bombs_of_introspection_are_refused",
            "crates/testkit/tests/hostile.rs::whatever_is_sent_is_answered_cheaply_or_refused",
        ]),
    ),
    (
        "abuse pages and cursors",
        By(&[
            "users::cursors_cannot_be_made_up_or_taken_elsewhere",
            "users::users_page_forwards_and_backwards",
            "abuse::no_cursor_breaks_a_list",
        ]),
    ),
    (
        "abuse ids",
        By(&[
            "nodes::bad_ids_are_refused_by_name",
            "nodes::hidden_and_missing_nodes_look_alike",
        ]),
    ),
    (
        "abuse bad values",
        By(&[
            "abuse::bad_values_write_nothing",
            "users::a_user_is_found_by_one_of_two_names",
        ]),
    ),
    (
        "abuse batches",
        By(&[
            "transport::a_batch_answers_in_order",
            "transport::mutations_do_not_come_by_get",
            "interface::only_the_exact_text_is_answered_from_memory",
        ]),
    ),
    (
        "abuse cross-site",
        By(&[
            "credentials::a_session_reads_freely_and_writes_from_our_pages_only",
            "transport::a_query_comes_as_json_form_or_address",
        ]),
    ),
    (
        "abuse tokens in addresses",
        By(&[
            "crates/testkit/tests/secrecy.rs::nothing_secret_is_logged",
            "crates/testkit/tests/stories/oauth/hostile.rs::no_page_is_framed_or_tells_where_it_was",
        ]),
    ),
    (
        "abuse JSON bombs",
        By(&[
            "abuse::bodies_are_bounded",
            "HOSTILE::json_is_bounded_before_it_is_parsed",
            "crates/testkit/tests/hostile.rs::whatever_is_sent_is_answered_cheaply_or_refused",
        ]),
    ),
    (
        "abuse regex bombs",
        By(&["packages_policy::patterns_are_compiled_by_a_linear_engine"]),
    ),
    (
        "abuse concurrent updateIssue",
        By(&["issue_mutations::of_label_changes_at_once_none_is_lost"]),
    ),
    (
        "abuse concurrent destroyPackage",
        By(&[
            "packages_mutations::a_package_is_deleted_once",
            "packages_mutations::of_many_deletions_at_once_one_wins",
        ]),
    ),
    (
        "abuse slow resolver",
        By(&[
            "cut::what_is_slow_is_cut_and_its_statement_stopped",
            "cut::who_leaves_takes_their_statements_along",
        ]),
    ),
    (
        "abuse errors tell nothing",
        By(&[
            "cut::failures_inside_tell_nothing",
            "EXECUTE::what_is_broken_ends_the_request",
        ]),
    ),
    // Beyond the reference
    (
        "beyond cost",
        By(&[
            "cost::every_answer_says_what_it_cost",
            "cost::an_answer_tells_the_cost_of_its_fields_on_request",
        ]),
    ),
    (
        "beyond cost table",
        By(&["crates/graphql/src/breaking.rs::what_breaks_clients_is_named"]),
    ),
    (
        "beyond dryRun",
        By(&["cost::a_dry_run_scores_and_does_nothing"]),
    ),
    (
        "beyond node and nodes",
        By(&["nodes::anything_is_found_by_its_id"]),
    ),
    (
        "beyond strict form",
        By(&["transport::the_strict_media_type_has_strict_statuses"]),
    ),
    (
        "beyond deprecations",
        By(&["cost::deprecated_members_are_told_on_request"]),
    ),
    (
        "beyond schema download",
        By(&["explorer::the_schema_is_a_file_to_download"]),
    ),
    (
        "beyond codes",
        By(&["EXECUTE::a_failed_field_is_null_and_tells_its_path"]),
    ),
    (
        "beyond allow-list",
        By(&[
            "allowed::only_what_is_listed_is_answered",
            "allowed::listed_queries_are_known_by_their_digest",
            "allowed::administrators_keep_the_list",
        ]),
    ),
    (
        "beyond atomic batch",
        By(&[
            "atomic::all_mutations_of_a_batch_are_kept",
            "atomic::a_mutation_that_fails_undoes_the_others",
            "atomic::many_at_once_are_each_whole",
        ]),
    ),
    // Monitoring, section 3
    (
        "on-call schedules and rotations",
        By(&[
            "crates/testkit/tests/stories/oncall/graphql.rs::schedules_and_rotations_are_made_changed_and_removed",
            "crates/testkit/tests/stories/oncall/schedules.rs::a_rotation_tells_who_is_on_call_when",
        ]),
    ),
    (
        "on-call escalation policy",
        By(&[
            "crates/testkit/tests/stories/oncall/graphql.rs::a_policy_is_made_changed_and_removed",
            "crates/testkit/tests/stories/oncall/policies.rs::a_project_has_one_policy_with_rules_in_order",
        ]),
    ),
    (
        "on-call access",
        By(&[
            "crates/testkit/tests/stories/oncall/graphql.rs::what_is_hidden_in_rest_is_hidden_here",
            "crates/testkit/tests/stories/oncall/schedules.rs::reporters_see_who_is_on_call_and_maintainers_say_it",
        ]),
    ),
    (
        "on-call a new alert starts it",
        By(&[
            "crates/testkit/tests/stories/oncall/paging.rs::an_alert_pages_one_after_another_until_somebody_looks_after_it",
        ]),
    ),
    (
        "on-call one mail by each rule",
        By(&[
            "crates/testkit/tests/stories/oncall/paging.rs::turns_change_hands_between_two_pages",
            "crates/testkit/tests/stories/oncall/paging.rs::jobs_that_run_twice_page_once",
            "crates/tenon/tests/program/paging.rs::two_nodes_page_by_each_rule_once",
        ]),
    ),
    (
        "on-call acknowledging limits it",
        By(&[
            "crates/testkit/tests/stories/oncall/paging.rs::acknowledged_alerts_page_only_who_waits_for_the_end",
        ]),
    ),
    (
        "on-call resolving stops it",
        By(&[
            "crates/testkit/tests/stories/oncall/paging.rs::what_is_over_or_ignored_pages_nobody",
        ]),
    ),
    (
        "on-call triggering again restarts it",
        By(&["crates/testkit/tests/stories/oncall/paging.rs::what_is_triggered_again_pages_again"]),
    ),
    (
        "on-call a note names who was paged",
        By(&[
            "crates/testkit/tests/stories/oncall/paging.rs::who_may_not_see_alerts_any_more_is_not_paged",
        ]),
    ),
];

/// Rows of each section. A line of the contract that several rooms share
/// stands here once for each.
const SECTIONS: &[(&str, usize)] = &[
    ("1", 16),
    ("2", 16),
    ("3", 27),
    ("4", 19),
    ("5", 6),
    ("6", 22),
    ("7", 6),
    ("8", 7),
    ("abuse", 16),
    ("beyond", 10),
    ("on-call", 9),
];

/// The file of a test.
fn file_of(file: &str) -> String {
    if let Some((_, path)) = FILES.iter().find(|(short, _)| *short == file) {
        return (*path).to_owned();
    }
    match file.contains('/') {
        true => file.to_owned(),
        false => format!("crates/testkit/tests/stories/graphql/{file}.rs"),
    }
}

#[test]
fn every_row_is_named_by_a_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut seen = HashSet::new();
    for (row, shown) in ROWS {
        assert!(seen.insert(row), "{row} stands twice");
        let tests = match shown {
            By(tests) => tests,
            With(room) => {
                assert!(!room.is_empty(), "{row} comes with nothing");
                continue;
            }
        };
        assert!(!tests.is_empty(), "{row} has no test");
        for test in *tests {
            let (file, name) = test.rsplit_once("::").expect("file::name");
            let file = file_of(file);
            let source = std::fs::read_to_string(root.join(&file))
                .unwrap_or_else(|error| panic!("{row}: {file}: {error}"));
            let named = source.contains(&format!("fn {name}("));
            assert!(named, "{row}: there is no {name} in {file}");
        }
    }
}

#[test]
fn every_section_is_whole() {
    for (section, count) in SECTIONS {
        let of = |row: &&(&str, Shown)| row.0.split(' ').next() == Some(*section);
        assert_eq!(ROWS.iter().filter(of).count(), *count, "section {section}");
    }
    let sections: usize = SECTIONS.iter().map(|(_, count)| count).sum();
    assert_eq!(ROWS.len(), sections);
}
