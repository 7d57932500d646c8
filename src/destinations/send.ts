/** Sends the files of one delivery to a destination of any kind, or tests one. */
import type { DeliveredFile } from "../contract/destination-deliveries.ts";
import type { DestinationKind, DestinationTest } from "../contract/destinations.ts";
import type { SocketClient } from "../lib/outbound/socket-client.ts";
import type { UploadHttpClient } from "../lib/outbound/upload-http-client.ts";
import { DeliveryFailure } from "./failure.ts";
import { hostKeyText } from "./host-key.ts";
import { uploadByHttps } from "./https.ts";
import { httpsTarget, type Settings, sftpTarget } from "./kinds.ts";
import { testSftp, uploadBySftp } from "./sftp.ts";
import type { UploadFile } from "./shards.ts";
import { HostKeyFailure } from "./ssh-session.ts";

export type Senders = {
  readonly sockets: SocketClient;
  readonly uploads: UploadHttpClient;
  readonly userAgent: string;
};

export type Sending = {
  readonly kind: DestinationKind;
  readonly settings: Settings;
  readonly files: AsyncIterable<UploadFile>;
  /** Whether a file at the destination was made by an earlier delivery. */
  readonly isOurs: (name: string) => boolean;
  readonly bytesPerS: number | null;
  readonly signal: AbortSignal;
};

export type Sent = {
  readonly files: readonly DeliveredFile[];
  readonly replacing: string;
  readonly removed: readonly string[];
};

export async function sendFiles(
  { sockets, uploads, userAgent }: Senders,
  { kind, settings, files, isOurs, bytesPerS, signal }: Sending,
): Promise<Sent> {
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

/**
 * For SFTP: logs in, and writes and removes an empty file. Without a confirmed host key it ends before the login, with the key. An HTTPS
 * address cannot be tested without sending something, so only a real delivery shows whether it works.
 */
export async function testDestination(
  { sockets }: Senders,
  { kind, settings, signal }: Pick<Sending, "kind" | "settings" | "signal">,
): Promise<DestinationTest> {
  const began = performance.now();
  const result = (test: Omit<DestinationTest, "duration_ms">): DestinationTest => ({
    ...test,
    duration_ms: Math.round(performance.now() - began),
  });
  if (kind !== "sftp") return result({ ok: true, host_key: null, error: null });
  try {
    const shown = await testSftp(sftpTarget(settings), { sockets, signal, limits: TEST_LIMITS });
    return result({ ok: true, host_key: { value: hostKeyText(shown), confirmed: true }, error: null });
  } catch (error) {
    if (!(error instanceof DeliveryFailure)) throw error;
    const { code, message } = error;
    const shown = error instanceof HostKeyFailure ? hostKeyText(error.shown) : null;
    const hostKey = shown === null ? null : { value: shown, confirmed: false };
    return result({ ok: false, host_key: hostKey, error: { code, message } });
  }
}
