-- The whole address of an endpoint, encrypted, if its query contains secrets; `url` is masked then.
alter table webhook_endpoints add column url_sealed bytea;
