-- A further address is somebody's once they have confirmed it. Until then any
-- number of users may have entered it: only the mail says whose it is.

drop index user_emails_email;
create unique index user_emails_confirmed on user_emails (email_folded)
    where confirmed_at is not null;
create unique index user_emails_entered on user_emails (user_id, email_folded);
create index user_emails_by_email on user_emails (email_folded);
