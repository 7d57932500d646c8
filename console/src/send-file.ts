/** Sends a file to the API and says how far it is, which `fetch` cannot. */
import { Problem } from "./api.ts";
import type { ProblemBody } from "./api.ts";
import { setupText } from "./messages/setup.ts";

export type FileSending = {
  readonly method: "PUT" | "PATCH";
  readonly catalog: string;
  readonly file: Blob;
  /** How much has been sent, from 0 to 1. */
  readonly onProgress: (part: number) => void;
};

/** The run that stores the file. */
export async function sendFile(
  path: string,
  { method, catalog, file, onProgress }: FileSending,
): Promise<string> {
  const request = new XMLHttpRequest();
  request.open(method, `/api/v1${path}`);
  request.responseType = "json";
  request.setRequestHeader("x-shelfwire-console", "1");
  request.setRequestHeader("shelfwire-catalog", catalog);
  // The server recognizes the format by the content; what browsers say about files is often wrong.
  request.setRequestHeader("content-type", "application/octet-stream");
  request.setRequestHeader("prefer", "respond-async");
  request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(loaded / Math.max(1, total)));
  const done = Promise.withResolvers<void>();
  request.addEventListener("load", () => done.resolve());
  request.addEventListener("error", () =>
    done.reject(new Problem(0, { code: "offline", detail: setupText.upload.interrupted })),
  );
  request.send(file);
  await done.promise;
  const body = (request.response ?? {}) as ProblemBody & { readonly data?: { readonly run_id: string } };
  if (request.status >= 300 || !body.data) throw new Problem(request.status, body);
  return body.data.run_id;
}
