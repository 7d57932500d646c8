/** What each table is for, in a sentence and by topic: the text of docs/schema.md that PostgreSQL does not know. */
export const TABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "Catalogs and who may use them": {
    catalogs: "A shop's catalog: its settings, its counts, and which render its feed URLs serve.",
    api_keys: "An API key, stored as a hash: of one catalog, or of an operator for all of them.",
    sessions: "A sign-in of a browser, stored as a hash. It ends with the last of its keys.",
    session_keys: "The API keys that a session uses.",
    sign_in_codes: "The code of a sign-in link. The first use deletes it.",
    changes:
      "Who changed what: one row for each call or command, written in its transaction and never updated.",
    removed_catalogs: "A catalog that was removed and whose rows are still being deleted.",
    restores:
      "Each time that the database was filled from a backup. Until a person resumes it, such a copy sends nothing.",
  },
  "Sources and items": {
    sources:
      "Where items come from: a shop or a feed URL, its settings and encrypted secrets, and when it is synced next.",
    source_counts: "How many sources each catalog has, so that the limit is checked without counting.",
    source_tests:
      "A test of a source that a caller waits for: the request to a worker and its answer, encrypted, for seconds.",
    sync_health:
      "Since when the syncs of a source, or the pushes of a catalog, succeed or fail. Triggers keep it.",
    items:
      "An item as its source has it, and beside it as rules and approved values make it. The bodies are text, because SQL does not look inside.",
    item_changes:
      "Which groups have items that a snapshot of the catalog changed: one row for each snapshot, until no render needs it.",
    changed_products:
      "Products that a shop reported as changed. The next sync reads them; the report itself is not used as data.",
    shop_webhooks:
      "The webhooks that Shelfwire has registered at a shop. A row outlives its source until the shop has removed them.",
    removed_sources: "A source that was removed and some of whose items still have its id.",
    pushes:
      "What a push asked for. It is a sync run without a source; small bodies are here, large ones in `push_chunks`.",
    push_chunks: "The body of a large push, unpacked, cut and compressed.",
    push_keys: "What an `Idempotency-Key` was used for, so that a repeated call is one push.",
  },
  "Runs, renders and audits": {
    runs: "A sync, a render or another piece of work: queued, claimed under a lease, finished. The table is the queue and the history.",
    run_issues:
      "The rejections and warnings of a run with their messages, compressed, for the newest runs of each source.",
    renders: "What became of each finished render: published, held, discarded or superseded.",
    feed_files:
      "The files of a render: their ETag, size, date and counts, and the folder that has their bytes.",
    audits:
      "One row for each audit. Only the newest has its whole explanation; the history needs the numbers.",
    verdicts: "What the newest audit found on each item, in a few bytes.",
    feed_fetches: "The last fetch of each hosted file.",
    fetch_receipts: "Fetches of the hosted files, by day, consumer and render.",
    feed_consumers: "Who fetches which file, how often, and what they got last.",
    plans: "What a dry run is about. Its result is in the statistics of its run.",
  },
  "Rules, categories and proposals": {
    rule_sets: "The versions of a catalog's rules. The newest one is in force.",
    category_mappings:
      "Which of Google's categories one of the merchant's own paths means. Null: none, by decision.",
    category_paths: "The merchant's own category paths, with the counts of the last search for proposals.",
    proposals:
      "A value that was proposed for one item, and what became of it. An approved one is in force while its source value stays.",
    proposal_groups:
      "The proposals of one kind that are decided together, with the text that all of them share.",
    proposal_counts:
      "Sums over proposals, kept by triggers, so that a list of groups does not read them all.",
    proposal_passes:
      "What the last complete search for proposals depended on. The next one skips what has not changed.",
    proposal_pass_groups: "The hashes of the groups that this search has read, in parts.",
    decisions:
      "Each decision about proposals, rules or categories: one row for a call, however many values it is about.",
    model_questions:
      "What a model was last asked about an item, so that the same question is not paid for again.",
  },
  Webhooks: {
    webhook_endpoints: "Who gets which events, the encrypted secrets, and whether deliveries succeed.",
    webhook_events: "What happened. The payload is stored once, and each attempt sends exactly these bytes.",
    webhook_queue: "Deliveries that are still to be made. A finished delivery is deleted here.",
    webhook_deliveries: "The log of deliveries: one event for one endpoint.",
    webhook_attempts: "What each attempt met: times, status, answer. Written once and deleted by age.",
  },
  "Destinations and alerts": {
    destinations:
      "Where files are delivered by SFTP or HTTPS. The lease is the destination's, so two uploads never overlap.",
    destination_deliveries: "One render for one destination: the queue, and afterwards the receipts.",
    destination_vanished:
      "Rows that a destination has got and whose items are gone since: the last row of each.",
    alerts: "What needed attention, from when to when. A problem that comes back soon continues its row.",
    alert_settings: "What is an alert in a catalog, who is mailed, and when the catalog was last checked.",
    alert_mails: "One mail for one recipient: the queue, and afterwards the log.",
  },
  "The schema itself": {
    schema_migrations: "The migrations that were applied, with the hash of each file.",
  },
};
