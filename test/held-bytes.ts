/** For tests that a stream is not held in memory: what is really held, without what the collector has yet to free. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

export function heldBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}
