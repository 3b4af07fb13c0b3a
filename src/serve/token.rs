//! The owner's token: made on first start, in a file that only its owner reads; and the one place for a server in a data
//! folder. The token never leaves this process except through that file.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::TryRng as _;
use rand::rngs::SysRng;
use subtle::ConstantTimeEq as _;

use crate::json::sha256_hex;

/// Bytes of randomness in the token.
const BYTES: usize = 32;
/// The token as text: 43 characters of base64url.
const LENGTH: usize = 43;

/// Why there is no token, or no place for this server.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    #[error("the token file {} cannot be used: {source}", file.display())]
    File { file: PathBuf, source: io::Error },
    #[error("the token file {} holds no token of 43 characters: remove it, a new one is made", file.display())]
    NoToken { file: PathBuf },
    #[error("the token file {} can be read by others: chmod 600 it", file.display())]
    Open { file: PathBuf },
    #[error("another server runs on the data folder {}: end it, or give --data-dir", folder.display())]
    Taken { folder: PathBuf },
    #[error("the system gives no random bytes")]
    NoRandomness,
}

/// The secret, and the cookie that stands for it. Compared in constant time, shown by nothing.
pub struct Token {
    text: String,
    cookie: String,
}

impl Token {
    /// Reads the file, or makes it with a new token.
    ///
    /// # Errors
    /// [`TokenError`]
    pub fn load_or_make(file: &Path) -> Result<Self, TokenError> {
        let fault = |source| TokenError::File { file: file.to_owned(), source };
        if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            crate::files::private_folder(folder).map_err(fault)?;
        }
        match private(OpenOptions::new().write(true).create_new(true)).open(file) {
            Ok(mut fresh) => {
                let text = random()?;
                fresh.write_all(format!("{text}\n").as_bytes()).and_then(|()| fresh.sync_all()).map_err(fault)?;
                Ok(Self::of(text))
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Self::read(file),
            Err(error) => Err(fault(error)),
        }
    }

    fn read(file: &Path) -> Result<Self, TokenError> {
        let fault = |source| TokenError::File { file: file.to_owned(), source };
        let about = std::fs::symlink_metadata(file).map_err(fault)?;
        if !about.is_file() {
            return Err(fault(io::Error::new(io::ErrorKind::InvalidInput, "it is a link or no file")));
        }
        #[cfg(unix)]
        if std::os::unix::fs::PermissionsExt::mode(&about.permissions()) & 0o077 != 0 {
            return Err(TokenError::Open { file: file.to_owned() });
        }
        let mut text = String::new();
        File::open(file).and_then(|open| open.take(256).read_to_string(&mut text)).map_err(fault)?;
        let text = text.trim().to_owned();
        let fits = text.len() == LENGTH && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        if fits { Ok(Self::of(text)) } else { Err(TokenError::NoToken { file: file.to_owned() }) }
    }

    fn of(text: String) -> Self {
        // The token is random and of one length: a hash over a fixed word and it tells nothing of it.
        let cookie = sha256_hex(&format!("formwork browser cookie v1\n{text}"));
        Self { text, cookie }
    }

    /// Is it the token?
    #[must_use]
    pub fn is(&self, given: &str) -> bool {
        same(&self.text, given)
    }

    /// Is it the cookie's value?
    #[must_use]
    pub fn is_cookie(&self, given: &str) -> bool {
        same(&self.cookie, given)
    }

    /// What a browser keeps in place of the token.
    #[must_use]
    pub fn cookie(&self) -> &str {
        &self.cookie
    }
}

/// Are two secrets the same? The time tells only their lengths, which are known.
pub(super) fn same(a: &str, b: &str) -> bool {
    a.as_bytes().ct_eq(b.as_bytes()).into()
}

/// A new secret of 256 bits.
pub(super) fn random() -> Result<String, TokenError> {
    let mut bytes = [0_u8; BYTES];
    SysRng.try_fill_bytes(&mut bytes).map_err(|_| TokenError::NoRandomness)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// The data folder's one place for a server; free again when it goes, also by a kill.
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the place.
    ///
    /// # Errors
    /// [`TokenError::Taken`] when another server has it.
    pub(super) fn take(folder: &Path) -> Result<Self, TokenError> {
        let file = folder.join("serve.lock");
        let fault = |source| TokenError::File { file: file.clone(), source };
        crate::files::private_folder(folder).map_err(fault)?;
        let open = private(OpenOptions::new().write(true).create(true).truncate(false)).open(&file).map_err(fault)?;
        match open.try_lock() {
            Ok(()) => Ok(Self { _file: open }),
            Err(std::fs::TryLockError::WouldBlock) => Err(TokenError::Taken { folder: folder.to_owned() }),
            Err(std::fs::TryLockError::Error(error)) => Err(fault(error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_made_once_and_only_its_owner_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("below/serve.token");
        let first = Token::load_or_make(&file).unwrap();
        let text = fs_err::read_to_string(&file).unwrap();
        assert_eq!(text.trim().len(), LENGTH);
        assert!(first.is(text.trim()) && !first.is(first.cookie()) && !first.is(""));
        assert!(Token::load_or_make(&file).unwrap().is(text.trim()));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs_err::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
            fs_err::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
            assert!(matches!(Token::load_or_make(&file), Err(TokenError::Open { .. })));
        }
    }

    #[test]
    fn a_data_folder_has_one_server() {
        let folder = tempfile::tempdir().unwrap();
        let first = Lock::take(folder.path()).unwrap();
        assert!(matches!(Lock::take(folder.path()), Err(TokenError::Taken { .. })));
        drop(first);
        Lock::take(folder.path()).unwrap();
    }
}
