-- compatible: adds tables, and allows keys without a catalog

-- An operator key belongs to the installation: it may create catalogs and use every one.
alter table api_keys alter column catalog_id drop not null;
alter table api_keys add constraint api_keys_operator_check
  check ((catalog_id is null) = ('operator' = any (scopes)));

-- A browser's session uses the keys that it signed in with, and ends with the last of them.
create table sessions (
  -- SHA-256 of the cookie.
  token_hash bytea primary key,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create table session_keys (
  token_hash bytea not null references sessions on delete cascade,
  key_id     uuid not null references api_keys on delete cascade,
  primary key (token_hash, key_id)
);
create index session_keys_by_key on session_keys (key_id);

-- What a sign-in link contains. Used once, and deleted by that.
create table sign_in_codes (
  code_hash  bytea primary key,
  expires_at timestamptz not null
);
