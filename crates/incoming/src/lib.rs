//! Mail that comes in: an answer to a mail of ours becomes a note of who got it, in
//! the thread that it was about, and a mail to an address that ends mails ends them.
//!
//! Mails come by [`hook`] or out of a mailbox ([`poll`]); [`receive`] says what
//! becomes of each, [`answer`] writes the notes, [`message`] and [`said`] read what it
//! says, and [`tries`] sets aside what cannot be taken.
//! Tables: `incoming_mails`, `incoming_tries`.
//! Jobs: `incoming.poll`, `incoming.refuse`, `incoming.forget`.

mod answer;
mod forget;
mod hook;
mod imap;
pub mod message;
mod poll;
mod receive;
mod refuse;
pub mod said;
mod store;
pub mod tries;

pub use hook::routes;
use kernel::jobs::RegistryBuilder;

pub fn jobs(registry: &mut RegistryBuilder) {
    registry.add::<refuse::Refuse>();
    registry.add_periodic::<poll::Poll>(poll::EVERY);
    registry.add_periodic::<forget::ForgetMails>(24 * 3_600);
}
