/**
 * Peak memory and processor time of the program's processes, from /proc; null outside Linux. Processor time hardly
 * changes when others use the machine.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

export type Processes = {
  readonly peakMemory: () => Promise<PeakMemory | null>;
  readonly cpu: () => Promise<Cpu | null>;
};

/** Of PostgreSQL the largest process, with shared memory. */
export type PeakMemory = Readonly<Record<"serverMb" | "workerMb" | "postgresMb", number>>;

/** The program: server and worker. The bench: this process, which is the shop and measures the limits. */
export type Cpu = Readonly<Record<"programMs" | "postgresMs" | "benchMs", number>>;

export function processesOf(serverPid: number, dataDir: string): Processes {
  if (process.platform !== "linux") return { peakMemory: async () => null, cpu: async () => null };
  return {
    peakMemory: async () => {
      const backends = await childrenOf(await postmasterPid(dataDir));
      return {
        serverMb: await peakMb(serverPid),
        workerMb: await peakMb(await workerPid(serverPid)),
        postgresMb: Math.max(...(await Promise.all(backends.map(async ({ pid }) => peakMb(pid))))),
      };
    },
    cpu: async () => {
      const postmaster = await postmasterPid(dataDir);
      const backends = await childrenOf(postmaster);
      const { user, system } = process.cpuUsage();
      return {
        programMs: await sumCpu([serverPid, await workerPid(serverPid)]),
        postgresMs: await sumCpu([postmaster, ...backends.map(({ pid }) => pid)], { hasEnded: true }),
        benchMs: (user + system) / 1000,
      };
    },
  };
}

export function cpuBetween(before: Cpu | null, after: Cpu | null): Cpu | null {
  if (!before || !after) return null;
  return {
    programMs: after.programMs - before.programMs,
    postgresMs: after.postgresMs - before.postgresMs,
    benchMs: after.benchMs - before.benchMs,
  };
}

/** The peak of the resident set; 0 for a process that has ended. */
async function peakMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024;
}

async function sumCpu(pids: readonly number[], { hasEnded = false } = {}): Promise<number> {
  const each = await Promise.all(pids.map(async (pid) => cpuMs(pid, hasEnded)));
  return each.reduce((sum, ms) => sum + ms, 0);
}

/** Linux counts in hundredths of a second. With `hasEnded`, children that have ended count as their parent. */
async function cpuMs(pid: number, hasEnded: boolean): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The command in brackets may contain anything; what follows it is numbers. utime is the 14th field of proc(5).
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = fields.slice(11, hasEnded ? 15 : 13).reduce((sum, field) => sum + Number(field), 0);
  return ticks * 10;
}

async function postmasterPid(dataDir: string): Promise<number> {
  const file = join(dataDir, "postgres", "cluster", "data", "postmaster.pid");
  return Number((await readFile(file, "utf8")).split("\n", 1)[0]);
}

async function workerPid(serverPid: number): Promise<number> {
  const worker = (await childrenOf(serverPid)).find(({ command }) => command.includes("main.js worker"));
  if (worker === undefined) throw new Error("the program has no worker process");
  return worker.pid;
}

async function childrenOf(
  parent: number,
): Promise<readonly { readonly pid: number; readonly command: string }[]> {
  const pids = (await readFile(`/proc/${parent}/task/${parent}/children`, "utf8").catch(() => "")).split(" ");
  return Promise.all(
    pids
      .filter((pid) => pid !== "")
      .map(async (pid) => ({
        pid: Number(pid),
        command: (await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")).replaceAll("\0", " "),
      })),
  );
}
