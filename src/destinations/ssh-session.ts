/**
 * One SSH connection with SFTP on it. The socket comes from the outbound guard. The host key is compared with the
 * pinned one before anything secret is sent. One deadline covers everything, with a limit for each step that waits for
 * the server; when it ends, or the connection is lost, every open call rejects with the reason.
 */
import type { Client, SftpError, SFTPWrapper } from "ssh2";
import { type Deadline, deadline } from "../lib/deadline.ts";
import type { SocketClient } from "../lib/outbound/socket-client.ts";
import { asDeliveryFailure, DeliveryFailure } from "./failure.ts";
import { algorithmsOf, type HostKey, hostKeyOf, hostKeyText, parseHostKey } from "./host-key.ts";

export const SFTP_PORT = 22;

export type SshLogin = {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password?: string | undefined;
  readonly privateKey?: string | undefined;
  readonly passphrase?: string | undefined;
  /** Null means that the session only asks for the host key. */
  readonly hostKey: string | null;
};

export type SshLimits = {
  /** The time limit for name lookup, connection, key exchange and login together. */
  readonly connectMs: number;
  /** The time limit for one answer of the server. */
  readonly idleMs: number;
  readonly totalMs: number;
};

const SSH_LIMITS: SshLimits = { connectMs: 30_000, idleMs: 60_000, totalMs: 6 * 3_600_000 };

export type SshOptions = {
  readonly sockets: SocketClient;
  readonly signal: AbortSignal;
  readonly limits?: Partial<SshLimits> | undefined;
};

export type SshSession = {
  readonly hostKey: HostKey;
  /** Aborts when the session ends. */
  readonly signal: AbortSignal;
  /** `doing` completes "The server took longer than … to …". */
  readonly call: <T>(doing: string, run: SftpCall<T>) => Promise<T>;
};

/** Calls one function of SFTP. */
export type SftpCall<T> = (
  sftp: SFTPWrapper,
  done: (error: SftpError | null | undefined, result?: T) => void,
) => void;

/** Opens a session, and closes it after the work. */
export async function withSshSession<T>(
  login: SshLogin,
  { sockets, signal, limits }: SshOptions,
  work: (session: SshSession) => Promise<T>,
): Promise<T> {
  const { default: ssh2 } = await import("ssh2");
  const { connectMs, idleMs, totalMs } = { ...SSH_LIMITS, ...limits };
  const expired = (phase: string, ms: number) =>
    new DeliveryFailure("timeout", `${login.host} took longer than ${ms / 1_000} s ${phase}.`);
  const clock = deadline({ signal, totalMs, expired });
  const client = new ssh2.Client();
  const calls = openCalls();
  const gone = new AbortController();
  const fail = (reason: unknown) => {
    calls.fail(reason);
    gone.abort(reason);
    client.destroy();
  };
  clock.onAbort(() => fail(clock.signal.reason));
  try {
    clock.enter("to connect and log in", connectMs);
    const session = await openSession(login, {
      client,
      clock,
      calls,
      fail,
      gone: gone.signal,
      sockets,
      idleMs,
    });
    return await work(session);
  } catch (error) {
    throw asDeliveryFailure(clock.signal.aborted ? clock.signal.reason : error);
  } finally {
    clock.release();
    client.end();
    gone.abort();
  }
}

/**
 * Keeps the calls that wait for their answers. When the session fails, these calls reject, and so does every later
 * call.
 */
function openCalls() {
  const open = new Set<(reason: unknown) => void>();
  let failed: { readonly reason: unknown } | undefined;
  return {
    size: () => open.size,
    start: async <T>(run: (done: (error: unknown, result?: T) => void) => void): Promise<T> =>
      new Promise<T>((resolve, reject) => {
        if (failed) return reject(failed.reason);
        open.add(reject);
        run((error, result) => {
          open.delete(reject);
          if (error) reject(error);
          else resolve(result as T);
        });
      }),
    fail: (reason: unknown) => {
      failed ??= { reason };
      for (const reject of open) reject(reason);
      open.clear();
    },
  };
}

type OpenedSession = {
  readonly client: Client;
  readonly clock: Deadline;
  readonly calls: ReturnType<typeof openCalls>;
  readonly fail: (reason: unknown) => void;
  readonly gone: AbortSignal;
  readonly sockets: SocketClient;
  readonly idleMs: number;
};

async function openSession(login: SshLogin, opened: OpenedSession): Promise<SshSession> {
  const { client, clock, calls, sockets, idleMs } = opened;
  const { host, port, user } = login;
  const sock = await sockets.connect({ host, port, ownPort: SFTP_PORT }, opened.gone);
  const hostKey = await calls.start<HostKey>((done) => logIn(login, opened, { sock, done }));
  const sftp = await calls
    .start<SFTPWrapper>((done) => client.sftp(done))
    .catch((error: unknown) => {
      if (error instanceof DeliveryFailure) throw error;
      const message = `${host} accepted the login and does not offer SFTP. Ask its operator to allow SFTP for ${user}.`;
      throw new DeliveryFailure("refused", message, error);
    });
  clock.pause();
  return {
    hostKey,
    signal: opened.gone,
    call: async (doing, run) => {
      clock.enter(`to ${doing}`, idleMs);
      try {
        return await calls.start((done) => run(sftp, done));
      } finally {
        // Every answer gives the server time for the next one.
        if (calls.size() > 0) clock.enter(`to ${doing}`, idleMs);
        else clock.pause();
      }
    },
  };
}

type PendingLogin = {
  readonly sock: Awaited<ReturnType<SocketClient["connect"]>>;
  readonly done: (error: null, hostKey: HostKey) => void;
};

/** Logs in and returns the host key. */
function logIn(login: SshLogin, { client, fail }: OpenedSession, { sock, done }: PendingLogin): void {
  const { host, user, password, privateKey, passphrase } = login;
  const pinned = login.hostKey === null ? undefined : parseHostKey(login.hostKey);
  let shown: HostKey | undefined;
  let refusal: DeliveryFailure | undefined;
  const hostVerifier = (key: Buffer): boolean => {
    shown = hostKeyOf(key);
    refusal = hostKeyFailure(host, { shown, pinned: login.hostKey });
    return refusal === undefined;
  };
  const closed = () => new DeliveryFailure("interrupted", `${host} closed the connection before the end.`);
  client.on("ready", () => shown && done(null, shown));
  client.on("error", (error: SshError) => fail(refusal ?? sshFailure(error, login)));
  client.on("close", () => fail(refusal ?? closed()));
  client.on("keyboard-interactive", (...[, , , prompts, answer]: KeyboardRequest) =>
    answer(prompts.map(() => password ?? "")),
  );
  client.connect({
    sock,
    username: user,
    ...(password !== undefined && { password, tryKeyboard: true }),
    ...(privateKey !== undefined && { privateKey }),
    ...(passphrase !== undefined && { passphrase }),
    readyTimeout: 0,
    hostVerifier,
    ...(pinned?.type && { algorithms: { serverHostKey: { prepend: algorithmsOf(pinned.type) } } }),
  });
}

/** Some servers ask for the password this way. */
type KeyboardRequest = [
  name: string,
  help: string,
  language: string,
  prompts: readonly unknown[],
  answer: (texts: string[]) => void,
];
type SshError = Error & { readonly level?: string; readonly code?: string };

/** Raised before the login if the host key is not the pinned one. Contains the key that the server showed. */
export class HostKeyFailure extends DeliveryFailure {
  readonly shown: HostKey;

  constructor(code: "host_key_unconfirmed" | "host_key_changed", message: string, shown: HostKey) {
    super(code, message);
    this.shown = shown;
  }
}

function hostKeyFailure(
  host: string,
  { shown, pinned: text }: { readonly shown: HostKey; readonly pinned: string | null },
): HostKeyFailure | undefined {
  const key = hostKeyText(shown);
  if (text === null) {
    const message = `${host} shows the host key ${key}, which is not confirmed yet. Compare it with the key that its operator names, then save it as host_key.`;
    return new HostKeyFailure("host_key_unconfirmed", message, shown);
  }
  if (parseHostKey(text)?.fingerprint === shown.fingerprint) return undefined;
  const message = `${host} shows the host key ${key}, but the confirmed one is ${text}. Nothing was sent, because another server may be answering in its place. Ask its operator whether the key has changed, then save the new one as host_key.`;
  return new HostKeyFailure("host_key_changed", message, shown);
}

function sshFailure(error: SshError, { host, user, privateKey }: SshLogin): DeliveryFailure {
  if (error.level === "client-authentication") {
    const what = privateKey === undefined ? "the password" : "the private key";
    const message = `${host} refused the login of ${user} with ${what}. Check both with the operator of the server.`;
    return new DeliveryFailure("unauthorized", message, error);
  }
  if (error.level === "protocol" || error.level === "handshake") {
    const message = `${host} does not speak SSH as we do: ${error.message}. Check host and port.`;
    return new DeliveryFailure("protocol", message, error);
  }
  const code = error.code === undefined ? "" : ` (${error.code})`;
  return new DeliveryFailure("interrupted", `The connection to ${host} broke${code}.`, error);
}
