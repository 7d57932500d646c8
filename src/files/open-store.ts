/** Opens the store at a location: on the thread that has the configuration, and on those that it starts. */
import type { FileStore } from "./file-store.ts";
import { localStore } from "./local-store.ts";

/** A folder on the local disk. */
export function openStore(location: string): FileStore {
  return localStore(location);
}
