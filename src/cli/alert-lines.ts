/** One alert as lines of text. */
import type { Alert } from "../contract/alerts.ts";
import { ageText } from "./run-text.ts";

export function alertLines(alert: Alert): readonly string[] {
  const { code, severity, message, meanwhile, advice, since, cleared_at: cleared, resolved_at: end } = alert;
  if (end !== null) return [`resolved: ${message} [${code}]`, `  from ${since} to ${end}`, ""];
  if (cleared !== null)
    return [
      `seems to be over: ${message} [${code}]`,
      `  from ${since} to ${cleared} (${ageText(new Date(cleared))}); it is resolved if it does not return`,
      "",
    ];
  return [
    `${severity}: ${message} [${code}]`,
    `  since ${since} (${ageText(new Date(since))})`,
    `  destinations get: ${meanwhile}`,
    `  what to do: ${advice}`,
    "",
  ];
}
