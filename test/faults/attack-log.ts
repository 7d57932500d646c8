/** Health calls, which need no key, with a large delivery log. */
import { setTimeout as delay } from "node:timers/promises";
import { median, note, repeat, whileAttacked } from "./attack-measures.ts";
import type { Watch } from "./attack-measures.ts";
import { query } from "./world.ts";

/** What makes two million inserts slow and no count faster. The installation is thrown away afterwards. */
const DROP_CONSTRAINTS = `
  alter table webhook_deliveries
    drop constraint webhook_deliveries_catalog_id_event_id_fkey,
    drop constraint webhook_deliveries_catalog_id_endpoint_id_fkey,
    drop constraint webhook_deliveries_event_id_endpoint_id_key;
  drop index webhook_deliveries_by_catalog`;

/** `/readyz` and `/metrics` with an empty delivery log, and with a large one. */
export async function largeLog(watch: Watch, rows: number): Promise<void> {
  const { world } = watch;
  const time = async (path: string) => {
    const times: number[] = [];
    for (let i = 0; i < 5; i += 1) {
      // Beyond the time for which an answer is kept.
      await delay(path === "/metrics" ? 5_200 : 600);
      const began = performance.now();
      await (await fetch(world.service.url + path)).text();
      times.push(performance.now() - began);
    }
    return median(times);
  };
  const before = { ready: await time("/readyz"), metrics: await time("/metrics") };
  const fill = `insert into webhook_deliveries (catalog_id, id, event_id, endpoint_id, state, attempts, created_at, finished_at)
    select e.catalog_id, gen_random_uuid(), gen_random_uuid(), e.id, 'delivered', 1, now(), now()
      from (select * from webhook_endpoints limit 1) e, generate_series(1, ${rows}) n`;
  await query(world, `${DROP_CONSTRAINTS}; ${fill}; analyze webhook_deliveries`, 600_000);
  const after = { ready: await time("/readyz"), metrics: await time("/metrics") };
  note("Rows of the delivery log", rows);
  const ms = (number: number) => Math.round(number * 10) / 10;
  note("`/readyz` with an empty log and with those rows, ms", `${ms(before.ready)}, ${ms(after.ready)}`);
  note("`/metrics` with an empty log and with those rows, ms", `${ms(before.metrics)}, ${ms(after.metrics)}`);
  await whileAttacked(watch, "`/metrics` and `/readyz` at that log, 40 callers", async (signal) =>
    repeat(signal, 40, async () => {
      await (await fetch(`${world.service.url}/metrics`)).text();
      await (await fetch(`${world.service.url}/readyz`)).text();
    }),
  );
}
