/**
 * Creates and changes sources: settings are checked by the connector, secrets are encrypted before they are stored. An
 * address with a secret in it is stored twice: masked among the settings, and as a whole among the secrets, which
 * replace the settings of their names.
 */
import { isDeepStrictEqual } from "node:util";
import { AppError } from "../errors.ts";
import type { FieldProblem } from "../errors.ts";
import { newId } from "../lib/id.ts";
import type { AllowList } from "../lib/outbound/allow-list.ts";
import type { Lookup } from "../lib/outbound/name-lookup.ts";
import { checkTarget } from "../lib/outbound/net-guard.ts";
import type { Encryption } from "../lib/encryption.ts";
import { maskUrl, unmaskUrl, URL_MASK } from "../lib/url-secrets.ts";
import { checkSettings, CONNECTORS, isSourceKind } from "../sources/registry.ts";
import type { SourceKind } from "../sources/registry.ts";
import { tryLockItems } from "../store/catalogs.ts";
import type { Db, Queries } from "../store/db.ts";
import { applyRulesAgain } from "../store/rules.ts";
import { enqueueRun, failOpenSyncs, type RunGuard } from "../store/runs.ts";
import {
  beginSourceRemoval,
  endSourceRemoval,
  lockRemovedSource,
  REMOVAL_BATCH,
  removeSourceBatch,
} from "../store/removals.ts";
import type { ItemsPolicy } from "../store/removals.ts";
import { ENCRYPTION_PURPOSES } from "../store/encrypted-columns.ts";
import { lockSource, insertSource, listSourceNames, updateSourceRow } from "../store/sources.ts";
import type { SourceRow } from "../store/sources.ts";
import { CATALOG_LIMITS } from "./limits.ts";
import { movedSecrets } from "./moved-secrets.ts";

type Settings = Readonly<Record<string, string>>;

export type SourceInput = {
  readonly catalogId: string;
  readonly kind: string;
  readonly name?: string;
  readonly settings: Settings;
  readonly enabled?: boolean;
  readonly intervalS: number;
  readonly maxRemovedRatio?: number;
};
/** `allow` comes from ALLOW_PRIVATE_TARGETS. */
export type TargetGuard = { readonly allow: AllowList; readonly lookup?: Lookup };
export type CreatedSource = { readonly id: string; readonly kind: string };

/** A pull that would remove more than half of a source's items is rejected. */
const DEFAULT_MAX_REMOVED_RATIO = 0.5;

export async function addSource(
  db: Queries,
  encryption: Encryption,
  input: SourceInput,
): Promise<CreatedSource> {
  const { kind, settings, secrets } = checked(input);
  const { enabled = true, maxRemovedRatio = DEFAULT_MAX_REMOVED_RATIO } = input;
  checkRatio(maxRemovedRatio);
  const id = newId();
  const row = {
    id,
    catalogId: input.catalogId,
    kind,
    name: input.name ?? (await freeName(db, { catalogId: input.catalogId, kind }, settings)),
    settings,
    secretsEncrypted: encryptSecrets(encryption, secrets),
    enabled,
    intervalS: input.intervalS,
    maxRemovedRatio,
  };
  if (!(await insertSource(db, row, CATALOG_LIMITS.sources))) {
    throw new AppError(
      "conflict",
      `This catalog has ${CATALOG_LIMITS.sources} sources, which is the limit. Remove one first.`,
    );
  }
  return { id, kind: input.kind };
}

/** Longer paths are left out of names. */
const MAX_DEFAULT_NAME = 80;

/** The shop's host; if another source has this name, with the path of the feed; if that is taken too, with a number. */
async function freeName(
  db: Queries,
  { catalogId, kind }: { readonly catalogId: string; readonly kind: SourceKind },
  settings: Settings,
): Promise<string> {
  const { destination, label } = CONNECTORS[kind];
  const { host, pathname } = URL.parse(destination(settings)) ?? { host: "", pathname: "/" };
  const short = host === "" ? label : host;
  const long = pathname === "/" || host.length + pathname.length > MAX_DEFAULT_NAME ? short : host + pathname;
  const taken = await listSourceNames(db, catalogId, short);
  let name = taken.has(short) ? long : short;
  for (let number = 2; taken.has(name); number += 1) name = `${long} ${number}`;
  return name;
}

export type SourceEdit = {
  readonly name?: string;
  /** Only those that change; an empty value clears the setting. */
  readonly settings?: Settings;
  readonly enabled?: boolean;
  readonly intervalS?: number;
  readonly maxRemovedRatio?: number;
  /** What the next sync does with files that differ because of the new settings: `publish` by default. */
  readonly guard?: RunGuard;
};

/**
 * Changes a source. Fields that the edit does not have are unchanged, including secrets. If the source would now be
 * read differently it is due at once. If the name changes, the transaction has the lock of the catalog's row: a merge
 * locks that row before the source, too.
 */
export async function updateSource(
  db: Queries,
  encryption: Encryption,
  source: SourceRow,
  edit: SourceEdit,
): Promise<void> {
  const { settings, secrets } = editedSettings(encryption, source, edit.settings ?? {});
  const { name, enabled, intervalS, maxRemovedRatio } = { ...source, ...edit };
  checkRatio(maxRemovedRatio);
  const secretsEncrypted = encryptSecrets(encryption, secrets);
  const isReadDifferently = !isDeepStrictEqual(
    { ...settings, ...secrets },
    { ...source.settings, ...decryptSecrets(encryption)(source.secretsEncrypted) },
  );
  await updateSourceRow(db, source.id, {
    name,
    settings,
    secretsEncrypted,
    enabled,
    intervalS,
    maxRemovedRatio,
    isDue: maxRemovedRatio !== source.maxRemovedRatio || isReadDifferently,
    publishesNext: isReadDifferently && edit.guard !== "hold",
  });
  // Conditions of rules may name the source.
  if (name !== source.name) await applyRulesAgain(db, source.catalogId);
}

/** The settings after an edit. Secrets are not carried over to another host. */
function editedSettings(encryption: Encryption, source: SourceRow, edit: Settings) {
  const secrets = decryptSecrets(encryption)(source.secretsEncrypted);
  const stored = { ...source.settings, ...secrets };
  const edited = checked({ kind: source.kind, settings: { ...stored, ...edit } }, stored);
  const [before, after] = [source.settings, edited.settings];
  const problems = movedSecrets({ kind: edited.kind, before, after, secrets, edit });
  if (problems.length > 0) throw invalid(problems);
  return edited;
}

/** All settings of a stored source, with or without an edit, for a test. */
export function settingsToTry(encryption: Encryption, source: SourceRow, edit: Settings = {}): Settings {
  const { settings, secrets } = editedSettings(encryption, source, edit);
  return { ...settings, ...secrets };
}

/**
 * Rejects a source with a private address when it is stored, not only when it is read. Every request checks again,
 * since a name may resolve to another address. Called outside transactions, since DNS takes time.
 */
export async function checkSourceTarget(kind: string, settings: Settings, guard: TargetGuard): Promise<void> {
  if (!isSourceKind(kind)) return;
  const address = CONNECTORS[kind].destination(settings);
  if (!/^https?:/i.test(address)) return;
  try {
    await checkTarget(address, { resolve: true, ...guard });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "target_forbidden") throw error;
    const host = new URL(address).hostname;
    const name = Object.keys(settings).find((key) => settings[key]?.includes(host)) ?? "url";
    throw new AppError("target_forbidden", error.message, {
      cause: error,
      fields: [{ pointer: `/settings/${name}`, detail: error.message }],
    });
  }
}

/** All settings of a source that is not stored yet, checked. */
export function newSettingsToTry(kind: string, entered: Settings): Settings {
  const { settings, secrets } = checked({ kind, settings: entered });
  return { ...settings, ...secrets };
}

function checkRatio(ratio: number): void {
  if (ratio >= 0 && ratio <= 1) return;
  throw new AppError("source_settings_invalid", "max_removed_ratio must be a number from 0 to 1.", {
    fields: [{ pointer: "/max_removed_ratio", detail: "Must be a number from 0 to 1." }],
  });
}

const encryptSecrets = (encryption: Encryption, secrets: Settings): Buffer | null =>
  Object.keys(secrets).length === 0
    ? null
    : encryption.encrypt(JSON.stringify(secrets), ENCRYPTION_PURPOSES.sourceSecrets);

/** The setting that may have secrets inside. */
const ADDRESS = "url";

/** `stored` are the settings before an edit, which may send the masked address back. */
function checked({ kind, settings }: Pick<SourceInput, "kind" | "settings">, stored: Settings = {}) {
  if (!isSourceKind(kind)) {
    const kinds = Object.keys(CONNECTORS).join(", ");
    throw new AppError("source_settings_invalid", `There is no source of kind "${kind}". Kinds: ${kinds}.`, {
      fields: [{ pointer: "/kind", detail: `Must be one of: ${kinds}.` }],
    });
  }
  const result = checkSettings(kind, withStoredAddress(settings, stored));
  if (result.kind === "invalid") throw invalid(result.problems);
  const { [ADDRESS]: address = "" } = result.settings;
  const masked = maskUrl(address);
  if (masked === address) return { kind, settings: result.settings, secrets: result.secrets };
  return {
    kind,
    settings: { ...result.settings, [ADDRESS]: masked },
    secrets: { ...result.secrets, [ADDRESS]: address },
  };
}

function withStoredAddress(settings: Settings, stored: Settings): Settings {
  const entered = settings[ADDRESS];
  if (entered === undefined) return settings;
  const address = unmaskUrl(entered.trim(), stored[ADDRESS]);
  if (address !== null) return { ...settings, [ADDRESS]: address };
  const detail = `Enter the secret in place of ${URL_MASK}: the stored one is kept only for the same host and parameter.`;
  throw invalid([{ pointer: `/settings/${ADDRESS}`, detail }]);
}

/** The settings as they may be shown. An address that was stored before such secrets were encrypted is masked here. */
export function shownSettings({ settings }: Pick<SourceRow, "settings">): Settings {
  const { [ADDRESS]: address } = settings;
  return address === undefined ? settings : { ...settings, [ADDRESS]: maskUrl(address) };
}

function invalid(problems: readonly FieldProblem[]): AppError {
  const list = problems.map(({ pointer, detail }) => `${pointer.slice(1)}: ${detail}`).join(" ");
  return new AppError("source_settings_invalid", `The source's settings are invalid. ${list}`, {
    fields: problems,
  });
}

export function decryptSecrets(encryption: Encryption): (encrypted: Buffer | null) => Settings {
  return (encrypted) =>
    encrypted === null
      ? {}
      : (JSON.parse(encryption.decrypt(encrypted, ENCRYPTION_PURPOSES.sourceSecrets)) as Record<
          string,
          string
        >);
}

export type SourceRemoval = {
  readonly removed: number;
  readonly kept: number;
  /** The run that removes the items of a large catalog. Null: everything is done. */
  readonly runId: string | null;
};

/**
 * Removes a source: it is no longer listed or synced. In a small catalog its items are removed at once, in a large
 * one by a run; the counts are those after the run. The next render removes the items from the feeds.
 */
export async function removeSource(
  db: Db,
  id: string,
  items: ItemsPolicy = "remove",
): Promise<SourceRemoval> {
  return db.tx(async (tx) => {
    // Locks in the order of a merge: the source before its run. It does not wait for the lock of the items, which
    // a merge may keep for long.
    const source = await lockSource(tx, id);
    if (!source) throw new AppError("unknown_source", `There is no source ${id}.`);
    await failOpenSyncs(tx, id, {
      code: "unknown_source",
      message: "The source was removed while its sync was open.",
    });
    await beginSourceRemoval(tx, source, items);
    const inCatalog = await tryLockItems(tx, source.catalogId);
    if (inCatalog !== undefined && inCatalog < REMOVAL_BATCH)
      return removedOf(items, await removeAtOnce(tx, id), null);
    const runId = newId();
    const run = { kind: "removal", cause: "removal", sourceId: id } as const;
    await enqueueRun(tx, { id: runId, catalogId: source.catalogId, ...run });
    return removedOf(items, source.itemCount, runId);
  });
}

async function removeAtOnce(tx: Queries, id: string): Promise<number> {
  const removal = await lockRemovedSource(tx, id);
  if (!removal) return 0;
  await removeSourceBatch(tx, removal);
  return endSourceRemoval(tx, removal);
}

const removedOf = (items: ItemsPolicy, count: number, runId: string | null): SourceRemoval =>
  items === "keep" ? { removed: 0, kept: count, runId } : { removed: count, kept: 0, runId };
