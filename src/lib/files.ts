/** Small tools for files and folders. */
import { open, stat } from "node:fs/promises";

/** Throws any error except that there is no such file. */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false;
      throw error;
    },
  );
}

/** Makes a rename, or a new file in the folder, survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  await using handle = await open(path, "r");
  await handle.sync();
}
