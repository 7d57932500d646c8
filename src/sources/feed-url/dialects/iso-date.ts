/** `2026-12-24`, `24.12.2026` or `24. 12. 2026` as `2026-12-24`; undefined for anything else. */
export function isoDate(text: string): string | undefined {
  const iso = /^(\d{4}-\d{2}-\d{2})(?:[T ].{0,30})?$/.exec(text)?.[1];
  if (iso !== undefined) return iso;
  const [, day = "", month = "", year = ""] = /^(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})$/.exec(text) ?? [];
  return year === "" ? undefined : `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}
