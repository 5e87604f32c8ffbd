//! The digest of a list: a hash of its graph that does not depend on the order of the list.

use super::text::{ArgText, DTypeText};
use super::{UopId, UopList};
use crate::symbolic::Arena;
use sha2::{Digest, Sha256};
use std::fmt::Write;

/// The first half of the hexadecimal digits of a text's SHA-256, which is what every step of the digest keeps.
type Hash = [u8; 16];

fn hash(text: &str) -> Hash {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let sum = Sha256::digest(text.as_bytes());
    let mut digits = [0; 16];
    for (pair, byte) in digits.chunks_exact_mut(2).zip(sum) {
        pair[0] = DIGITS[usize::from(byte >> 4)];
        pair[1] = DIGITS[usize::from(byte & 15)];
    }
    digits
}

fn push(text: &mut String, hash: &Hash) {
    text.push_str(str::from_utf8(hash).unwrap_or_default());
}

impl UopList {
    /// The graph digest: a uop's hash is of its kind, type, sources' hashes and argument; the digest is the hash of
    /// `head` (`global=…local=…`) and the sorted distinct hashes of the uops. `arena` holds the symbolic sizes.
    pub fn digest(&self, arena: &Arena, head: &str) -> String {
        let mut hashes: Vec<Option<Hash>> = vec![None; self.uops.len()];
        let mut text = String::new();
        let mut stack = Vec::new();
        for position in 0..self.uops.len() {
            // Sources come first in a list, but for the loops of an accumulator: those are hashed on demand.
            stack.push(position);
            while let Some(&top) = stack.last() {
                let uop = &self.uops[top];
                let unknown = |source: &&UopId| hashes.get(source.index()).is_some_and(Option::is_none);
                // A stack deeper than the list goes in circles.
                if hashes[top].is_none()
                    && stack.len() <= self.uops.len()
                    && let Some(source) = uop.sources.iter().find(unknown)
                {
                    stack.push(source.index());
                    continue;
                }
                text.clear();
                text.push_str(uop.kind.name());
                let _ = write!(text, " {} [", DTypeText(uop.dtype));
                for (place, source) in uop.sources.iter().enumerate() {
                    if place > 0 {
                        text.push(',');
                    }
                    // A source outside the list has no hash; the list is no kernel then, but the digest is defined.
                    let known = hashes.get(source.index()).copied().flatten();
                    push(&mut text, &known.unwrap_or(*b"----------------"));
                }
                let _ = write!(text, "] {}", ArgText(&uop.arg, Some(arena)));
                hashes[top] = Some(hash(&text));
                stack.pop();
            }
        }
        let mut distinct: Vec<Hash> = hashes.into_iter().flatten().collect();
        distinct.sort_unstable();
        distinct.dedup();
        text.clear();
        text.push_str(head);
        for node in &distinct {
            text.push('|');
            push(&mut text, node);
        }
        if distinct.is_empty() {
            text.push('|');
        }
        let mut digest = String::with_capacity(16);
        push(&mut digest, &hash(&text));
        digest
    }
}
