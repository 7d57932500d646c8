/**
 * The settings of the embedded server, each with its reason. They are passed on the command line, so that a new version
 * of the program applies its settings to existing data. To tune PostgreSQL, run your own.
 */
import { ARCHIVE } from "./paths.ts";

export const SERVER_SETTINGS = {
  // Reachable from this machine only, by TCP only.
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",

  // Durability first: none of it is traded for speed.
  fsync: "on",
  full_page_writes: "on",
  synchronous_commit: "on",

  // A worker uses up to 24, and there may be several; then `serve`, and the user's tools. Unused connections cost little.
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
  // No replicas of an embedded server: bulk loads into new tables then skip the log, and fsync the table instead.
  wal_level: "minimal",
  max_wal_senders: "0",
  max_replication_slots: "0",
  max_logical_replication_workers: "0",

  // After a recovery to an earlier time the server is used, and not before the recovery has ended.
  recovery_target_action: "promote",
  hot_standby: "off",

  // Two cores are shared with the program itself, and parallel workers need /dev/shm: 64 MB in a plain container.
  max_parallel_workers_per_gather: "0",
  max_parallel_maintenance_workers: "0",
  // Compiling takes longer than our short statements.
  jit: "off",
  // The data is on a solid state disk, or in memory.
  random_page_cost: "1.1",

  timezone: "UTC",
  log_timezone: "UTC",
  lc_messages: "C",
  // Failures and restarts only; never a statement or a row, which may contain a customer's data.
  log_checkpoints: "off",
  log_min_error_statement: "panic",
  log_error_verbosity: "terse",
  log_line_prefix: "%m [%p] ",
} as const;

/** From the data folder, where the commands run: no character of DATA_DIR can change them. */
const FOLDER = `../../${ARCHIVE}`;

/**
 * If there is a folder for the archive, every segment of the log is kept, so that a copy of the data folder can be recovered to any later time. A segment
 * of another cluster with the same name is never replaced: archiving fails then. Most of a segment that a timeout ended is empty and
 * takes almost no space compressed.
 */
export const ARCHIVE_SETTINGS = {
  wal_level: "replica",
  // For pg_basebackup.
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

/** Nothing of our environment: it may contain secrets, and PG* variables would change the server. */
export const SERVER_ENV: Readonly<Record<string, string>> = { LC_ALL: "C", TZ: "UTC", PATH: "/usr/bin:/bin" };
