/**
 * `node bench/guard-replay.ts`: how often the default limits of the publish guard are wrong, as the tables of
 * docs/publish-guard.md.
 */
import { replay } from "./guard-replay/replay.ts";
import { accidentTable, deliberateTable, ordinaryTable } from "./guard-replay/tables.ts";

const result = replay();
console.log(ordinaryTable(result));
console.log();
console.log(accidentTable(result));
console.log();
console.log(deliberateTable(result));
