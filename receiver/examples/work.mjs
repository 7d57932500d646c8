/* oxlint-disable no-console -- an example is a whole program, and talks */
/** What the examples do with an event. It runs after the answer: the service waits 10 seconds at most. */
export function work(event) {
  switch (event.event) {
    case "sync.completed":
      console.log(
        `synced: ${event.data.stats.upserted} items changed, ${event.data.stats.rejected} rejected`,
      );
      break;
    case "feeds.rendered":
      console.log(`rendered: ${event.data.feeds.filter(({ changed }) => changed).length} files to fetch`);
      break;
    case "audit.completed":
      console.log(`audited: ${event.data.catalog_score}, grade ${event.data.grade}`);
      break;
    default:
      console.log(`nothing to do for ${event.event}`);
  }
}
