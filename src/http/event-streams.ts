/**
 * Open event streams of this server. Notices of the database reach every server, so it does not matter which one a
 * caller is connected to, nor which worker does the work. Events are not stored: a client reads again what changed.
 */
import { Readable } from "node:stream";
import { MAX_STREAMS_PER_KEY } from "../contract/event-stream.ts";
import { AppError } from "../errors.ts";
import { onAbort } from "../lib/async.ts";
import { newId } from "../lib/id.ts";
import { findLiveKey } from "../store/keys.ts";
import { listSessionKeys } from "../store/sessions.ts";
import type { Db } from "../store/db.ts";
import type { Notice, Notices } from "../store/notices.ts";
import { findRunOf } from "../store/run-history.ts";
import type { Caller } from "./auth.ts";
import { runBody } from "./run-view.ts";

export type EventStreams = {
  readonly open: (caller: Caller, opening: EventStreamOptions) => Readable;
  readonly close: () => void;
};

export type EventStreamOptions = {
  /** The caller was connected before and may have missed events. */
  readonly isReconnect: boolean;
  /** Ends the stream. */
  readonly signal: AbortSignal;
};

type OpenStream = {
  readonly caller: Caller;
  readonly send: (event: string, data: object) => void;
  readonly comment: () => void;
  readonly end: (reason: string) => void;
};

/** Shorter than the idle timeouts of proxies. */
const HEARTBEAT_MS = 15_000;
/** A reader that leaves this much unread is disconnected. */
const MAX_UNREAD = 1024 * 1024;

export function eventStreams(
  { db, notices }: { readonly db: Db; readonly notices: Notices },
  heartbeatMs = HEARTBEAT_MS,
): EventStreams {
  const streams = new Set<OpenStream>();
  const stopListening = notices.on(senderOf(db, streams));

  const heartbeat = setInterval(() => {
    for (const stream of streams) {
      stream.comment();
      // Closes streams of keys that expire or whose catalog is removed, and of sessions that end.
      isStillAllowed(db, stream.caller).then(
        (isAllowed) => isAllowed || stream.end("The key or the session has ended."),
        () => undefined,
      );
    }
  }, heartbeatMs).unref();

  return {
    open: (caller, opening) => {
      const own = [...streams].filter(({ caller: { key } }) => key.id === caller.key.id);
      if (own.length >= MAX_STREAMS_PER_KEY) throw tooMany();
      return openStream(streams, caller, opening);
    },
    close: () => {
      clearInterval(heartbeat);
      stopListening();
    },
  };
}

async function isStillAllowed(db: Db, { key, sessionHash }: Caller): Promise<boolean> {
  if (sessionHash) return (await listSessionKeys(db, sessionHash)).some(({ id }) => id === key.id);
  return (await findLiveKey(db, key.handle)) !== undefined;
}

/** Passes notices on to the streams that they concern. */
function senderOf(db: Db, streams: ReadonlySet<OpenStream>): (notice: Notice) => void {
  const send = (catalogId: string, event: string, data: object): void => {
    for (const stream of streams) if (stream.caller.catalogId === catalogId) stream.send(event, data);
  };
  const isWatched = (catalogId: string): boolean =>
    [...streams].some(({ caller }) => caller.catalogId === catalogId);
  const sendRefetch = (): void => {
    for (const stream of streams) stream.send("refetch", {});
  };
  // Runs are read one after another, so that their events keep the order of the changes.
  let reading: Promise<void> = Promise.resolve();
  const sendRun = async (catalogId: string, id: string): Promise<void> => {
    const run = await findRunOf(db, { catalogId, id });
    if (run) send(catalogId, "run", runBody(run));
  };
  return (notice) => {
    if (notice.about === "run" && isWatched(notice.catalogId)) {
      // If the database is away, clients must read again what they show.
      reading = reading.then(async () => sendRun(notice.catalogId, notice.id)).catch(sendRefetch);
    } else if (notice.about === "progress") {
      const { catalogId, id, phase, done } = notice;
      send(catalogId, "progress", { run_id: id, phase, done });
    } else if (notice.about === "delivered") send(notice.catalogId, "deliveries", {});
    else if (notice.about === "connected") sendRefetch();
    else if (notice.about === "key revoked") {
      for (const stream of streams)
        if (stream.caller.key.id === notice.id) stream.end("The key was revoked.");
    }
  };
}

function openStream(
  streams: Set<OpenStream>,
  caller: Caller,
  { isReconnect, signal }: EventStreamOptions,
): Readable {
  const body = new Readable({ read: () => undefined, highWaterMark: 64 * 1024, encoding: "utf8" });
  const name = newId().slice(-12);
  let count = 0;
  const write = (text: string): void => {
    if (body.readableEnded || body.destroyed) return;
    body.push(text);
    if (body.readableLength > MAX_UNREAD) body.destroy();
  };
  const stream: OpenStream = {
    caller,
    send: (event, data) => {
      count += 1;
      write(`id: ${name}-${count}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    },
    comment: () => write(": still here\n\n"),
    end: (reason) => {
      if (!streams.delete(stream)) return;
      stream.send("end", { reason });
      body.push(null);
    },
  };
  streams.add(stream);
  const stopWatching = onAbort(signal, () => stream.end("The server is stopping."));
  body.once("close", () => {
    stopWatching();
    streams.delete(stream);
  });
  // Proxies and browsers wait for a first byte. The browser's own delay before it connects again is three seconds.
  stream.send(isReconnect ? "refetch" : "open", {});
  return body;
}

const tooMany = (): AppError =>
  new AppError(
    "rate_limited",
    `This API key has ${MAX_STREAMS_PER_KEY} open event streams on this server, which is the limit. Close one first.`,
    { retryAfterS: 5 },
  );
