-- compatible: adds columns that may be null, and a table

-- Why it is proposed, in the words of who proposed it; null for extractors.
alter table proposals add column note text;
-- Of the instructions that a model was given, in hex; null unless a model proposed it.
alter table proposals add column prompt_hash text;

-- What a model was asked about an item last: the same question is not paid for again.
create table model_questions (
  catalog_id uuid not null references catalogs on delete cascade,
  item_id    text collate "C" not null,
  -- Of the model, the prompt, the item's texts and the fields that were open.
  question   bytea not null,
  primary key (catalog_id, item_id)
);
