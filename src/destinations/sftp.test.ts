import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, createServer } from "node:net";
import { after, test } from "node:test";
import { socketClient } from "../lib/outbound/socket-client.ts";
import { serving } from "../lib/outbound/loopback.fixture.ts";
import { tcpProxy } from "../../test/fakes/tcp-proxy.ts";
import { NO_NAMESPACE, NO_SSHD, PASSWORD_USER, type Sshd, startSshd } from "../../test/sshd.ts";
import { DeliveryFailure } from "./failure.ts";
import { testSftp, type SftpUpload, uploadBySftp } from "./sftp.ts";
import type { SftpTarget } from "./sftp-place.ts";
import type { SshLimits } from "./ssh-session.ts";

const sockets = socketClient({ allowPrivate: ["127.0.0.1"] });
after(() => sockets.close());
const never = new AbortController().signal;

const server = NO_SSHD ? undefined : await startSshd();
after(async () => server?.[Symbol.asyncDispose]());
const skip = NO_SSHD;

const sshd = (): Sshd => server ?? assert.fail("no server");

/** A folder of its own for each test. */
function target(on: Sshd = sshd(), changes: Partial<SftpTarget> = {}): SftpTarget {
  const { port, user, privateKey, hostKey } = on;
  const folder = mkdtempSync(join(on.folder, "t-"));
  return { host: "127.0.0.1", port, user, privateKey, hostKey, folder, ...changes };
}

async function* chunksOf(bytes: Buffer, size = 100_000): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const fileOf = (name: string, bytes: Buffer | string) => ({ name, bytes: chunksOf(Buffer.from(bytes)) });

async function upload(
  to: SftpTarget,
  files: SftpUpload["files"],
  {
    bytesPerS = null,
    limits,
    signal = never,
  }: { bytesPerS?: number | null; limits?: Partial<SshLimits>; signal?: AbortSignal } = {},
) {
  const isOurs = (name: string) => /^products-\d{4}\.csv$/.test(name);
  return uploadBySftp(to, { files, isOurs, bytesPerS }, { sockets, signal, limits });
}

async function failureOf(promise: Promise<unknown>): Promise<DeliveryFailure> {
  const error = await promise.then(
    () => assert.fail("it succeeded"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof DeliveryFailure, String(error));
  return error;
}

test("files of any size arrive byte for byte, with their sizes and hashes in the result", {
  skip,
}, async () => {
  const to = target();
  const large = randomBytes(5_000_003);

  const { files, replacing, removed } = await upload(to, [
    fileOf("products-0001.csv", large),
    fileOf("products-0002.csv", "one\n"),
    fileOf("products-0003.csv", ""),
  ]);

  assert.deepEqual(readdirSync(to.folder), ["products-0001.csv", "products-0002.csv", "products-0003.csv"]);
  assert.ok(readFileSync(join(to.folder, "products-0001.csv")).equals(large));
  assert.equal(readFileSync(join(to.folder, "products-0002.csv"), "utf8"), "one\n");
  assert.deepEqual(
    files.map(({ bytes }) => bytes),
    [5_000_003, 4, 0],
  );
  assert.equal(files[0]?.sha256, createHash("sha256").update(large).digest("hex"));
  assert.deepEqual([replacing, removed], ["atomic", []]);
});

test("an earlier file is replaced only when all new ones are complete", { skip }, async () => {
  const to = target();
  const seen: string[] = [];
  writeFileSync(join(to.folder, "products-0001.csv"), "old");
  async function* files() {
    yield fileOf("products-0001.csv", "new");
    seen.push(readFileSync(join(to.folder, "products-0001.csv"), "utf8"));
    yield fileOf("products-0002.csv", "more");
  }

  await upload(to, files());

  assert.deepEqual(seen, ["old"]);
  assert.equal(readFileSync(join(to.folder, "products-0001.csv"), "utf8"), "new");
});

test("what earlier uploads left is removed; files of others are not touched", { skip }, async () => {
  const to = target();
  for (const name of [
    "products-0002.csv",
    ".products-0001.csv.part",
    ".products-0009.csv.part",
    "other.csv",
    ".other.part",
  ])
    writeFileSync(join(to.folder, name), "x");

  const { removed } = await upload(to, [fileOf("products-0001.csv", "new")]);

  assert.deepEqual(readdirSync(to.folder).toSorted(), [".other.part", "other.csv", "products-0001.csv"]);
  assert.deepEqual(removed.toSorted(), [
    ".products-0001.csv.part",
    ".products-0009.csv.part",
    "products-0002.csv",
  ]);
});

test("a server without the rename extension gets two renames, and the result says so", { skip }, async () => {
  await using plain = await startSshd({ sftp: "-P posix-rename" });
  const to = target(plain);
  await upload(to, [fileOf("products-0001.csv", "first")]);

  const { replacing } = await upload(to, [fileOf("products-0001.csv", "second")]);

  assert.equal(replacing, "two_renames");
  assert.deepEqual(readdirSync(to.folder), ["products-0001.csv"]);
  assert.equal(readFileSync(join(to.folder, "products-0001.csv"), "utf8"), "second");
});

test("a refused rename leaves the earlier file and no part", { skip }, async () => {
  await using strict = await startSshd({ sftp: "-P rename,posix-rename" });
  const to = target(strict);
  writeFileSync(join(to.folder, "products-0001.csv"), "old");

  const { code, message } = await failureOf(upload(to, [fileOf("products-0001.csv", "new")]));

  assert.equal(code, "rename_refused");
  assert.match(message, /products-0001\.csv was not replaced.*Ask its operator/);
  assert.deepEqual(readdirSync(to.folder), ["products-0001.csv"]);
  assert.equal(readFileSync(join(to.folder, "products-0001.csv"), "utf8"), "old");
});

test("without a confirmed host key nothing but the key is asked for", { skip }, async () => {
  const to = target(sshd(), { hostKey: null });

  const { code, message } = await failureOf(upload(to, []));

  assert.equal(code, "host_key_unconfirmed");
  assert.ok(message.includes(sshd().hostKey), message);
});

test("a changed host key fails with both keys, before the login", { skip }, async () => {
  await using changing = await startSshd();
  const to = target(changing);
  await upload(to, [fileOf("products-0001.csv", "x")]);
  const before = changing.hostKey;
  const now = await changing.changeHostKey();

  const { code, message } = await failureOf(upload({ ...to, user: "unknown-user" }, []));

  assert.equal(code, "host_key_changed");
  assert.ok(message.includes(before) && message.includes(now), message);
});

test("a test logs in, writes, and leaves nothing", { skip }, async () => {
  const to = target();

  const { fingerprint } = await testSftp(to, { sockets, signal: never });
  const missing = await failureOf(testSftp({ ...to, folder: "/no/such" }, { sockets, signal: never }));

  assert.ok(sshd().hostKey.endsWith(fingerprint));
  assert.deepEqual(readdirSync(to.folder), []);
  assert.equal(missing.code, "folder_missing");
});

test("a pinned key without its type is enough", { skip }, async () => {
  const [, fingerprint = ""] = sshd().hostKey.split(" ");

  const { hostKey } = await upload(target(sshd(), { hostKey: fingerprint }), []);

  assert.equal(`${hostKey.type} ${hostKey.fingerprint}`, sshd().hostKey);
});

test("a user logs in with a password; a wrong one is refused", { skip: NO_NAMESPACE }, async () => {
  const to = { ...target(), ...PASSWORD_USER, privateKey: undefined, folder: sshd().folder };

  await upload(to, [fileOf("products-0001.csv", "by password")]);
  const { code, message } = await failureOf(upload({ ...to, password: "wrong" }, []));

  const path = join(to.folder, "products-0001.csv");
  assert.equal(readFileSync(path, "utf8"), "by password");
  assert.equal(code, "unauthorized");
  assert.match(message, /refused the login of shelfwire-test with the password/);
  assert.ok(!message.includes("wrong"));
  rmSync(path);
});

test("a folder that is missing or not ours is named", { skip: NO_NAMESPACE }, async () => {
  const missing = await failureOf(
    upload(target(sshd(), { folder: "/no/such" }), [fileOf("products-0001.csv", "x")]),
  );
  const to = { ...target(), ...PASSWORD_USER, privateKey: undefined, folder: "/etc" };
  const refused = await failureOf(upload(to, [fileOf("products-0001.csv", "x")]));

  assert.deepEqual([missing.code, refused.code], ["folder_missing", "refused"]);
  assert.match(missing.message, /\/no\/such on 127\.0\.0\.1/);
});

test("a full disk is recognized; the earlier file stays, and the part is removed", {
  skip: NO_NAMESPACE,
}, async () => {
  await using full = await startSshd({ diskBytes: 3_000_000 });
  // The disk exists in the namespace of the server only.
  const to = { ...target(sshd()), ...loginOf(full), folder: full.folder };
  await upload(to, [fileOf("products-0001.csv", "old")]);

  const { code, message } = await failureOf(
    upload(to, [fileOf("products-0001.csv", randomBytes(4_000_000))]),
  );
  await upload(to, [fileOf("products-0001.csv", randomBytes(2_500_000))]);

  assert.equal(code, "full");
  assert.match(message, /no space left in .*Free some space/);
});

const loginOf = ({ port, user, privateKey, hostKey }: Sshd) => ({ port, user, privateKey, hostKey });

test("a connection that breaks in the middle fails at once, and the next upload starts clean", {
  skip,
}, async () => {
  await using proxy = await tcpProxy({ host: "127.0.0.1", port: sshd().port });
  const to = target(sshd(), { port: proxy.port });
  writeFileSync(join(to.folder, "products-0001.csv"), "old");
  let isReturned = false;
  async function* endless() {
    try {
      for (let sent = 0; ; sent++) {
        if (sent === 20) proxy.reset();
        yield randomBytes(100_000);
      }
    } finally {
      isReturned = true;
    }
  }

  const { code } = await failureOf(upload(to, [{ name: "products-0001.csv", bytes: endless() }]));
  const left = readdirSync(to.folder);
  await upload(to, [fileOf("products-0001.csv", "new")]);

  assert.equal(code, "interrupted");
  assert.equal(isReturned, true);
  assert.ok(left.includes("products-0001.csv"));
  assert.deepEqual(readdirSync(to.folder), ["products-0001.csv"]);
  assert.equal(readFileSync(join(to.folder, "products-0001.csv"), "utf8"), "new");
});

test("a server that is killed in the middle keeps the earlier file", { skip }, async () => {
  await using dying = await startSshd();
  const to = target(dying);
  await upload(to, [fileOf("products-0001.csv", "old")]);
  async function* slow() {
    yield randomBytes(1_000_000);
    await dying.kill();
    while (true) yield randomBytes(1_000_000);
  }

  const { code } = await failureOf(upload(to, [{ name: "products-0001.csv", bytes: slow() }]));

  assert.equal(code, "interrupted");
  assert.equal(readFileSync(join(to.folder, "products-0001.csv"), "utf8"), "old");
});

test("a server that does not answer in time is given up, at any step", { skip }, async () => {
  await using silent = await serving(createServer());
  const limits = { connectMs: 200, idleMs: 200 };
  const mute = await failureOf(upload(target(sshd(), { port: silent.port }), [], { limits }));
  assert.deepEqual(
    [mute.code, mute.message],
    ["timeout", "127.0.0.1 took longer than 0.2 s to connect and log in."],
  );

  const total = await failureOf(
    upload(target(), [fileOf("products-0001.csv", randomBytes(1_000_000))], {
      bytesPerS: 100_000,
      limits: { totalMs: 700 },
    }),
  );
  assert.match(total.message, /took longer than 0\.7 s in all/);
});

test("a server that stops reading in the middle is given up", { skip }, async () => {
  let taken = 0;
  await using stalling = await serving(
    createServer((inside) => {
      const outside = connect(sshd().port, "127.0.0.1");
      outside.on("error", () => undefined).pipe(inside);
      inside.on("close", () => outside.destroy());
      inside.on("data", (bytes: Buffer) => {
        taken += bytes.length;
        if (taken > 500_000) inside.pause();
        else outside.write(bytes);
      });
    }),
  );
  const files = [fileOf("products-0001.csv", randomBytes(20_000_000))];

  const { code, message } = await failureOf(
    upload(target(sshd(), { port: stalling.port }), files, { limits: { idleMs: 300 } }),
  );

  assert.deepEqual([code, message], ["timeout", "127.0.0.1 took longer than 0.3 s to take more bytes."]);
});

test("an abort of the caller ends the upload with its reason", { skip }, async () => {
  const stop = new AbortController();
  async function* bytes() {
    yield randomBytes(10);
    stop.abort(new Error("stopping"));
    while (true) yield randomBytes(100_000);
  }
  const to = target();

  await assert.rejects(
    upload(to, [{ name: "products-0001.csv", bytes: bytes() }], { signal: stop.signal }),
    /stopping/,
  );
  assert.equal(existsSync(join(to.folder, "products-0001.csv")), false);
});

test("the bandwidth limit holds", { skip }, async () => {
  const to = target();
  const began = performance.now();

  await upload(to, [fileOf("products-0001.csv", randomBytes(300_000))], { bytesPerS: 500_000 });

  const took = performance.now() - began;
  assert.ok(took > 550 && took < 10_000, `${took} ms`);
  assert.equal(statSync(join(to.folder, "products-0001.csv")).size, 300_000);
});

test("only addresses that the guard allows are connected to", { skip }, async () => {
  const guarded = socketClient({ allowPrivate: [] });
  const upload = { files: [], isOurs: () => false, bytesPerS: null };

  for (const host of ["127.0.0.1", "localhost", "::1"]) {
    const { code } = await failureOf(
      uploadBySftp(target(sshd(), { host }), upload, { sockets: guarded, signal: never }),
    );
    assert.equal(code, "blocked", host);
  }
  guarded.close();
});

test("nothing that listens on the port, or something else than SSH, is said", { skip }, async () => {
  await using http = await serving(createServer((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")));
  const closed = await serving(createServer());
  await closed.close();

  const nothing = await failureOf(upload(target(sshd(), { port: closed.port }), []));
  const other = await failureOf(upload(target(sshd(), { port: http.port }), []));

  assert.equal(nothing.code, "unreachable");
  assert.match(nothing.message, /could not be reached on port \d+ \(ECONNREFUSED\)/);
  assert.ok(["protocol", "interrupted"].includes(other.code), other.code);
});
