/**
 * Which shop is meant, however it was typed. The token is sent to what comes out of here, so nothing but a name under
 * myshopify.com ever does.
 */
const NAME = /^[a-z0-9][a-z0-9-]*$/;
const DOMAIN = /^[a-z0-9][a-z0-9-]*\.myshopify\.com$/;
const IN_ADMIN = /^\/store\/([a-z0-9][a-z0-9-]*)(?:\/|$)/;

/** `my-shop`, `my-shop.myshopify.com`, or an address of the shop or of its admin as the browser shows it. */
export function shopDomain(text: string): string | null {
  const typed = text.trim().toLowerCase();
  if (NAME.test(typed)) return `${typed}.myshopify.com`;
  const url = URL.parse(typed.includes("://") ? typed : `https://${typed}`);
  if (url === null || hasMore(url)) return null;
  if (DOMAIN.test(url.hostname)) return url.hostname;
  const name = url.hostname === "admin.shopify.com" ? IN_ADMIN.exec(url.pathname)?.[1] : undefined;
  return name === undefined ? null : `${name}.myshopify.com`;
}

/** An address with a user or a port is not one that a browser shows for a shop. */
function hasMore({ username, password, port, protocol }: URL): boolean {
  return `${username}${password}${port}` !== "" || !["http:", "https:"].includes(protocol);
}
