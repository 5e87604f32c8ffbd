//! Checks of a list: types agree, sources precede uses, loops and ifs are nested and closed.

mod scope;
mod types;

use super::{Uop, UopError, UopList};
use scope::Scopes;

/// What a uop breaks.
enum Broken {
    Type(String),
    Order(String),
}

impl UopList {
    /// Checks the list.
    ///
    /// # Errors
    /// [`UopError::Type`] where a uop has the wrong number of sources, or its type, its argument and its sources' types
    /// don't agree. [`UopError::Order`] where a source does not come before its use (the loops of an accumulator come
    /// after it), where loops and ifs are not nested and closed, and where a value computed in a loop or an if is used
    /// after its end; what was accumulated lives on where the accumulator does.
    pub fn verify(&self) -> Result<(), UopError> {
        let mut scopes = Scopes::new(self);
        for (position, uop) in self.uops.iter().enumerate() {
            let broken = types::check(self, uop).and_then(|()| scopes.step(position, uop));
            broken.map_err(|broken| error(position, uop, broken))?;
        }
        scopes.end().map_err(|(position, broken)| error(position, &self.uops[position], broken))
    }
}

fn error(position: usize, uop: &Uop, broken: Broken) -> UopError {
    let text = super::text::line(uop, None);
    match broken {
        Broken::Type(reason) => UopError::Type { position, text, reason },
        Broken::Order(reason) => UopError::Order { position, text, reason },
    }
}
