/**
 * Many small catalogs: how many cycles of a push with one item and the render after it are done in a second, when many
 * catalogs are pushed to at once, compared with one after another. `node bench/catalogs.ts 2000 500` measures only
 * this.
 */
import { join } from "node:path";
import { Agent, request } from "undici";
import { createSubject, type Subject } from "./cycle.ts";
import { openBenchFolder } from "./folder.ts";
import { cpuBetween } from "./processes.ts";
import { type Program, startProgram } from "./program.ts";
import { markdownTable, number, type Row } from "./table.ts";

const CATALOGS = 2_000;
const PUSHES = 500;
const CALLERS = 100;
const ALONE = 20;
const ITEMS = 10;

export async function measureCatalogs(
  talk: (text: string) => void,
  { catalogs = CATALOGS, pushes = PUSHES }: { readonly catalogs?: number; readonly pushes?: number } = {},
): Promise<readonly Row[]> {
  await using parts = new AsyncDisposableStack();
  const { root } = parts.use(await openBenchFolder());
  const program = parts.use(await startProgram(join(root, "data")));
  const agent = new Agent({ connections: CALLERS });
  parts.defer(async () => agent.close());
  talk(`making ${catalogs} catalogs`);
  const subjects: Subject[] = [];
  for (let count = 0; count < catalogs; count += 1)
    subjects.push(await createSubject(program.system, "http://127.0.0.1:9/never-read"));
  const push = pusher(program, agent);
  await inParallel(subjects, async (subject) => push(subject, ITEMS));
  const alone = await cyclesPerSecond(program, subjects.slice(0, ALONE), 1, push);
  const together = await cyclesPerSecond(program, subjects.slice(-pushes), CALLERS, push);
  talk(
    `${number(together.cpuMs, 1)} ms of processor time a cycle, ${number(together.postgresMs, 1)} ms of it PostgreSQL's`,
  );
  return [
    {
      what: `one item pushed to each of ${pushes} of ${catalogs} catalogs at once: cycles`,
      items: catalogs * ITEMS,
      figure: `${number(together.perSecond, 1)}/s`,
      against: "one after another",
      reference: `${number(alone.perSecond, 1)}/s`,
      ratios: [together.perSecond / alone.perSecond],
      better: "higher",
    },
  ];
}

type Push = (subject: Subject, items: number) => Promise<void>;

function pusher({ url }: Program, dispatcher: Agent): Push {
  let calls = 0;
  return async ({ key }, items) => {
    calls += 1;
    const products = Array.from({ length: items }, (_, at) => ({
      id: `lamp-${at}`,
      title: `Lamp ${at}`,
      link: `https://shop.example/lamp-${at}`,
      price: `${(calls % 900) + 1}.00 USD`,
    }));
    const answer = await request(`${url}/api/v1/catalog`, {
      method: "PATCH",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(products),
      dispatcher,
      headersTimeout: 0,
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`a push was answered with ${answer.statusCode}: ${text}`);
  };
}

async function cyclesPerSecond(
  { processes }: Program,
  subjects: readonly Subject[],
  callers: number,
  push: Push,
) {
  const before = await processes.cpu();
  const began = performance.now();
  await inParallel(subjects, async (subject) => push(subject, 1), callers);
  const ms = performance.now() - began;
  const cpu = cpuBetween(before, await processes.cpu());
  const each = (time = 0): number => time / subjects.length;
  return {
    perSecond: (1_000 * subjects.length) / ms,
    cpuMs: each((cpu?.programMs ?? 0) + (cpu?.postgresMs ?? 0)),
    postgresMs: each(cpu?.postgresMs),
  };
}

async function inParallel(
  subjects: readonly Subject[],
  work: (subject: Subject) => Promise<void>,
  callers = CALLERS,
): Promise<void> {
  const rest = [...subjects];
  const caller = async (): Promise<void> => {
    for (let subject = rest.pop(); subject; subject = rest.pop()) await work(subject);
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

if (import.meta.main) {
  const [catalogs = CATALOGS, pushes = PUSHES] = process.argv.slice(2).map(Number);
  const rows = await measureCatalogs((text) => process.stderr.write(`${text}\n`), { catalogs, pushes });
  process.stdout.write(markdownTable(rows));
}
