//! Lists walk an index in the order asked for: SQLite says so itself.

use packages::model::PackageType;
use packages::scope::Scope;
use packages::store::list::{Filter, OrderBy, Source, group_query, project_query};
use store::{Fragment, Migration, Store, sql};

macro_rules! migration {
    ($number:literal $name:literal) => {
        Migration {
            number: $number,
            name: $name,
            sql: include_str!(concat!("../../../../../migrations/", $name, ".sql")),
        }
    };
}

const MIGRATIONS: &[Migration] = &[
    migration!(1 "0001_kernel"),
    migration!(2 "0002_identity"),
    migration!(3 "0003_spaces"),
    migration!(4 "0004_packages"),
    migration!(10 "0010_package_formats"),
    migration!(12 "0012_npm"),
    migration!(14 "0014_package_file_extracts"),
    migration!(18 "0018_package_file_channels"),
    migration!(28 "0028_package_lookups"),
];

fn open() -> (tempfile::TempDir, Store) {
    let directory = tempfile::tempdir().unwrap();
    let config = store::Config::sqlite(&directory.path().join("test.db"));
    let store = Store::open(config, MIGRATIONS).unwrap();
    (directory, store)
}

fn plan(store: &Store, query: Fragment) -> Vec<String> {
    let text = format!("explain query plan {}", query.text());
    let values = query.values().to_vec();
    let rows: Vec<(i64, i64, i64, String)> =
        store.read_blocking(|tx| tx.all(&text, values)).unwrap();
    rows.into_iter().map(|row| row.3).collect()
}

fn orders(all: &[OrderBy]) -> Vec<Filter> {
    let mut filters = Vec::new();
    for order_by in all {
        for descending in [false, true] {
            filters.push(Filter { order_by: *order_by, descending, ..Filter::default() });
        }
    }
    filters
}

const PROJECT: &[OrderBy] = &[OrderBy::CreatedAt, OrderBy::Name, OrderBy::Version, OrderBy::Type];

#[test]
fn a_projects_list_sorts_nothing() {
    let (_directory, store) = open();
    for filter in orders(PROJECT) {
        for include_versionless in [false, true] {
            let filter = Filter { include_versionless, ..filter.clone() };
            let steps = plan(&store, project_query(1, &filter, 21, 0));
            let sorts = steps.iter().any(|step| step.contains("TEMP B-TREE"));
            assert!(!sorts, "{filter:?}: {steps:#?}");
            let searches =
                steps.iter().any(|step| step.starts_with("SEARCH p USING INDEX packages_by_"));
            assert!(searches, "{filter:?}: {steps:#?}");
        }
    }
}

#[test]
fn a_filter_by_type_finds_its_rows_in_order() {
    let (_directory, store) = open();
    let filter = Filter { package_type: Some(PackageType::Npm), ..Filter::default() };
    let steps = plan(&store, project_query(1, &filter, 21, 0));
    assert!(steps.iter().any(|step| step.contains("packages_by_type")), "{steps:#?}");
    assert!(!steps.iter().any(|step| step.contains("TEMP B-TREE")), "{steps:#?}");
}

/// However many files there are, a client's file is found by its package.
#[test]
fn a_file_is_found_through_its_package() {
    let (_directory, store) = open();
    let scope = Scope::of_project(1);
    let query = scope.of_format(PackageType::Npm).newest_file_query("anvil", "anvil-1.0.0.tgz");
    let steps = plan(&store, query);
    let searches = [
        "SEARCH p USING INDEX packages_by_key",
        "SEARCH f USING INDEX package_files_by_package",
    ];
    for (step, search) in steps.iter().zip(searches) {
        assert!(step.starts_with(search), "{steps:#?}");
    }
}

#[test]
fn a_filter_by_version_is_a_search() {
    let (_directory, store) = open();
    let filter = Filter { version: Some("1.0".into()), ..Filter::default() };
    let steps = plan(&store, project_query(1, &filter, 21, 0));
    assert!(steps.iter().any(|step| step.contains("packages_by_version")), "{steps:#?}");
}

/// Each project's rows come from an index; only the few of the page, one
/// page per project at most, are sorted to merge them.
#[test]
fn a_groups_list_sorts_only_the_first_rows_of_each_project() {
    let (_directory, store) = open();
    let projects: Vec<Source> = (1..=100)
        .map(|id| Source { id, path: format!("project-{id}"), displayable: 10 })
        .collect();
    let all = [PROJECT, &[OrderBy::ProjectPath]].concat();
    for filter in orders(&all) {
        for used in [1, 2, 100] {
            let steps = plan(&store, group_query(&projects[..used], &filter, 21, 0));
            let scans = steps.iter().any(|step| step.starts_with("SCAN p"));
            assert!(!scans, "{filter:?}: {steps:#?}");
            let searched = steps
                .iter()
                .filter(|step| step.starts_with("SEARCH p USING") && step.contains("packages_by_"))
                .count();
            assert_eq!(searched, used, "{filter:?}: {steps:#?}");
        }
    }
}

#[test]
fn a_page_of_a_large_project_takes_no_longer_than_one_of_a_small_one() {
    const ROWS: i64 = 200_000;
    let (_directory, store) = open();
    store
        .write_blocking(|tx| {
            let now = tx.now();
            tx.execute(
                sql!(
                    "insert into namespaces (id, kind, name, name_folded, path, full_path,
                        full_path_folded, full_name, lineage, depth, visibility, created_at,
                        updated_at)
                     values (1, 'group', 'a', 'a', 'a', 'a', 'a', 'a', '/1/', 1, 0, $1, $1)"
                ),
                (now,),
            )?;
            for id in [1_i64, 2] {
                tx.execute(
                    sql!(
                        "insert into projects (id, namespace_id, name, name_folded, path,
                            path_folded, full_path, full_path_folded, visibility, topics, features,
                            last_activity_at, created_at, updated_at)
                         values ($1, 1, 'p', 'p', $2, $2, $2, $2, 0, '[]', '{}', $3, $3, $3)"
                    ),
                    (id, format!("a/{id}"), now),
                )?;
            }
            for (project, rows) in [(1_i64, 100_i64), (2, ROWS)] {
                tx.execute(
                    "with recursive n (i) as (select 1 union all select i + 1 from n where i < $3)
                     insert into packages (project_id, package_type, type_order, name,
                        name_folded, name_key, version, version_key, status, live, created_at, updated_at)
                     select $1, 'generic', 7, 'name-' || i, 'name-' || i, 'name-' || i, '1.0', '1.0',
                        'default', 1, $2, $2 from n",
                    (project, now, rows),
                )?;
                tx.execute(
                    sql!("insert into package_counts (project_id, displayable) values ($1, $2)"),
                    (project, rows),
                )?;
            }
            Ok::<_, store::Error>(())
        })
        .unwrap();
    let mut filters = orders(PROJECT);
    filters.push(Filter { package_type: Some(PackageType::Npm), ..filters[0].clone() });
    let time = |project: i64| {
        let began = std::time::Instant::now();
        for filter in filters.iter().cycle().take(200) {
            let (rows, _) = store
                .read_blocking(|tx| packages::store::list::of_project(tx, project, filter, 21, 0))
                .unwrap();
            assert!(rows.len() == 21 || filter.package_type.is_some());
        }
        began.elapsed()
    };
    time(1);
    let (small, large) = (time(1), time(2));
    // Generous: a list that looked at every row would take 2,000 times as long.
    assert!(large < small * 10, "{small:?} and {large:?}");
}
