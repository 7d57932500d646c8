/**
 * Every sentence of the contract that binds the service, with a number of its own: the section, and its place in it.
 * `checks` are checks of this suite. `tests` are tests of the repository, for what cannot be seen from outside within
 * minutes: they move the clock, or break a part on purpose.
 */
export type RepositoryTest = { readonly file: string; readonly title: string };

export type Sentence = {
  readonly id: string;
  readonly text: string;
  readonly checks?: readonly string[];
  readonly tests?: readonly RepositoryTest[];
};

const SCHEDULE: RepositoryTest = {
  file: "src/webhooks/dispatcher.test.ts",
  title: "is 1 min, 5 min, 30 min, 2 h, 12 h from each failure, and then the delivery is dead",
};
const SIX_HOURS: RepositoryTest = {
  file: "src/pipeline/maintenance.test.ts",
  title:
    "an automatic sync is due exactly an interval after the last one began, however long that one was queued",
};
const DUE_SYNC: RepositoryTest = {
  file: "src/pipeline/maintenance.test.ts",
  title: "a due source gets one run, however many workers run maintenance at once",
};
const FAILED_RENDER: RepositoryTest = {
  file: "test/api/feeds.test.ts",
  title: "a failed render is a 422 with its run, and the published files do not change",
};
const SHOP_SOURCE: RepositoryTest = {
  file: "src/sources/source.contract.ts",
  title: "a read of ${count} items returns all of them, numbered from 1, and then ends",
};

const PLAIN = ["plain-minimal-csv", "plain-full-csv", "plain-json"];
const CONNECTOR_ERRORS = ["500", "503", "404", "reset", "not-a-feed", "refused"].map(
  (id) => `syncs-error-${id}`,
);
const EVERY_RETRY = ["deliveries-retry-status", "deliveries-retry-connection", "deliveries-timeout"];

/** Stands for all checks whose id begins with `change-`. */
export const ALL_CHANGES = "change-*";

export const SENTENCES: readonly Sentence[] = [
  {
    id: "1-1",
    text: "A catalog is rendered into four hosted files: CSV, JSON, tab-separated text, and schema.org JSON-LD.",
    checks: [...PLAIN, "feeds-entries", ALL_CHANGES],
  },
  { id: "1-2", text: "Each file has a stable URL.", checks: ["feeds-stable-urls"] },
  {
    id: "1-3",
    text: "The URL has a token and is public: whoever has it can fetch the file.",
    checks: ["access-public-feeds"],
  },
  { id: "1-4", text: "A source may be a feed URL.", checks: PLAIN },
  {
    id: "1-5",
    text: "A source may be one of three e-commerce platforms.",
    checks: ["sources-kinds"],
    tests: [SHOP_SOURCE],
  },
  { id: "1-6", text: "Pull sources are synced automatically every six hours.", tests: [SIX_HOURS, DUE_SYNC] },
  { id: "1-7", text: "A sync can be triggered on demand.", checks: ["syncs-answer", "calls-first-sync"] },
  {
    id: "1-8",
    text: "Every successful sync renders the feeds again.",
    checks: ["deliveries-every-sync", ALL_CHANGES],
  },
  {
    id: "1-9",
    text: "Every successful sync audits the catalog again.",
    checks: ["deliveries-every-sync", ALL_CHANGES],
  },
  { id: "1-10", text: "An audit yields a score of the catalog and a grade.", checks: ["deliveries-audit"] },
  { id: "1-11", text: "A catalog can also be changed by a push.", checks: ["deliveries-push"] },
  {
    id: "1-12",
    text: "Webhooks tell subscribers when syncs, renders and audits complete.",
    checks: ["deliveries-every-sync"],
  },
  {
    id: "1-13",
    text: "Every JSON response is an object with the single key `data`.",
    checks: [
      "feeds-entries",
      "syncs-answer",
      "syncs-newest",
      "webhooks-register",
      "webhooks-list",
      "webhooks-delete",
    ],
  },
  {
    id: "1-14",
    text: "Every timestamp is UTC in the format `YYYY-MM-DDTHH:MM:SS.mmmZ`.",
    checks: ["feeds-render", "syncs-newest", "deliveries-format"],
  },
  {
    id: "2.1-1",
    text: "A feed entry has the fields `file`, `content_type` and `url`.",
    checks: ["feeds-entries"],
  },
  {
    id: "2.1-2",
    text: "`file` is `acp.csv`, `acp.json`, `gmc.tsv` or `jsonld.json`.",
    checks: ["feeds-entries"],
  },
  {
    id: "2.1-3",
    text: "`content_type` is the media type of the file, as the table says, and the file is served with it.",
    checks: ["feeds-entries"],
  },
  {
    id: "2.1-4",
    text: "`url` has the shape `{base_url}/f/<catalog_slug>/<token>/<file>`.",
    checks: ["feeds-entries"],
  },
  {
    id: "2.1-5",
    text: "The list always has the four entries, in the order of the table.",
    checks: ["feeds-entries", "feeds-before-first-render"],
  },
  { id: "2.2-1", text: "`last_render.run_id` is the uuid of the render run.", checks: ["feeds-render"] },
  {
    id: "2.2-2",
    text: "`last_render.status` is `succeeded` for a successful render.",
    checks: ["feeds-render"],
  },
  {
    id: "2.2-3",
    text: "`last_render.stats.items` is the number of items rendered, and every file has that many items.",
    checks: ["feeds-render", ALL_CHANGES],
  },
  {
    id: "2.2-4",
    text: "`started_at` and `finished_at` say when the render started and finished.",
    checks: ["feeds-render"],
  },
  { id: "2.3-1", text: "A sync run has exactly six fields.", checks: ["syncs-newest", ALL_CHANGES] },
  { id: "2.3-2", text: "`run_id` is a uuid that no other run has.", checks: ["syncs-newest"] },
  {
    id: "2.3-3",
    text: "`source_id` is the source of the run, or null.",
    checks: [ALL_CHANGES, "syncs-newest"],
  },
  {
    id: "2.3-4",
    text: "`status` is `running`, `succeeded` or `failed`.",
    checks: ["syncs-running", "syncs-error-404"],
  },
  { id: "2.3-5", text: "`stats` has the counts of 2.4.", checks: ["syncs-newest"] },
  { id: "2.3-6", text: "`started_at` says when the run started.", checks: ["syncs-newest"] },
  {
    id: "2.3-7",
    text: "`finished_at` says when the run finished, and is null until then.",
    checks: ["syncs-running"],
  },
  { id: "2.4-1", text: "`seen` counts the items seen in the source.", checks: ["syncs-answer", ALL_CHANGES] },
  {
    id: "2.4-2",
    text: "`upserted` counts the items created or updated.",
    checks: ["syncs-upserted", "syncs-answer"],
  },
  { id: "2.4-3", text: "`rejected` counts the items rejected.", checks: ["syncs-answer", ALL_CHANGES] },
  { id: "2.4-4", text: "`warnings` counts the warnings raised.", checks: ["syncs-answer"] },
  {
    id: "2.4-5",
    text: "`rejections` is a list of rejections by item, capped in length.",
    checks: ["syncs-rejections-capped"],
  },
  {
    id: "2.5-1",
    text: "A webhook has an `id` (uuid), which deletes it.",
    checks: ["webhooks-register", "webhooks-delete"],
  },
  {
    id: "2.5-2",
    text: "A webhook has its `url`, an HTTPS endpoint.",
    checks: ["webhooks-register", "webhooks-https"],
  },
  { id: "2.5-3", text: "A webhook has its `events`.", checks: ["webhooks-register", "webhooks-list"] },
  {
    id: "2.5-4",
    text: "The secret has the prefix `whsec_` and is returned at registration only.",
    checks: ["webhooks-register", "webhooks-list"],
  },
  {
    id: "2.6-1",
    text: "A delivery is a JSON object with `event`, `created_at` and `data`.",
    checks: ["deliveries-format"],
  },
  {
    id: "3.1-1",
    text: "A sync run is `running`, `succeeded` or `failed`.",
    checks: ["syncs-running", "syncs-error-404"],
  },
  {
    id: "3.1-2",
    text: "A sync that succeeds renders the feeds, audits the catalog and emits `sync.completed`.",
    checks: ["deliveries-every-sync", ALL_CHANGES],
  },
  {
    id: "3.1-3",
    text: "A sync that fails (unknown source, connector error) is answered with 422.",
    checks: ["syncs-unknown-source", ...CONNECTOR_ERRORS],
  },
  { id: "3.2-1", text: "A render run that succeeds has the status `succeeded`.", checks: ["feeds-render"] },
  { id: "3.2-2", text: "A failed render is answered with 422.", tests: [FAILED_RENDER] },
  {
    id: "3.3-1",
    text: "An attempt that is answered with 2xx within 10 seconds is delivered and not retried.",
    checks: ["deliveries-no-retry"],
  },
  { id: "3.3-2", text: "A status that is not 2xx leads to a retry.", checks: ["deliveries-retry-status"] },
  { id: "3.3-3", text: "A time-out after 10 seconds leads to a retry.", checks: ["deliveries-timeout"] },
  { id: "3.3-4", text: "A connection error leads to a retry.", checks: ["deliveries-retry-connection"] },
  { id: "3.3-5", text: "The first retry follows one minute after the failure.", checks: EVERY_RETRY },
  {
    id: "3.3-6",
    text: "Further retries follow after 5 minutes, 30 minutes, 2 hours and 12 hours, one delay per failure.",
    tests: [SCHEDULE],
  },
  {
    id: "3.3-7",
    text: "When the attempt after the 12-hour delay fails, the delivery is dead and not retried.",
    tests: [SCHEDULE],
  },
  { id: "4-1", text: "Every endpoint requires authentication.", checks: ["access-key"] },
  {
    id: "4-2",
    text: "Request bodies are JSON with `Content-Type: application/json`.",
    checks: ["syncs-answer", "syncs-invalid"],
  },
  { id: "4.1-1", text: "`GET /api/v1/feeds` has the scope read.", checks: ["access-read", "access-write"] },
  {
    id: "4.1-2",
    text: "It needs no parameters and no body.",
    checks: ["feeds-entries", "calls-empty-bodies"],
  },
  {
    id: "4.1-3",
    text: "It answers with exactly `feeds` (four entries) and `last_render`.",
    checks: ["feeds-entries"],
  },
  { id: "4.2-1", text: "`POST /api/v1/feeds` has the scope write.", checks: ["access-read", "access-write"] },
  {
    id: "4.2-2",
    text: "It needs no parameters and no body.",
    checks: ["feeds-render", "calls-empty-bodies", "calls-unknown-fields"],
  },
  {
    id: "4.2-3",
    text: "It regenerates all four files immediately.",
    checks: ["feeds-render", "calls-parallel-renders", "calls-first-render"],
  },
  {
    id: "4.2-4",
    text: "Feeds are rendered automatically after every sync.",
    checks: [ALL_CHANGES, "deliveries-every-sync"],
  },
  { id: "4.2-5", text: "A failed render answers 422.", tests: [FAILED_RENDER] },
  { id: "4.2-6", text: "Each successful render emits `feeds.rendered`.", checks: ["feeds-render-events"] },
  {
    id: "4.3-1",
    text: "`GET /api/v1/syncs` has the scope read and needs no parameters and no body.",
    checks: ["access-read", "access-write", "calls-empty-bodies"],
  },
  {
    id: "4.3-2",
    text: "It answers with the 50 most recent sync runs, newest first.",
    checks: ["syncs-newest"],
  },
  { id: "4.4-1", text: "`POST /api/v1/syncs` has the scope write.", checks: ["access-read", "access-write"] },
  { id: "4.4-2", text: "`source_id` (uuid) is required.", checks: ["syncs-invalid"] },
  {
    id: "4.4-3",
    text: "It pulls that source now, also right after set-up, repeatedly, and while another call does the same.",
    checks: ["calls-first-sync", "calls-parallel-syncs", "calls-quick-succession", "calls-parallel-renders"],
  },
  {
    id: "4.4-4",
    text: "The call is synchronous: it returns when the run has finished.",
    checks: ["syncs-running", ALL_CHANGES],
  },
  {
    id: "4.4-5",
    text: "It answers with exactly `run_id` and `stats`, and `stats` has `seen`, `upserted`, `rejected`, `warnings` and `rejections`.",
    checks: ["syncs-answer", ALL_CHANGES],
  },
  {
    id: "4.4-6",
    text: "A failed sync (unknown source, connector error) answers 422.",
    checks: ["syncs-unknown-source", ...CONNECTOR_ERRORS],
  },
  {
    id: "4.4-7",
    text: "On success the feeds are rendered, the audit is run, and `sync.completed` is emitted.",
    checks: ["deliveries-every-sync", ALL_CHANGES],
  },
  {
    id: "4.5-1",
    text: "`POST /api/v1/webhooks` has the scope write.",
    checks: ["access-read", "access-write"],
  },
  {
    id: "4.5-2",
    text: "`url` is required and must be an HTTPS endpoint.",
    checks: ["webhooks-invalid", "webhooks-https"],
  },
  {
    id: "4.5-3",
    text: "`events` is required: one or more of the three event types.",
    checks: ["webhooks-register", "webhooks-invalid"],
  },
  {
    id: "4.5-4",
    text: "The response includes the secret (prefix `whsec_`) exactly once.",
    checks: ["webhooks-register"],
  },
  { id: "4.5-5", text: "The secret is never returned again.", checks: ["webhooks-list"] },
  {
    id: "4.6-1",
    text: "`GET /api/v1/webhooks` has the scope read.",
    checks: ["access-read", "access-write"],
  },
  { id: "4.6-2", text: "It lists the registered endpoints.", checks: ["webhooks-list"] },
  { id: "4.6-3", text: "It never returns a secret.", checks: ["webhooks-list"] },
  {
    id: "4.7-1",
    text: "`DELETE /api/v1/webhooks` has the scope write.",
    checks: ["access-read", "access-write"],
  },
  { id: "4.7-2", text: "The required `id` is in a JSON body, not in the path.", checks: ["webhooks-delete"] },
  { id: "4.7-3", text: "It removes the endpoint.", checks: ["webhooks-delete"] },
  {
    id: "5-1",
    text: "Every call below `/api/v1/` carries `Authorization: Bearer <API_KEY>`.",
    checks: ["access-key"],
  },
  { id: "5-2", text: "The scope `read` is required for GET.", checks: ["access-write"] },
  { id: "5-3", text: "The scope `write` is required for POST and DELETE.", checks: ["access-read"] },
  {
    id: "5-4",
    text: "A file is fetched without the header: the token in its URL is the only access control.",
    checks: ["access-public-feeds"],
  },
  { id: "5-5", text: "Deliveries are authenticated by their signature.", checks: ["deliveries-signature"] },
  {
    id: "6.1-1",
    text: "`sync.completed` follows every successful sync on demand.",
    checks: ["deliveries-every-sync"],
  },
  { id: "6.1-2", text: "`sync.completed` follows scheduled syncs.", checks: ["deliveries-scheduled"] },
  { id: "6.1-3", text: "`sync.completed` follows a catalog push.", checks: ["deliveries-push"] },
  {
    id: "6.1-4",
    text: "`feeds.rendered` is emitted on each successful render.",
    checks: ["feeds-render-events", "deliveries-every-sync"],
  },
  {
    id: "6.1-5",
    text: "`audit.completed` is emitted when an audit has finished, with the new score and grade.",
    checks: ["deliveries-audit"],
  },
  {
    id: "6.1-6",
    text: "An endpoint receives only the event types that it is registered for.",
    checks: ["deliveries-subscriptions"],
  },
  {
    id: "6.2-1",
    text: "A delivery is an HTTP POST with a JSON body of `event`, `created_at` and `data`.",
    checks: ["deliveries-format"],
  },
  { id: "6.2-2", text: "`X-Service-Signature` has the signature.", checks: ["deliveries-format"] },
  { id: "6.2-3", text: "`X-Service-Event` has the event type.", checks: ["deliveries-format"] },
  { id: "6.2-4", text: "`User-Agent` is `Service-Webhooks/1.0`.", checks: ["deliveries-format"] },
  { id: "6.2-5", text: "An attempt times out after 10 seconds.", checks: ["deliveries-timeout"] },
  {
    id: "6.2-6",
    text: "`data` of `audit.completed` has `run_id`, `catalog_score` (integer) and `grade`.",
    checks: ["deliveries-audit"],
  },
  {
    id: "6.3-1",
    text: "The signature has the form `t=<unix_timestamp>,v1=<hex_hmac>`.",
    checks: ["deliveries-signature"],
  },
  { id: "6.3-2", text: "The timestamp is in seconds.", checks: ["deliveries-signature"] },
  {
    id: "6.3-3",
    text: "The MAC is the lowercase hexadecimal HMAC-SHA256 of `<unix_timestamp>.<raw_body>`, keyed with the whole `whsec_` secret.",
    checks: ["deliveries-signature"],
  },
  {
    id: "6.3-4",
    text: "The MAC is that of the raw bytes of the body as sent.",
    checks: ["deliveries-signature"],
  },
  {
    id: "6.3-5",
    text: "A receiver that compares in constant time and allows 300 seconds accepts every delivery, retries included.",
    checks: ["deliveries-signature", ...EVERY_RETRY],
  },
  { id: "7-1", text: "`POST /api/v1/feeds` answers 422 when the render failed.", tests: [FAILED_RENDER] },
  {
    id: "7-2",
    text: "`POST /api/v1/syncs` answers 422 for an unknown source.",
    checks: ["syncs-unknown-source"],
  },
  {
    id: "7-3",
    text: "`POST /api/v1/syncs` answers 422 for a connector error; nothing changes, and no `sync.completed` is emitted.",
    checks: [...CONNECTOR_ERRORS, "syncs-error-then-success"],
  },
  { id: "8-1", text: "50 sync runs are listed.", checks: ["syncs-newest"] },
  { id: "8-2", text: "The automatic re-sync interval is 6 hours.", tests: [SIX_HOURS, DUE_SYNC] },
  {
    id: "8-3",
    text: "The delivery time-out is 10 seconds.",
    checks: ["deliveries-timeout", "deliveries-no-retry"],
  },
  {
    id: "8-4",
    text: "The retry delays are 1 min, 5 min, 30 min, 2 h and 12 h; then the delivery is dead.",
    checks: EVERY_RETRY,
    tests: [SCHEDULE],
  },
  {
    id: "8-5",
    text: "Timestamps of signatures are within 300 seconds of the receiver's time.",
    checks: ["deliveries-signature", ...EVERY_RETRY],
  },
  {
    id: "8-6",
    text: "The secret is returned once, at registration.",
    checks: ["webhooks-register", "webhooks-list"],
  },
  { id: "9-1", text: "The version is part of the path prefix: `/api/v1`.", checks: ["access-version"] },
  {
    id: "9-2",
    text: "Where the contract leaves the form of a call open, common forms are accepted: a slash at the end, an empty body with any content type, fields that are not known.",
    checks: ["calls-trailing-slash", "calls-empty-bodies", "calls-unknown-fields"],
  },
];
