/**
 * Puts complete files in their places. With OpenSSH's extension each rename replaces its target at once. A server
 * without it refuses to rename onto an existing file: there the old file is first renamed to `.<name>.old`, and
 * restored if the second rename fails, so the place is empty for one round trip.
 */
import { DeliveryFailure } from "./failure.ts";
import { partOf, type SftpFolder } from "./sftp-place.ts";

export type Replacing = "atomic" | "two_renames";

const oldOf = (name: string): string => `.${name}.old`;

export async function replaceAll(place: SftpFolder, names: readonly string[]): Promise<Replacing> {
  let replacing: Replacing = "atomic";
  for (const name of names) {
    if (replacing === "atomic") {
      const result = await place.replace(partOf(name), name).catch(refused(place, name));
      if (result === "replaced") continue;
      replacing = "two_renames";
    }
    await moveAside(place, name);
  }
  return replacing;
}

async function moveAside(place: SftpFolder, name: string): Promise<void> {
  const hasOld = await place.size(name).then(
    () => true,
    () => false,
  );
  if (hasOld) {
    await removeQuietly(place, oldOf(name));
    await place.rename(name, oldOf(name)).catch(refused(place, name));
  }
  try {
    await place.rename(partOf(name), name).catch(refused(place, name));
  } catch (error) {
    if (hasOld) await place.rename(oldOf(name), name);
    throw error;
  }
  if (hasOld) await removeQuietly(place, oldOf(name));
}

const refused =
  ({ host, user, folder }: SftpFolder, name: string) =>
  (error: unknown): never => {
    if (!(error instanceof DeliveryFailure) || !REFUSALS.has(error.code)) throw error;
    const message = `${host} does not let ${user} rename files in ${folder}, so ${name} was not replaced; the earlier file is unchanged. Ask its operator to allow renaming.`;
    throw new DeliveryFailure("rename_refused", message, error);
  };

const REFUSALS: ReadonlySet<string> = new Set(["refused", "write_failed", "folder_missing"]);

/** Errors are ignored: files that stay are removed by the next upload. */
export async function removeQuietly(place: SftpFolder, name: string): Promise<void> {
  await place.remove(name).catch(() => undefined);
}
