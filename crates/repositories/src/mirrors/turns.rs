//! How many mirrors one node is busy with at once. How long each takes is up to its server,
//! and a job holds one of the few that do all other work.

use tokio::sync::{Semaphore, SemaphorePermit};

/// Mirrors of each direction, and of both together.
const OF_ONE: usize = 2;
const OF_BOTH: usize = 3;

/// Which way code goes.
#[derive(Debug, Clone, Copy)]
pub enum Direction {
    Push,
    Pull,
}

/// The mirrors that this node is busy with.
pub struct Turns {
    push: Semaphore,
    pull: Semaphore,
    both: Semaphore,
}

impl Default for Turns {
    fn default() -> Turns {
        Turns {
            push: Semaphore::new(OF_ONE),
            pull: Semaphore::new(OF_ONE),
            both: Semaphore::new(OF_BOTH),
        }
    }
}

impl Turns {
    /// A turn that ends when it is dropped; none while there are too many.
    pub fn take(&self, direction: Direction) -> Option<[SemaphorePermit<'_>; 2]> {
        let own = match direction {
            Direction::Push => &self.push,
            Direction::Pull => &self.pull,
        };
        Some([own.try_acquire().ok()?, self.both.try_acquire().ok()?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_direction_takes_all() {
        let turns = Turns::default();
        let pushes = [turns.take(Direction::Push), turns.take(Direction::Push)];
        assert!(pushes.iter().all(Option::is_some) && turns.take(Direction::Push).is_none());
        let pull = turns.take(Direction::Pull);
        assert!(pull.is_some() && turns.take(Direction::Pull).is_none());
        drop(pushes);
        assert!(turns.take(Direction::Pull).is_some());
    }
}
