import assert from "node:assert/strict";
import { test } from "node:test";
import { text } from "node:stream/consumers";
import { finished } from "node:stream/promises";
import fc from "fast-check";
import { anyCharacter } from "../lib/any-character.fixture.ts";
import { freshDb } from "../../test/fresh.ts";
import { COPY_HEADER, COPY_TRAILER, CopyWriter, readRows } from "./copy-binary.ts";
import { sql } from "./sql.ts";

const readTexts = (chunks: AsyncIterable<Buffer>) => readRows(chunks, (row) => row.text());

/** PostgreSQL text holds every character but NUL. */
const anyText = fc
  .string({ unit: anyCharacter, maxLength: 200 })
  .map((s) => s.toWellFormed().replaceAll("\0", ""));

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test("texts are the same after writing and reading, however the stream is cut", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyText), fc.integer({ min: 1, max: 40 }), async (texts, size) => {
      const writer = new CopyWriter();
      for (const one of texts) writer.row([one]);

      const stream = Buffer.concat([COPY_HEADER, writer.take(), COPY_TRAILER]);

      const read = (await Array.fromAsync(readTexts(inPieces(stream, size)))).flat();
      assert.deepEqual(read, texts);
    }),
  );
});

test("a stream that stops in the middle of a row is an error, not a shorter list", async () => {
  const writer = new CopyWriter();
  writer.row(["whole"]);
  writer.row(["cut off"]);
  const stream = Buffer.concat([COPY_HEADER, writer.take()]).subarray(0, -3);

  await assert.rejects(Array.fromAsync(readTexts(inPieces(stream, 16))), /ended in the middle/);
});

test("PostgreSQL reads what we write and we read what it writes", async () => {
  await using db = await freshDb({ isMigrated: false });
  const rows = [
    { n: 1, t: 'quote " backslash \\ tab \t newline \n', b: Buffer.of(0, 255) },
    { n: -5, t: "日本語 👩‍👩‍👧 \u2028", b: Buffer.alloc(0) },
    { n: 2 ** 52 + 1, t: null, b: Buffer.of(1) },
  ];

  await db.session(async (session) => {
    await session.execute(sql`create temporary table t (n bigint, t text, b bytea)`);
    const writer = new CopyWriter();
    for (const { n, t, b } of rows) {
      writer.beginRow(3);
      writer.int8(n);
      writer.text(t);
      writer.hex(b.toString("hex"));
    }
    const into = session.copyIn("copy t from stdin (format binary)");
    into.end(Buffer.concat([COPY_HEADER, writer.take(), COPY_TRAILER]));
    await finished(into);

    const stored = await session.query<{ n: string; t: string | null; b: Buffer }>(
      sql`select n::text, t, b from t order by n`,
    );
    assert.deepEqual(
      stored.map(({ n, t, b }) => ({ n: Number(n), t, b })),
      rows.toSorted((a, b) => (a.n < b.n ? -1 : 1)),
    );
    const back = session.copyOut(
      "copy (select t from t where t is not null order by n desc) to stdout (format binary)",
    );
    assert.deepEqual((await Array.fromAsync(readTexts(back as AsyncIterable<Buffer>))).flat(), [
      rows[0]?.t,
      rows[1]?.t,
    ]);
    assert.equal(await text(session.copyOut("copy (select 1) to stdout")), "1\n");
  });
});
