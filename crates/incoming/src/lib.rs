//! Mail that comes in: an answer to a mail of ours becomes a note of who got it, in
//! the thread that it was about, and a mail to an address that ends mails ends them.
//!
//! Mails come by [`hook`] or out of a mailbox ([`poll`]); [`receive`] says what
//! becomes of each, [`message`] and [`said`] what it says. Table: `incoming_mails`.
//! Jobs: `incoming.poll`, `incoming.refuse`, `incoming.forget`.

mod forget;
mod hook;
mod imap;
pub mod message;
mod poll;
mod receive;
mod refuse;
pub mod said;
mod store;

pub use hook::routes;
use kernel::jobs::RegistryBuilder;

pub fn jobs(registry: &mut RegistryBuilder) {
    registry.add::<refuse::Refuse>();
    registry.add_periodic::<poll::Poll>(poll::EVERY);
    registry.add_periodic::<forget::ForgetMails>(24 * 3_600);
}
