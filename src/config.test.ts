import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { describe, test } from "node:test";
import fc from "fast-check";
import { tempDir } from "../test/fresh.ts";
import { readConfig, SETTINGS } from "./config.ts";
import { duration } from "./config-values.ts";
import type { Config, Env } from "./config.ts";
import { AppError } from "./errors.ts";

/** The names of the invalid settings, in the order of the report. */
function problemsOf(env: Env): readonly string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    assert.ok(error instanceof AppError);
    assert.equal(error.code, "config_invalid");
    // What a person reads has every one of them, a line each.
    for (const { pointer, detail } of error.fields)
      assert.ok(error.message.includes(`\n  ${pointer} ${detail}`));
    return error.fields.map(({ pointer }) => pointer);
  }
}

const KEY = "k".repeat(32);

test("with nothing set, everything has its default", () => {
  const { dataDir, ...config } = readConfig({});

  assert.deepEqual(config, {
    databaseUrl: null,
    host: "127.0.0.1",
    port: 8080,
    metricsPort: null,
    maxConnectionsPerAddress: 512,
    baseUrl: "http://127.0.0.1:8080",
    secretKey: null,
    allowPrivateTargets: [],
    allowLoopback: true,
    rateLimitPerMinute: 3_000,
    syncIntervalS: 21_600,
    runDeadlineS: 21_600,
    keepRuns: 1_000,
    keepRenders: 20,
    keepRenderBytes: 2 * 1024 ** 3,
    keepChangesS: 365 * 86_400,
    keepReceiptsS: 90 * 86_400,
    workerSlots: 8,
    enrichBaseUrl: null,
    enrichApiKey: null,
    enrichModel: null,
    enrichMaxItems: 200,
    enrichMaxCharacters: 500_000,
    smtpUrl: null,
    mailFrom: null,
    logLevel: "info",
    logFormat: "auto",
  } satisfies Omit<Config, "dataDir">);
  assert.ok(isAbsolute(dataDir) && dataDir.endsWith("shelfwire"));
});

test("an empty variable counts as not set", () => {
  const empty = Object.fromEntries(Object.values(SETTINGS).map(({ env }) => [env, ""]));

  assert.deepEqual(readConfig({ ...empty, SECRET_KEY_FILE: "" }), readConfig({}));
});

test("without DATA_DIR, the data is in the system's default folder", () => {
  const xdg = readConfig({ XDG_DATA_HOME: "/srv/data" }).dataDir;

  assert.equal(xdg, process.getuid?.() === 0 ? "/var/lib/shelfwire" : "/srv/data/shelfwire");
  assert.equal(readConfig({ DATA_DIR: "here/and there" }).dataDir, resolve("here/and there"));
  assert.notEqual(readConfig({}).dataDir, homedir());
});

describe("the values of each setting", () => {
  const good: readonly (readonly [string, string, keyof Config, unknown])[] = [
    [
      "DATABASE_URL",
      "postgres://u:p@db.example:5432/shop",
      "databaseUrl",
      "postgres://u:p@db.example:5432/shop",
    ],
    ["DATABASE_URL", "postgresql:///shop?host=/run/pg", "databaseUrl", "postgresql:///shop?host=/run/pg"],
    ["HOST", "0.0.0.0", "host", "0.0.0.0"],
    ["HOST", "::1", "baseUrl", "http://[::1]:8080"],
    ["PORT", "1", "port", 1],
    ["PORT", "65535", "baseUrl", "http://127.0.0.1:65535"],
    ["BASE_URL", "https://feeds.example.com", "baseUrl", "https://feeds.example.com"],
    ["BASE_URL", "https://feeds.example.com/", "baseUrl", "https://feeds.example.com"],
    ["BASE_URL", "https://example.com/shop/feeds/", "baseUrl", "https://example.com/shop/feeds"],
    ["SECRET_KEY", KEY, "secretKey", KEY],
    ["ALLOW_PRIVATE_TARGETS", "127.0.0.1", "allowPrivateTargets", ["127.0.0.1"]],
    [
      "ALLOW_PRIVATE_TARGETS",
      " shop.internal, 10.0.0.0/8 ,,::1 ",
      "allowPrivateTargets",
      ["shop.internal", "10.0.0.0/8", "::1"],
    ],
    ["RATE_LIMIT_PER_MINUTE", "0", "rateLimitPerMinute", 0],
    ["SYNC_INTERVAL", "15m", "syncIntervalS", 900],
    ["SYNC_INTERVAL", "6h", "syncIntervalS", 21_600],
    ["SYNC_INTERVAL", "2d", "syncIntervalS", 172_800],
    ["KEEP_RUNS", "50", "keepRuns", 50],
    ["KEEP_RENDERS", "1", "keepRenders", 1],
    ["KEEP_RENDER_BYTES", "0MB", "keepRenderBytes", 0],
    ["KEEP_RENDER_BYTES", "500MB", "keepRenderBytes", 524_288_000],
    ["KEEP_RENDER_BYTES", "1TB", "keepRenderBytes", 1024 ** 4],
    ["WORKER_SLOTS", "24", "workerSlots", 24],
    ["ENRICH_MAX_ITEMS", "10000", "enrichMaxItems", 10_000],
    ["ENRICH_MAX_CHARACTERS", "1000", "enrichMaxCharacters", 1_000],
    ...["error", "warn", "info", "debug", "silent"].map(
      (level) => ["LOG_LEVEL", level, "logLevel", level] as const,
    ),
  ];
  for (const [name, text, key, value] of good) {
    test(`${name}=${text}`, () => {
      assert.deepEqual(readConfig({ SECRET_KEY: KEY, [name]: text })[key], value);
    });
  }

  const bad: readonly (readonly [string, ...string[]])[] = [
    ["DATABASE_URL", "mysql://db/shop", "db.example", "postgres://", "postgres://db/a b"],
    ["HOST", "two hosts", "http://shop", "/run/socket"],
    ["PORT", "0", "65536", "80 80", "-1", "8e3", "0x50", "http", "8080.5"],
    [
      "BASE_URL",
      "feeds.example.com",
      "ftp://example.com",
      "https://u:p@example.com",
      "https://:p@example.com",
    ],
    ["BASE_URL", "https://example.com/?a=b", "https://example.com/#top", "https://example.com/?"],
    ["SECRET_KEY", "short", "k".repeat(31)],
    ["ALLOW_PRIVATE_TARGETS", "10.0.0.0/99", "http://shop.internal", "not a host"],
    ["RATE_LIMIT_PER_MINUTE", "-1", "many", "1000001"],
    ["SYNC_INTERVAL", "6", "h", "0m", "367d", "-1h", "1.5h", "6 h", "6H"],
    ["KEEP_RUNS", "49", "1000001"],
    ["KEEP_RENDERS", "0", "1001"],
    ["KEEP_RENDER_BYTES", "2", "GB", "-1GB", "2gb", "1.5GB", "1001TB", "2 GB"],
    ["WORKER_SLOTS", "0", "25"],
    ["ENRICH_MAX_ITEMS", "0", "10001", "all"],
    ["ENRICH_MAX_CHARACTERS", "999"],
    ["LOG_LEVEL", "verbose", "INFO", "info,debug"],
  ];
  for (const [name, ...texts] of bad) {
    test(`and not ${name}=${texts.join(", ")}`, () => {
      for (const text of texts) assert.deepEqual(problemsOf({ SECRET_KEY: KEY, [name]: text }), [name], text);
    });
  }
});

test("a path can be appended to every accepted base URL", () => {
  const anyAddress = fc
    .tuple(
      fc.constantFrom("http://", "https://"),
      fc.constantFrom("example.com", "[::1]:8080", "10.0.0.1"),
      fc.string({ unit: fc.constantFrom("/", "a", "b", "?", "#", "@", ":", "%", ".", " "), maxLength: 6 }),
    )
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(anyAddress, (text) => {
      if (problemsOf({ BASE_URL: text }).length > 0) return;
      const { pathname, search, hash, username, password } = new URL(
        `${readConfig({ BASE_URL: text }).baseUrl}/f/shop/token/acp.csv`,
      );
      assert.ok(pathname.endsWith("/f/shop/token/acp.csv"));
      assert.deepEqual([search, hash, username, password], ["", "", "", ""]);
    }),
  );
});

test("an interval is parsed in any unit", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 366 }), (days) => {
      assert.equal(duration(`${days}d`), days * 86_400);
      assert.equal(duration(`${days * 24}h`), duration(`${days}d`));
      assert.equal(duration(`${days * 24 * 60}m`), duration(`${days}d`));
    }),
  );
});

describe("a secret", () => {
  test("may be in a file instead, and the line end of the file is not part of it", async () => {
    await using folder = await tempDir();
    const path = join(folder.path, "key");
    await writeFile(path, `${KEY}\n`);

    assert.equal(readConfig({ SECRET_KEY_FILE: path }).secretKey, KEY);
  });

  test("given in both ways is refused as ambiguous", async () => {
    await using folder = await tempDir();
    const path = join(folder.path, "key");
    await writeFile(path, KEY);

    assert.deepEqual(problemsOf({ SECRET_KEY: KEY, SECRET_KEY_FILE: path }), ["SECRET_KEY"]);
  });

  test("in a file that does not exist or is invalid is refused and not shown", async () => {
    await using folder = await tempDir();
    const path = join(folder.path, "key");
    await writeFile(path, "hunter2");

    assert.deepEqual(problemsOf({ SECRET_KEY_FILE: join(folder.path, "none") }), ["SECRET_KEY"]);
    assert.throws(
      () => readConfig({ SECRET_KEY_FILE: path }),
      (error) => error instanceof Error && !error.message.includes("hunter2"),
    );
  });

  test("is the only kind of setting that may be in a file", async () => {
    await using folder = await tempDir();
    const path = join(folder.path, "port");
    await writeFile(path, "9000");

    assert.equal(readConfig({ PORT_FILE: path }).port, 8080);
  });
});

describe("DATABASE_URL", () => {
  const url = "postgres://u:p@db.example/shop";

  test("needs a SECRET_KEY, however it is set", async () => {
    await using folder = await tempDir();
    const [urlFile, keyFile] = [join(folder.path, "url"), join(folder.path, "key")];
    await writeFile(urlFile, url);
    await writeFile(keyFile, KEY);

    assert.deepEqual(problemsOf({ DATABASE_URL: url }), ["SECRET_KEY"]);
    assert.deepEqual(problemsOf({ DATABASE_URL_FILE: urlFile }), ["SECRET_KEY"]);
    assert.deepEqual(problemsOf({ DATABASE_URL_FILE: urlFile, SECRET_KEY_FILE: keyFile }), []);
  });

  test("that is invalid still needs one: both problems are reported", () => {
    assert.deepEqual(problemsOf({ DATABASE_URL: "db.example" }), ["DATABASE_URL", "SECRET_KEY"]);
  });

  test("with a SECRET_KEY that is too short has one problem", () => {
    assert.deepEqual(problemsOf({ DATABASE_URL: url, SECRET_KEY: "short" }), ["SECRET_KEY"]);
  });

  test("is not repeated in its problem, because it contains a password", () => {
    assert.throws(
      () => readConfig({ DATABASE_URL: "mysql://u:hunter2@db/shop" }),
      (error) => error instanceof Error && !error.message.includes("hunter2"),
    );
  });
});

describe("mail", () => {
  const from = { MAIL_FROM: "alerts@shop.example" };
  const server = (url: string) => readConfig({ SMTP_URL: url, ...from }).smtpUrl;

  test("has a server with a login or without, and the usual port of its scheme", () => {
    const auth = { user: "me@shop.example", pass: "a#b/c%" };
    assert.deepEqual(server("smtps://me%40shop.example:a%23b%2Fc%25@mail.example"), {
      host: "mail.example",
      port: 465,
      isSecure: true,
      auth,
    });
    assert.deepEqual(server("smtp://[::1]:2525"), { host: "::1", port: 2_525, isSecure: false, auth: null });
    assert.equal(server("smtp://mail.example/")?.port, 587);
  });

  test("has a sender with a name or without", () => {
    const sender = (text: string) =>
      readConfig({ SMTP_URL: "smtp://mail.example", MAIL_FROM: text }).mailFrom;
    assert.deepEqual(sender("alerts@shop.example"), { name: "", address: "alerts@shop.example" });
    const named = { name: "Kiln & Co.", address: "a@b.example" };
    assert.deepEqual(sender("Kiln & Co. <a@b.example>"), named);
    assert.deepEqual(sender('"Kiln & Co." <a@b.example>'), named);
  });

  test("needs both settings, in their form, and shows no password", () => {
    assert.deepEqual(problemsOf(from), ["SMTP_URL"]);
    assert.deepEqual(problemsOf({ SMTP_URL: "smtp://mail.example" }), ["MAIL_FROM"]);
    for (const url of [
      "mail.example",
      "http://mail.example",
      "smtp://",
      "smtp://me@mail.example",
      "smtp://me:pa#ss@mail.example",
      "smtp://me:50%@mail.example",
      "smtp://mail.example/path",
    ])
      assert.deepEqual(problemsOf({ ...from, SMTP_URL: url }), ["SMTP_URL"], url);
    for (const text of [
      "alerts",
      "a@b.example, c@d.example",
      "a@b.example\nBcc: c@d.example",
      "A <a@b> <c@d>",
    ])
      assert.deepEqual(problemsOf({ SMTP_URL: "smtp://m.example", MAIL_FROM: text }), ["MAIL_FROM"], text);
    assert.throws(
      () => readConfig({ ...from, SMTP_URL: "smtp://me:hunter-two#@mail.example" }),
      ({ message }: Error) => !message.includes("hunter-two"),
    );
  });
});

describe("a model", () => {
  const all = {
    ENRICH_BASE_URL: "https://models.example/v1/",
    ENRICH_API_KEY: "sk-1",
    ENRICH_MODEL: "some/model-7b:latest",
  };

  test("is used with an address, a key and a name", () => {
    const { enrichBaseUrl, enrichApiKey, enrichModel } = readConfig(all);

    assert.deepEqual(
      [enrichBaseUrl, enrichApiKey, enrichModel],
      ["https://models.example/v1", "sk-1", "some/model-7b:latest"],
    );
  });

  test("needs all three", () => {
    assert.deepEqual(problemsOf({ ENRICH_MODEL: "m" }), ["ENRICH_BASE_URL", "ENRICH_API_KEY"]);
    assert.deepEqual(problemsOf({ ...all, ENRICH_API_KEY: "" }), ["ENRICH_API_KEY"]);
  });

  test("may have its key in a file", async () => {
    await using folder = await tempDir();
    const file = join(folder.path, "key");
    await writeFile(file, "sk-2\n");

    const { enrichApiKey } = readConfig({ ...all, ENRICH_API_KEY: "", ENRICH_API_KEY_FILE: file });

    assert.equal(enrichApiKey, "sk-2");
  });

  test("is reached without TLS only where the operator allows it by name", () => {
    const local = { ...all, BASE_URL: "https://feeds.example", ENRICH_BASE_URL: "http://127.0.0.1:11434/v1" };

    assert.deepEqual(problemsOf(local), ["ENRICH_BASE_URL"]);
    assert.deepEqual(problemsOf({ ...local, ALLOW_PRIVATE_TARGETS: "127.0.0.1" }), []);
    assert.deepEqual(problemsOf({ ...local, BASE_URL: "" }), [], "only this machine is served");
    assert.deepEqual(problemsOf({ ...local, BASE_URL: "", ENRICH_BASE_URL: "http://10.0.0.1/v1" }), [
      "ENRICH_BASE_URL",
    ]);
  });
});

describe("loopback targets are allowed without a setting", () => {
  const isAllowed = (env: Env) => readConfig({ SECRET_KEY: KEY, ...env }).allowLoopback;

  test("while BASE_URL and HOST are only for this machine", () => {
    for (const env of [
      {},
      { PORT: "8090" },
      { HOST: "::1" },
      { HOST: "localhost" },
      { HOST: "127.8.0.1" },
      { BASE_URL: "http://localhost:8080" },
      { BASE_URL: "http://shelfwire.localhost/feeds" },
      { BASE_URL: "http://[::1]:8080" },
      { BASE_URL: "http://[::ffff:127.0.0.1]:8080" },
      { BASE_URL: "http://127.1/" },
    ])
      assert.equal(isAllowed(env), true, JSON.stringify(env));
  });

  test("not if others may reach the service", () => {
    for (const env of [
      { HOST: "0.0.0.0" },
      { HOST: "::" },
      { HOST: "192.168.1.5" },
      { HOST: "0.0.0.0", BASE_URL: "http://127.0.0.1:8080" },
      { HOST: "::", BASE_URL: "http://localhost:8080" },
      { HOST: "my-laptop", BASE_URL: "http://localhost:8080" },
      { BASE_URL: "https://feeds.example" },
      { BASE_URL: "http://10.0.0.1:8080" },
      { BASE_URL: "http://0.0.0.0:8080" },
      { BASE_URL: "http://localhost.example" },
      { BASE_URL: "http://127.0.0.1.example" },
      { BASE_URL: "http://[::ffff:10.0.0.1]:8080" },
    ])
      assert.equal(isAllowed(env), false, JSON.stringify(env));
  });
});

test("all problems are reported at once", () => {
  const env = {
    PORT: "http",
    HOST: "two hosts",
    BASE_URL: "here",
    SECRET_KEY: "short",
    ALLOW_PRIVATE_TARGETS: "10.0.0.0/99",
    RATE_LIMIT_PER_MINUTE: "many",
    SYNC_INTERVAL: "often",
    KEEP_RUNS: "all",
    KEEP_RENDERS: "all",
    WORKER_SLOTS: "all",
    LOG_LEVEL: "loud",
  };

  assert.deepEqual(problemsOf(env).toSorted(), Object.keys(env).toSorted());
});

test("every setting has a description and a default", () => {
  for (const { env, help, default: fallback } of Object.values(SETTINGS)) {
    assert.match(env, /^[A-Z]+(_[A-Z]+)*$/);
    assert.match(help, /\.$/);
    assert.notEqual(fallback, "");
  }
});
