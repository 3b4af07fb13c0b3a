//! Where a run stands, and what each input does to it. The transitions; their parts are the neighbouring files'.

use super::classify::{Next, classify};
use super::repair::{self, Rejection};
use super::report::Ending;
use super::round::{Round, Took};
use super::{Effect, Machine, Outcome, Verdict, request};
use crate::dialect::{Message, ToolCall};
use crate::event::{CallFailure, Mode, RawEvent, RunEvent, Terminal, Usage};

/// Where a run stands.
#[derive(Debug, Clone)]
pub(super) enum Phase {
    /// Not begun.
    Idle,
    /// A provider call runs.
    Calling(Box<Round>),
    /// A candidate is with the judge.
    Judging(Box<Round>),
    /// Ordinary tools run.
    Tools(ToolRound),
    /// Between a failed call and the next. `fresh`: the failed one had shown something, so the next has a new number.
    Waiting {
        ticket: u32,
        fresh: bool,
    },
    Over,
}

/// Ordinary calls and the results that came so far, in call order.
#[derive(Debug, Clone)]
pub(super) struct ToolRound {
    calls: Vec<(ToolCall, Option<Message>)>,
}

impl Machine {
    fn mode(&self) -> Option<Mode> {
        self.setup.plan.as_ref().map(|plan| plan.mode)
    }

    pub(super) fn start(&mut self, fx: &mut Vec<Effect>) {
        if matches!(self.phase, Phase::Idle) {
            self.announce(fx);
            self.attempt = 1;
            self.call(fx);
        }
    }

    fn announce(&self, fx: &mut Vec<Effect>) {
        let setup = &self.setup;
        fx.push(Effect::Emit(RunEvent::RunStart {
            run: setup.run_id.clone(),
            model: format!("{}/{}", setup.provider, setup.model_id),
            mode: self.mode(),
            schema_hash: setup.schema_hash.clone(),
            simulated: setup.simulated,
        }));
    }

    fn call(&mut self, fx: &mut Vec<Effect>) {
        let index = self.ledger.begin_call();
        let call = Box::new(request::call(&self.setup, &self.history));
        fx.push(Effect::Call { index, call });
        let submit = self.setup.plan.as_ref().and_then(|plan| plan.submit_tool_name);
        self.phase = Phase::Calling(Box::new(Round::new(index, self.attempt, submit)));
    }

    pub(super) fn raw(&mut self, events: Vec<RawEvent>, fx: &mut Vec<Effect>) {
        let Phase::Calling(round) = &mut self.phase else { return };
        for event in events {
            match round.take(event, fx) {
                Took::More => {}
                Took::Ended(terminal) => return self.call_ended(terminal, fx),
                Took::TooMuch => return self.stop(Ending::too_much(), fx),
            }
        }
    }

    pub(super) fn call_ended(&mut self, terminal: Terminal, fx: &mut Vec<Effect>) {
        if !matches!(self.phase, Phase::Calling(_)) {
            return;
        }
        let Phase::Calling(mut round) = std::mem::replace(&mut self.phase, Phase::Over) else { return };
        let next = classify(self.mode(), &round, &terminal);
        round.close(Some(terminal), fx);
        if !matches!(next, Next::Retry(_)) {
            self.ledger.answered();
        }
        match next {
            Next::Judge => self.judge(round, fx),
            Next::Answer => self.answer(*round, fx),
            Next::Tools => self.run_tools(*round, fx),
            Next::Reject(rejection) => self.reject(*round, rejection, fx),
            Next::Retry(failure) => self.retry(*round, failure, fx),
            Next::Fail(ending) => self.fail(*round, ending, fx),
        }
    }

    fn judge(&mut self, round: Box<Round>, fx: &mut Vec<Effect>) {
        let wrapped = self.setup.plan.as_ref().is_some_and(|plan| plan.mode == Mode::Tool && plan.wrapped);
        fx.push(Effect::Judge { attempt: round.attempt, text: round.candidate().to_owned(), wrapped });
        self.phase = Phase::Judging(round);
    }

    pub(super) fn judged(&mut self, attempt: u32, verdict: Verdict, fx: &mut Vec<Effect>) {
        if !matches!(&self.phase, Phase::Judging(round) if round.attempt == attempt) {
            return;
        }
        let Phase::Judging(round) = std::mem::replace(&mut self.phase, Phase::Over) else { return };
        let Some(mode) = self.mode() else { return };
        match verdict {
            Verdict::Valid { value, canonical } => {
                let usage = self.keep(*round, Outcome::Accepted, Vec::new(), fx);
                fx.push(Effect::Emit(RunEvent::StructuredOutputEnd { attempt, mode, value }));
                self.done(usage, canonical, fx);
            }
            Verdict::NotJson(error) => self.reject(*round, Rejection::NotJson(error), fx),
            Verdict::Invalid(issues) => self.reject(*round, Rejection::Invalid(issues), fx),
        }
    }

    fn answer(&mut self, round: Round, fx: &mut Vec<Effect>) {
        let message = round.text.clone();
        let usage = self.keep(round, Outcome::Plain, Vec::new(), fx);
        self.done(usage, message, fx);
    }

    fn done(&mut self, usage: Option<RunEvent>, message: String, fx: &mut Vec<Effect>) {
        fx.extend(usage.map(Effect::Emit));
        fx.push(Effect::Emit(RunEvent::Done { reason: "stop", message }));
        self.end(fx);
    }

    fn run_tools(&mut self, round: Round, fx: &mut Vec<Effect>) {
        if !self.ledger.may_continue() {
            let ending = self.pending.as_ref().map_or_else(
                || Ending::out_of_rounds(self.mode(), self.setup.budget.max_iterations),
                Rejection::ending,
            );
            return self.fail(round, ending, fx);
        }
        self.history.push(round.message());
        let calls = round.calls();
        let usage = self.keep(round, Outcome::Plain, Vec::new(), fx);
        fx.extend(usage.map(Effect::Emit));
        fx.extend(calls.iter().map(|call| Effect::RunTool { call: call.clone() }));
        self.phase = Phase::Tools(ToolRound { calls: calls.into_iter().map(|call| (call, None)).collect() });
    }

    pub(super) fn tool_done(&mut self, call_id: &str, content: String, is_error: bool, fx: &mut Vec<Effect>) {
        let Phase::Tools(round) = &mut self.phase else { return };
        let open = round.calls.iter_mut().find(|(call, result)| call.id == call_id && result.is_none());
        let Some((call, result)) = open else { return };
        let (call_id, name, bytes) = (call.id.clone(), call.name.clone(), content.len());
        *result = Some(Message::ToolResult { call_id: call_id.clone(), name: name.clone(), content, is_error });
        fx.push(Effect::Emit(RunEvent::ToolResult { call_id, name, is_error, bytes }));
        if round.calls.iter().all(|(_, result)| result.is_some()) {
            let results = std::mem::take(&mut round.calls);
            self.history.extend(results.into_iter().filter_map(|(_, result)| result));
            self.ledger.begin_continuation();
            self.call(fx);
        }
    }

    fn reject(&mut self, round: Round, rejection: Rejection, fx: &mut Vec<Effect>) {
        let plan = self.setup.plan.as_ref();
        let allowed = plan.map_or(0, |plan| plan.format.max_validation_retries);
        let Some(plan) = plan.filter(|_| rejection.repairable() && self.ledger.may_repair(allowed)) else {
            let ending = rejection.ending();
            return self.fail_as(round, rejection.outcome(), ending, fx);
        };
        let added = repair::messages(plan, &round, &rejection);
        self.history.extend(added.iter().cloned());
        let usage = self.keep(round, rejection.outcome(), added, fx);
        fx.extend(usage.map(Effect::Emit));
        fx.push(Effect::Emit(rejection.event(self.attempt)));
        self.pending = Some(rejection);
        self.attempt = self.attempt.saturating_add(1);
        self.ledger.begin_repair();
        self.call(fx);
    }

    fn retry(&mut self, round: Round, failure: CallFailure, fx: &mut Vec<Effect>) {
        let Some(delay_ms) = self.ledger.backoff(failure.retry_after_ms) else {
            return self.fail(round, Ending::failed(&failure), fx);
        };
        let (call, fresh) = (round.call, round.shown);
        let event = RunEvent::TransportRetry { call, code: failure.code, status: failure.status, delay_ms };
        let usage = if fresh {
            let outcome = Outcome::Failed { code: failure.code, failure: Some(failure) };
            self.keep(round, outcome, Vec::new(), fx)
        } else {
            usage_event(&round)
        };
        fx.extend(usage.map(Effect::Emit));
        fx.push(Effect::Emit(event));
        let ticket = self.ledger.ticket();
        fx.push(Effect::Wait { ticket, min_ms: delay_ms });
        self.phase = Phase::Waiting { ticket, fresh };
    }

    pub(super) fn waited(&mut self, done: u32, fx: &mut Vec<Effect>) {
        let Phase::Waiting { ticket, fresh } = self.phase else { return };
        if ticket == done {
            self.attempt = self.attempt.saturating_add(u32::from(fresh));
            self.call(fx);
        }
    }

    /// Ends the run from outside, whatever it is doing.
    pub(super) fn stop(&mut self, ending: Ending, fx: &mut Vec<Effect>) {
        match std::mem::replace(&mut self.phase, Phase::Over) {
            Phase::Over => {}
            Phase::Idle => {
                self.announce(fx);
                self.error(ending, fx);
            }
            Phase::Calling(mut round) => {
                fx.push(Effect::DropCall);
                round.close(None, fx);
                self.fail(*round, ending, fx);
            }
            Phase::Judging(round) => self.fail(*round, ending, fx),
            Phase::Tools(_) | Phase::Waiting { .. } => self.error(ending, fx),
        }
    }

    fn fail(&mut self, round: Round, ending: Ending, fx: &mut Vec<Effect>) {
        let outcome = Outcome::Failed { code: ending.code, failure: ending.failure.clone() };
        self.fail_as(round, outcome, ending, fx);
    }

    fn fail_as(&mut self, round: Round, outcome: Outcome, ending: Ending, fx: &mut Vec<Effect>) {
        let usage = self.keep(round, outcome, Vec::new(), fx);
        fx.extend(usage.map(Effect::Emit));
        self.error(ending, fx);
    }

    fn error(&mut self, ending: Ending, fx: &mut Vec<Effect>) {
        let error = ending.error(&self.setup, self.attempt);
        fx.push(Effect::Emit(RunEvent::Error(Box::new(error))));
        self.end(fx);
    }

    fn end(&mut self, fx: &mut Vec<Effect>) {
        self.phase = Phase::Over;
        fx.push(Effect::End);
    }

    /// Files the attempt; hands back its usage event, whose place among the others the caller knows.
    fn keep(&self, round: Round, outcome: Outcome, repair: Vec<Message>, fx: &mut Vec<Effect>) -> Option<RunEvent> {
        let usage = usage_event(&round);
        fx.push(Effect::Keep(Box::new(round.record(self.mode(), outcome, repair))));
        usage
    }
}

fn usage_event(round: &Round) -> Option<RunEvent> {
    let usage = round.usage;
    let said = usage != Usage::default();
    said.then_some(RunEvent::Usage { call: round.call, output_attempt: round.attempt, usage })
}
