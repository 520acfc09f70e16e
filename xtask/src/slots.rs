//! Places for what keeps a core busy: as many as there are cores.

use std::sync::{Condvar, Mutex, PoisonError};

/// See the module.
pub struct Slots {
    free: Mutex<usize>,
    freed: Condvar,
}

/// A place, given back when dropped.
pub struct Slot<'s>(&'s Slots);

impl Slots {
    /// One for each core.
    pub fn of_cores() -> Slots {
        Slots { free: Mutex::new(cores()), freed: Condvar::new() }
    }

    /// Waits for a place.
    pub fn take(&self) -> Slot<'_> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free = self
            .freed
            .wait_while(free, |free| *free == 0)
            .unwrap_or_else(PoisonError::into_inner);
        *free -= 1;
        Slot(self)
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        *self.0.free.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.0.freed.notify_one();
    }
}

/// How many cores there are.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
