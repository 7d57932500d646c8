/** Setting up a source: its settings checked by its connector, its secrets sealed before they are stored. */
import { AppError } from "../errors.ts";
import { newId } from "../lib/id.ts";
import type { Sealer } from "../lib/seal.ts";
import { checkSettings, CONNECTORS, isSourceKind } from "../sources/registry.ts";
import type { Db, Queries } from "../store/db.ts";
import { enqueueRun } from "../store/runs.ts";
import { deleteSource, findSource, insertSource } from "../store/sources.ts";

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
  if (!(maxRemovedRatio >= 0 && maxRemovedRatio <= 1)) {
    throw new AppError("source_settings_invalid", "max_removed_ratio must be a number from 0 to 1.");
  }
  const id = newId();
  await insertSource(db, {
    id,
    catalogId: input.catalogId,
    kind: input.kind,
    name: input.name ?? input.kind,
    settings,
    secretsSealed: Object.keys(secrets).length === 0 ? null : sealer.seal(JSON.stringify(secrets), PURPOSE),
    intervalS: input.intervalS,
    maxRemovedRatio,
  });
  return { id, kind: input.kind };
}

function checked({ kind, settings }: SourceInput) {
  if (!isSourceKind(kind)) {
    const kinds = Object.keys(CONNECTORS).join(", ");
    throw new AppError("source_settings_invalid", `There is no source of kind "${kind}". Kinds: ${kinds}.`);
  }
  const result = checkSettings(kind, settings);
  if (result.kind === "valid") return result;
  const list = result.problems.map(({ pointer, detail }) => `${pointer.slice(1)}: ${detail}`).join(" ");
  throw new AppError("source_settings_invalid", `The source cannot be added. ${list}`, {
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
