/**
 * Calls of `PATCH /catalog` with one item each: how many a second are answered when many callers push at once, compared
 * with one caller that waits for each answer. A call is answered when its item is in the published files. `node
 * bench/pushes.ts 2000 100` measures only this.
 */
import { join } from "node:path";
import { Agent, request } from "undici";
import { createSubject } from "./cycle.ts";
import { openBenchFolder } from "./folder.ts";
import { startProgram } from "./program.ts";
import { markdownTable, number, type Row } from "./table.ts";

export type PushLoad = { readonly calls: number; readonly callers: number };

const ALONE_CALLS = 20;
const ROUNDS = 3;
const LOAD: PushLoad = { calls: 1_000, callers: 100 };

export async function measurePushes(
  talk: (text: string) => void,
  load: PushLoad = LOAD,
): Promise<readonly Row[]> {
  await using parts = new AsyncDisposableStack();
  const { root } = parts.use(await openBenchFolder());
  const { system, url } = parts.use(await startProgram(join(root, "data")));
  const { key } = await createSubject(system, "http://127.0.0.1:9/never-read");
  const agent = new Agent({ connections: load.callers });
  parts.defer(async () => agent.close());
  const push = pusher(url, key, agent);
  // The first calls compile code and do not count.
  await callsPerSecond(push, { calls: load.callers, callers: load.callers });
  const rounds: { readonly alone: number; readonly together: number }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const alone = await callsPerSecond(push, { calls: ALONE_CALLS, callers: 1 });
    const together = await callsPerSecond(push, load);
    rounds.push({ alone, together });
    talk(`pushes, round ${round + 1}: ${number(together, 1)}/s together, ${number(alone, 1)}/s alone`);
  }
  const best = (of: (round: (typeof rounds)[number]) => number) =>
    `${number(Math.max(...rounds.map(of)), 1)}/s`;
  return [
    {
      what: `PATCH of one item, ${load.callers} callers at once`,
      items: null,
      figure: best(({ together }) => together),
      against: "one caller",
      reference: best(({ alone }) => alone),
      ratios: rounds.map(({ alone, together }) => together / alone),
      better: "higher",
    },
  ];
}

function pusher(url: string, key: string, dispatcher: Agent): () => Promise<void> {
  let calls = 0;
  return async () => {
    calls += 1;
    const id = `lamp-${calls}`;
    const product = { id, title: `Lamp ${calls}`, link: `https://shop.example/${id}`, price: "9.00 USD" };
    const answer = await request(`${url}/api/v1/catalog`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify([product]),
      dispatcher,
      headersTimeout: 0,
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200 || !text.includes('"upserted":1'))
      throw new Error(`a push was answered with ${answer.statusCode}: ${text}`);
  };
}

async function callsPerSecond(push: () => Promise<void>, { calls, callers }: PushLoad): Promise<number> {
  let left = calls;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (left-- > 0) await push();
    }),
  );
  return (1000 * calls) / (performance.now() - began);
}

if (import.meta.main) {
  const [calls = LOAD.calls, callers = LOAD.callers] = process.argv.slice(2).map(Number);
  const rows = await measurePushes((text) => process.stderr.write(`${text}\n`), { calls, callers });
  process.stdout.write(markdownTable(rows));
}
