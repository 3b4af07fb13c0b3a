//! Bounds on what evaluating a schema can cost: in preflight from the schema alone, before judging from schema and instance.
