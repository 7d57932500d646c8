/** A name of the time zone database, which PostgreSQL has too. */
export function isTimeZone(name: string): boolean {
  return name === "UTC" || Intl.supportedValuesOf("timeZone").includes(name);
}
