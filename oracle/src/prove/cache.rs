//! What was proved before, on disk.
//!
//! A text file, to which each record is appended, whole, as soon as something is proved: a run that is killed at any
//! moment loses what it was at. Each line is a checksum of the rest, what kind of record it is, the answer, and the key;
//! lines that are cut off or altered are passed over. The key of a question is its text, in which variables go by their
//! order, and that of a kernel all that its proof depends on. Only what is proved is kept.

use super::kernel::Kind;
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Changes with what the prover takes for a proof: records of other versions are not used.
const VERSION: &str = "1";

/// Number of proved obligations of each kind, in the order of [`Kind::ALL`].
pub(super) type Counts = [u64; Kind::ALL.len()];

/// Proofs on disk.
#[derive(Debug)]
pub struct Cache {
    path: PathBuf,
    records: HashMap<(Record, String), String>,
    file: Mutex<File>,
    verify: bool,
}

/// What a record is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Record {
    /// A question; the answer is how it was decided.
    Question,
    /// A kernel; the answer is how many obligations of each kind were proved.
    Kernel,
}

impl Record {
    const fn letter(self) -> &'static str {
        match self {
            Record::Question => "question",
            Record::Kernel => "kernel",
        }
    }
}

impl Cache {
    /// Opens the cache in a folder, which is made where there is none. With `verify` nothing in it is believed: what it
    /// says is compared with what is decided anew.
    ///
    /// # Errors
    /// Where the folder or file can't be read or written.
    pub fn open(folder: &Path, verify: bool) -> io::Result<Cache> {
        fs::create_dir_all(folder)?;
        let path = Self::file(folder);
        let mut records = HashMap::new();
        let mut whole = true;
        if path.exists() {
            for line in BufReader::new(File::open(&path)?).split(b'\n') {
                let Ok(line) = String::from_utf8(line?) else { continue };
                if let Some((record, answer, key)) = parse(&line) {
                    records.insert((record, key), answer);
                }
            }
            whole = fs::read(&path)?.last().is_none_or(|&last| last == b'\n');
        }
        let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
        if !whole {
            // The last record was cut off: what follows must not become a part of it.
            file.write_all(b"\n")?;
        }
        Ok(Cache { path, records, file: Mutex::new(file), verify })
    }

    /// Removes the cache in a folder.
    ///
    /// # Errors
    /// Where there is one that can't be removed.
    pub fn drop_in(folder: &Path) -> io::Result<()> {
        match fs::remove_file(Self::file(folder)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn file(folder: &Path) -> PathBuf {
        folder.join("proofs.txt")
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of records that were read.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether no record was read.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Whether what the cache says is to be decided anew.
    pub(super) fn verifies(&self) -> bool {
        self.verify
    }

    /// The answer of a record, where there is one.
    pub(super) fn answer(&self, record: Record, key: &str) -> Option<&str> {
        // A copy of the key for the sake of a look-up is cheap beside what it saves.
        self.records.get(&(record, key.to_owned())).map(String::as_str)
    }

    /// Adds a record, unless it was read. What can't be written is proved again another time.
    pub(super) fn add(&self, record: Record, key: &str, answer: &str) {
        if key.contains('\n') || self.answer(record, key).is_some() {
            return;
        }
        let rest = format!("{VERSION}\t{}\t{answer}\t{key}", record.letter());
        let line = format!("{:016x}\t{rest}\n", checksum(rest.as_bytes()));
        if let Ok(mut file) = self.file.lock() {
            let _ = file.write_all(line.as_bytes());
        }
    }
}

fn parse(line: &str) -> Option<(Record, String, String)> {
    let (sum, rest) = line.split_once('\t')?;
    if u64::from_str_radix(sum, 16).ok()? != checksum(rest.as_bytes()) {
        return None;
    }
    let mut parts = rest.splitn(4, '\t');
    let (version, letter, answer, key) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let record = [Record::Question, Record::Kernel].into_iter().find(|record| record.letter() == letter)?;
    (version == VERSION).then(|| (record, answer.to_owned(), key.to_owned()))
}

/// FNV-1a of 64 bits.
pub(super) fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Counts as a text.
pub(super) fn write_counts(counts: &Counts) -> String {
    counts.map(|count| count.to_string()).join(",")
}

/// The contrary of [`write_counts`].
pub(super) fn read_counts(text: &str) -> Option<Counts> {
    let counts: Vec<u64> = text.split(',').map(str::parse).collect::<Result<_, _>>().ok()?;
    counts.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_survive_and_broken_ones_are_passed_over() {
        let folder = std::env::temp_dir().join(format!("plumb-cache-{}", std::process::id()));
        let _ = Cache::drop_in(&folder);
        let open = || Cache::open(&folder, false).expect("the folder can be written");
        let cache = open();
        cache.add(Record::Question, "a", "proved");
        cache.add(Record::Kernel, "b", "1,2");
        drop(cache);
        // Killed in the middle of a record, and a record that was altered.
        let mut bytes = fs::read(Cache::file(&folder)).expect("written");
        let whole = bytes.len();
        bytes.extend_from_within(..whole / 3);
        fs::write(Cache::file(&folder), &bytes).expect("written");
        let cache = open();
        assert_eq!(cache.len(), 2);
        cache.add(Record::Question, "c", "proved");
        drop(cache);
        let cache = open();
        assert_eq!(cache.len(), 3, "a record after one that was cut off is read");
        assert_eq!(cache.answer(Record::Kernel, "b"), Some("1,2"));
        let altered = String::from_utf8(fs::read(Cache::file(&folder)).expect("written")).expect("text");
        fs::write(Cache::file(&folder), altered.replace("1,2", "9,9")).expect("written");
        assert_eq!(open().answer(Record::Kernel, "b"), None, "an altered record is not believed");
        fs::remove_dir_all(&folder).expect("it is there");
    }
}
