//! What changed since it was told last, as lines: the schema's verdict, the run's attempts, the result, notices, lists.
//!
//! Reads the state after each message and writes what is new. Every line is made safe: nothing of it can drive a
//! terminal.

use std::io::{self, Write};
use std::sync::Arc;

use super::popup;
use crate::text;
use crate::tui::state::attempt::{Attempt, Fate};
use crate::tui::state::result::Shown;
use crate::tui::state::run::{Run, Status};
use crate::tui::state::schema::Report;
use crate::tui::state::{Notice, State, Tone};
use crate::tui::tree::CopyWhat;
use crate::tui::update::mode_words;
use crate::tui::words;

/// Lines of a result that are told; the whole is in the file that `/export` writes.
const MOST_RESULT: usize = 2_000;
/// Lines of a rejected answer that are told.
const MOST_CANDIDATE: usize = 200;

/// What was told of the run on the screen.
#[derive(Debug, Default)]
struct RunTold {
    sequence: u64,
    routed: bool,
    /// The fate last told of each attempt.
    fates: Vec<Fate>,
    waiting: Option<u64>,
    ended: bool,
    pinned: Option<usize>,
    /// Shown attempt and selected issue.
    issue: (usize, usize),
}

/// Writes what is new.
#[derive(Debug)]
pub(super) struct Teller<W: Write> {
    out: W,
    lines: u64,
    notice: Option<Notice>,
    schema: (u64, String),
    run: RunTold,
    /// Which value was told: run, sample, address.
    result: Option<(u64, Option<u64>, usize)>,
    popup: String,
    tenth: Option<u64>,
}

impl<W: Write> Teller<W> {
    pub(super) fn new(out: W) -> Self {
        Self {
            out,
            lines: 0,
            notice: None,
            schema: (0, String::new()),
            run: RunTold::default(),
            result: None,
            popup: String::new(),
            tenth: None,
        }
    }

    /// How many lines were told.
    pub(super) fn told(&self) -> u64 {
        self.lines
    }

    /// Tells one line at once.
    pub(super) fn line(&mut self, line: &str) -> io::Result<()> {
        self.put(line)?;
        self.out.flush()
    }

    /// Tells a text of several lines at once.
    pub(super) fn lines(&mut self, text: &str) -> io::Result<()> {
        self.put_lines(text, usize::MAX, "")?;
        self.out.flush()
    }

    fn put(&mut self, line: &str) -> io::Result<()> {
        self.lines += 1;
        self.out.write_all(text::safe(line).trim_end().as_bytes())?;
        self.out.write_all(b"\n")
    }

    /// At most so many lines; `rest` says where the others are.
    fn put_lines(&mut self, text: &str, most: usize, rest: &str) -> io::Result<()> {
        let text = text::safe_keep_lines(text);
        let mut lines = text.trim_end().split('\n');
        for line in lines.by_ref().take(most) {
            self.put(line)?;
        }
        match lines.count() {
            0 => Ok(()),
            more => self.put(&format!("and {} more{rest}", words::count(more, "line"))),
        }
    }

    /// Tells what changed.
    pub(super) fn tell(&mut self, state: &mut State) -> io::Result<()> {
        let before = self.lines;
        self.tell_schema(state)?;
        let schema_lines = self.lines;
        self.tell_run(state)?;
        self.tell_pull(state)?;
        if state.notice != self.notice {
            self.notice.clone_from(&state.notice);
            // Of a run the lines above say the same, and more.
            if let Some(notice) = self.notice.clone().filter(|_| self.lines == schema_lines) {
                let lead = match notice.tone {
                    Tone::Info | Tone::Good => "",
                    Tone::Warn => "note: ",
                    Tone::Bad => "error: ",
                };
                self.put(&format!("{lead}{}", notice.text))?;
            }
        }
        self.tell_result(state)?;
        self.tell_popup(state)?;
        if self.lines == before { Ok(()) } else { self.out.flush() }
    }

    fn tell_schema(&mut self, state: &State) -> io::Result<()> {
        if state.schema.checking() || state.schema.editor.is_blank() {
            return Ok(());
        }
        let Some((generation, report)) = state.schema.report.as_ref().filter(|(g, _)| *g != self.schema.0) else {
            return Ok(());
        };
        let verdict = verdict(state, report);
        let known = self.schema.1 == verdict;
        self.schema = (*generation, verdict.clone());
        if known { Ok(()) } else { self.put_lines(&verdict, MOST_CANDIDATE, "") }
    }

    fn tell_run(&mut self, state: &State) -> io::Result<()> {
        let Some(run) = &state.run else { return Ok(()) };
        if run.sequence != self.run.sequence {
            self.run = RunTold { sequence: run.sequence, ..RunTold::default() };
            let simulated = if run.simulated { ", simulated" } else { "" };
            self.put(&format!("run {}: {}{simulated}", run.sequence, run.model))?;
        }
        if let Some(plan) = run.plan.as_ref().filter(|_| !self.run.routed) {
            self.run.routed = true;
            if run.structured {
                self.put(&format!("route: {}", mode_words(plan)))?;
            }
        }
        for (at, attempt) in run.attempts.iter().enumerate() {
            self.tell_attempt(at, attempt)?;
        }
        if let Status::Waiting { until, code, status } = &run.status
            && self.run.waiting != Some(*until)
        {
            self.run.waiting = Some(*until);
            let status = status.map_or(String::new(), |status| format!(" ({status})"));
            let wait = words::span(until.saturating_sub(state.now));
            self.put(&format!("the call failed: {}{status}; the next one goes out in {wait}", code.code()))?;
        }
        self.tell_end(run)?;
        self.tell_choice(run)
    }

    fn tell_attempt(&mut self, at: usize, attempt: &Attempt) -> io::Result<()> {
        let before = self.run.fates.get(at).copied();
        if before == Some(attempt.fate) {
            return Ok(());
        }
        let number = attempt.number;
        if before.is_none() {
            self.run.fates.push(Fate::Streaming);
            self.put(&format!("attempt {number}: under way"))?;
        }
        match attempt.fate {
            Fate::Streaming | Fate::Judging => return Ok(()),
            Fate::Accepted => self.put(&format!("attempt {number}: accepted"))?,
            Fate::Text => self.put(&format!("attempt {number}: answered"))?,
            Fate::Failed(_) => self.put(&format!("attempt {number}: {}", words::fate(attempt.fate)))?,
            Fate::Rejected(_) => {
                let faults = match attempt.faults() {
                    0 => String::new(),
                    n => format!(", {}", words::count(n, "issue")),
                };
                self.put(&format!("attempt {number}: {}{faults}", words::fate(attempt.fate)))?;
                self.tell_issues(attempt)?;
            }
        }
        if let Some(told) = self.run.fates.get_mut(at) {
            *told = attempt.fate;
        }
        Ok(())
    }

    fn tell_issues(&mut self, attempt: &Attempt) -> io::Result<()> {
        if let Some((position, hint)) = attempt.slip {
            self.put(&format!("issue: {}", words::slip(position, hint)))?;
        }
        for at in 0..attempt.issues.len() {
            self.put(&issue(attempt, at))?;
        }
        match attempt.omitted {
            0 => Ok(()),
            n => self.put(&format!("and {} more", words::count(n, "issue"))),
        }
    }

    fn tell_end(&mut self, run: &Run) -> io::Result<()> {
        if run.running() || std::mem::replace(&mut self.run.ended, true) {
            return Ok(());
        }
        let took = words::span(run.ended.unwrap_or(run.started).saturating_sub(run.started));
        let tokens = run.tokens();
        let count = |n: Option<u64>, word: &str| n.map_or(String::new(), |n| format!(", {n} tokens {word}"));
        let spent = format!("{took}{}{}", count(tokens.input_tokens, "in"), count(tokens.output_tokens, "out"));
        match &run.status {
            Status::Failed(error) => {
                self.put(&format!("run failed: error[{}]: {} ({spent})", error.code.code(), error.message))?;
                for (label, fact) in &error.facts {
                    self.put(&format!("{label}: {}", words::on_screen(fact)))?;
                }
                Ok(())
            }
            Status::Done | Status::Running | Status::Waiting { .. } => self.put(&format!("run done ({spent})")),
        }
    }

    /// The attempt or the issue that was chosen to look at.
    fn tell_choice(&mut self, run: &Run) -> io::Result<()> {
        let Some(attempt) = run.shown() else { return Ok(()) };
        let issue_told = (run.shown_index(), attempt.selected);
        if run.pinned.is_some() && run.pinned != self.run.pinned {
            self.put(&format!("attempt {}: {}", attempt.number, words::fate(attempt.fate)))?;
            self.put_lines(attempt.rows.text(), MOST_CANDIDATE, "; /copy candidate takes them all")?;
            self.tell_issues(attempt)?;
        } else if issue_told != self.run.issue && issue_told.0 == self.run.issue.0 && !attempt.issues.is_empty() {
            self.put(&format!("{} of {}", issue(attempt, attempt.selected), attempt.issues.len()))?;
            if let Some(place) = attempt.place() {
                self.put(&place_words(attempt.rows.text(), place.start))?;
            }
        }
        (self.run.pinned, self.run.issue) = (run.pinned, issue_told);
        Ok(())
    }

    fn tell_result(&mut self, state: &State) -> io::Result<()> {
        let run = state.run.as_ref().map_or(0, |run| run.sequence);
        let result = &state.result;
        let simulated = if result.simulated { ", simulated" } else { "" };
        match &result.shown {
            Shown::Nothing | Shown::Building => Ok(()),
            Shown::Value(built) => {
                let key = (run, result.sample, Arc::as_ptr(&built.value) as usize);
                if self.result == Some(key) {
                    return Ok(());
                }
                self.result = Some(key);
                self.put(&match result.sample {
                    Some(seed) => format!("sample, seed {seed}: no answer"),
                    None => format!("result of attempt {}, valid ({}){simulated}:", result.attempt, result.mode),
                })?;
                self.put_lines(&built.tree.copy(0, CopyWhat::Json), MOST_RESULT, "; /export FILE writes them all")
            }
            Shown::Text(rows) => {
                let key = (run, None, 0);
                if self.result == Some(key) {
                    return Ok(());
                }
                self.result = Some(key);
                self.put(&format!("answer{simulated}:"))?;
                self.put_lines(rows.text(), MOST_RESULT, "; /copy value takes them all")
            }
        }
    }

    /// A download, a tenth at a time.
    fn tell_pull(&mut self, state: &State) -> io::Result<()> {
        let tenth = state.pull.as_ref().and_then(|pull| Some((pull, pull.total.filter(|total| *total > 0)?)));
        let tenth = tenth.map(|(pull, total)| (pull.done.saturating_mul(10) / total, pull));
        if let Some((tenth, pull)) = tenth.filter(|(tenth, _)| Some(*tenth) != self.tenth) {
            self.tenth = Some(tenth);
            return self.put(&format!("{}: {} % of {}", pull.name, tenth * 10, words::bytes(pull.total.unwrap_or(0))));
        }
        if tenth.is_none() {
            self.tenth = None;
        }
        Ok(())
    }

    fn tell_popup(&mut self, state: &mut State) -> io::Result<()> {
        let text = popup::told(state).unwrap_or_default();
        if text != self.popup {
            if !text.is_empty() {
                self.put_lines(&text, usize::MAX, "")?;
            }
            self.popup = text;
        }
        while state.popups.last().is_some_and(popup::passes) {
            state.popups.pop();
            self.popup.clear();
        }
        Ok(())
    }
}

/// What preflight and negotiation say.
fn verdict(state: &State, report: &Report) -> String {
    let name = state.schema.name();
    let problems = state.schema.problems();
    let mut lines = Vec::new();
    match (&report.checked, &report.route) {
        (Err(_), _) => lines.push(format!("schema {name}: {}", words::count(problems.len(), "problem"))),
        (Ok(_), Some(Ok(plan))) => {
            lines.push(format!("schema {name}: legal; {} takes it by {}", state.models.name, mode_words(plan)));
        }
        (Ok(_), Some(Err(_))) => {
            lines.push(format!("schema {name}: legal; no route to {}: /run.route explains", state.models.name));
        }
        (Ok(_), None) => lines.push(format!("schema {name}: legal")),
    }
    for problem in problems {
        let kind = if problem.fatal { "problem" } else { "warning" };
        lines.push(format!("{kind} at line {}, column {}: {}", problem.line, problem.column, problem.message));
    }
    lines.join("\n")
}

/// `issue 2 at /lines/0/total: expected a number, found text "many"`.
fn issue(attempt: &Attempt, at: usize) -> String {
    let Some(issue) = attempt.issues.get(at) else { return String::new() };
    let path = if issue.path.is_empty() { "the root" } else { &issue.path };
    let why = attempt.findings.get(at).and_then(|found| found.why.as_deref()).unwrap_or(&issue.message);
    format!("issue {} at {path}: {why}", at + 1)
}

/// `answer, line 3: "total": "many"`.
fn place_words(text: &str, offset: usize) -> String {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count();
    let shown = text.lines().nth(line).unwrap_or_default();
    format!("answer, line {}: {}", line + 1, text::truncate(shown.trim(), 200))
}
