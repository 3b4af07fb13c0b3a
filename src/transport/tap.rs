//! The bytes of a response as they arrived, for the user's own screen: kept only when asked for, secrets out even where
//! a secret lies across two reads. Changes nothing of what is decoded.

use super::secrets::Secrets;

/// Bytes of one step at most: a stream of nothing but comments must not fill the memory.
const MOST: usize = 16 * 1024 * 1024;

/// Are the bytes of a response kept until they are taken?
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Keep {
    Bytes,
    #[default]
    Nothing,
}

/// See the module. Holds one step's bytes: a batch of reads, or a body that came whole.
#[derive(Debug, Default)]
pub(super) struct Tap {
    keep: Keep,
    read: Vec<u8>,
}

impl Tap {
    pub(super) fn set(&mut self, keep: Keep) {
        self.keep = keep;
        match keep {
            Keep::Bytes => {}
            Keep::Nothing => self.read = Vec::new(),
        }
    }

    /// Bytes arrived.
    pub(super) fn see(&mut self, bytes: &[u8]) {
        match self.keep {
            Keep::Bytes => {
                let room = MOST.saturating_sub(self.read.len()).min(bytes.len());
                self.read.extend_from_slice(bytes.get(..room).unwrap_or_default());
            }
            Keep::Nothing => {}
        }
    }

    /// What arrived since the last time; a possible beginning of a secret stays behind unless the response is `over`.
    pub(super) fn take(&mut self, secrets: &Secrets, over: bool) -> Vec<u8> {
        secrets.clean_bytes(&mut self.read);
        let held = if over { 0 } else { secrets.begun(&self.read) };
        let rest = self.read.split_off(self.read.len() - held.min(self.read.len()));
        std::mem::replace(&mut self.read, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tapped(secrets: &Secrets, reads: &[&str]) -> Vec<String> {
        let mut tap = Tap::default();
        tap.set(Keep::Bytes);
        let last = reads.len() - 1;
        let taken = reads.iter().enumerate().map(|(at, read)| {
            tap.see(read.as_bytes());
            String::from_utf8(tap.take(secrets, at == last)).unwrap()
        });
        taken.collect()
    }

    #[test]
    fn a_secret_across_reads_is_never_seen() {
        let secrets = Secrets::of_texts(&["sk-secret-key"]);
        assert_eq!(tapped(&secrets, &["a sk-secret-key b"]), ["a [secret] b"]);
        assert_eq!(tapped(&secrets, &["a sk-sec", "ret-key b", "c"]), ["a ", "[secret] b", "c"]);
        assert_eq!(tapped(&secrets, &["s", "k", "-secret-ke", "y."]), ["", "", "", "[secret]."]);
        assert_eq!(tapped(&secrets, &["sk-sk-secret", "-key"]), ["sk-", "[secret]"]);
        assert_eq!(tapped(&secrets, &["this is", " it", "sk-"]), ["this i", "s it", "sk-"]);
        assert_eq!(tapped(&Secrets::default(), &["s", "k"]), ["s", "k"]);
    }

    #[test]
    fn nothing_is_kept_unless_asked_for() {
        let mut tap = Tap::default();
        tap.see(b"abc");
        assert!(tap.take(&Secrets::default(), true).is_empty());
    }
}
