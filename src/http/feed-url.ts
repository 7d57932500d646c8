/** The address of a hosted feed: `{base_url}/f/<catalog_slug>/<token>/<file>`. */
export function feedUrl(
  baseUrl: string,
  { slug, token, file }: { readonly slug: string; readonly token: string; readonly file: string },
): string {
  return `${baseUrl}/f/${slug}/${token}/${file}`;
}
