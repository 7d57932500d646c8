/**
 * A real OpenSSH server on loopback, with a login by key for the current user. As root on Linux it runs in a mount
 * namespace of its own, so that a user with a password and a small disk exist for it alone.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { freePort } from "./test-server.ts";

const SSHD = "/usr/sbin/sshd";
export const NO_SSHD = existsSync(SSHD)
  ? false
  : "there is no OpenSSH server on this machine; install openssh-server";
const hasNamespaces =
  process.getuid?.() === 0 && spawnSync("unshare", ["-m", "true"], { stdio: "ignore" }).status === 0;
/** What needs a mount namespace. */
export const NO_NAMESPACE = NO_SSHD || (hasNamespaces ? false : "this machine has no mount namespace for us");

export const PASSWORD_USER = { user: "shelfwire-test", password: "correct horse" } as const;

export type Sshd = AsyncDisposable & {
  readonly port: number;
  readonly user: string;
  readonly privateKey: string;
  /** `ssh-ed25519 SHA256:…` */
  readonly hostKey: string;
  /** Where a login by key may write. */
  readonly folder: string;
  /** Gives the server another host key. */
  readonly changeHostKey: () => Promise<string>;
  /** Kills the server and every session of it. */
  readonly kill: () => Promise<void>;
  /** Starts it again, at the same port with the same host key. */
  readonly restart: () => Promise<void>;
};

type SshdOptions = {
  /** Arguments of `internal-sftp`, such as `-P rename`. */
  readonly sftp?: string;
  /** The size of the disk of `folder`. */
  readonly diskBytes?: number;
};

export async function startSshd({ sftp = "", diskBytes }: SshdOptions = {}): Promise<Sshd> {
  const root = mkdtempSync(join(tmpdir(), "shelfwire-sshd-"));
  chmodSync(root, 0o755);
  const folder = join(root, "files");
  mkdirSync(folder);
  chmodSync(folder, 0o777);
  const userKey = makeKey(join(root, "user"));
  const privateKey = readFileSync(userKey, "utf8");
  const port = await freePort();
  const config = join(root, "sshd_config");
  writeFileSync(config, configText({ root, port, sftp }));
  let hostKey = fingerprintOf(makeKey(join(root, "host")));
  let child = await launch({ root, config, folder, port, diskBytes });
  const kill = async () => stop(child);
  const restart = async () => {
    await kill();
    child = await launch({ root, config, folder, port, diskBytes });
  };
  return {
    port,
    user: userInfo().username,
    privateKey,
    get hostKey() {
      return hostKey;
    },
    folder,
    changeHostKey: async () => {
      await kill();
      rmSync(join(root, "host"));
      hostKey = fingerprintOf(makeKey(join(root, "host")));
      await restart();
      return hostKey;
    },
    kill,
    restart,
    [Symbol.asyncDispose]: async () => {
      await kill();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

const configText = ({ root, port, sftp }: { root: string; port: number; sftp: string }): string =>
  `Port ${port}
ListenAddress 127.0.0.1
HostKey ${join(root, "host")}
PidFile none
AuthorizedKeysFile ${join(root, "user.pub")}
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication yes
KbdInteractiveAuthentication no
UseDNS no
LogLevel ERROR
Subsystem sftp internal-sftp ${sftp}
`;

function makeKey(path: string): string {
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", path]);
  return path;
}

function fingerprintOf(path: string): string {
  const [, key = ""] = readFileSync(`${path}.pub`, "utf8").split(" ");
  const digest = createHash("sha256").update(Buffer.from(key, "base64")).digest("base64");
  return `ssh-ed25519 SHA256:${digest.replace(/=+$/, "")}`;
}

type Launch = {
  readonly root: string;
  readonly config: string;
  readonly folder: string;
  readonly port: number;
  readonly diskBytes: number | undefined;
};

async function launch({ root, config, folder, port, diskBytes }: Launch): Promise<ChildProcess> {
  const start = `exec ${SSHD} -D -e -f ${config}`;
  const script = hasNamespaces ? [...namespaceSteps(root, folder, diskBytes), start].join(" && ") : start;
  const [command, ...args] = [...(hasNamespaces ? ["unshare", "-m"] : []), "sh", "-c", script];
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr?.on("data", (text: Buffer) => (errors += text.toString()));
  for (let tries = 0; tries < 100; tries++) {
    if (await accepts(port)) return child;
    if (child.exitCode !== null) break;
    await delay(50);
  }
  await stop(child);
  throw new Error(`sshd did not start: ${errors}`);
}

let passwordHash: string | undefined;

/** The user and the disk exist in the namespace only. */
function namespaceSteps(root: string, folder: string, diskBytes: number | undefined): string[] {
  const { user, password } = PASSWORD_USER;
  const id = 61_234;
  passwordHash ??= execFileSync("openssl", ["passwd", "-6", password], { encoding: "utf8" }).trim();
  const passwd = `${readFileSync("/etc/passwd", "utf8")}${user}:x:${id}:${id}::${folder}:/bin/sh\n`;
  const shadow = `${readFileSync("/etc/shadow", "utf8")}${user}:${passwordHash}:20000:0:99999:7:::\n`;
  writeFileSync(join(root, "passwd"), passwd);
  writeFileSync(join(root, "shadow"), shadow, { mode: 0o640 });
  return [
    "mount --make-rprivate /",
    "mkdir -p /run/sshd",
    `mount --bind ${join(root, "passwd")} /etc/passwd`,
    `mount --bind ${join(root, "shadow")} /etc/shadow`,
    ...(diskBytes === undefined ? [] : [`mount -t tmpfs -o size=${diskBytes},mode=777 tmpfs ${folder}`]),
  ];
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  for (const pid of [...descendants(child.pid), child.pid]) killQuietly(pid);
  await gone;
}

/** The sessions: each is a process with a session of its own. */
function descendants(pid: number): number[] {
  const children = childrenOf(pid).split(" ").filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendants(child)]);
}

function childrenOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  } catch {
    // It has ended, or the system has no such files.
    return "";
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended by itself.
  }
}
