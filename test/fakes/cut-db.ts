/**
 * A database whose connections are terminated by PostgreSQL itself (`pg_terminate_backend`) at a step that the test
 * names: before a statement, in the middle of a COPY, before a commit, or between a commit and its answer.
 */
import { Readable, Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { callbackify } from "node:util";
import { until } from "../actions.ts";
import type { Db, Queries, Session } from "../../src/store/db.ts";

/** What a session is about to do: a statement, or `before` or `after the commit of` some. */
export type Step = string;

export type CutDb = {
  readonly db: Db;
  /** Every step since the last call of `forget`, each once, in order. */
  readonly steps: ReadonlySet<Step>;
  readonly forget: () => void;
  /** The next time this step comes, its connection is terminated. */
  readonly cutAt: (step: Step) => void;
  /** How many connections were terminated. */
  readonly cuts: () => number;
};

/** `admin` is a connection that is not cut. */
export function cutDb(db: Db, admin: Queries): CutDb {
  const steps = new Set<Step>();
  let target: Step | null = null;
  let cuts = 0;

  const isDue = (step: Step): boolean => {
    steps.add(step);
    if (step !== target) return false;
    target = null;
    return true;
  };
  const terminate = async (pid: number): Promise<void> => {
    await admin.query({ text: "select pg_terminate_backend($1)", values: [pid] });
    const isGone = async () => {
      const found = await admin.query({
        text: "select 1 from pg_stat_activity where pid = $1",
        values: [pid],
      });
      return found.length === 0;
    };
    await until(isGone, "the backend to end", 60_000);
    cuts += 1;
  };

  const session: Db["session"] = async (work) =>
    db.session(async (real) => {
      const [row] = await real.query<{ pid: number }>({ text: "select pg_backend_pid() as pid", values: [] });
      const cut = async () => terminate(row?.pid ?? 0);
      return work(cuttable(real, { isDue, cut }));
    });
  return {
    db: { ...db, session, tx: async (work) => session(async (s) => s.tx(work)) },
    steps,
    forget: () => steps.clear(),
    cutAt: (step) => {
      target = step;
    },
    cuts: () => cuts,
  };
}

type Cutting = { readonly isDue: (step: Step) => boolean; readonly cut: () => Promise<void> };

function cuttable(real: Session, cutting: Cutting): Session {
  const { isDue, cut } = cutting;
  const within =
    (begin: Session["tx"]): Session["tx"] =>
    async (work) => {
      const done: string[] = [];
      const result = await begin(async (tx) => {
        const result = await work(queries(tx, cutting, done));
        if (isDue(`before the commit of ${done.join("; ")}`)) await cut();
        return result;
      });
      if (isDue(`after the commit of ${done.join("; ")}`)) {
        await cut();
        throw new Error("Connection terminated unexpectedly");
      }
      return result;
    };
  return {
    ...queries(real, cutting),
    tx: within(real.tx),
    snapshot: within(real.snapshot),
    trial: within(real.trial),
    copyIn: (statement) => {
      const stream = real.copyIn(statement);
      return isDue(statement) ? cutBeforeEnd(stream, cut) : stream;
    },
    copyOut: (statement) => {
      const stream = real.copyOut(statement);
      return isDue(statement) ? Readable.from(cutAfterFirst(stream, cut)) : stream;
    },
  };
}

function queries(real: Queries, { isDue, cut }: Cutting, done: string[] = []): Queries {
  const before = async (text: string) => {
    const step = text.replace(/\s+/g, " ").trim();
    done.push(step.split(" ").slice(0, 3).join(" "));
    if (isDue(step)) await cut();
  };
  return {
    query: async (statement) => {
      await before(statement.text);
      return real.query(statement);
    },
    first: async (statement) => {
      await before(statement.text);
      return real.first(statement);
    },
    execute: async (statement) => {
      await before(statement.text);
      return real.execute(statement);
    },
  };
}

/** Sends everything but the end of the COPY, then loses the connection. */
function cutBeforeEnd(stream: Writable, cut: () => Promise<void>): Writable {
  stream.on("error", () => undefined);
  return new Writable({
    write: (chunk: Buffer, _encoding, done) => void stream.write(chunk, done),
    final: callbackify(async () => {
      await cut();
      stream.end();
      await finished(stream);
    }),
  });
}

async function* cutAfterFirst(
  stream: Readable,
  cut: () => Promise<void>,
): AsyncGenerator<Buffer, void, void> {
  let isCut = false;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    yield chunk;
    if (!isCut) await cut();
    isCut = true;
  }
}
