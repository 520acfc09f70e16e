//! `users`: who there is.

use crate::model::{Profile, User, UserId, UserKind, UserState};
use crate::search::{FOUND_BY, PEOPLE};
use crate::users::status::Status;
use kernel::error::Result;
use kernel::html::Preferences;
use kernel::ids::fold;
use kernel::time::{Timestamp, date_of};
use std::collections::HashMap;
use store::{Fragment, Tx, Value, sql};

pub fn any_administrator(tx: &mut Tx<'_>) -> Result<Option<UserId>> {
    Ok(tx.optional(
        sql!("select id from users where is_admin = true and kind = 'human' limit 1"),
        (),
    )?)
}

/// Whether somebody else administers the instance and may sign in.
pub fn has_other_administrator(tx: &mut Tx<'_>, id: UserId) -> Result<bool> {
    let other: Option<UserId> = tx.optional(
        sql!(
            "select id from users where is_admin = true and kind = 'human' and state = 'active'
                and id <> $1 limit 1"
        ),
        (id,),
    )?;
    Ok(other.is_some())
}

/// Users by id, in one query, for lists that name them.
pub fn load_basic(tx: &mut Tx<'_>, ids: &[i64]) -> store::Result<HashMap<i64, User>> {
    let users: Vec<User> =
        tx.all(sql!("select * from users where id in_list($1)"), (ids.to_vec(),))?;
    Ok(users.into_iter().map(|user| (user.id, user)).collect())
}

/// The user with this id, unless they are being deleted.
pub fn find(tx: &mut Tx<'_>, id: UserId) -> Result<Option<User>> {
    Ok(tx.optional(sql!("select * from users where id = $1 and kind <> 'leaving'"), (id,))?)
}

/// The user of this name, without regard to case.
pub fn find_by_username(tx: &mut Tx<'_>, username: &str) -> Result<Option<User>> {
    Ok(tx.optional(sql!("select * from users where username_folded = $1"), (fold(username),))?)
}

/// Ids of the users with these logins; names of nobody are left out.
pub fn ids_by_usernames(tx: &mut Tx<'_>, usernames: &[String]) -> Result<Vec<i64>> {
    let folded: Vec<String> = usernames.iter().map(|name| fold(name)).collect();
    Ok(tx.all(
        sql!("select id from users where username_folded in_list($1) order by id"),
        (folded,),
    )?)
}

/// The user with this primary e-mail, without regard to case.
pub fn find_by_email(tx: &mut Tx<'_>, email: &str) -> Result<Option<User>> {
    Ok(tx.optional(sql!("select * from users where email_folded = $1"), (fold(email),))?)
}

/// The users with these primary e-mails, by the folded address.
pub fn by_emails(tx: &mut Tx<'_>, emails: &[String]) -> Result<HashMap<String, i64>> {
    let folded: Vec<String> = emails.iter().map(|email| fold(email)).collect();
    Ok(tx.pairs(
        sql!("select email_folded, id from users where email_folded in_list($1)"),
        (folded,),
    )?)
}

pub fn profile(tx: &mut Tx<'_>, id: UserId) -> Result<Profile> {
    Ok(tx.one(sql!("select * from users where id = $1"), (id,))?)
}

pub fn note_activity(tx: &mut Tx<'_>, id: UserId) -> Result<()> {
    let today = date_of(tx.now());
    tx.run(
        sql!(
            "update users set last_activity_on = $2
             where id = $1 and (last_activity_on is null or last_activity_on <> $2)"
        ),
        (id, today),
    )
}

/// Followers, followed, and whether the caller follows, by user.
pub fn counts(
    tx: &mut Tx<'_>, ids: &[i64], caller: UserId,
) -> Result<HashMap<i64, (i64, i64, bool)>> {
    let rows: Vec<(i64, i64, i64, bool)> = tx.all(
        sql!(
            "select u.id, (select count(*) from follows where followed_id = u.id),
                (select count(*) from follows where follower_id = u.id),
                exists (select 1 from follows where followed_id = u.id and follower_id = $2)
             from users u where u.id in_list($1)"
        ),
        (ids.to_vec(), caller),
    )?;
    Ok(rows.into_iter().map(|(id, a, b, c)| (id, (a, b, c))).collect())
}

/// What a row says of a user, with whose it is.
struct WithId<T>(i64, T);

impl<T: store::FromRow> store::FromRow for WithId<T> {
    fn from_row(row: &mut store::Row<'_>) -> store::Result<Self> {
        Ok(WithId(row.get("id")?, T::from_row(row)?))
    }
}

/// Sets a password, which ends a lock-out.
pub fn set_password(
    tx: &mut Tx<'_>, id: UserId, hash: &str, expired: bool, now: Timestamp,
) -> Result<()> {
    tx.run(
        sql!(
            "update users set password_hash = $2, password_expired = $3, password_changed_at = $4,
                password_automatically_set = false, failed_attempts = 0, locked_until = null,
                updated_at = $4
             where id = $1"
        ),
        (id, hash, expired, now),
    )
}

pub fn set_state(tx: &mut Tx<'_>, id: i64, state: UserState) -> Result<()> {
    let now = tx.now();
    tx.run(
        sql!("update users set state = $2, updated_at = $3 where id = $1"),
        (id, state, now),
    )
}

/// The user who holds what deleted users leave behind.
pub fn ghost(tx: &mut Tx<'_>) -> Result<Option<User>> {
    Ok(tx.optional(sql!("select * from users where kind = 'ghost' order by id limit 1"), ())?)
}

/// Under whose name the program writes about alerts.
pub fn alert_bot(tx: &mut Tx<'_>) -> Result<Option<UserId>> {
    Ok(tx.optional(sql!("select id from users where kind = 'alert_bot'"), ())?)
}

/// Who stands for people elsewhere that have no placeholder.
pub fn import_user(tx: &mut Tx<'_>) -> Result<Option<UserId>> {
    Ok(tx.optional(sql!("select id from users where kind = 'import_user'"), ())?)
}

pub fn set_status(tx: &mut Tx<'_>, id: UserId, status: &Status) -> Result<()> {
    tx.run(
        sql!(
            "update users set status_emoji = $2, status_message = $3, status_availability = $4,
                status_clear_at = $5
             where id = $1"
        ),
        (
            id,
            status.status_emoji.as_deref(),
            status.status_message.as_deref(),
            status.status_availability,
            status.status_clear_at,
        ),
    )
}

/// Stores what a user chose for their pages.
pub fn set_preferences(
    tx: &mut Tx<'_>, id: UserId, wanted: &Preferences, time_zone: Option<&str>,
) -> Result<()> {
    tx.run(
        sql!(
            "update users set page_theme = $2, page_density = $3, first_day_of_week = $4,
                time_zone = $5
             where id = $1"
        ),
        (id, wanted.theme, wanted.density, wanted.first_day, time_zone),
    )
}

/// Takes name, address and rights from who leaves.
pub fn make_nameless(tx: &mut Tx<'_>, id: UserId, name: &str, now: Timestamp) -> Result<()> {
    tx.execute(
        sql!(
            "update users set kind = $2, state = 'blocked', is_admin = false, username = $3,
                username_folded = $3, email = $3, email_folded = $3, name = 'Ghost User',
                name_folded = 'ghost user', public_email = null, avatar_key = null,
                updated_at = $4
             where id = $1"
        ),
        (id, UserKind::Leaving, name, now),
    )?;
    Ok(kernel::search::index(tx, &PEOPLE, &[id])?)
}

pub fn leaving(tx: &mut Tx<'_>, id: UserId) -> Result<Option<UserId>> {
    Ok(tx.optional(sql!("select id from users where id = $1 and kind = 'leaving'"), (id,))?)
}

pub fn delete_leaving(tx: &mut Tx<'_>, id: UserId) -> Result<u64> {
    Ok(tx.execute(sql!("delete from users where id = $1 and kind = 'leaving'"), (id,))?)
}

pub fn password_hash(tx: &mut Tx<'_>, id: UserId) -> Result<Option<String>> {
    Ok(tx.one(sql!("select password_hash from users where id = $1"), (id,))?)
}

/// Forgets failures before a right password.
pub fn forgive(tx: &mut Tx<'_>, id: i64) -> Result<()> {
    tx.run(
        sql!("update users set failed_attempts = 0 where id = $1 and failed_attempts > 0"),
        (id,),
    )
}

/// Whether nobody chose the password of a user, if they are there.
pub fn is_automatic(tx: &mut Tx<'_>, id: UserId) -> Result<Option<bool>> {
    Ok(tx.optional(sql!("select password_automatically_set from users where id = $1"), (id,))?)
}

/// Counts a failed sign-in; how many in a row, unless the account is locked.
pub fn count_failure(tx: &mut Tx<'_>, id: UserId, now: Timestamp) -> Result<Option<i64>> {
    Ok(tx.optional(
        sql!(
            "update users set failed_attempts = failed_attempts + 1
             where id = $1 and (locked_until is null or locked_until <= $2)
             returning failed_attempts"
        ),
        (id, now),
    )?)
}

pub fn lock(tx: &mut Tx<'_>, id: UserId, until: Timestamp) -> Result<()> {
    tx.run(
        sql!("update users set failed_attempts = 0, locked_until = $2 where id = $1"),
        (id, until),
    )
}

/// Notes a sign-in; how many there were.
pub fn note_sign_in(tx: &mut Tx<'_>, id: UserId, now: Timestamp, ip: &str) -> Result<i64> {
    Ok(tx.one(
        sql!(
            "update users set failed_attempts = 0, locked_until = null,
                last_sign_in_at = coalesce(current_sign_in_at, $2),
                last_sign_in_ip = coalesce(current_sign_in_ip, $3),
                current_sign_in_at = $2, current_sign_in_ip = $3,
                sign_in_count = sign_in_count + 1
             where id = $1 returning sign_in_count"
        ),
        (id, now, ip),
    )?)
}

pub fn unlock(tx: &mut Tx<'_>, id: UserId) -> Result<()> {
    tx.run(
        sql!("update users set failed_attempts = 0, locked_until = null where id = $1"),
        (id,),
    )
}

pub fn active_administrators(tx: &mut Tx<'_>, most: i64) -> Result<Vec<UserId>> {
    Ok(tx.all(
        sql!(
            "select id from users where is_admin = true and kind = 'human' and state = 'active'
             order by id limit $1"
        ),
        (most,),
    )?)
}

/// People made before whose address nobody confirmed and who did nothing, past this id.
pub fn never_confirmed(
    tx: &mut Tx<'_>, before: Timestamp, after: UserId, most: i64,
) -> Result<Vec<User>> {
    Ok(tx.all(
        sql!(
            "select * from users where confirmed_at is null and created_at < $1 and id > $2
                and kind = 'human' and not is_admin and sign_in_count = 0
                and last_activity_on is null and state in ('active', 'blocked_pending_approval')
             order by id limit $3"
        ),
        (before, after, most),
    )?)
}

/// Notes that a second factor is asked of a user; since when.
pub fn note_two_factor_asked(tx: &mut Tx<'_>, user: UserId, now: Timestamp) -> Result<Timestamp> {
    Ok(tx.one(
        sql!(
            "update users set two_factor_asked_at = coalesce(two_factor_asked_at, $2)
             where id = $1 returning two_factor_asked_at"
        ),
        (user, now),
    )?)
}

pub fn forget_two_factor_asked(tx: &mut Tx<'_>, user: UserId) -> Result<()> {
    tx.run(sql!("update users set two_factor_asked_at = null where id = $1"), (user,))
}

/// When a password was set, in microseconds since 1970.
pub fn password_age(tx: &mut Tx<'_>, id: i64) -> Result<Option<i64>> {
    let at: Option<(Option<Timestamp>,)> =
        tx.optional(sql!("select password_changed_at from users where id = $1"), (id,))?;
    Ok(at.and_then(|(at,)| at).map(Timestamp::as_microsecond))
}

pub fn profiles(tx: &mut Tx<'_>, ids: &[i64]) -> Result<HashMap<i64, Profile>> {
    let rows = tx.all::<WithId<Profile>>(
        sql!("select * from users where id in_list($1)"),
        (ids.to_vec(),),
    )?;
    Ok(rows.into_iter().map(|row| (row.0, row.1)).collect())
}

/// What these users say they are doing, stale or not.
pub fn statuses(tx: &mut Tx<'_>, ids: &[UserId]) -> Result<Vec<(UserId, Status)>> {
    let rows = tx.all::<WithId<Status>>(
        sql!(
            "select id, status_emoji, status_message, status_availability, status_clear_at
             from users where id in_list($1)"
        ),
        (ids.to_vec(),),
    )?;
    Ok(rows.into_iter().map(|row| (row.0, row.1)).collect())
}

/// Stores a user with these columns; none when a name or address is taken.
pub fn insert(tx: &mut Tx<'_>, sets: Vec<(&'static str, Value)>) -> Result<Option<User>> {
    let columns: Vec<&str> = sets.iter().map(|(column, _)| *column).collect();
    let mut sql = Fragment::new("insert into users (");
    sql.raw(&columns.join(", ")).raw(") values (");
    for (index, (_, value)) in sets.into_iter().enumerate() {
        sql.push(if index == 0 { "" } else { ", " }, value);
    }
    sql.raw(") on conflict do nothing returning *");
    let made: Option<User> = tx.query(sql)?.pop();
    if let Some(user) = &made {
        kernel::search::index(tx, &PEOPLE, &[user.id])?;
    }
    Ok(made)
}

pub fn update(
    tx: &mut Tx<'_>, id: UserId, sets: Vec<(&'static str, Value)>,
) -> Result<Option<User>> {
    let mut sql = Fragment::new("update users set updated_at = ");
    sql.bind(tx.now());
    let is_renamed = sets.iter().any(|(column, _)| FOUND_BY.contains(column));
    for (column, value) in sets {
        sql.raw(", ").raw(column).push(" = ", value);
    }
    sql.push(" where id = ", id).raw(" returning *");
    let changed = tx.query(sql)?.pop();
    if is_renamed {
        kernel::search::index(tx, &PEOPLE, &[id])?;
    }
    Ok(changed)
}

pub fn delete_belongings(tx: &mut Tx<'_>, id: UserId) -> Result<()> {
    for forget in [
        sql!("delete from access_tokens where user_id = $1"),
        sql!("delete from sessions where user_id = $1"),
        sql!("delete from mail_links where user_id = $1"),
        sql!("delete from user_emails where user_id = $1"),
        sql!("delete from user_avatars where user_id = $1"),
        sql!("delete from follows where follower_id = $1 or followed_id = $1"),
    ] {
        tx.execute(forget, (id,))?;
    }
    Ok(())
}
