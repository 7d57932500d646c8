/**
 * The settings of the embedded server, each with its reason. They are passed on the command line, so that a new version
 * of the program applies its settings to existing data. To tune PostgreSQL, run your own.
 */
import { ARCHIVE } from "./paths.ts";

export const SERVER_SETTINGS = {
  // Reachable from this machine only, by TCP only.
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",

  // Durability comes first and is not traded for speed.
  fsync: "on",
  full_page_writes: "on",
  synchronous_commit: "on",

  // A worker uses up to 24, and there may be several; then `serve`, and the user's tools. Unused connections cost
  // little.
  max_connections: "200",
  shared_buffers: "192MB",
  work_mem: "16MB",
  maintenance_work_mem: "128MB",
  // `try` has crashed servers in containers whose cgroup has no huge pages left.
  huge_pages: "off",

  // A first sync of a large catalog writes gigabytes of log; frequent checkpoints would write full pages again.
  max_wal_size: "3GB",
  min_wal_size: "160MB",
  checkpoint_timeout: "15min",
  // An embedded server has no replicas, so bulk loads into new tables can skip the log; the table is synced to disk
  // instead.
  wal_level: "minimal",
  max_wal_senders: "0",
  max_replication_slots: "0",
  max_logical_replication_workers: "0",

  // After a recovery to an earlier time the server accepts writes, but not before the recovery has ended.
  recovery_target_action: "promote",
  hot_standby: "off",

  // Two cores are shared with the program itself, and parallel workers need /dev/shm: 64 MB in a plain container.
  max_parallel_workers_per_gather: "0",
  max_parallel_maintenance_workers: "0",
  // Compiling takes longer than the short statements of this program.
  jit: "off",
  // The data is on a solid state disk, or in memory.
  random_page_cost: "1.1",

  timezone: "UTC",
  log_timezone: "UTC",
  lc_messages: "C",
  // Only failures and restarts are logged, never a statement or a row, which may contain a customer's data.
  log_checkpoints: "off",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_line_prefix: "%m [%p] ",
} as const;

/**
 * The path is relative to the data folder, where the commands run, so no character of DATA_DIR can change the commands.
 */
const FOLDER = `../../${ARCHIVE}`;

/**
 * If there is a folder for the archive, every segment of the log is kept, so that a copy of the data folder can be
 * recovered to any later time. Archiving fails rather than replace a segment of another cluster with the same name. A
 * segment that a timeout ended is mostly empty and takes almost no space when compressed.
 */
export const ARCHIVE_SETTINGS = {
  wal_level: "replica",
  // Needed by pg_basebackup.
  max_wal_senders: "4",
  archive_mode: "on",
  archive_timeout: "5min",
  archive_command: `if test -f ${FOLDER}/%f.gz; then gzip -cd ${FOLDER}/%f.gz | cmp -s - %p; else gzip -c %p > ${FOLDER}/%f.part && mv ${FOLDER}/%f.part ${FOLDER}/%f.gz; fi`,
  restore_command: `gzip -cd ${FOLDER}/%f.gz > %p`,
} as const;

/** The built-in locale provider (17 and newer) needs no locale of the system. */
export const INITDB_OPTIONS = [
  "--auth=scram-sha-256",
  "--encoding=UTF8",
  "--locale=C",
  "--locale-provider=builtin",
  "--builtin-locale=C.UTF-8",
  "--data-checksums",
  "--no-instructions",
] as const;

/**
 * The server gets nothing of this program's environment: the environment may contain secrets, and PG* variables would
 * change the server.
 */
export const SERVER_ENV: Readonly<Record<string, string>> = { LC_ALL: "C", TZ: "UTC", PATH: "/usr/bin:/bin" };
