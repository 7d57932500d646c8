/** Setting up a source: its settings checked by its connector, its secrets sealed before they are stored. */
import { isDeepStrictEqual } from "node:util";
import { AppError } from "../errors.ts";
import type { FieldProblem } from "../errors.ts";
import { newId } from "../lib/id.ts";
import type { AllowList } from "../lib/outbound/allow-list.ts";
import type { Lookup } from "../lib/outbound/name-lookup.ts";
import { checkTarget } from "../lib/outbound/net-guard.ts";
import type { Sealer } from "../lib/seal.ts";
import { checkSettings, CONNECTORS, isSourceKind } from "../sources/registry.ts";
import { tryLockCatalog } from "../store/catalogs.ts";
import type { Db, Queries } from "../store/db.ts";
import { enqueueRun, failOpenSyncs } from "../store/runs.ts";
import {
  beginSourceRemoval,
  endSourceRemoval,
  holdRemovedSource,
  REMOVAL_BATCH,
  removeSourceBatch,
} from "../store/removals.ts";
import type { ItemsFate } from "../store/removals.ts";
import { SEAL_PURPOSES } from "../store/sealed-columns.ts";
import { holdSource, insertSource, updateSourceRow } from "../store/sources.ts";
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
/** `allow` is of ALLOW_PRIVATE_TARGETS. */
export type TargetGuard = { readonly allow: AllowList; readonly lookup?: Lookup };
export type CreatedSource = { readonly id: string; readonly kind: string };

/** As the design decides: a pull that would take more than half of a source away is not believed. */
const DEFAULT_MAX_REMOVED_RATIO = 0.5;

export async function addSource(db: Queries, sealer: Sealer, input: SourceInput): Promise<CreatedSource> {
  const { settings, secrets } = checked(input);
  const { enabled = true, maxRemovedRatio = DEFAULT_MAX_REMOVED_RATIO } = input;
  checkRatio(maxRemovedRatio);
  const id = newId();
  const row = {
    id,
    catalogId: input.catalogId,
    kind: input.kind,
    name: input.name ?? input.kind,
    settings,
    secretsSealed: sealSecrets(sealer, secrets),
    enabled,
    intervalS: input.intervalS,
    maxRemovedRatio,
  };
  if (!(await insertSource(db, row, CATALOG_LIMITS.sources))) {
    throw new AppError(
      "conflict",
      `This catalog has ${CATALOG_LIMITS.sources} sources already. Remove one first.`,
    );
  }
  return { id, kind: input.kind };
}

export type SourceEdit = {
  readonly name?: string;
  /** Only those that change; an empty text unsays one. */
  readonly settings?: Settings;
  readonly enabled?: boolean;
  readonly intervalS?: number;
  readonly maxRemovedRatio?: number;
};

/**
 * Changes a source. What the edit does not name stays, secrets included. A source that would be read differently now is
 * due at once, so that a correction shows its effect without waiting for the interval.
 */
export async function updateSource(
  db: Queries,
  sealer: Sealer,
  source: SourceRow,
  edit: SourceEdit,
): Promise<void> {
  const { settings, secrets } = editedSettings(sealer, source, edit.settings ?? {});
  const { name, enabled, intervalS, maxRemovedRatio } = { ...source, ...edit };
  checkRatio(maxRemovedRatio);
  const secretsSealed = sealSecrets(sealer, secrets);
  await updateSourceRow(db, source.id, {
    name,
    settings,
    secretsSealed,
    enabled,
    intervalS,
    maxRemovedRatio,
    isDue:
      maxRemovedRatio !== source.maxRemovedRatio ||
      !isDeepStrictEqual(
        { ...settings, ...secrets },
        { ...source.settings, ...openSecrets(sealer)(source.secretsSealed) },
      ),
  });
}

/** What a source's settings would be after an edit. Secrets do not follow the source to another host. */
function editedSettings(sealer: Sealer, source: SourceRow, edit: Settings) {
  const secrets = openSecrets(sealer)(source.secretsSealed);
  const edited = checked({ kind: source.kind, settings: { ...source.settings, ...secrets, ...edit } });
  const [before, after] = [source.settings, edited.settings];
  const problems = movedSecrets({ kind: edited.kind, before, after, secrets, edit });
  if (problems.length > 0) throw invalid(problems);
  return edited;
}

/** All settings of a saved source, as they are or as an edit would make them: to try them out. */
export function settingsToTry(sealer: Sealer, source: SourceRow, edit: Settings = {}): Settings {
  const { settings, secrets } = editedSettings(sealer, source, edit);
  return { ...settings, ...secrets };
}

/**
 * Refuses a source that points at a private address when it is stored, not only when it is read. Every request is
 * judged again: a name may change what it leads to. Asked before any transaction, since names take time.
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

/** All settings of a source that is not saved yet, checked. */
export function newSettingsToTry(kind: string, given: Settings): Settings {
  const { settings, secrets } = checked({ kind, settings: given });
  return { ...settings, ...secrets };
}

function checkRatio(ratio: number): void {
  if (ratio >= 0 && ratio <= 1) return;
  throw new AppError("source_settings_invalid", "max_removed_ratio must be a number from 0 to 1.", {
    fields: [{ pointer: "/max_removed_ratio", detail: "Must be a number from 0 to 1." }],
  });
}

const sealSecrets = (sealer: Sealer, secrets: Settings): Buffer | null =>
  Object.keys(secrets).length === 0
    ? null
    : sealer.seal(JSON.stringify(secrets), SEAL_PURPOSES.sourceSecrets);

function checked({ kind, settings }: Pick<SourceInput, "kind" | "settings">) {
  if (!isSourceKind(kind)) {
    const kinds = Object.keys(CONNECTORS).join(", ");
    throw new AppError("source_settings_invalid", `There is no source of kind "${kind}". Kinds: ${kinds}.`, {
      fields: [{ pointer: "/kind", detail: `Must be one of: ${kinds}.` }],
    });
  }
  const result = checkSettings(kind, settings);
  if (result.kind === "invalid") throw invalid(result.problems);
  return { kind, settings: result.settings, secrets: result.secrets };
}

function invalid(problems: readonly FieldProblem[]): AppError {
  const list = problems.map(({ pointer, detail }) => `${pointer.slice(1)}: ${detail}`).join(" ");
  return new AppError("source_settings_invalid", `The source's settings are wrong. ${list}`, {
    fields: problems,
  });
}

export function openSecrets(sealer: Sealer): (sealed: Buffer | null) => Settings {
  return (sealed) =>
    sealed === null
      ? {}
      : (JSON.parse(sealer.open(sealed, SEAL_PURPOSES.sourceSecrets)) as Record<string, string>);
}

export type RemovedSource = {
  readonly removed: number;
  readonly kept: number;
  /** The run that goes over the items, where they are many. Null: all is done. */
  readonly runId: string | null;
};

/**
 * Removes a source: it is neither listed nor synced from now on. In a small catalog its items follow at once, in a large
 * one by a run, and the numbers say what that will do. Items that go leave the feeds at the render after it.
 */
export async function removeSource(db: Db, id: string, items: ItemsFate = "remove"): Promise<RemovedSource> {
  return db.tx(async (tx) => {
    // The source before its run, as a merge takes them; and no waiting for the catalog, which a merge may have for long.
    const source = await holdSource(tx, id);
    if (!source) throw new AppError("unknown_source", `There is no source ${id}.`);
    await failOpenSyncs(tx, id, {
      code: "unknown_source",
      message: "The source was removed while its sync was open.",
    });
    await beginSourceRemoval(tx, source, items);
    const inCatalog = await tryLockCatalog(tx, source.catalogId);
    if (inCatalog !== undefined && inCatalog < REMOVAL_BATCH)
      return removedOf(items, await removeAtOnce(tx, id), null);
    const runId = newId();
    const run = { kind: "removal", cause: "removal", sourceId: id } as const;
    await enqueueRun(tx, { id: runId, catalogId: source.catalogId, ...run });
    return removedOf(items, source.itemCount, runId);
  });
}

async function removeAtOnce(tx: Queries, id: string): Promise<number> {
  const removal = await holdRemovedSource(tx, id);
  if (!removal) return 0;
  await removeSourceBatch(tx, removal);
  return endSourceRemoval(tx, removal);
}

const removedOf = (items: ItemsFate, count: number, runId: string | null): RemovedSource =>
  items === "keep" ? { removed: 0, kept: count, runId } : { removed: count, kept: 0, runId };
