import assert from "node:assert/strict";
import { test } from "node:test";
import { candidates, parseHosts, parseSearch } from "./resolver-config.ts";

test("a hosts file names addresses, several for one name and several names for one", () => {
  const hosts = parseHosts(
    "\t127.0.0.1  localhost Box # a comment\r\n::1 localhost\nnonsense shop\n\n10.0.0.1\n",
  );

  assert.deepEqual(Object.fromEntries(hosts), { localhost: ["127.0.0.1", "::1"], box: ["127.0.0.1"] });
});

test("of several search lines the last counts; domain is another word for it", () => {
  assert.deepEqual(parseSearch(""), { domains: [], ndots: 1 });
  assert.deepEqual(
    parseSearch("search a.example b.example.\ndomain c.example ; old\noptions rotate ndots:3\n"),
    {
      domains: ["c.example"],
      ndots: 3,
    },
  );
  assert.deepEqual(parseSearch("# search x\nsearch .\noptions ndots:99 ndots:x"), { domains: [], ndots: 15 });
});

test("names are completed first or last by their dots, and never if they end in one", () => {
  const search = { domains: ["one.example", "two.example"], ndots: 2 };

  assert.deepEqual(candidates("shop.dev", search), [
    "shop.dev.one.example",
    "shop.dev.two.example",
    "shop.dev",
  ]);
  assert.deepEqual(candidates("a.shop.dev", search), [
    "a.shop.dev",
    "a.shop.dev.one.example",
    "a.shop.dev.two.example",
  ]);
  assert.deepEqual(candidates("shop.", search), ["shop."]);
});
