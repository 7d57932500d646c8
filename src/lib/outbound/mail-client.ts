/**
 * Sends mail by SMTP, through the guard: the connection is opened to a vetted address and then given to nodemailer.
 * With a public server TLS is required and its certificate is checked. A server that ALLOW_PRIVATE_TARGETS names may
 * speak plainly.
 */
import type { Socket } from "node:net";
import type { createTransport } from "nodemailer";
import { onAbort } from "../async.ts";
import { HttpFailure } from "./http-failure.ts";
import { isTrusted } from "./net-guard.ts";
import type { SocketClient } from "./socket-client.ts";

export type MailServer = {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte, as for `smtps:`; otherwise STARTTLS. */
  readonly isSecure: boolean;
  readonly auth: { readonly user: string; readonly pass: string } | null;
};

export type MailAddress = { readonly name: string; readonly address: string };

export type Mail = {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** Without brackets. */
  readonly messageId: string;
  readonly references: readonly string[];
};

export type MailClient = {
  readonly from: MailAddress;
  /** Fails with a `MailFailure`. */
  readonly send: (mail: Mail, signal: AbortSignal) => Promise<void>;
};

/** The message says what is wrong and what to do, without the password. */
export class MailFailure extends Error {
  override readonly name = "MailFailure";
  /** A further attempt is useless: the server refuses this recipient or this message for good. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.isFinal = isFinal;
  }
}

/** The ports of SMTP: between servers, with TLS from the start, and for submission. */
const SMTP_PORTS: readonly number[] = [25, 465, 587];
const SUBMISSION = 587;

/** Of the whole exchange, and of each step of it. */
const TOTAL_MS = 60_000;
const STEP_MS = 20_000;

export type MailClientOptions = {
  readonly server: MailServer;
  readonly from: MailAddress;
  readonly sockets: SocketClient;
  /** For tests. */
  readonly limits?: { readonly totalMs: number; readonly stepMs: number };
};

export function mailClient({
  server,
  from,
  sockets,
  limits = { totalMs: TOTAL_MS, stepMs: STEP_MS },
}: MailClientOptions): MailClient {
  const { host, port } = server;
  const ownPort = SMTP_PORTS.includes(port) ? port : SUBMISSION;
  return {
    from,
    send: async (mail, signal) => {
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(limits.totalMs)]);
      try {
        // Loaded with the first mail: 8 MB, and most installations send none. Before there is a socket, whose events it
        // handles.
        const nodemailer = await import("nodemailer");
        const socket = await sockets.connect({ host, port, ownPort }, deadline);
        try {
          await unlessAborted(
            transmit(nodemailer, socket, {
              server,
              from,
              mail,
              stepMs: limits.stepMs,
              isTrusted: isTrusted(host, sockets.allow),
            }),
            deadline,
          );
        } finally {
          socket.destroy();
        }
      } catch (error) {
        if (signal.aborted) throw error;
        throw deadline.aborted ? tooSlow(server) : failureOf(error, server, mail.to);
      }
    },
  };
}

/** Ends at once when the signal aborts; the work then fails by itself, because its connection is closed. */
async function unlessAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = onAbort(signal, () => reject(signal.reason as Error));
  work.catch(() => undefined);
  try {
    await Promise.race([work, aborted]);
  } finally {
    stop();
  }
}

type Transmission = {
  readonly server: MailServer;
  readonly from: MailAddress;
  readonly mail: Mail;
  readonly stepMs: number;
  /** Named by the operator: it could be used without TLS, so a certificate of its own making is no worse. */
  readonly isTrusted: boolean;
};

async function transmit(
  nodemailer: { readonly createTransport: typeof createTransport },
  socket: Socket,
  { server, from, mail, stepMs, isTrusted }: Transmission,
): Promise<void> {
  const { host, port, isSecure, auth } = server;
  const { to, subject, text, html, messageId, references } = mail;
  const transport = nodemailer.createTransport({
    host,
    port,
    connection: socket,
    secure: isSecure,
    requireTLS: !isSecure && !isTrusted,
    tls: { rejectUnauthorized: isSecure || !isTrusted, minVersion: "TLSv1.2" },
    ...(auth && { auth }),
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
    // Nothing in a mail is read from a file or another address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // With the transport's own events: an error after the connection is given up must not end the process.
  transport.on("error", () => undefined);
  await transport.sendMail({
    from,
    to: { name: "", address: to },
    subject,
    text,
    html,
    messageId: `<${messageId}>`,
    ...(references.length > 0 && {
      inReplyTo: `<${references.at(-1)}>`,
      references: references.map((id) => `<${id}>`),
    }),
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
  });
}

const tooSlow = ({ host }: MailServer): MailFailure =>
  new MailFailure(`The mail server ${host} did not answer in time.`, false);

type SmtpError = { readonly code?: string; readonly responseCode?: number; readonly response?: string };

function failureOf(error: unknown, server: MailServer, to: string): MailFailure {
  const { code, responseCode = 0, response = "" } = (error ?? {}) as SmtpError;
  const said = response === "" ? "" : ` It said: ${firstLine(response)}`;
  const isFinal = code !== undefined && REFUSED.has(code) && responseCode >= 500;
  return new MailFailure(`${reasonOf(error, server, { to, isFinal })}${said}`, isFinal, error);
}

/** The recipient or the message was refused. */
const REFUSED: ReadonlySet<string> = new Set(["EENVELOPE", "EMESSAGE"]);

function reasonOf(
  error: unknown,
  { host, port }: MailServer,
  { to, isFinal }: { readonly to: string; readonly isFinal: boolean },
): string {
  const { code, responseCode } = (error ?? {}) as SmtpError;
  const message = messageOf(error);
  if (error instanceof HttpFailure) return `The mail server cannot be reached: ${message}`;
  if (isFinal) return `The mail server ${host} refused the mail to ${to} for good.`;
  if (code === "EAUTH")
    return `The mail server ${host} refused the login. Check user and password in SMTP_URL.`;
  if (code === "ETLS" || /certificate/i.test(message))
    return `There is no safe connection to the mail server ${host}:${port}: ${message} Use a server with a valid certificate and STARTTLS or smtps://, or name a server of your own network in ALLOW_PRIVATE_TARGETS.`;
  return responseCode === undefined
    ? `The connection to the mail server ${host} broke: ${message}`
    : `The mail server ${host} does not take the mail to ${to} now.`;
}

const firstLine = (text: string): string => (text.split(/[\r\n]/, 1)[0] ?? "").slice(0, 300);
const messageOf = (error: unknown): string =>
  `${firstLine(error instanceof Error ? error.message : String(error)).replace(/\.$/, "")}.`;
