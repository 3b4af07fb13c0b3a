//! A folder of its own for one run of the real binary: configuration, schemas, and nothing of the machine's environment.

use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use tempfile::TempDir;

use crate::server::Server;

/// The test's world.
pub(crate) struct Place {
    dir: TempDir,
}

/// How a run ended.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    /// With a declared endpoint `lab` that takes schemas natively and as a strict tool.
    pub(crate) fn with_lab(server: &Server) -> Self {
        Self::with_declared(server, "structured_output = { native = \"supported\", strict_tool = true }")
    }

    /// With an endpoint `lab` and this declaration (may be empty).
    pub(crate) fn with_declared(server: &Server, declared: &str) -> Self {
        let place = Self::new();
        let url = &server.base_url;
        place.write(
            "config.toml",
            format!(
                "[providers.lab]\ndialect = \"openai_chat\"\nbase_url = \"{url}\"\napi_key_env = \"LAB_KEY\"\nmodels = [\"m\"]\n{declared}\n"
            ),
        );
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs_err::write(self.path(name), content).unwrap();
    }

    /// The binary in this folder, with an empty environment.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_formwork"));
        command.args(args).current_dir(self.dir.path()).env_clear();
        command.env("HOME", self.dir.path()).env("FORMWORK_CONFIG", self.path("config.toml"));
        command.env("FORMWORK_DATA_DIR", self.path("data")).env("LAB_KEY", KEY);
        if !self.path("config.toml").exists() {
            self.write("config.toml", "");
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs to the end.
    pub(crate) fn run(&self, args: &[&str]) -> Ended {
        Ended::from(self.command(args).output().unwrap())
    }

    /// Runs to the end with this on standard input.
    pub(crate) fn run_with(&self, args: &[&str], input: impl AsRef<[u8]>) -> Ended {
        self.write("stdin.bin", input);
        let file = fs_err::File::open(self.path("stdin.bin")).unwrap();
        Ended::from(self.command(args).stdin(Stdio::from(file.into_file())).output().unwrap())
    }

    /// Starts and leaves running.
    pub(crate) fn spawn(&self, args: &[&str]) -> Child {
        self.command(args).spawn().unwrap()
    }
}

/// The key of the lab: must never be seen.
pub(crate) const KEY: &str = "sk-lab-0123456789abcdefghijklmn";

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is no UTF-8");
        let ended = Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) };
        assert!(!ended.stdout.contains(KEY) && !ended.stderr.contains(KEY), "the key was shown");
        assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
        ended
    }
}

impl Ended {
    /// Fails with everything that was said.
    #[track_caller]
    pub(crate) fn is(&self, code: i32, stdout: &str) {
        assert_eq!((self.code, self.stdout.as_str()), (Some(code), stdout), "stderr:\n{}", self.stderr);
    }

    #[track_caller]
    pub(crate) fn fails(&self, code: i32, error: &str) {
        assert_eq!((self.code, self.stdout.as_str()), (Some(code), ""), "stderr:\n{}", self.stderr);
        let head = format!("error[{error}]: ");
        assert!(self.stderr.lines().any(|line| line.starts_with(&head)), "wanted {head:?} in:\n{}", self.stderr);
    }

    #[track_caller]
    pub(crate) fn says(&self, words: &str) {
        assert!(self.stderr.contains(words), "wanted {words:?} in:\n{}", self.stderr);
    }

    #[track_caller]
    pub(crate) fn keeps_silent_about(&self, words: &str) {
        assert!(!self.stderr.contains(words), "{words:?} is in:\n{}", self.stderr);
    }
}
