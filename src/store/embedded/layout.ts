/** Where everything of the embedded database lies. All of it is below `DATA_DIR/postgres`, and all of it is ours. */
import { join } from "node:path";

export type Layout = {
  readonly root: string;
  /** Held while the server is started, joined, left or stopped. */
  readonly lock: string;
  /** Address and password, for people and their tools; rewritten at every open, read only for the last port. */
  readonly connection: string;
  readonly log: string;
  /** The machine or container whose processes use the cluster; its mtime is their sign of life. */
  readonly occupancy: string;
  /** The data and its password in one folder: they appear, move and vanish together. */
  readonly cluster: string;
  readonly data: string;
  readonly password: string;
};

export function layoutOf(root: string): Layout {
  const cluster = join(root, "cluster");
  return {
    root,
    lock: join(root, "lock"),
    connection: join(root, "connection.json"),
    log: join(root, "postgres.log"),
    occupancy: join(root, "occupancy.json"),
    cluster,
    data: join(cluster, "data"),
    password: join(cluster, "password"),
  };
}

export const UNFINISHED_CLUSTER = "cluster.tmp-";
export const RUNTIME = "runtime-";
