/** A real SMTP server on loopback that keeps what it gets, and refuses, hangs or breaks off as a test wants. */
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { SMTPServer } from "smtp-server";
import type { SMTPServerOptions } from "smtp-server";

export type ReceivedMail = {
  readonly from: string;
  readonly to: readonly string[];
  readonly source: string;
  readonly isSecure: boolean;
  readonly user: string | null;
};

export type SmtpBehavior = {
  /** The answer to RCPT: 0 accepts. */
  rejectRecipient: number;
  /** The answer to the message: 0 accepts. */
  rejectMessage: number;
  /** Closes the connection in the middle of the message. */
  breaksOff: boolean;
  /** Accepts a connection and never says a word after the recipient. */
  hangs: boolean;
};

export type TestSmtp = AsyncDisposable & {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  readonly behavior: SmtpBehavior;
  readonly connections: () => number;
};

const USER = "mailer";
export const SMTP_PASSWORD = "s3cret-p@ss";

const refusal = (code: number): Error =>
  Object.assign(new Error(code >= 500 ? "No such user here" : "Try again later"), { responseCode: code });

export async function openSmtp(options: SMTPServerOptions = {}): Promise<TestSmtp> {
  const mails: ReceivedMail[] = [];
  const behavior: SmtpBehavior = { rejectRecipient: 0, rejectMessage: 0, breaksOff: false, hangs: false };
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 100,
    onAuth: ({ username, password }, _session, callback) => {
      if (username === USER && password === SMTP_PASSWORD) callback(null, { user: username });
      else callback(refusal(535));
    },
    onRcptTo: (_address, _session, callback) => {
      if (behavior.hangs) return;
      callback(behavior.rejectRecipient === 0 ? null : refusal(behavior.rejectRecipient));
    },
    onData: (stream, session, callback) => {
      if (behavior.breaksOff) {
        for (const socket of sockets) socket.destroy();
        return;
      }
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => void chunks.push(chunk));
      stream.once("end", () => {
        if (behavior.rejectMessage !== 0) return callback(refusal(behavior.rejectMessage));
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          source: Buffer.concat(chunks).toString(),
          isSecure: session.secure,
          user: session.user === undefined ? null : String(session.user),
        });
        callback(null);
      });
    },
    ...options,
  });
  server.on("error", () => undefined);
  server.server.on("connection", (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("error", () => undefined).once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    mails,
    behavior,
    connections: () => connections,
    // It closes its connections itself: Node 26 crashes when a socket is destroyed under the TLS of a server.
    [Symbol.asyncDispose]: async () => {
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

export const SMTP_LOGIN = { user: USER, pass: SMTP_PASSWORD };
