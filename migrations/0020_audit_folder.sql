-- compatible: adds a column that may be null

-- The folder of the render whose index fits the stored verdicts: the next render can keep what did not change since then.
alter table audits add column folder uuid;
