/**
 * Every setting with its default and its help in docs/config.md. Settings come from the environment and are read
 * once. An invalid value stops the start with a list of all problems; it is never replaced by a default.
 */
import { homedir, userInfo } from "node:os";
import { resolve } from "node:path";
import {
  allowList,
  baseUrl,
  bytes,
  duration,
  mailAddress,
  mailServer,
  match,
  oneOf,
  servedAt,
  whole,
} from "./config-values.ts";
import {
  type Env,
  isSet,
  missingBeside,
  readSetting,
  type ConfigSetting,
  setting,
  withDefault,
} from "./config-setting.ts";
import { AppError, type FieldProblem } from "./errors.ts";
import type { MailAddress, MailServer } from "./lib/outbound/mail-client.ts";
import { parseAllowList } from "./lib/outbound/allow-list.ts";
import { needsTls } from "./lib/outbound/net-guard.ts";
import { defaultDataDir } from "./store/embedded.ts";

export const SETTINGS = {
  databaseUrl: setting<string | null>({
    env: "DATABASE_URL",
    default: "none: the embedded PostgreSQL",
    help: "Address of a PostgreSQL 15 or newer (`postgres://…`). Without it Shelfwire starts its own in `DATA_DIR`. With it, any number of processes on any number of machines may share one database.",
    secret: true,
    parse: (text) =>
      match(text, /^postgres(ql)?:\/\/\S+$/, "must be of the form postgres://user:password@host/database"),
    absent: null,
  }),
  dataDir: setting({
    env: "DATA_DIR",
    default: "`/var/lib/shelfwire` for root, else `$XDG_DATA_HOME/shelfwire` or `~/.local/share/shelfwire`",
    help: "Where the embedded database, the rendered feeds and downloads in progress are kept. Machines that share a `DATABASE_URL` must share this folder too.",
    parse: (text) => resolve(text),
    absent: "",
  }),
  host: withDefault({
    env: "HOST",
    default: "127.0.0.1",
    help: "Address to listen on. `0.0.0.0` opens the service to the network; put TLS in front of it.",
    parse: (text) => match(text, /^[\w.:-]+$/, "must be a host name or an IP address"),
  }),
  port: withDefault({
    env: "PORT",
    default: "8080",
    help: "Port to listen on.",
    parse: (text) => whole(text, { min: 1, max: 65_535 }),
  }),
  metricsPort: setting<number | null>({
    env: "METRICS_PORT",
    default: "none: on `PORT`",
    help: "A separate port for `/metrics`, so that it is not on the public port.",
    parse: (text) => whole(text, { min: 1, max: 65_535 }),
    absent: null,
  }),
  maxConnectionsPerAddress: withDefault({
    env: "MAX_CONNECTIONS_PER_ADDRESS",
    default: "512",
    help: "Connections that one address may have open at once; `0` switches the limit off. Behind a reverse proxy all connections come from the proxy: raise the limit, and let the proxy limit its clients.",
    parse: (text) => whole(text, { min: 0, max: 1_000_000 }),
  }),
  baseUrl: setting({
    env: "BASE_URL",
    default: "`http://HOST:PORT`",
    help: "The public address of the service: every feed URL begins with it. If it is an `https` address, shops send their webhooks to it.",
    parse: baseUrl,
    absent: "",
  }),
  secretKey: setting<string | null>({
    env: "SECRET_KEY",
    default: "created at the first start in `DATA_DIR`; required with `DATABASE_URL`",
    help: "Encrypts secrets at rest: feed tokens, shop credentials and webhook secrets. At least 32 characters. Losing it loses them.",
    secret: true,
    parse: (text) => match(text, /^.{32,}$/s, "must have at least 32 characters"),
    absent: null,
  }),
  allowPrivateTargets: setting<readonly string[]>({
    env: "ALLOW_PRIVATE_TARGETS",
    default: "none",
    help: "Hosts and CIDR ranges, separated by commas, that sources, webhooks, destinations and mails may reach although they are private or local. Everything private is refused otherwise, except that this machine itself is allowed while [only this machine is served](#on-one-machine).",
    parse: allowList,
    absent: [],
  }),
  rateLimitPerMinute: withDefault({
    env: "RATE_LIMIT_PER_MINUTE",
    default: "3000",
    help: "API calls a key may make in a minute, per process; `0` switches the limit off. Feed URLs are not limited.",
    parse: (text) => whole(text, { min: 0, max: 1_000_000 }),
  }),
  syncIntervalS: withDefault({
    env: "SYNC_INTERVAL",
    default: "6h",
    help: "How often a newly added source is synced, from the beginning of one automatic sync to the next: a number with `m`, `h` or `d`.",
    parse: duration,
  }),
  runDeadlineS: withDefault({
    env: "RUN_DEADLINE",
    default: "6h",
    help: "How long a sync or a render may take before it is stopped: a number with `m`, `h` or `d`.",
    parse: duration,
  }),
  keepRuns: withDefault({
    env: "KEEP_RUNS",
    default: "1000",
    help: "How many runs of a catalog stay in the history.",
    parse: (text) => whole(text, { min: 50, max: 1_000_000 }),
  }),
  keepRenders: withDefault({
    env: "KEEP_RENDERS",
    default: "20",
    help: "How many renders of a catalog stay on disk, with the published one: those that you can roll back to and compare ([history.md](history.md)). Renders that wrote no new files count as one.",
    parse: (text) => whole(text, { min: 1, max: 1_000 }),
  }),
  keepRenderBytes: withDefault({
    env: "KEEP_RENDER_BYTES",
    default: "2GB",
    help: "What the files of a catalog's earlier renders may take on disk, in addition to those that are served: a number with `MB`, `GB` or `TB`. The oldest are deleted first; the one before the published one stays in any case.",
    parse: bytes,
  }),
  keepChangesS: withDefault({
    env: "KEEP_CHANGES",
    default: "365d",
    help: "How long the log of who changed what is kept: a number with `m`, `h` or `d`. Entries of pushes, syncs and renders are kept as long as their runs.",
    parse: duration,
  }),
  keepReceiptsS: withDefault({
    env: "KEEP_RECEIPTS",
    default: "90d",
    help: "How long receipts of fetches and of deliveries to destinations are kept: a number with `m`, `h` or `d`.",
    parse: duration,
  }),
  workerSlots: withDefault({
    env: "WORKER_SLOTS",
    default: "8",
    help: "How many syncs a worker runs at once, at most three of one catalog; renders run in addition, two of large catalogs or six of small ones.",
    parse: (text) => whole(text, { min: 1, max: 24 }),
  }),
  enrichBaseUrl: setting<string | null>({
    env: "ENRICH_BASE_URL",
    default: "none: no model",
    help: "The address of an endpoint that speaks OpenAI's protocol, without `/chat/completions` (`https://…/v1`). With `ENRICH_API_KEY` and `ENRICH_MODEL`, a model proposes values that the extractors do not find ([enrichment.md](enrichment.md)); all three or none. A local one must be in `ALLOW_PRIVATE_TARGETS`, unless [only this machine is served](#on-one-machine).",
    parse: baseUrl,
    absent: null,
  }),
  enrichApiKey: setting<string | null>({
    env: "ENRICH_API_KEY",
    default: "none",
    help: "The key of that endpoint. One that needs none takes any text.",
    secret: true,
    parse: (text) => match(text, /^[!-~]{1,1000}$/, "must be printable ASCII without spaces"),
    absent: null,
  }),
  enrichModel: setting<string | null>({
    env: "ENRICH_MODEL",
    default: "none",
    help: "The name of the model, as the endpoint knows it. Proposals have it as `model:<name>`.",
    parse: (text) =>
      match(text, /^[\w.:/@+-]{1,100}$/, "must be a name of up to 100 letters, digits and ._:/@+-"),
    absent: null,
  }),
  enrichMaxItems: withDefault({
    env: "ENRICH_MAX_ITEMS",
    default: "200",
    help: "How many items the model is asked about in one run; the next run continues.",
    parse: (text) => whole(text, { min: 1, max: 10_000 }),
  }),
  enrichMaxCharacters: withDefault({
    env: "ENRICH_MAX_CHARACTERS",
    default: "500000",
    help: "How many characters of product data are sent to the model in one run. Four are about one token.",
    parse: (text) => whole(text, { min: 1_000, max: 100_000_000 }),
  }),
  smtpUrl: setting<MailServer | null>({
    env: "SMTP_URL",
    default: "none: no mail",
    help: "The server that takes mails about [alerts](alerts.md): `smtps://user:password@host` (TLS from the start, port 465) or `smtp://user:password@host` (STARTTLS, port 587). Special characters in user and password are written as in a URL (`%40` for `@`). TLS is required, except with a host that `ALLOW_PRIVATE_TARGETS` names. Needs `MAIL_FROM`.",
    secret: true,
    parse: mailServer,
    absent: null,
  }),
  mailFrom: setting<MailAddress | null>({
    env: "MAIL_FROM",
    default: "none",
    help: "The sender of these mails: `alerts@example.com` or `Shelfwire <alerts@example.com>`.",
    parse: mailAddress,
    absent: null,
  }),
  logLevel: withDefault({
    env: "LOG_LEVEL",
    default: "info",
    help: "How much is logged: `error`, `warn`, `info`, `debug` or `silent`.",
    parse: (text) => oneOf(text, ["error", "warn", "info", "debug", "silent"]),
  }),
  logFormat: withDefault({
    env: "LOG_FORMAT",
    default: "auto",
    help: "How log lines are written: `text` for people, `json` for programs, `auto` for `text` on a terminal and `json` elsewhere. As `text`, successful requests are shown only with `LOG_LEVEL=debug`.",
    parse: (text) => oneOf(text, ["auto", "text", "json"]),
  }),
};

export type Config = { readonly [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K]["absent"] } & {
  /** Loopback addresses are allowed as targets without a setting, because only this machine is served. */
  readonly allowLoopback: boolean;
};

export type { Env };

export function readConfig(env: Env): Config {
  const problems: FieldProblem[] = [];
  const entries = Object.entries(SETTINGS).map(([key, entry]) => [
    key,
    readSetting(entry as ConfigSetting<unknown>, env, problems),
  ]);
  const settings = Object.fromEntries(entries) as Omit<Config, "allowLoopback">;
  const config: Config = { ...settings, ...servedAt(settings) };
  if (isSet(SETTINGS.databaseUrl, env) && !isSet(SETTINGS.secretKey, env)) {
    const detail = "is required with DATABASE_URL: every process must encrypt with the same key";
    problems.push({ pointer: "SECRET_KEY", detail });
  }
  const mail = [SETTINGS.smtpUrl, SETTINGS.mailFrom];
  const missing = missingBeside(mail, env, "the other of SMTP_URL and MAIL_FROM");
  problems.push(...modelProblems(config, env), ...missing);
  if (problems.length > 0) {
    const list = problems.map(({ pointer, detail }) => `  ${pointer} ${detail}`).join("\n");
    throw new AppError("config_invalid", `The settings are invalid:\n${list}`, { fields: problems });
  }
  const home = { isRoot: userInfo().uid === 0, home: homedir(), xdgDataHome: env["XDG_DATA_HOME"] };
  return { ...config, dataDir: config.dataDir || defaultDataDir(home) };
}

/** A model needs all of its settings; its key must not be sent in the clear. */
function modelProblems(
  { enrichBaseUrl: url, allowPrivateTargets, allowLoopback: loopback }: Config,
  env: Env,
): readonly FieldProblem[] {
  const settings = [SETTINGS.enrichBaseUrl, SETTINGS.enrichApiKey, SETTINGS.enrichModel];
  const others = "the other two of ENRICH_BASE_URL, ENRICH_API_KEY and ENRICH_MODEL";
  const missing = missingBeside(settings, env, others);
  if (missing.length > 0) return missing;
  if (url === null || !needsTls(url, parseAllowList(allowPrivateTargets, { loopback }))) return [];
  const detail = "must be an https address, unless ALLOW_PRIVATE_TARGETS names its host";
  return [{ pointer: SETTINGS.enrichBaseUrl.env, detail }];
}
