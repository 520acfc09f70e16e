//! Every line of the contract's «Bad input and abuse» for packages, with the
//! tests that show it.
//!
//! A test is written `file::name`. Files are those of this folder; those of
//! other places begin with a short name or their path in the repository.

use std::collections::HashSet;
use std::path::Path;

/// A line of the contract, and the tests of it.
type Row = (&'static str, &'static [&'static str]);

/// Short names of files elsewhere.
const FILES: &[(&str, &str)] = &[
    ("ARCHIVE", "crates/packages/src/archive/tests.rs"),
    ("FILES", "crates/testkit/tests/stories/packages/files.rs"),
    (
        "GENERIC",
        "crates/testkit/tests/stories/packages/generic.rs",
    ),
    ("HOSTILE", "crates/tenon/tests/program/hostile.rs"),
    ("LISTS", "crates/testkit/tests/stories/packages/lists.rs"),
    (
        "PARALLEL",
        "crates/testkit/tests/stories/packages/parallel.rs",
    ),
    (
        "RULES",
        "crates/testkit/tests/stories/packages/cleanup_rules.rs",
    ),
    (
        "SETTINGS",
        "crates/testkit/tests/stories/packages/settings.rs",
    ),
    (
        "VISIBILITY",
        "crates/testkit/tests/stories/packages/visibility.rs",
    ),
];

const ROWS: &[Row] = &[
    (
        "path tricks",
        &[
            "GENERIC::path_tricks_are_refused",
            "npm/abuse::paths_lead_to_packages_only",
            "maven/repository::path_tricks_and_hostile_xml_are_refused",
            "pypi/refusals::names_versions_and_files_are_checked",
            "helm/refusals::forms_and_addresses_are_checked",
            "terraform/modules::bad_names_versions_and_archives_are_refused",
            "golang::parents_and_strange_paths_are_not_found_once_inside",
            "composer::bad_input_is_refused_with_its_reason",
            "abuse::no_path_leads_out_of_a_format",
            "nuget/refusals::forms_and_addresses_are_checked",
            "conan/hostile::addresses_that_lead_elsewhere_are_refused",
        ],
    ),
    (
        "blobs are stored by digest",
        &["abuse::no_name_of_a_client_becomes_a_name_in_the_store"],
    ),
    (
        "archives are parsed with caps",
        &[
            "ARCHIVE::a_bomb_is_left_when_it_grows_too_large",
            "ARCHIVE::too_many_entries_and_huge_headers_are_refused",
            "ARCHIVE::a_member_asked_for_has_a_cap",
            "ARCHIVE::hostile_zips_are_refused",
            "HOSTILE::hostile_archives_cost_little",
            "ARCHIVE::every_packing_of_a_tarball_has_caps",
            "nuget/refusals::hostile_archives_are_refused",
            "conan/hostile::hostile_archives_are_refused",
        ],
    ),
    (
        "nothing is extracted, links are ignored",
        &[
            "ARCHIVE::a_tarball_gives_the_members_asked_for",
            "ARCHIVE::names_that_lead_outside_are_refused",
            "HOSTILE::hostile_archives_cost_little",
        ],
    ),
    (
        "no DTDs, no external entities",
        &[
            "maven/repository::path_tricks_and_hostile_xml_are_refused",
            "nuget/refusals::hostile_texts_are_refused",
        ],
    ),
    (
        "Chart.yaml: few aliases",
        &["helm/refusals::hostile_archives_and_texts_are_refused"],
    ),
    (
        "JSON depth and size",
        &[
            "npm/abuse::bodies_that_are_no_publication_are_refused",
            "crates/tenon/tests/program/npm.rs::a_publication_takes_little_memory",
            "composer::bad_input_is_refused_with_its_reason",
            "conan/old::commands_are_objects_of_known_files",
        ],
    ),
    (
        "npm's publications that lie",
        &[
            "npm/publish::a_body_that_lies_is_refused",
            "npm/abuse::bodies_that_are_no_publication_are_refused",
        ],
    ),
    (
        "declared digest wrong",
        &[
            "SETTINGS::another_digest_than_declared_is_refused",
            "pypi/refusals::digests_that_are_declared_must_be_right",
            "maven/repository::digests_are_compared_and_answered",
            "npm/publish::a_body_that_lies_is_refused",
            "conan/hostile::bytes_have_to_be_those_declared",
        ],
    ),
    (
        "truncated upload",
        &[
            "GENERIC::an_aborted_upload_leaves_nothing",
            "npm/abuse::a_cut_upload_leaves_nothing",
            "maven/repository::a_truncated_upload_leaves_nothing",
            "golang::what_is_no_module_is_refused_and_leaves_nothing",
            "HOSTILE::hostile_archives_cost_little",
            "nuget/refusals::what_is_cut_off_leaves_nothing",
            "conan/hostile::what_is_cut_off_leaves_nothing",
        ],
    ),
    (
        "names are escaped in HTML, XML, YAML",
        &[
            "pypi/refusals::long_texts_are_cut_and_markup_stays_text",
            "npm/abuse::texts_of_packages_stay_texts",
            "helm/refusals::hostile_archives_and_texts_are_refused",
            "nuget/feed::what_archives_say_stays_text",
        ],
    ),
    (
        "downloads are attachments with nosniff",
        &["abuse::no_name_of_a_client_becomes_a_name_in_the_store"],
    ),
    (
        "CR and LF never reach headers",
        &[
            "abuse::no_path_leads_out_of_a_format",
            "elsewhere::python_names_that_nobody_here_has_lead_elsewhere",
            "conan/hostile::addresses_that_lead_elsewhere_are_refused",
        ],
    ),
    (
        "patterns run in linear time",
        &[
            "SETTINGS::hostile_patterns_cost_nothing",
            "RULES::a_rule_that_would_take_everything_is_refused",
            "crates/packages/src/rules/wildcard.rs::stars_stand_for_any_text",
            "crates/packages/src/formats/conan/search.rs::hostile_patterns_take_linear_time",
        ],
    ),
    (
        "%, _ and backslash are text in searches",
        &[
            "LISTS::filters_and_orders_hold",
            "npm/documents::names_are_found",
            "nuget/versions::a_search_finds_names",
        ],
    ),
    (
        "tokens never in logs",
        &["crates/tenon/tests/program/logs.rs::no_log_tells_a_token"],
    ),
    (
        "passes are bound to purpose, project, end and token",
        &[
            "terraform/registry::an_archive_is_fetched_with_a_pass_alone",
            "terraform/registry::a_pass_ends_after_five_minutes",
            "crates/identity/src/registry_session.rs::a_path_covers_itself_and_what_is_below",
            "conan/session::a_password_is_exchanged_for_a_pass",
            "conan/session::a_pass_ends_with_its_hour_and_with_its_credential",
        ],
    ),
    (
        "per_page 21, cursors, order_by",
        &[
            "LISTS::pipelines_are_keyset_pages_of_at_most_twenty",
            "LISTS::filters_and_orders_hold",
        ],
    ),
    (
        "ids beyond 64 bits",
        &["abuse::numbers_too_large_are_of_nothing"],
    ),
    (
        "ten publishers of one version",
        &[
            "PARALLEL::of_ten_publishers_of_one_file_one_wins",
            "npm/parallel::of_ten_publishers_of_one_version_one_wins",
            "side_by_side::publishers_of_every_format_get_in_nobody_s_way",
            "nuget/parallel::publishers_of_one_version_make_one_package",
            "conan/parallel::publishers_of_one_revision_make_one",
        ],
    ),
    (
        "delete during download",
        &["FILES::a_download_under_way_survives_deletion"],
    ),
    (
        "ids of other projects",
        &[
            "FILES::ids_of_other_projects_are_not_found",
            "conan/hostile::files_of_others_are_out_of_reach",
        ],
    ),
    (
        "private names in no index, search or audit",
        &[
            "VISIBILITY::private_names_are_in_no_list_of_a_group",
            "npm/access::roles_decide_on_a_private_project",
            "pypi/index::a_group_shows_what_its_reader_may_see",
            "helm/index::a_group_lists_what_its_reader_may_see",
            "composer::private_projects_stay_out_of_what_strangers_read",
            "terraform/registry::who_may_not_read_a_module_is_told_of_none",
            "nuget/groups::a_group_shows_what_its_reader_may_see",
            "conan/places::a_group_has_the_recipes_its_reader_may_see",
        ],
    ),
];

#[test]
fn every_line_about_abuse_is_shown_by_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut seen = HashSet::new();
    for (row, tests) in ROWS {
        assert!(seen.insert(row), "{row} stands here twice");
        assert!(!tests.is_empty(), "{row} is shown by nothing");
        for test in *tests {
            let (file, name) = test.rsplit_once("::").expect("write file::name");
            let path = match FILES.iter().find(|(short, _)| *short == file) {
                Some((_, path)) => root.join(path),
                None if file.ends_with(".rs") => root.join(file),
                None => root.join(format!(
                    "crates/testkit/tests/stories/packages_formats/{file}.rs"
                )),
            };
            let text = std::fs::read_to_string(&path)
                .unwrap_or_else(|error| panic!("{row}: {}: {error}", path.display()));
            assert!(
                text.contains(&format!("fn {name}(")),
                "{row}: there is no {test}"
            );
        }
    }
}
