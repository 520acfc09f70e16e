//! Each file of migrations is applied, in the order of its number.

use crate::root;

#[test]
fn each_file_of_migrations_is_applied() {
    let entries = std::fs::read_dir(root().join("migrations")).unwrap();
    let mut files: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(".sql").map(str::to_owned))
        .collect();
    files.sort();
    let applied: Vec<&str> = tenon::wiring::migrations().iter().map(|it| it.name).collect();
    assert_eq!(applied, files);
    for migration in tenon::wiring::migrations() {
        assert!(
            migration.name.starts_with(&format!("{:04}_", migration.number)),
            "{}",
            migration.name
        );
    }
}
