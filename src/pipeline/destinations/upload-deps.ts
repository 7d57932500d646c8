/** What a delivery to a destination needs, and what it results in. */
import { DeliveryFailure } from "../../destinations/failure.ts";
import type { Senders, UploadedFiles } from "../../destinations/send.ts";
import type { JobDeps } from "../job.ts";

/** What was sent, with the number of rows that are gone from the catalog. */
export type SentPublished = UploadedFiles & { readonly vanished: number };

export type UploadDeps = Pick<JobDeps, "db" | "log" | "folders" | "encryption"> & Senders;

export function feedMissing(file: string): DeliveryFailure {
  const message = `${file} of the published render is missing on the server. It is rendered again; the delivery follows.`;
  return new DeliveryFailure("feed_missing", message);
}
