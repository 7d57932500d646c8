/** Setting up a source: its settings checked by its connector, its secrets sealed before they are stored. */
import { AppError } from "../errors.ts";
import { newId } from "../lib/id.ts";
import type { Sealer } from "../lib/seal.ts";
import { checkSettings, CONNECTORS, isSourceKind } from "../sources/registry.ts";
import type { Db, Queries } from "../store/db.ts";
import { enqueueRun, failOpenSyncs } from "../store/runs.ts";
import { deleteSource, findSource, insertSource, updateSourceRow } from "../store/sources.ts";
import type { SourceRow } from "../store/sources.ts";

export type SourceInput = {
  readonly catalogId: string;
  readonly kind: string;
  readonly name?: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly intervalS: number;
  readonly maxRemovedRatio?: number;
};
export type CreatedSource = { readonly id: string; readonly kind: string };

const PURPOSE = "source-secrets";
/** As the design decides: a pull that would take more than half of a source away is not believed. */
const DEFAULT_MAX_REMOVED_RATIO = 0.5;

export async function addSource(db: Queries, sealer: Sealer, input: SourceInput): Promise<CreatedSource> {
  const { settings, secrets } = checked(input);
  const { maxRemovedRatio = DEFAULT_MAX_REMOVED_RATIO } = input;
  checkRatio(maxRemovedRatio);
  const id = newId();
  await insertSource(db, {
    id,
    catalogId: input.catalogId,
    kind: input.kind,
    name: input.name ?? input.kind,
    settings,
    secretsSealed: sealSecrets(sealer, secrets),
    intervalS: input.intervalS,
    maxRemovedRatio,
  });
  return { id, kind: input.kind };
}

export type SourceEdit = {
  readonly name?: string;
  /** Only those that change; an empty text unsays one. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly enabled?: boolean;
  readonly intervalS?: number;
  readonly maxRemovedRatio?: number;
};

/** Changes a source. What the edit does not name stays, secrets included. */
export async function updateSource(
  db: Queries,
  sealer: Sealer,
  source: SourceRow,
  edit: SourceEdit,
): Promise<void> {
  const before = { ...source.settings, ...openSecrets(sealer)(source.secretsSealed) };
  const { settings, secrets } = checked({ kind: source.kind, settings: { ...before, ...edit.settings } });
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
  });
}

function checkRatio(ratio: number): void {
  if (ratio >= 0 && ratio <= 1) return;
  throw new AppError("source_settings_invalid", "max_removed_ratio must be a number from 0 to 1.");
}

const sealSecrets = (sealer: Sealer, secrets: Readonly<Record<string, string>>): Buffer | null =>
  Object.keys(secrets).length === 0 ? null : sealer.seal(JSON.stringify(secrets), PURPOSE);

function checked({ kind, settings }: Pick<SourceInput, "kind" | "settings">) {
  if (!isSourceKind(kind)) {
    const kinds = Object.keys(CONNECTORS).join(", ");
    throw new AppError("source_settings_invalid", `There is no source of kind "${kind}". Kinds: ${kinds}.`);
  }
  const result = checkSettings(kind, settings);
  if (result.kind === "valid") return result;
  const list = result.problems.map(({ pointer, detail }) => `${pointer.slice(1)}: ${detail}`).join(" ");
  throw new AppError("source_settings_invalid", `The source's settings are wrong. ${list}`, {
    fields: result.problems,
  });
}

export function openSecrets(sealer: Sealer): (sealed: Buffer | null) => Readonly<Record<string, string>> {
  return (sealed) =>
    sealed === null ? {} : (JSON.parse(sealer.open(sealed, PURPOSE)) as Record<string, string>);
}

/** Removes a source with its items, and has the feeds rendered without them. */
export async function removeSource(db: Db, id: string): Promise<{ readonly removed: number }> {
  return db.tx(async (tx) => {
    const source = await findSource(tx, id);
    await failOpenSyncs(tx, id, {
      code: "unknown_source",
      message: "The source was removed while its sync was open.",
    });
    const removed = await deleteSource(tx, id);
    if (!source || removed === undefined) throw new AppError("unknown_source", `There is no source ${id}.`);
    await enqueueRun(tx, {
      id: newId(),
      catalogId: source.catalogId,
      sourceId: null,
      kind: "render",
      cause: "removal",
    });
    return { removed };
  });
}
