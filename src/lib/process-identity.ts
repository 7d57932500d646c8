/**
 * Identifies a process by its pid, its start time, and the place (kernel boot and pid namespace) where the pid can be
 * looked up. A pid alone is reused after a crash or a reboot, and means nothing in another container.
 */
import { execFile } from "node:child_process";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { promisify } from "node:util";

export type MachineIdentity = { readonly host: string; readonly boot: string; readonly pidNamespace: string };
export type ProcessIdentity = {
  readonly pid: number;
  readonly started: string;
  readonly place: MachineIdentity;
};

const run = promisify(execFile);
const hasProc = process.platform === "linux";

export async function ownIdentity(): Promise<ProcessIdentity> {
  const { pid } = process;
  const started = await startOf(pid);
  if (started === null)
    throw new Error("The system does not say when this process started (no /proc, no ps).");
  return { pid, started, place: await ownPlace() };
}

/** Outside Linux there are no pid namespaces. */
export async function ownPlace(): Promise<MachineIdentity> {
  if (!hasProc) return { host: hostname(), boot: "", pidNamespace: "" };
  const [boot, pidNamespace] = await Promise.all([
    readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => ""),
    readlink("/proc/self/ns/pid").catch(() => ""),
  ]);
  return { host: hostname(), boot: boot.trim(), pidNamespace };
}

/**
 * `here`: its pids can be looked up. `ended`: the same machine before a reboot, so nothing of it runs any more.
 * `elsewhere`: another container or machine; whether its processes are alive cannot be checked from here.
 */
export function compare(other: MachineIdentity, own: MachineIdentity): "here" | "ended" | "elsewhere" {
  if (other.boot === own.boot) return other.pidNamespace === own.pidNamespace ? "here" : "elsewhere";
  return other.host === own.host ? "ended" : "elsewhere";
}

export function isPlace(value: unknown): value is MachineIdentity {
  if (typeof value !== "object" || value === null) return false;
  return "host" in value && "boot" in value && "pidNamespace" in value;
}

export function isProcessIdentity(value: unknown): value is ProcessIdentity {
  if (typeof value !== "object" || value === null) return false;
  return "pid" in value && "started" in value && "place" in value && isPlace(value.place);
}

/** Whether the pid is in use. A zombie is, too. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it belongs to another user.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** When the process started, as an opaque text; null if there is no such process, or only its zombie. */
export async function startOf(pid: number): Promise<string | null> {
  return hasProc ? startFromProc(pid) : startFromPs(pid);
}

async function startFromProc(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  if (stat === null) return null;
  // proc_pid_stat(5): the name is in parentheses and may contain any character, so count from the last one.
  // What follows begins with field 3, the state; the start time is field 22.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[0] === "Z" || fields[0] === "X" ? null : (fields[19] ?? null);
}

async function startFromPs(pid: number): Promise<string | null> {
  const line = await ps(pid, "stat=,lstart=");
  if (line === null || line.startsWith("Z")) return null;
  return line.slice(line.indexOf(" ") + 1).trim();
}

/** The arguments the process was started with, in one line; null if there is no such process. */
export async function commandLineOf(pid: number): Promise<string | null> {
  if (!hasProc) return ps(pid, "command=");
  const raw = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
  return raw === "" ? null : raw.replaceAll("\0", " ").trim();
}

async function ps(pid: number, columns: string): Promise<string | null> {
  const env = { PATH: "/bin:/usr/bin", LC_ALL: "C", TZ: "UTC" };
  const answer = await run("ps", ["-ww", "-o", columns, "-p", String(pid)], { env }).catch(() => null);
  return answer === null || answer.stdout.trim() === "" ? null : answer.stdout.trim();
}
