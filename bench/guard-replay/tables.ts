/** The result of a replay as tables of Markdown. */
import { table } from "../../test/doc-sections.ts";
import { type AccidentResult, type Replay, SHARES } from "./replay.ts";

const count = (number: number): string => number.toLocaleString("en");
const listed = (names: readonly string[]): string =>
  names.length === 0 ? "–" : names.map((name) => `\`${name}\``).join(", ");

export function ordinaryTable({ daily, weekly }: Replay): string {
  const rows = daily.map((one, at) => {
    const week = weekly[at];
    const alarms = new Set([...one.signals, ...(week?.signals ?? [])]);
    return [
      one.name,
      one.what,
      `${one.falseAlarms} of ${count(one.renders)}`,
      `${week?.falseAlarms ?? 0} of ${count(week?.renders ?? 0)}`,
      listed([...alarms]),
    ];
  });
  const sum = (results: readonly { renders: number; falseAlarms: number }[]): string => {
    const renders = results.reduce((all, one) => all + one.renders, 0);
    const alarms = results.reduce((all, one) => all + one.falseAlarms, 0);
    return `${alarms} of ${count(renders)}`;
  };
  return table(
    ["Shop", "Its 100 days", "Held, a render a day", "Held, a render a week", "By"],
    [...rows, ["**all**", "", `**${sum(daily)}**`, `**${sum(weekly)}**`, ""]],
  );
}

export function accidentTable({ accidents }: Replay): string {
  return table(
    ["Accident", ...SHARES.map((share) => `${100 * share} % of the items`), "Held by"],
    accidents.map(({ name, held, shops, signals }) => [
      name,
      ...held.map((times) => `${times} of ${shops}`),
      listed(signals.slice(0, 3)),
    ]),
  );
}

export function deliberateTable({ deliberate }: Replay): string {
  return table(
    ["Change", "Held", "By"],
    deliberate.map(({ name, held, shops, signals }: AccidentResult) => [
      name,
      `${held[0] ?? 0} of ${shops}`,
      listed(signals.slice(0, 3)),
    ]),
  );
}
