/** Sends the files of one delivery to a destination of any kind, or tests one. */
import type { DeliveredFile } from "../contract/destination-deliveries.ts";
import type { DestinationKind, DestinationTest } from "../contract/destinations.ts";
import type { SocketClient } from "../lib/outbound/socket-client.ts";
import type { UploadHttpClient } from "../lib/outbound/upload-http-client.ts";
import { DeliveryFailure } from "./failure.ts";
import { hostKeyText } from "./host-key.ts";
import { testHttps, uploadByHttps } from "./https.ts";
import { httpsTarget, type DestinationSettings, sftpTarget } from "./kinds.ts";
import { testSftp, uploadBySftp } from "./sftp.ts";
import type { UploadFile } from "./shards.ts";
import { HostKeyFailure } from "./ssh-session.ts";

export type Senders = {
  readonly sockets: SocketClient;
  readonly uploads: UploadHttpClient;
  readonly userAgent: string;
};

export type DestinationUploadOptions = {
  readonly kind: DestinationKind;
  readonly settings: DestinationSettings;
  readonly files: AsyncIterable<UploadFile>;
  /** Whether a file at the destination was made by an earlier delivery. */
  readonly isOurs: (name: string) => boolean;
  readonly bytesPerS: number | null;
  readonly signal: AbortSignal;
};

export type UploadedFiles = {
  readonly files: readonly DeliveredFile[];
  readonly replacing: string;
  readonly removed: readonly string[];
};

export async function sendFiles(
  { sockets, uploads, userAgent }: Senders,
  { kind, settings, files, isOurs, bytesPerS, signal }: DestinationUploadOptions,
): Promise<UploadedFiles> {
  if (kind === "sftp")
    return uploadBySftp(sftpTarget(settings), { files, isOurs, bytesPerS }, { sockets, signal });
  const options = { client: uploads, userAgent, bytesPerS, signal };
  return {
    files: await uploadByHttps(httpsTarget(settings), files, options),
    replacing: "request",
    removed: [],
  };
}

const TEST_LIMITS = { connectMs: 15_000, idleMs: 15_000, totalMs: 30_000 };

type Tested = Pick<DestinationTest, "host_key" | "note">;

/**
 * For SFTP: logs in, and writes and removes an empty file. Without a confirmed host key it ends before the login, with
 * the key. For HTTPS: asks with OPTIONS.
 */
export async function testDestination(
  senders: Senders,
  tested: Pick<DestinationUploadOptions, "kind" | "settings" | "signal">,
): Promise<DestinationTest> {
  const began = performance.now();
  const result = (test: Omit<DestinationTest, "duration_ms">): DestinationTest => ({
    ...test,
    duration_ms: Math.round(performance.now() - began),
  });
  try {
    const shown = tested.kind === "sftp" ? await trySftp(senders, tested) : await tryHttps(senders, tested);
    return result({ ok: true, ...shown, error: null });
  } catch (error) {
    if (!(error instanceof DeliveryFailure)) throw error;
    const { code, message } = error;
    const shown = error instanceof HostKeyFailure ? hostKeyText(error.shown) : null;
    const hostKey = shown === null ? null : { value: shown, confirmed: false };
    return result({ ok: false, host_key: hostKey, note: null, error: { code, message } });
  }
}

type Trying = Pick<DestinationUploadOptions, "settings" | "signal">;

async function trySftp({ sockets }: Senders, { settings, signal }: Trying): Promise<Tested> {
  const shown = await testSftp(sftpTarget(settings), { sockets, signal, limits: TEST_LIMITS });
  return { host_key: { value: hostKeyText(shown), confirmed: true }, note: null };
}

async function tryHttps({ uploads, userAgent }: Senders, { settings, signal }: Trying): Promise<Tested> {
  const options = { client: uploads, userAgent, bytesPerS: null, signal, limits: TEST_LIMITS };
  const status = await testHttps(httpsTarget(settings), options);
  const note = `The connection works: the server answered OPTIONS with status ${status}. Nothing was uploaded, so only a delivery shows whether it takes the files.`;
  return { host_key: null, note };
}
