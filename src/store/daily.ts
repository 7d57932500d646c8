/** Times of day in a time zone, as SQL. */
import { sql } from "./sql.ts";
import type { Sql } from "./sql.ts";

/** The next time that clocks of the time zone show this time: today, or tomorrow. */
export const nextTimeOfDay = (timeOfDay: Sql, timeZone: Sql): Sql => sql`(
  select min(t) from (values (0), (1)) as days (n),
         lateral (select (date_trunc('day', now() at time zone ${timeZone}) + make_interval(days => n) + ${timeOfDay}::interval)
                           at time zone ${timeZone} as t) as at
   where t > now())`;
