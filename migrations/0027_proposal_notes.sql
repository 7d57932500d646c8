-- Why it is proposed, in the words of who proposed it; null for extractors.
alter table proposals add column note text;
-- Of the instructions that a model was given, in hex; null unless a model proposed it.
alter table proposals add column prompt_hash text;
