//! The rows. One place, one line of meaning each; everything that names a key or a command is generated from here.

use super::{Args, Command, Context, Need};

/// Declares [`Id`] and the rows in one go, so that neither can miss the other.
macro_rules! commands {
    ($($id:ident $name:literal $title:literal $doc:literal
        [$($context:ident)*] [$($key:literal)*]
        $(slash $slash:literal $args:ident)? $(needs [$($need:ident)*])? $(hint $hint:literal)?;)*) => {
        /// A command.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Id { $($id),* }

        const TABLE: &[Command] = &[$(Command {
            id: Id::$id,
            name: $name,
            title: $title,
            doc: $doc,
            contexts: &[$(Context::$context),*],
            keys: &[$($key),*],
            slash: first(&[$($slash)?]),
            args: args(&[$(Args::$args)?]),
            needs: &[$($(Need::$need),*)?],
            hint: first(&[$($hint)?]),
        }),*];
    };
}

const fn first(texts: &[&'static str]) -> &'static str {
    if let [text, ..] = texts { text } else { "" }
}

const fn args(given: &[Args]) -> Args {
    if let [args, ..] = given { *args } else { Args::None }
}

/// Every command, in the order of help and palette.
#[must_use]
pub fn table() -> &'static [Command] {
    TABLE
}

commands! {
    // -- run
    RunStart "run.start" "Run" "Sends the prompt (the last one when the draft is empty) with the schema and shows every attempt."
        [Global] ["ctrl-r"] slash "/run" None needs [Prompt SchemaLegal] hint "run";
    RunCancel "run.cancel" "Cancel the run" "Stops the running call at once; what streamed so far stays to be read."
        [Global] ["esc"] needs [Running] hint "cancel";
    ModelPick "model.pick" "Choose the model" "Picks the model that answers, with the route its endpoint would take."
        [Global] ["alt-m"] slash "/model" Model hint "model";
    ModelPull "model.pull" "Pull a model" "Downloads a model that runs inside the program; without a name, offers those there are."
        [Global] ["alt-d"] slash "/pull" Weights needs [LocalModel];
    Probe "model.probe" "Probe the model" "Finds out what a model's server really holds of a schema; says first what it may cost, and asks."
        [Global] [] slash "/probe" Model;
    Fallback "run.fallback" "Fallback" "Sets what a run may do when the provider has no native schema parameter."
        [Global] [] slash "/fallback" Fallback;
    Retries "run.retries" "Call budget" "Sets how many provider calls a run may spend, repair included."
        [Global] [] slash "/retries" Retries;
    Project "run.project" "Projection level" "Sets how far the schema may be changed for the provider."
        [Global] ["alt-l"] slash "/project" Level;
    ProjectExact "run.project.exact" "Project: exact" "Allows only changes that keep the meaning of the schema."
        [Global] ["alt-e"];
    ProjectNarrow "run.project.narrow" "Project: narrow" "Lets the provider's copy of the schema accept fewer values."
        [Global] ["alt-n"];
    ProjectRelax "run.project.relax" "Project: relax" "Lets the provider's copy drop constraints; they are still checked locally."
        [Global] ["alt-x"];
    Route "run.route" "Explain the route" "Lists every route to the selected model, why it is open or closed, and what a projection would change."
        [Global] ["alt-w"];
    // -- application
    Palette "app.palette" "Command palette" "Finds any command by name."
        [Global] ["ctrl-p"] hint "commands";
    Help "app.help" "Help" "Shows keys and commands for the focused part; with a word, what is known of it: a command, a setting, a keyword of JSON Schema."
        [Global] ["f1"] slash "/help" Topic hint "help";
    ReaderHelp "app.help.reader" "Help" "Shows keys and commands for the focused part."
        [Candidate Result Attempts] ["?"];
    Tour "app.tour" "Guided tour" "Leads through one run in five steps, offline: a schema, a run, what was rejected, why, the result."
        [Global] [] slash "/tour" None;
    TourSkip "tour.skip" "Skip the step" "Goes on to the next step of the tour."
        [Global] ["alt-9"] needs [Tour];
    TourEnd "tour.end" "End the tour" "Leaves the tour; the model of before answers again."
        [Global] ["alt-0"] needs [Tour];
    ThemePick "app.theme" "Choose the theme" "Picks a theme with a live preview."
        [Global] ["alt-t"] slash "/theme" Theme;
    ConfigShow "app.config" "Show the configuration" "Shows which configuration files are in force and where they lie."
        [Global] [] slash "/config" None;
    Redraw "app.redraw" "Redraw the screen" "Paints everything again, should another program have written on it."
        [Always] ["ctrl-l"];
    Suspend "app.suspend" "Suspend" "Gives the terminal back to the shell; fg returns."
        [Always] ["ctrl-z"];
    Interrupt "app.interrupt" "Close, cancel, clear, quit" "Closes the popup, else cancels the run, the probe or the download, else clears the draft, else quits when pressed twice."
        [Always] ["ctrl-c"];
    Quit "app.quit" "Quit" "Ends the program; unsaved schema text is asked about first."
        [Global] ["ctrl-q"] slash "/quit" None;
    Mouse "app.mouse" "Mouse on or off" "Turns the mouse on (a click focuses, the wheel scrolls, borders can be dragged) or off; off leaves selecting to the terminal."
        [Global] [] slash "/mouse" None;
    // -- focus
    FocusNext "focus.next" "Next part" "Moves the focus to the next part."
        [Global] ["tab"] hint "next part";
    FocusPrevious "focus.previous" "Previous part" "Moves the focus to the previous part."
        [Global] ["shift-tab"];
    FocusSchema "focus.schema" "Go to the schema" "Focuses the schema editor."
        [Global] ["alt-1" "f2"];
    FocusPrompt "focus.prompt" "Go to the prompt" "Focuses the prompt."
        [Global] ["alt-2" "f3"];
    FocusCandidate "focus.candidate" "Go to the candidate" "Focuses the streamed text."
        [Global] ["alt-3" "f4"];
    FocusResult "focus.result" "Go to the result" "Focuses the validated value."
        [Global] ["alt-4" "f5"];
    FocusAttempts "focus.attempts" "Go to the attempts" "Focuses the list of attempts."
        [Global] ["alt-5" "f6"];
    Zoom "view.zoom" "Zoom" "Gives the whole screen to the focused part, and back."
        [Global] ["alt-z" "f9"];
    Wider "view.wider" "Wider" "Makes the focused part wider, where parts lie side by side."
        [Global] ["alt-="];
    Narrower "view.narrower" "Narrower" "Makes the focused part narrower."
        [Global] ["alt--"];
    Taller "view.taller" "Taller" "Makes the focused part taller."
        [Global] ["alt-+"];
    Shorter "view.shorter" "Shorter" "Makes the focused part shorter."
        [Global] ["alt-_"];
    Layout "view.layout" "Layout of the panes" "Changes the size of the focused part, or gives all parts their usual size again; it is remembered."
        [Global] [] slash "/layout" Layout;
    Jump "focus.jump" "Jump to a part" "Shows a letter on every part; that letter goes there."
        [Global] ["alt-'"];
    Which "app.keys" "Keys here" "Shows every key that does something here and now; the next key does it."
        [Global] ["alt-?"];
    // -- schema
    SchemaLoad "schema.load" "Load a schema" "Opens a JSON Schema file; without a path, finds one below the working folder."
        [Global] ["ctrl-o"] slash "/schema load" SchemaPath;
    SchemaRecent "schema.recent" "Recent schemas" "Opens one of the schema files used before."
        [Global] ["alt-R"] slash "/schema recent" None;
    SchemaNew "schema.new" "New schema" "Starts from a small schema that is legal everywhere."
        [Global] ["ctrl-n"] slash "/schema new" None;
    SchemaSave "schema.save" "Save the schema" "Writes the schema to its file, or to the path given."
        [Global] ["ctrl-s"] slash "/schema save" SavePath needs [SchemaText] hint "save";
    SchemaEdit "schema.edit" "Edit in $EDITOR" "Opens the schema in your editor and takes the text back."
        [Schema] ["alt-o"] slash "/schema edit" None;
    Board "schema.board" "Portability board" "Shows what every provider makes of the schema, why, and the edits that would change it."
        [Global] ["alt-b"] slash "/schema board" None needs [SchemaText SchemaLegal];
    Fields "schema.fields" "Fields" "Shows the schema as a tree of fields; Enter on one opens a form that edits it."
        [Global] ["alt-f"] slash "/schema fields" None needs [SchemaText];
    BoardOpen "board.open" "Places and edits" "Lists what stands in the provider's way, and the edits that would help; Enter on one shows its diff first."
        [Board] ["enter"] hint "places and edits";
    SchemaSample "schema.sample" "Sample from the schema" "Makes an instance of the schema and shows it in the result's place, marked as a sample; a number picks another."
        [Global] ["alt-s"] slash "/schema sample" Seed needs [SchemaText SchemaLegal];
    SchemaLoose "schema.loose" "Looseness of the schema" "Spoils a good answer (the last result, else a sample, or the file named) and lists what is still accepted, with the constraint that would stop it."
        [Global] ["alt-j"] slash "/schema loose" AnswerPath needs [SchemaText SchemaLegal];
    SchemaWeight "schema.weight" "Weight of the schema" "Estimates the tokens the schema costs, field by field."
        [Global] ["alt-y"] slash "/schema weight" None needs [SchemaText SchemaLegal];
    SchemaVersions "schema.versions" "Versions of the schema" "Lists the schemas that were run in this folder, newest first; Enter puts one into the editor."
        [Global] ["alt-v"] slash "/schema versions" None;
    Retro "schema.retro" "Earlier answers that changed" "Lists the earlier answers that the edited schema judges otherwise than their run did; Enter shows one."
        [Global] ["alt-h"] slash "/retro" None needs [Changed];
    SchemaJson "schema.json" "Convert to JSON" "Replaces a schema in YAML, TOML or with comments by the JSON it stands for."
        [Global] ["alt-J"] slash "/schema json" None needs [SchemaText];
    SchemaPick "schema.pick" "Take a part" "Takes one schema out of a document that is none: an OpenAPI file, a request, tools, a value."
        [Global] ["alt-P"] slash "/schema pick" Part needs [SchemaText];
    SchemaInfer "schema.infer" "Infer from values" "Makes a schema that takes the values in these files: JSON, JSON lines, YAML or TOML."
        [Global] ["alt-I"] slash "/schema infer" Samples;
    SchemaShort "schema.short" "From a short form" "Makes a schema from fields such as: name, age int: in years, tags [str]."
        [Global] ["alt-S"] slash "/schema short" Fields;
    ProblemNext "schema.problem.next" "Next problem" "Jumps to the next problem of the schema."
        [Global] ["f8"] needs [Problem];
    ProblemPrevious "schema.problem.previous" "Previous problem" "Jumps to the previous problem of the schema."
        [Global] ["shift-f8" "f7"] needs [Problem];
    ProblemList "schema.problems" "List the problems" "Lists the problems and warnings of the schema; Enter jumps to one."
        [Global] ["alt-p"] needs [Problem];
    Undo "edit.undo" "Undo" "Takes the last edit back, a word at a time."
        [Schema Prompt] ["alt-u"];
    Redo "edit.redo" "Redo" "Makes an undone edit again."
        [Schema Prompt] ["ctrl-y"];
    Search "edit.search" "Search" "Searches the schema's text."
        [Schema] ["ctrl-f"];
    SearchNext "edit.search.next" "Next match" "Goes to the next match of the search."
        [Schema] ["ctrl-g" "f10"];
    SearchPrevious "edit.search.previous" "Previous match" "Goes to the match before."
        [Schema] ["shift-f10"];
    SearchCase "edit.search.case" "Case of letters" "Lets the case of letters matter in the search, and back."
        [Line] ["alt-c"];
    SearchPattern "edit.search.pattern" "Regular expression" "Searches for a regular expression instead of a text, and back; $1 in the replacement is its first group."
        [Line] ["alt-r"];
    Replace "edit.replace" "Replace" "Replaces what is searched for: one by one, or all at once."
        [Schema] ["alt-r"] slash "/schema replace" None needs [SchemaText];
    ReplaceAll "edit.replace.all" "Replace all" "Replaces every match as one edit."
        [Line] ["alt-enter"];
    SelectAll "edit.select.all" "Select all" "Selects the whole text; Shift with a move selects a part."
        [Schema] ["alt-a"];
    EditCopy "edit.copy" "Copy the selection" "Copies the selection; without one, the line."
        [Schema] ["alt-c"];
    Cut "edit.cut" "Cut" "Takes the selection out, or the line, into the clipboard."
        [Schema] ["ctrl-x"];
    Paste "edit.paste" "Paste" "Puts back what was cut or copied last."
        [Schema] ["ctrl-v"];
    Duplicate "edit.duplicate" "Duplicate the line" "Puts a copy of the line, or of the selected lines, below."
        [Schema] ["ctrl-d"];
    LineUp "edit.line.up" "Move the line up" "Moves the line, or the selected lines, over the one above."
        [Schema] ["alt-shift-up"];
    LineDown "edit.line.down" "Move the line down" "Moves the line, or the selected lines, below the next."
        [Schema] ["alt-shift-down"];
    LineDelete "edit.line.delete" "Delete the line" "Deletes the line, or the selected lines."
        [Schema] ["alt-k"];
    Indent "edit.indent" "Indent" "Moves the line, or the selected lines, one step in."
        [Schema] ["alt-."];
    Outdent "edit.outdent" "Outdent" "Moves the line, or the selected lines, one step out."
        [Schema] ["alt-,"];
    Format "schema.format" "Lay the schema out" "Lays the text out anew; keys keep their order, numbers and texts every letter."
        [Schema] ["alt-F"] slash "/schema format" None needs [SchemaText];
    Minify "schema.minify" "Minify the schema" "Takes out all space between the parts of the text."
        [Schema] ["alt-M"] slash "/schema minify" None needs [SchemaText];
    Target "schema.target" "To the reference's target" "Goes to what the reference at the caret names."
        [Schema] ["f12" "alt-g"] slash "/schema target" None needs [SchemaText];
    Back "schema.back" "Back" "Goes back to where the last jump began."
        [Schema] ["alt-left"] slash "/schema back" None needs [SchemaText];
    References "schema.references" "List the references" "Lists the references that lead to the definition at the caret."
        [Schema] ["shift-f12"] slash "/schema references" None needs [SchemaText];
    Draft "schema.draft" "Unsaved work" "Restores, shows or discards schema text that an earlier program left unsaved."
        [Global] ["alt-D"] slash "/schema draft" Draft needs [Draft];
    Complete "schema.complete" "Complete" "Offers keywords, values, targets or names for the place at the caret."
        [Schema] ["ctrl-space" "alt-/"];
    CompleteNext "complete.next" "Next candidate" "Selects the next candidate."
        [Complete] ["down"];
    CompletePrevious "complete.previous" "Previous candidate" "Selects the candidate before."
        [Complete] ["up"];
    CompleteAccept "complete.accept" "Take the candidate" "Puts the selected candidate at the caret."
        [Complete] ["tab" "enter"];
    CompleteClose "complete.close" "Close the candidates" "Hides the candidates."
        [Complete] ["esc"];
    Bracket "edit.bracket" "Matching bracket" "Jumps to the bracket that belongs to the one at the caret."
        [Schema] ["ctrl-b"];
    SchemaFold "schema.fold" "Fold or unfold" "Folds the object or array at the caret, or opens it; a number folds all that stands deeper."
        [Schema] ["ctrl-t"] slash "/schema fold" Depth needs [SchemaText];
    SchemaUnfold "schema.unfold" "Unfold all" "Opens all that is folded in the schema."
        [Schema] ["alt-T"] slash "/schema unfold" None needs [SchemaText];
    // -- prompt
    PromptSend "prompt.send" "Send" "Runs the prompt, or the slash command it holds."
        [Prompt] ["enter"] hint "send";
    PromptNewline "prompt.newline" "New line" "Begins a new line in the prompt."
        [Prompt] ["ctrl-j" "alt-enter" "shift-enter"] hint "new line";
    PromptOlder "prompt.older" "Older prompt" "Brings back an older prompt; inside the text, moves up."
        [Prompt] ["up"];
    PromptNewer "prompt.newer" "Newer prompt" "Brings back a newer prompt; inside the text, moves down."
        [Prompt] ["down"];
    PromptEdit "prompt.edit" "Edit the prompt in $EDITOR" "Opens the prompt in your editor and takes the text back."
        [Prompt] ["alt-o"];
    SlashNext "slash.next" "Next completion" "Selects the next completion."
        [Slash] ["down"];
    SlashPrevious "slash.previous" "Previous completion" "Selects the previous completion."
        [Slash] ["up"];
    SlashAccept "slash.accept" "Complete" "Takes the selected completion."
        [Slash] ["tab"];
    SlashClose "slash.close" "Close the completions" "Hides the completions until the next edit."
        [Slash] ["esc"];
    // -- readers: candidate, result, attempts, pages
    Up "scroll.up" "Up" "Moves one row up."
        [Candidate Result Attempts Page Ask Board Raw Turns] ["up" "k"];
    Down "scroll.down" "Down" "Moves one row down."
        [Candidate Result Attempts Page Ask Board Raw Turns] ["down" "j"];
    PageUp "scroll.page.up" "Page up" "Moves one page up."
        [Candidate Result Attempts Page Ask Board Raw Turns] ["pageup" "ctrl-u"];
    PageDown "scroll.page.down" "Page down" "Moves one page down."
        [Candidate Result Attempts Page Ask Board Raw Turns] ["pagedown" "ctrl-d"];
    Top "scroll.top" "To the top" "Moves to the first row."
        [Candidate Result Attempts Page Ask Board Raw Turns] ["home" "g"];
    Bottom "scroll.bottom" "To the end" "Moves to the last row; a streaming candidate is followed again."
        [Candidate Result Attempts Page Ask Board Raw Turns] ["end" "G"];
    // -- candidate
    ThinkingFold "candidate.thinking" "Fold the thinking" "Shows or hides the model's reasoning text."
        [Candidate] ["t"] needs [Thinking];
    CandidateCopy "candidate.copy" "Copy the text" "Copies the text of the shown attempt."
        [Candidate] ["y"] needs [Attempt] hint "copy";
    // -- result
    TreeToggle "result.toggle" "Fold or unfold" "Folds or unfolds the selected value."
        [Result] ["enter" "space"] needs [Result] hint "fold";
    TreeCollapse "result.collapse" "Fold, or to the parent" "Folds the selected value; a folded one gives the selection to its parent."
        [Result] ["left" "h"] needs [Result];
    TreeExpand "result.expand" "Unfold" "Unfolds the selected value."
        [Result] ["right" "l"] needs [Result];
    TreeExpandAll "result.expand.all" "Unfold all" "Unfolds the whole value."
        [Result] ["E"] needs [Result];
    TreeCollapseAll "result.collapse.all" "Fold all" "Folds everything below the root."
        [Result] ["C"] needs [Result];
    TreeLevel "result.level" "Fold below a level" "Opens the value down to this level and folds all that stands deeper; a slash form takes the number."
        [Result] ["1" "2" "3" "4" "5" "6" "7" "8" "9"] slash "/fold" Depth needs [Result];
    TreeSearch "result.search" "Search the result" "Searches keys and values."
        [Result] ["/"] needs [Result] hint "search";
    TreeNextMatch "result.search.next" "Next match" "Selects the next match."
        [Result] ["n"] needs [Result];
    TreePreviousMatch "result.search.previous" "Previous match" "Selects the previous match."
        [Result] ["N"] needs [Result];
    CopyValue "result.copy.value" "Copy the value" "Copies the selected value; a text without its quotes."
        [Result] ["y"] needs [Result] hint "copy";
    CopySubtree "result.copy.subtree" "Copy the subtree" "Copies the selected value as indented JSON."
        [Result] ["Y"] needs [Result];
    CopyPointer "result.copy.pointer" "Copy the pointer" "Copies the JSON Pointer of the selected value."
        [Result] ["p"] needs [Result] hint "pointer";
    CopyCanonical "result.copy.canonical" "Copy all" "Copies the whole result as canonical JSON."
        [Result] ["c"] needs [Result];
    RawToggle "result.raw" "Raw view" "Shows the canonical text instead of the tree, and back."
        [Result] ["r"] needs [Result] hint "raw";
    SampleNext "sample.next" "Next sample" "Shows the next sample."
        [Result] ["]"] needs [Sample] hint "sample";
    SamplePrevious "sample.previous" "Previous sample" "Shows the sample before."
        [Result] ["["] needs [Sample];
    ResultBack "sample.back" "Back to the result" "Takes the sample away: the run's own result is shown again."
        [Result] ["b"] needs [Sample] hint "back";
    Export "result.export" "Export the result" "Writes the validated result to a file."
        [Result] ["x"] slash "/export" SavePath needs [Result] hint "export";
    // -- attempts
    AttemptPrevious "attempt.previous" "Previous attempt" "Shows the attempt before."
        [Global] ["alt-left"] needs [Attempt];
    AttemptNext "attempt.next" "Next attempt" "Shows the attempt after."
        [Global] ["alt-right"] needs [Attempt];
    AttemptLeft "attempt.left" "Previous attempt" "Shows the attempt before."
        [Candidate Attempts] ["left" "["] needs [Attempt];
    AttemptRight "attempt.right" "Next attempt" "Shows the attempt after."
        [Candidate Attempts] ["right" "]"] needs [Attempt] hint "attempt";
    AttemptShow "attempt.show" "Show an attempt" "Shows the attempt with this number."
        [Global] [] slash "/attempt" Attempt needs [Attempt];
    IssuePrevious "issue.previous" "Previous issue" "Selects the issue before and marks its place."
        [Global] ["alt-up"] needs [Issue];
    IssueNext "issue.next" "Next issue" "Selects the issue after and marks its place."
        [Global] ["alt-down"] needs [Issue];
    IssueBack "issue.back" "Previous issue" "Selects the issue before and marks its place."
        [Candidate Attempts] ["p"] needs [Issue];
    IssueOn "issue.on" "Next issue" "Selects the issue after and marks its place."
        [Candidate Attempts] ["n"] needs [Issue] hint "issue";
    IssueList "issue.list" "List the issues" "Lists the issues of the shown attempt; Enter jumps to one."
        [Global] ["alt-i"] slash "/issues" None needs [Issue];
    IssuePlace "issue.place" "To the candidate" "Jumps to the place in the candidate that broke the schema."
        [Attempts] ["enter"] needs [Attempt] hint "place";
    IssueKeyword "issue.keyword" "To the schema" "Jumps to the keyword in the schema that was violated."
        [Candidate Attempts] ["s"] needs [Issue] hint "keyword";
    RepairShow "attempt.repair" "The repair request" "Shows what was asked of the model after the shown attempt."
        [Attempts] ["r"] needs [Repair] hint "repair";
    RequestShow "attempt.request" "The provider request" "Shows the exact request of the shown attempt, secrets out."
        [Attempts] ["w"] slash "/request" None needs [Request] hint "request";
    CurlCopy "attempt.curl" "Copy as curl" "Copies the request of the shown attempt as a curl command, secrets out."
        [Attempts] ["u"] needs [Request];
    ResponseShow "attempt.response" "The response's head" "Shows status, times and headers of interest of every call: request id, rate limits, processing time."
        [Attempts] ["h"] slash "/response" None needs [Round] hint "response";
    AttemptDiff "attempt.diff" "What changed between attempts" "Shows what the shown attempt has otherwise than the one before it, or than the one with this number: by path, then in text."
        [Candidate Attempts] ["d"] slash "/attempt diff" Attempt needs [Attempt] hint "diff";
    RawShow "attempt.events" "Raw events" "Shows what each read of the calls brought: its bytes, its events, the buffer so far, the state of the run."
        [Candidate Attempts] ["v"] slash "/events" None needs [Events] hint "events";
    RawReadBack "events.read.back" "Previous read" "Goes to the read before."
        [Raw] ["left" "h"];
    RawReadOn "events.read.on" "Next read" "Goes to the next read."
        [Raw] ["right" "l"] hint "read";
    RawAttemptBack "events.attempt.back" "Previous attempt" "Goes to the beginning of the attempt, or to that of the one before."
        [Raw] ["["];
    RawAttemptOn "events.attempt.on" "Next attempt" "Goes to the beginning of the next attempt."
        [Raw] ["]"] hint "attempt";
    RawSpoilt "events.spoilt" "To the byte that spoilt it" "Goes to the first byte after which the answer could not become valid JSON; where there is none, to the end of the first value the schema rejects."
        [Raw] ["b"] hint "first bad byte";
    RawHex "events.hex" "Bytes as numbers" "Shows the bytes of the read as hexadecimal numbers, and back."
        [Raw] ["x"] hint "hex";
    RawCopy "events.copy" "Copy the buffer" "Copies the attempt's buffer as it was after the event."
        [Raw] ["y"] hint "copy";
    RawCopyBytes "events.copy.bytes" "Copy the bytes" "Copies the bytes of the read as text."
        [Raw] ["Y"];
    FailureShow "attempt.failure" "The provider's error" "Shows what the provider said when it failed."
        [Attempts] ["e"] needs [Failure] hint "error";
    ExportRun "run.export" "Export the run" "Writes schema, prompt, attempts, issues and result to a file: .md, .json or .html by its name."
        [Attempts] ["x"] slash "/export run" SavePath needs [Attempt] hint "export";
    FunctionSave "function.save" "Save as a function" "Writes prompt, schema, model and settings to formwork/functions/NAME.md; what stands in {{ }} in the prompt becomes a variable."
        [Global] [] slash "/function save" Function needs [Prompt SchemaLegal];
    // -- turns
    Turns "turns.show" "Turns of the session" "Shows every prompt of the session with its outcome, branches and all."
        [Global] ["alt-q"] slash "/turns" None needs [Turn];
    TurnShow "turn.show" "Show the turn" "Shows the turn again in Candidate, Result and Attempts; what is sent next follows it."
        [Turns] ["enter"] hint "show";
    TurnFold "turn.fold" "Fold or unfold" "Shows all of the turn, or its first line only."
        [Turns] ["space"] hint "fold";
    TurnFoldAll "turn.fold.all" "Fold or unfold all" "Shows all of every turn, or first lines only."
        [Turns] ["z"];
    TurnEdit "turn.edit" "Edit the prompt" "Puts the turn's prompt into the composer; sending it makes a branch beside the turn."
        [Turns] ["e"] hint "edit";
    TurnRerun "turn.rerun" "Run it again" "Runs the turn's prompt again, with the schema and the model of now, as a branch beside it."
        [Turns] ["r"] hint "run again";
    TurnCopy "turn.copy" "Copy the turn" "Copies prompt and answer of the turn as plain text."
        [Turns] ["y"] hint "copy";
    TurnCopyAll "turn.copy.all" "Copy the branch" "Copies every turn that leads to this one, and itself, as plain text."
        [Turns] ["Y"];
    Copy "copy" "Copy" "Copies value, subtree, pointer, canonical result, candidate, schema or curl command."
        [Global] [] slash "/copy" Copy;
    // -- popups
    ListUp "list.up" "Up" "Selects the row above."
        [List] ["up" "ctrl-k"];
    ListDown "list.down" "Down" "Selects the row below."
        [List] ["down" "ctrl-j"];
    ListPageUp "list.page.up" "Page up" "Selects one page up."
        [List] ["pageup"];
    ListPageDown "list.page.down" "Page down" "Selects one page down."
        [List] ["pagedown"];
    ListAccept "list.accept" "Take" "Takes the selected row."
        [List] ["enter"] hint "take";
    LooseAdd "loose.add" "Add the constraint" "Puts the constraint of the selected row into the schema; one undo takes it back."
        [List] ["alt-a"] needs [Finding] hint "add";
    VersionName "version.name" "Name the version" "Gives the selected version a name; an empty one takes it away."
        [Versions] ["alt-n"] hint "name";
    VersionDiff "version.diff" "What changed" "Shows what changed from the version before it: in meaning, place by place, then in text."
        [Versions] ["alt-d"] hint "what changed";
    LineAccept "line.accept" "Take" "Takes the line."
        [Line] ["enter"] hint "take";
    AskYes "ask.yes" "Yes" "Goes on with what was asked."
        [Ask] ["enter" "y"] hint "yes";
    AskNo "ask.no" "No" "Leaves the question; nothing is done."
        [Ask] ["esc" "n"] hint "no";
    PageCopy "page.copy" "Copy the page" "Copies the text of the page."
        [Page] ["y"] hint "copy";
    PopupClose "popup.close" "Close" "Closes the popup."
        [List Line Page Board Raw Turns] ["esc"] hint "close";
    PageClose "page.close" "Close" "Closes the page."
        [Page Board Raw Turns] ["q"];
}
