//! People among what is searched.

use kernel::search::Source;

/// People; no bots, and nobody who leaves.
pub static PEOPLE: Source = Source {
    index: "search_people",
    id: "users.id",
    select: "select users.id, cast(null as bigint) as project_id, cast(null as bigint) as number,
            users.username || ' ' || users.name as name, users.public_email as body
        from users where users.kind = 'human' and ",
    hit: "users.id, cast(null as bigint) as number, users.name as title,
        cast(null as text) as body, users.username as place, cast(null as text) as word,
        users.created_at as at",
};

/// Columns of which a change means to index a user anew.
pub(crate) const FOUND_BY: &[&str] = &["username", "name", "public_email", "kind"];
