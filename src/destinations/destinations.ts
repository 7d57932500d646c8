/**
 * Creates, lists, changes and deletes destinations. Secrets are encrypted before they are stored, are never returned,
 * and are sent only to the host that they were entered for.
 */
import type {
  ChangedDestination,
  Destination,
  NewDestination,
  TriedDestination,
} from "../contract/destinations.ts";
import { AppError, type FieldProblem, invalidRequest } from "../errors.ts";
import type { Encryption } from "../lib/encryption.ts";
import { newId } from "../lib/id.ts";
import type { AllowList } from "../lib/outbound/allow-list.ts";
import type { Lookup } from "../lib/outbound/name-lookup.ts";
import { checkTarget, needsTls, parseHost } from "../lib/outbound/net-guard.ts";
import type { Db, Queries } from "../store/db.ts";
import { ENCRYPTION_PURPOSES } from "../store/encrypted-columns.ts";
import { requireLive } from "../store/restores.ts";
import { destinationBody } from "./body.ts";
import {
  deleteDestination,
  type DestinationRef,
  type DestinationRow,
  findDestination,
  insertDestination,
  listDestinations,
  lockDestination,
  lockDestinations,
  updateDestination,
} from "./destinations.sql.ts";
import { retryNow } from "./deliveries.sql.ts";
import { DEFAULT_OPTIONS, optionsOf } from "./options.ts";
import {
  checkSettings,
  DESTINATION_KINDS,
  type DestinationSettings,
  targetOf,
  type Uploaded,
} from "./kinds.ts";
import { SFTP_PORT } from "./ssh-session.ts";

/** The limit for each catalog. */
export const MAX_DESTINATIONS = 20;

export type DestinationGuardOptions = { readonly allow: AllowList; readonly lookup?: Lookup };
export type DestinationDeps = { readonly encryption: Encryption; readonly guard: DestinationGuardOptions };

export async function addDestination(
  db: Db,
  { encryption, guard }: DestinationDeps,
  {
    catalogId,
    id = newId(),
    ...input
  }: NewDestination & { readonly catalogId: string; readonly id?: string },
): Promise<Destination> {
  const options = optionsOf(input, { ...DEFAULT_OPTIONS, isSharded: input.kind === "sftp" });
  const { settings, secrets } = await checked(input.kind, input.settings, options);
  await checkPlace(input.kind, settings, guard);
  const name = input.name?.trim() ?? DESTINATION_KINDS[input.kind].destination(settings);
  const row = { ...options, name, settings, secretsEncrypted: encrypted(encryption, secrets) };
  return db.tx(async (tx) => {
    await lockDestinations(tx, catalogId);
    await requireFree(tx, { catalogId, id, kind: input.kind, ...row });
    if (!(await insertDestination(tx, { id, catalogId, kind: input.kind, ...row }, MAX_DESTINATIONS))) {
      throw new AppError(
        "conflict",
        `This catalog has ${MAX_DESTINATIONS} destinations, which is the limit. Remove one first.`,
      );
    }
    return bodyOf(await requireDestination(tx, { catalogId, id }), encryption);
  });
}

export async function changeDestination(
  db: Db,
  { encryption, guard }: DestinationDeps,
  { catalogId, ...change }: ChangedDestination & { readonly catalogId: string },
): Promise<Destination> {
  const ref = { catalogId, id: change.id };
  return db.tx(async (tx) => {
    await lockDestinations(tx, catalogId);
    const before = (await lockDestination(tx, ref)) ?? fail(noDestination(ref.id));
    const options = optionsOf(change, before);
    const { settings, secrets } = await editedSettings(encryption, before, {
      edit: change.settings ?? {},
      options,
    });
    if (change.settings !== undefined) await checkPlace(before.kind, settings, guard);
    const name = change.name?.trim() ?? before.name;
    const row = { ...options, name, settings, secretsEncrypted: encrypted(encryption, secrets) };
    if (targetOf(named({ ...before, ...row })) !== targetOf(named(before)))
      await requireFree(tx, { ...before, ...row });
    await updateDestination(tx, ref, row);
    // A delivery that failed may succeed with the new settings.
    if (change.settings !== undefined) await retryNow(tx, ref.id);
    return bodyOf(await requireDestination(tx, ref), encryption);
  });
}

type DestinationPlace = Pick<
  DestinationRow,
  "catalogId" | "id" | "kind" | "settings" | "format" | "fileName" | "isSharded"
>;

const named = ({ kind, settings, format, fileName: name, isSharded }: DestinationPlace) => ({
  kind,
  settings,
  format,
  name,
  isSharded,
});

/** Refuses a destination whose files would have the same place and names as the files of another destination. */
async function requireFree(tx: Queries, row: DestinationPlace): Promise<void> {
  const target = targetOf(named(row));
  const others = await listDestinations(tx, row.catalogId);
  const other = others.find((one) => one.id !== row.id && targetOf(named(one)) === target);
  if (!other) return;
  throw new AppError(
    "conflict",
    `The destination "${other.name}" (${other.id}) already delivers to the same place under the same file name: each would overwrite and remove the files of the other. Choose another folder, address or file name.`,
  );
}

export async function removeDestination(db: Db, ref: DestinationRef): Promise<void> {
  const isDeleted = await db.tx(async (tx) => deleteDestination(tx, ref));
  if (!isDeleted) throw noDestination(ref.id);
}

export async function listDestinationBodies(
  db: Queries,
  encryption: Encryption,
  catalogId: string,
): Promise<readonly Destination[]> {
  return (await listDestinations(db, catalogId)).map((row) => bodyOf(row, encryption));
}

export async function requireDestination(db: Queries, ref: DestinationRef): Promise<DestinationRow> {
  return (await findDestination(db, ref)) ?? fail(noDestination(ref.id));
}

/**
 * Returns the kind and all settings for a test: the settings of a saved destination, with or without changes, or new
 * settings.
 */
export async function settingsToTest(
  db: Queries,
  { encryption, guard }: DestinationDeps,
  { catalogId, id, kind, settings: edit = {} }: TriedDestination & { readonly catalogId: string },
): Promise<{ readonly kind: DestinationRow["kind"]; readonly settings: DestinationSettings }> {
  if ((id === undefined) === (kind === undefined))
    throw invalidRequest("Name either the id of a saved destination, or a kind with its settings.", "/id");
  // A test writes a file, which a restored copy must not do.
  await requireLive(db);
  if (kind !== undefined) {
    const given = Object.fromEntries(Object.entries(edit).map(([name, value]) => [name, value ?? ""]));
    const { settings, secrets } = await checked(kind, given, TESTED);
    await checkPlace(kind, settings, guard);
    return { kind, settings: { ...settings, ...secrets } };
  }
  const row = await requireDestination(db, { catalogId, id: id ?? "" });
  const { settings, secrets } = await editedSettings(encryption, row, { edit, options: row });
  await checkPlace(row.kind, settings, guard);
  return { kind: row.kind, settings: { ...settings, ...secrets } };
}

/** A test sends no files, so these values have no effect on it. */
const TESTED: Uploaded = { format: "acp.csv.gz", isSharded: false };

export function decryptSettings(
  encryption: Encryption,
  { settings, secretsEncrypted }: DestinationRow,
): DestinationSettings {
  return { ...settings, ...decrypted(encryption, secretsEncrypted) };
}

async function checked(kind: DestinationRow["kind"], settings: DestinationSettings, options: Uploaded) {
  const result = await checkSettings(kind, settings, options);
  if (result.kind === "invalid") throw invalid(result.problems);
  return result;
}

async function editedSettings(
  encryption: Encryption,
  before: DestinationRow,
  { edit, options }: { readonly edit: Readonly<Record<string, string | null>>; readonly options: Uploaded },
) {
  const old = decryptSettings(encryption, before);
  const given = { ...old, ...edit };
  const named = Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== null),
  );
  const after = await checked(before.kind, named, options);
  const { destination } = DESTINATION_KINDS[before.kind];
  if (destination(old) === destination(after.settings)) return after;
  const kept = Object.keys(after.secrets).filter((name) => edit[name] === undefined);
  if (kept.length === 0) return after;
  const detail = `Enter it again: it was entered for another host and is not sent to ${destination(after.settings)}.`;
  throw invalid(kept.map((name) => ({ pointer: `/settings/${name}`, detail })));
}

/** The guard checks again at every connection. */
async function checkPlace(
  kind: DestinationRow["kind"],
  { host = "", port, url = "" }: DestinationSettings,
  { allow, lookup }: DestinationGuardOptions,
): Promise<void> {
  if (kind === "sftp") {
    parseHost(host, { port: Number(port), ownPort: SFTP_PORT, allow });
    return;
  }
  const address = url.replaceAll("{file}", "file");
  if (needsTls(address, allow))
    throw invalid([
      {
        pointer: "/settings/url",
        detail: "Must begin with https://. Plain http is only for targets in ALLOW_PRIVATE_TARGETS.",
      },
    ]);
  await checkTarget(address, { resolve: true, allow, ...(lookup && { lookup }) });
}

const encrypted = (encryption: Encryption, secrets: DestinationSettings): Buffer | null =>
  Object.keys(secrets).length === 0
    ? null
    : encryption.encrypt(JSON.stringify(secrets), ENCRYPTION_PURPOSES.destinationSecrets);

const decrypted = (encryption: Encryption, sealed: Buffer | null): DestinationSettings =>
  sealed === null
    ? {}
    : (JSON.parse(encryption.decrypt(sealed, ENCRYPTION_PURPOSES.destinationSecrets)) as Record<
        string,
        string
      >);

const bodyOf = (row: DestinationRow, encryption: Encryption): Destination =>
  destinationBody(row, Object.keys(decrypted(encryption, row.secretsEncrypted)));

function invalid(problems: readonly FieldProblem[]): AppError {
  const list = problems
    .map(({ pointer, detail }) => `${pointer.slice(1).replace("settings/", "")}: ${detail}`)
    .join(" ");
  return new AppError("destination_settings_invalid", list, { fields: problems });
}

export function noDestination(id: string): AppError {
  return new AppError(
    "not_found",
    `There is no destination ${id} in this catalog. List the destinations to see their ids.`,
  );
}

export function fail(error: AppError): never {
  throw error;
}
