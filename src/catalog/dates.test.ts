import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseInstant, parseInterval } from "./dates.ts";
import { assertAll, assertCases } from "../../test/assert-cases.ts";

const at = (text: string, edge: "start" | "end" = "start"): string => {
  const instant = parseInstant(text, edge);
  return instant.kind === "valid" ? instant.value : instant.reason;
};

const span = (text: string): string => {
  const interval = parseInterval(text);
  return interval.kind === "valid"
    ? `${interval.value.from ?? ""}/${interval.value.to ?? ""}`
    : interval.reason;
};

test("dates and times become UTC timestamps in one format", () => {
  assertCases(at, [
    ["2026-11-01", "2026-11-01T00:00:00.000Z"],
    ["2026-11-01T13:30", "2026-11-01T13:30:00.000Z"],
    ["2026-11-01 13:30", "2026-11-01T13:30:00.000Z"],
    ["2026-11-01 13:30:15", "2026-11-01T13:30:15.000Z"],
    ["2026-11-01T13:30:15.1239Z", "2026-11-01T13:30:15.123Z"],
    ["2026-11-01T00:00+0100", "2026-10-31T23:00:00.000Z"],
    ["2026-11-01T00:00+01:00", "2026-10-31T23:00:00.000Z"],
    ["2026-11-01T00:00-08", "2026-11-01T08:00:00.000Z"],
    ["2026-11-01 00:00:00 UTC", "2026-11-01T00:00:00.000Z"],
    ["2028-02-29", "2028-02-29T00:00:00.000Z"],
    [" 2026-11-01 ", "2026-11-01T00:00:00.000Z"],
  ]);
});

test("a date without a time is the start of the day as a beginning and its end as an end", () => {
  assert.equal(at("2026-12-31", "start"), "2026-12-31T00:00:00.000Z");
  assert.equal(at("2026-12-31", "end"), "2026-12-31T23:59:59.999Z");
  assert.equal(at("2026-12-31T08:00", "end"), "2026-12-31T08:00:00.000Z");
});

test("texts that are no date, and dates that do not exist, are refused", () => {
  assertAll(at, "no_such_time", ["2026-02-29", "2026-04-31", "2026-13-01", "0000-00-00", "0000-01-01"]);
  assertAll(at, "no_such_time", ["2026-11-01T24:00", "2026-11-01T12:60", "2026-11-01T12:00+15:00"]);
  assertAll(at, "no_such_time", ["9999-12-31T23:59-14:00", "0001-01-01T00:00+14:00"]);
  assertAll(at, "not_iso", ["1793491200", "1.11.26", "2026-11-01T12", "tomorrow", ""]);
  assert.equal(at("2026-11-01 ".repeat(100_000)), "not_iso");
});

test("an interval is two dates separated by a slash, a comma or a space", () => {
  const november = "2026-11-01T00:00:00.000Z/2026-11-30T23:59:59.999Z";
  assertCases(span, [
    ["2026-11-01/2026-11-30", november],
    ["2026-11-01 / 2026-11-30", november],
    ["2026-11-01,2026-11-30", november],
    ["2026-11-01 2026-11-30", november],
    ["2026-11-01T00:00+0100/2026-11-30T23:59+0100", "2026-10-31T23:00:00.000Z/2026-11-30T22:59:00.000Z"],
    ["2026-11-01 08:00 2026-11-30 20:00", "2026-11-01T08:00:00.000Z/2026-11-30T20:00:00.000Z"],
    ["2026-11-01/", "2026-11-01T00:00:00.000Z/"],
    ["2026-11-01/..", "2026-11-01T00:00:00.000Z/"],
    ["/2026-11-30", "/2026-11-30T23:59:59.999Z"],
    ["2026-11-01/2026-11-01", "2026-11-01T00:00:00.000Z/2026-11-01T23:59:59.999Z"],
  ]);
  assertAll(span, "ends_before_start", ["2026-11-30/2026-11-01", "2026-11-01T08:00/2026-11-01T08:00"]);
  assertAll(span, "no_such_time", ["2026-11-31/2026-12-01", "2026-11-01/2026-11-31"]);
  assertAll(span, "not_an_interval", ["2026-11-01", "/", "../..", "soon", "", " ".repeat(1_000_000)]);
});

test("a timestamp from any time zone is read back unchanged", () => {
  const instants = fc.date({ min: new Date("1000-01-01"), max: new Date("9000-01-01"), noInvalidDate: true });

  fc.assert(
    fc.property(instants, fc.integer({ min: -14 * 60, max: 14 * 60 }), (instant, offset) => {
      const local = new Date(instant.getTime() + offset * 60_000).toISOString().slice(0, -1);
      const size = Math.abs(offset);
      const hours = `${Math.trunc(size / 60)}`.padStart(2, "0");
      const minutes = `${size % 60}`.padStart(2, "0");
      assert.equal(at(`${local}${offset < 0 ? "-" : "+"}${hours}:${minutes}`), instant.toISOString());
    }),
  );
});

test("the order of accepted texts is the order of their times", () => {
  const instants = fc.date({ min: new Date("0001-01-02"), max: new Date("9999-12-30"), noInvalidDate: true });

  fc.assert(fc.property(instants, instants, (a, b) => at(a.toISOString()) < at(b.toISOString()) === a < b));
});

test("local dates are read where only one order of day and month is possible", () => {
  const day = "2027-01-15T00:00:00.000Z";
  assertAll(at, day, [
    "15.01.2027",
    "15.1.2027",
    "15. 1. 2027",
    "01/15/2027",
    "15/01/2027",
    "15-01-2027",
    "2027/01/15",
  ]);
  assert.equal(at("15.01.2027 13:30"), "2027-01-15T13:30:00.000Z");
  assert.equal(at("05.06.2027"), "2027-06-05T00:00:00.000Z");
  assert.equal(at("05/05/2027"), "2027-05-05T00:00:00.000Z");
  assertAll(at, "ambiguous_date", ["05/06/2027", "5-6-2027"]);
  assertAll(at, "no_such_time", ["31.04.2027", "15.13.2027"]);
  assert.equal(span("15.01.2027/31.01.2027"), "2027-01-15T00:00:00.000Z/2027-01-31T23:59:59.999Z");
  assert.equal(span("01/15/2027 01/31/2027"), "2027-01-15T00:00:00.000Z/2027-01-31T23:59:59.999Z");
  assert.equal(span("01/02/2027 01/31/2027"), "ambiguous_date");
});
