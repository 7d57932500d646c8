/**
 * The PostgreSQL of a test run: the embedded one, with settings for databases that live for seconds. Its data is in
 * memory where the machine has room: on a disk, the files of each new database take longer than the tests in it.
 */
import { once } from "node:events";
import { chmod, mkdtemp, readdir, readFile, rm, statfs, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { isAlive } from "../src/lib/process-identity.ts";
import { prepareRoot, serverAccount } from "../src/store/embedded/account.ts";
import { findBinaries, runnableBinaries } from "../src/store/embedded/binaries.ts";
import { ADMIN, createCluster } from "../src/store/embedded/cluster.ts";
import { pathsIn } from "../src/store/embedded/paths.ts";
import { startServer, stopServer } from "../src/store/embedded/pg-ctl.ts";
import { DATABASE, HOST, openSession } from "../src/store/embedded/session.ts";

const SETTINGS = {
  // Nothing outlives the run.
  fsync: "off",
  full_page_writes: "off",
  synchronous_commit: "off",
  autovacuum: "off",
  max_wal_size: "256MB",
  min_wal_size: "80MB",
  // Each new database and each dropped one goes through all buffers.
  shared_buffers: "64MB",
  // The data is in memory: a process that reads ahead takes longer than the read.
  io_method: "sync",
  update_process_title: "off",
};

const MEMORY = "/dev/shm";
const MIN_FREE_BYTES = 2 * 1024 ** 3;
const NAME = "shelfwire-test-server-";

export async function openTestServer(parts: AsyncDisposableStack): Promise<string> {
  const cluster = await openCluster(parts);
  await admitWithoutPassword(cluster.data);
  const sockets = socketFolder(dirname(cluster.data));
  const { connectionString: url } = await cluster.start({ unix_socket_directories: sockets ?? "" });
  return sockets === undefined ? url : `${url}&host=${encodeURIComponent(sockets)}`;
}

/** A cluster of its own, which ends with the parts. */
export async function openCluster(parts: AsyncDisposableStack) {
  const { signal } = new AbortController();
  const account = serverAccount();
  const binaries = await findBinaries(process.platform, process.arch);
  const programs = pathsIn(await prepareRoot(await openFolder(parts, await programFolder()), account));
  const paths = pathsIn(await prepareRoot(await openFolder(parts, await dataFolder()), account));
  const pgCtl = { bin: await runnableBinaries(binaries, programs, account), paths, account };
  const cluster = await createCluster(paths, { initdb: join(pgCtl.bin, "initdb"), account, signal });
  const port = await freePort();
  const stop = async () => void (await stopServer(pgCtl));
  parts.defer(stop);
  const { password } = cluster;
  const urlOf = (user: string, database: string) =>
    `postgres://${user}:${password}@${HOST}:${port}/${database}?sslmode=disable`;
  return {
    data: paths.data,
    stop,
    /** The role and the database are created at the first start. */
    start: async (more: Readonly<Record<string, string>>) => {
      const failure = await startServer(pgCtl, { cluster, port, signal, settings: { ...SETTINGS, ...more } });
      if (failure) throw new Error(`PostgreSQL did not start: ${failure.logTail}`);
      const session = await openSession({ port, password, signal });
      await session.end();
      return { connectionString: urlOf(DATABASE, DATABASE), adminUrl: urlOf(ADMIN, "postgres") };
    },
  };
}

/** The path of a Unix socket has a maximum length, on macOS that of this one. */
const MAX_SOCKET_PATH = 103;

/**
 * Tests send hundreds of thousands of statements: a Unix socket takes a fifth less processor time for one
 * than TCP. Undefined: none.
 */
function socketFolder(folder: string): string | undefined {
  return Buffer.byteLength(join(folder, ".s.PGSQL.65535")) <= MAX_SOCKET_PATH ? folder : undefined;
}

/** Tests open thousands of connections, and the password is a seventh of such a one. The role is no superuser. */
async function admitWithoutPassword(data: string): Promise<void> {
  const file = join(data, "pg_hba.conf");
  const rules = await readFile(file, "utf8");
  await writeFile(file, `local all ${DATABASE} trust\nhost all ${DATABASE} ${HOST}/32 trust\n${rules}`);
}

/** Where files are fastest: in memory, if there is enough of it. */
export async function dataFolder(): Promise<string> {
  const space = await statfs(MEMORY).catch(() => null);
  return space && space.bavail * space.bsize >= MIN_FREE_BYTES ? MEMORY : tmpdir();
}

/** Root runs copies of the programs. They are in memory, too, unless it is mounted so that nothing in it can be run. */
async function programFolder(): Promise<string> {
  const mounts = await readFile("/proc/self/mounts", "utf8").catch(() => "");
  const memory = mounts
    .split("\n")
    .map((line) => line.split(" "))
    .findLast(([, folder]) => folder === MEMORY);
  const isRunnable = memory?.[3]?.split(",").includes("noexec") === false;
  return isRunnable ? dataFolder() : tmpdir();
}

/**
 * Named after this process, so that the next run can remove what a killed one left. PostgreSQL ends when its folder is
 * gone.
 */
async function openFolder(parts: AsyncDisposableStack, parent: string): Promise<string> {
  for (const name of await readdir(parent)) {
    const pid = Number(name.startsWith(NAME) && name.slice(NAME.length).split("-")[0]);
    if (pid && !isAlive(pid)) await rm(join(parent, name), { recursive: true, force: true });
  }
  const path = await mkdtemp(join(parent, `${NAME}${process.pid}-`));
  parts.defer(async () => rm(path, { recursive: true, force: true }));
  // Temporary folders are private; run by root, the server is another user and must get in.
  await chmod(path, 0o711);
  return path;
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, HOST);
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}
